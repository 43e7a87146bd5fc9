"""The tests. Folders mirror src/palaver; house/ checks our own habits."""
