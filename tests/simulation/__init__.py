"""A company that is simulated by a seed: agents of all dialects, a machine that fails, and laws that hold."""
