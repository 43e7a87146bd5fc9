"""Real processes for tests: commands, writers that may be killed, faults, and what must hold afterwards."""
