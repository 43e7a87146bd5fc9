"""The dashboard, in a real browser and over real sockets."""
