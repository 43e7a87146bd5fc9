"""collab: two agents, a chat log and an inbox folder."""

import re
from typing import Final

from palaver.dialects.collab.corrections import CORRECTIONS, RULES_MODULE
from palaver.dialects.collab.grammar import CODES
from palaver.dialects.collab.layout import (
    WATCHED,
    empties_inbox,
    files,
    onward,
    recognises,
    repeated_text,
    residents,
)
from palaver.dialects.collab.parse import parse
from palaver.dialects.collab.render import render
from palaver.dialects.shared.trailer import drop_trailer
from palaver.model.spec import (
    Addressing,
    Conventions,
    Detection,
    DialectSpec,
    Drops,
    Setting,
    SettingKind,
    Statuses,
)

_AGENT_NAME: Final = re.compile(
    r"""^\s*(?:export\s+)?AGENT_([AB])_NAME=["']?([A-Za-z0-9][A-Za-z0-9_-]{0,60})["']?\s*$""", re.MULTILINE
)


def _pair(env: str) -> dict[str, str]:
    """Return the names of A and B, from the file that the pair's own scripts read."""
    return {which.lower(): name for which, name in _AGENT_NAME.findall(env)}


SPEC: Final = DialectSpec(
    name="collab",
    parse=parse,
    render=render,
    for_reader=drop_trailer,
    files=files,
    recognises=recognises,
    watched=WATCHED,
    onward=onward,
    residents=residents,
    drops=Drops(are_emptied=empties_inbox, repeated_text=repeated_text, name_codes=frozenset(["COL112"])),
    corrections=CORRECTIONS,
    codes=CODES,
    rules_module=RULES_MODULE,
    settings=(
        Setting("a", "the agent that `A` stands for", SettingKind.SPELLED),
        Setting("b", "the agent that `B` stands for, whose inbox it is", SettingKind.SPELLED),
        Setting("person", "the person", SettingKind.SPELLED),
        Setting(
            "timezone", "the zone of the times in chat.log, as `+02:00`; UTC without it", SettingKind.ZONE
        ),
        Setting("others", "other agents that may write there, as a list", SettingKind.NAMES),
        Setting(
            "inbox",
            "`theirs` (read in place; the agent's own watcher empties it) or `ours`",
            SettingKind.CHOICE,
            ("theirs", "ours"),
        ),
        Setting("inbox-from", "the agent that drops files into the inbox, if it is not A", SettingKind.NAME),
        Setting(
            "chat",
            "who writes the line for a file that Palaver puts into the inbox: `ours`, or `theirs` for B's "
            "daemon; without it, the daemon writes those from A or the person to B alone",
            SettingKind.CHOICE,
            ("ours", "theirs"),
        ),
    ),
    detection=Detection(
        evidence=(("collab/chat.log", "collab"), ("collab/inbox/", "collab"), ("chat.log", ".")),
        entries=("chat.log", "inbox/"),
        hints=(".ai-collab.env", _pair),
    ),
    conventions=Conventions(
        refuses_untimely_tasks=True,
        tasks_are_given=True,
        pair_settings=("a", "b"),
        announces_programs=True,
    ),
    statuses=Statuses(
        words={
            "TASK": ("open", "claimed", "assigned"),
            "ACK": ("working", "rework"),
            "BLOCKED": ("blocked",),
            "DONE": ("done", "delivered", "checking"),
            "HANDOFF": ("handed",),
            "SKIP": ("cancelled",),
        },
    ),
    addressing=Addressing(everyone_is_mount=True),
)
