"""collab: two agents, a chat log and an inbox folder."""

from typing import Final

from palaver.dialects.collab.grammar import CODES
from palaver.dialects.collab.layout import WATCHED, files, onward, recognises, residents
from palaver.dialects.collab.parse import parse
from palaver.dialects.collab.render import render
from palaver.dialects.collab.rules import RULES
from palaver.model.dialect import Dialect

DIALECT: Final = Dialect(
    name="collab",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    rules=RULES,
    codes=CODES,
    watched=WATCHED,
    onward=onward,
    residents=residents,
)
