"""The daemon as a process: in the background, for a while, as a service."""
