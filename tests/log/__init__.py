"""The log: records, segments, and what happens to them."""
