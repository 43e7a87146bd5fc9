"""Intake: from the bytes of mounted files to events in the log."""
