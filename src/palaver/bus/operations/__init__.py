"""Operations: what can be asked of a bus, as a table from which every face is built."""
