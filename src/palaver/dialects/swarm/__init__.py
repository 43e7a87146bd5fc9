"""swarm: one shared channel, led by a technical director."""

from typing import Final

from palaver.dialects.swarm.layout import files, recognises
from palaver.dialects.swarm.parse import parse
from palaver.dialects.swarm.render import render
from palaver.model.dialect import Dialect

DIALECT: Final = Dialect(
    name="swarm",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    rules=(),
)
