"""The command line: arguments in, one call of the bus, one answer out."""
