"""What every backend must obey, whatever it is made of."""
