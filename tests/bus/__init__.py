"""What a bus can do, tried on real files and with real processes."""
