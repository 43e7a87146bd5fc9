"""Live files: what agents append is a message, and what is sent to them stands in their own files."""
