"""What the bus costs, next to what the machine could do at best in the same minutes."""
