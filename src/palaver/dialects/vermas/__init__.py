"""vermas: mail, assignments, work orders and an event log under `.work/`."""

from typing import Final

from palaver.dialects.vermas.grammar import CODES
from palaver.dialects.vermas.layout import WATCHED, files, recognises
from palaver.dialects.vermas.parse import parse
from palaver.dialects.vermas.render import render
from palaver.dialects.vermas.rules import RULES
from palaver.model.dialect import Dialect

DIALECT: Final = Dialect(
    name="vermas",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    rules=RULES,
    codes=CODES,
    watched=WATCHED,
)
