"""The rules of collab."""

RULES = ()
