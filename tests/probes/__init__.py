"""Attempts by an attacker with plain commands: nothing here imports the product."""
