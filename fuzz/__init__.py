"""Any bytes, for hours: what the five dialects must bear."""
