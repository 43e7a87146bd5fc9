"""Every command that a document shows is executed, and its output compared."""
