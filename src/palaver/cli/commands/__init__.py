"""One file a command: its arguments (SPEC) and what it does (run)."""
