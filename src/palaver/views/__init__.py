"""What the events amount to: derived, disposable, in SQLite."""
