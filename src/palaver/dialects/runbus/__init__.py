"""Runbus: one Markdown file for a whole run, a message a block of front matter and text."""

from typing import Final

from palaver.dialects.runbus.layout import files, recognises
from palaver.dialects.runbus.parse import parse
from palaver.dialects.runbus.render import render
from palaver.model.dialect import Dialect

DIALECT: Final = Dialect(
    name="runbus", parse=parse, render=render, files=files, recognises=recognises, rules=()
)
