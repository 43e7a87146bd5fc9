"""The config of a bus and of the user."""
