"""What several dialects need: problems, pieces, lines, and messages with their places."""
