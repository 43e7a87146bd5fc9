"""Views of the files of mounts: what was read, what is owed, what is quarantined."""
