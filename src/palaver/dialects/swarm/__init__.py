"""swarm: one shared channel, led by a technical director."""

from typing import Final

from palaver.dialects.swarm.grammar import CODES
from palaver.dialects.swarm.layout import WATCHED, files, recognises, residents
from palaver.dialects.swarm.parse import parse
from palaver.dialects.swarm.render import render
from palaver.model.dialect import Dialect, Rule


def _rules() -> tuple[Rule, ...]:
    from palaver.dialects.swarm.rules import RULES

    return RULES


DIALECT: Final = Dialect(
    name="swarm",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    judges=_rules,
    codes=CODES,
    watched=WATCHED,
    residents=residents,
)
