"""Views of work: the board, its moves, assignments."""
