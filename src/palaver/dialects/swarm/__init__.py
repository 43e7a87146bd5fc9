"""swarm: one shared channel, led by a technical director."""

from typing import Final

from palaver.dialects.swarm.grammar import CODES
from palaver.dialects.swarm.layout import WATCHED, files, recognises, residents
from palaver.dialects.swarm.parse import parse
from palaver.dialects.swarm.render import render
from palaver.dialects.swarm.rules import (
    ack_missing,
    autonomy_not_from_td,
    autonomy_unclear,
    blocked_names_nobody,
    handoff_names_nobody,
    reasoning_missing,
    shutdown_not_from_td,
    shutdown_unanswered,
    unknown_handle,
    word_in_wrong_type,
)
from palaver.model.dialect import Dialect

DIALECT: Final = Dialect(
    name="swarm",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    rules=(
        reasoning_missing.RULE,
        autonomy_not_from_td.RULE,
        autonomy_unclear.RULE,
        ack_missing.RULE,
        blocked_names_nobody.RULE,
        shutdown_not_from_td.RULE,
        shutdown_unanswered.RULE,
        word_in_wrong_type.RULE,
        unknown_handle.RULE,
        handoff_names_nobody.RULE,
    ),
    codes=CODES,
    watched=WATCHED,
    residents=residents,
)
