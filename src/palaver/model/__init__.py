"""What things are: values and tables. Imports nothing of ours, asks no clock, no chance, no disk."""
