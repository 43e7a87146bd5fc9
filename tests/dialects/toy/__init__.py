"""A sixth dialect, to show what a dialect takes: this folder, and one line in the list of dialects."""
