"""swarm: one shared channel, led by a technical director."""
