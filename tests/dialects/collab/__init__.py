"""collab, tested."""
