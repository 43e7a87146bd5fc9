"""The office dialect."""
