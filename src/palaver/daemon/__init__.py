"""The daemon: one process that keeps a bus and its files in step, and runs commands."""
