"""The values and tables of the bus. Imports no other folder; uses no clock, no randomness and no disk."""
