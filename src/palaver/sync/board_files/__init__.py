"""Files that show the board, of whatever format: edits of others into the log, the board into the files."""
