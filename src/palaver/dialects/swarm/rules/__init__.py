"""The rules of swarm, one file each. The file is the manual page."""
