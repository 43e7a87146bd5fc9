"""`palaver continue` and 继续: the poll of an office."""
