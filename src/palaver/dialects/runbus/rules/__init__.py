"""What one bus file, or several judged together, can prove to be wrong. One file a rule."""
