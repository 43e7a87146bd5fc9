"""Palaver as it is used, also by mistake and on bad machines, from outside."""
