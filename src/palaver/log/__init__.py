"""The truth: append, read, wait."""
