"""Polls: a worker or a lead asks what is new and what to do next."""
