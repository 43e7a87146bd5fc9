"""Runs, with real processes."""
