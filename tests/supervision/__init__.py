"""Supervision: the patrol, its clock, and what it does to real processes."""
