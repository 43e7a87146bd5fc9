"""Runbus: one Markdown file for a whole run, a message a block of front matter and text."""
