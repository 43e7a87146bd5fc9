"""Rendering: from events in the log to bytes in mounted files."""
