"""The laws of the product as its users see them: files, commands and their output, never internals.

A law that is not kept yet is an expected failure (marks.py), whose reason says what happens instead. When it
fails because the law holds now, take the mark away.
"""
