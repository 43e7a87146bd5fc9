"""Tasks: open them, move them, assign them, show them."""
