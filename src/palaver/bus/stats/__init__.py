"""Statistics: how much was said, and how long things took."""
