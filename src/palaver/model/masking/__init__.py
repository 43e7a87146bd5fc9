"""Secrets that take more than the first look of `model/secrets.py`, and texts that are shown without them."""
