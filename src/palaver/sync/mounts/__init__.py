"""Mounts: the folders of a bus that agents use, how they are found, added and removed."""
