"""Agents: the registry, tokens, and the overview."""
