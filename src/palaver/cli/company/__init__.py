"""`co` and `wo`: the commands of a VerMAS company, on the same bus."""
