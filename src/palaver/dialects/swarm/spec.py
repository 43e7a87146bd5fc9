"""swarm: one shared channel, led by a technical director."""

from typing import Final

from palaver.dialects.swarm.corrections import CORRECTIONS
from palaver.dialects.swarm.grammar import CODES, DIRECTOR
from palaver.dialects.swarm.layout import WATCHED, files, recognises, residents
from palaver.dialects.swarm.notice_reasons import NOTICE_REASONS
from palaver.dialects.swarm.parse import parse
from palaver.dialects.swarm.render import render
from palaver.model.spec import Addressing, Conventions, Detection, DialectSpec, Setting, SettingKind, Statuses

SPEC: Final = DialectSpec(
    name="swarm",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    watched=WATCHED,
    is_append_only=True,
    residents=residents,
    corrections=CORRECTIONS,
    codes=CODES,
    notice_reasons=NOTICE_REASONS,
    rules_module="palaver.dialects.swarm.rules",
    settings=(
        Setting("team", "the name of the team"),
        Setting("director", "the agent that leads the team (default: `td`)", SettingKind.NAME),
    ),
    detection=Detection(
        evidence=(("channel.jsonl", "."),), entries=("channel.jsonl",), teams="~/.claude/teams"
    ),
    conventions=Conventions(
        work_needs_check=True,
        handoff_is_finished_work=True,
        implies_task=True,
        has_autonomy=True,
        mentions_need_ack=True,
        lead_settings=("director",),
        default_lead=DIRECTOR,
    ),
    statuses=Statuses(
        words={
            "pending": ("open", "claimed", "assigned", "handed"),
            "in_progress": ("working", "blocked", "delivered", "checking", "rework"),
            "completed": ("done", "cancelled"),
        },
    ),
    addressing=Addressing(mentions_add_recipients=True),
)
