"""vermas: mail, assignments, work orders and an event log under `.work/`.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.dialects.vermas.grammar import CODES
from palaver.dialects.vermas.layout import WATCHED, files, recognises
from palaver.model.dialect import Dialect, Mount, Parsed, Rule, Source
from palaver.model.message import Message


def _parse(source: Source) -> Parsed:
    from palaver.dialects.vermas.parse import parse

    return parse(source)


def _render(message: Message, mount: Mount, path: str) -> bytes:
    from palaver.dialects.vermas.render import render

    return render(message, mount, path)


def _rules() -> tuple[Rule, ...]:
    from palaver.dialects.vermas.rules import RULES

    return RULES


DIALECT = Dialect(
    name="vermas",
    parse=_parse,
    render=_render,
    files=files,
    recognises=recognises,
    judges=_rules,
    codes=CODES,
    watched=WATCHED,
)
