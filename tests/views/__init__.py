"""What the events amount to, live and made anew."""
