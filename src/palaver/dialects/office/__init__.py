"""The office: a manager and employees, a log for each of them, and one inbox for all replies."""

from typing import Final

from palaver.dialects.office.grammar import CODES
from palaver.dialects.office.layout import WATCHED, files, onward, recognises, residents
from palaver.dialects.office.parse import parse
from palaver.dialects.office.render import render
from palaver.model.dialect import Dialect, Rule


def _rules() -> tuple[Rule, ...]:
    from palaver.dialects.office.rules import RULES

    return RULES


DIALECT: Final = Dialect(
    name="office",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    judges=_rules,
    codes=CODES,
    watched=WATCHED,
    onward=onward,
    residents=residents,
)
