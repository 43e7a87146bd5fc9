"""What users of the product rely on, tested from outside: files, commands and HTTP, never modules."""
