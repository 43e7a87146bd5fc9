"""The commands, as people and agents run them."""
