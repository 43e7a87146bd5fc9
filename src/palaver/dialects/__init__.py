"""The five file protocols, one folder each, all of one shape, strangers to each other."""
