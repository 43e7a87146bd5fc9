"""Live files: a line that an agent appends is a message, and mail to an agent is written to its files."""
