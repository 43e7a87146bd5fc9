"""The use cases: all that a face may ask."""
