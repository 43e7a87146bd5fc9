"""collab: two agents, a chat log and an inbox folder."""

from typing import Final

from palaver.dialects.collab.grammar import CODES
from palaver.dialects.collab.layout import WATCHED, files, onward, recognises, residents
from palaver.dialects.collab.parse import parse
from palaver.dialects.collab.render import render
from palaver.model.dialect import Dialect, Rule


def _rules() -> tuple[Rule, ...]:
    from palaver.dialects.collab.rules import RULES

    return RULES


DIALECT: Final = Dialect(
    name="collab",
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
