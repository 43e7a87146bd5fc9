"""swarm: one shared channel, led by a technical director.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.dialects.swarm.grammar import CODES
from palaver.dialects.swarm.layout import WATCHED, files, recognises, residents
from palaver.model.dialect import Dialect, Mount, Parsed, Rule, Source
from palaver.model.message import Message


def _parse(source: Source) -> Parsed:
    from palaver.dialects.swarm.parse import parse

    return parse(source)


def _render(message: Message, mount: Mount, path: str) -> bytes:
    from palaver.dialects.swarm.render import render

    return render(message, mount, path)


def _rules() -> tuple[Rule, ...]:
    from palaver.dialects.swarm.rules import RULES

    return RULES


DIALECT = Dialect(
    name="swarm",
    parse=_parse,
    render=_render,
    files=files,
    recognises=recognises,
    judges=_rules,
    codes=CODES,
    watched=WATCHED,
    residents=residents,
)
