"""The tests of swarm."""
