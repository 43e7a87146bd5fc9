"""Mail: check it, send it, read it, wait for it."""
