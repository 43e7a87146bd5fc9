"""vermas: mail, assignments, work orders and an event log under `.work/`."""

from typing import Final

from palaver.dialects.vermas.grammar import CODES
from palaver.dialects.vermas.layout import WATCHED, files, recognises
from palaver.dialects.vermas.parse import parse
from palaver.dialects.vermas.render import render
from palaver.model.dialect import Dialect, Rule


def _rules() -> tuple[Rule, ...]:
    from palaver.dialects.vermas.rules import RULES

    return RULES


DIALECT: Final = Dialect(
    name="vermas",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    judges=_rules,
    codes=CODES,
    watched=WATCHED,
)
