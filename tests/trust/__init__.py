"""Whose bus it is, what a foreign one may do, and what an agent may not."""
