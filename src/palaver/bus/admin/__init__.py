"""Administration: create a bus, keep it healthy, lint, convert and export."""
