"""Runs: start an agent's program under the bus, keep its traces, end it, and never lose sight of it."""
