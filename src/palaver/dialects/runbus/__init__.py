"""Runbus: one Markdown file for a whole run, a message a block of front matter and text."""

from typing import Final

from palaver.dialects.runbus.grammar import CODES
from palaver.dialects.runbus.layout import WATCHED, files, recognises
from palaver.dialects.runbus.parse import parse
from palaver.dialects.runbus.render import render
from palaver.model.dialect import Dialect, Rule


def _rules() -> tuple[Rule, ...]:
    from palaver.dialects.runbus.rules import RULES

    return RULES


DIALECT: Final = Dialect(
    name="runbus",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    judges=_rules,
    codes=CODES,
    watched=WATCHED,
)
