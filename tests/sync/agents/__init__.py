"""Small agents, one a dialect: programs that know their own files and have never heard of Palaver."""
