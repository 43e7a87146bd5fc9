"""`palaver channel`: the shared channel of a swarm, with the flags and the output of its script."""
