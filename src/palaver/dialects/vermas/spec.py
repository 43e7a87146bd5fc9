"""vermas: mail, assignments, work orders and an event log under `.work/`."""

from typing import Final

from palaver.dialects.vermas.grammar import CODES
from palaver.dialects.vermas.layout import WATCHED, files, recognises
from palaver.dialects.vermas.parse import parse
from palaver.dialects.vermas.render import render
from palaver.model.dialect import Rule
from palaver.model.spec import Conventions, Detection, DialectSpec, Statuses


def _rules() -> tuple[Rule, ...]:
    from palaver.dialects.vermas.rules import RULES

    return RULES


SPEC: Final = DialectSpec(
    name="vermas",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    watched=WATCHED,
    codes=CODES,
    load_rules=_rules,
    # The file itself shows who does not exist.
    bounces=False,
    detection=Detection(evidence=((".work/", "."),), entries=(".work/",)),
    conventions=Conventions(work_needs_check=True),
    statuses=Statuses(
        words={
            "open": ("open",),
            "assigned": ("claimed", "assigned", "handed"),
            "in_progress": ("working", "blocked", "delivered", "checking", "rework"),
            "closed": ("done", "cancelled"),
        },
        states={
            "open": "open",
            "assigned": "assigned",
            "in_progress": "working",
            "closed": "done",
            "ready_for_review": "checking",
            "merged": "done",
            "failed": "blocked",
        },
    ),
)
