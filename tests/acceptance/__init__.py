"""What users of the five protocols expect, tried from the outside: files, commands and their answers."""
