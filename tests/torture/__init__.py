"""Kills, cuts and floods, in the numbers that a release must stand: `make torture`."""
