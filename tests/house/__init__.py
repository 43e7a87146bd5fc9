"""What we agreed on, checked by a machine."""
