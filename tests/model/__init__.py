"""What things are, tried one by one."""
