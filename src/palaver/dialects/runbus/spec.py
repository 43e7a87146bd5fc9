"""Runbus: one Markdown file for a whole run, a message a block of front matter and text."""

from typing import Final

from palaver.dialects.runbus.corrections import CORRECTIONS
from palaver.dialects.runbus.grammar import CODES, NOBODY
from palaver.dialects.runbus.header import HEADER
from palaver.dialects.runbus.layout import FILE, FILES, WATCHED, files, is_closed, recognises, unfinished
from palaver.dialects.runbus.parse import parse
from palaver.dialects.runbus.render import render
from palaver.model.spec import (
    Addressing,
    Appending,
    Conventions,
    Detection,
    DialectSpec,
    Setting,
    SettingKind,
    Statuses,
)

SPEC: Final = DialectSpec(
    name="runbus",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    watched=WATCHED,
    is_closed=is_closed,
    is_append_only=True,
    appending=Appending(header=HEADER, separator=b"\n", unfinished=unfinished),
    corrections=CORRECTIONS,
    codes=CODES,
    shared_codes=frozenset(["RUN004", "RUN005"]),
    rules_module="palaver.dialects.runbus.rules",
    settings=(Setting("file", "another name of the bus file", SettingKind.FILE),),
    detection=Detection(
        evidence=((FILE, FILE), (f"runs/{FILE}", f"runs/{FILE}")), entries=FILES, default_file=FILE
    ),
    conventions=Conventions(delivers_given_tasks=True, anonymous=NOBODY),
    statuses=Statuses(
        words={
            "TASK": ("open", "claimed", "assigned", "handed"),
            "PROGRESS": ("working", "rework"),
            "ERROR": ("blocked",),
            "REVIEW": ("checking", "delivered"),
            "COMPLETE": ("done", "cancelled"),
        },
    ),
    addressing=Addressing(
        mentions_add_recipients=True,
        addressed_by_mention=frozenset(["assign", "ask", "handoff"]),
        everyone_is_mount=True,
    ),
)
