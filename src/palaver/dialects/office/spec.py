"""The office: a manager and employees, a log for each of them, and one inbox for all replies."""

from typing import Final

from palaver.dialects.office.board import BOARD, STATUSES, TIMELINE, BoardOverview, CardFile
from palaver.dialects.office.corrections import CORRECTIONS
from palaver.dialects.office.grammar import CODES, called, move_fields
from palaver.dialects.office.layout import (
    CARD_MANAGER,
    LEAD_ROLE,
    MANAGER,
    ROLE,
    WATCHED,
    files,
    onward,
    read_role,
    recognises,
    residents,
)
from palaver.dialects.office.misnamed import MISNAMED
from palaver.dialects.office.model_names import is_model_name
from palaver.dialects.office.parse import parse
from palaver.dialects.office.render import render
from palaver.dialects.shared.trailer import drop_trailer
from palaver.model.board_files import BoardFiles
from palaver.model.spec import Addressing, Conventions, Detection, DialectSpec, Setting, SettingKind

SPEC: Final = DialectSpec(
    name="office",
    parse=parse,
    render=render,
    for_reader=drop_trailer,
    files=files,
    recognises=recognises,
    watched=WATCHED,
    misnamed=MISNAMED,
    onward=onward,
    residents=residents,
    # The cards first: the board may be older than they are.
    board_files=BoardFiles(
        codecs=(CardFile(), BoardOverview()), signs=(BOARD, "tasks"), setting="board", timeline=TIMELINE
    ),
    corrections=CORRECTIONS,
    codes=CODES,
    rules_module="palaver.dialects.office.rules",
    # Lines that the manager may have read in vain, and lines in the wrong file.
    shared_codes=frozenset(["OFF004", "OFF027", "OFF102", "OFF103", "OFF104", "OFF105", "OFF115"]),
    settings=(
        Setting(
            "manager",
            "the employee id of the manager (that of `roles/manager.json`, or `emp-manager-001`)",
            SettingKind.NAME,
        ),
        Setting(
            CARD_MANAGER,
            "the manager that `roles/manager.json` names; palaver keeps it up to date",
            SettingKind.NAME,
        ),
        Setting(
            "board",
            "`ours` (board.json, tasks/ and timeline.log are created and updated) or `theirs` "
            "(not written); by default they are updated if they exist",
            SettingKind.CHOICE,
            ("ours", "theirs"),
        ),
    ),
    detection=Detection(
        evidence=(("messages/manager-inbox.log", "."), ("messages/employee-*", ".")),
        entries=("messages/",),
        hints=(ROLE, read_role),
        follows_hints=True,
    ),
    conventions=Conventions(
        claims_need_approval=True,
        claims_are_answered=True,
        one_task_each=True,
        approval_assigns=True,
        done_needs_delivery=True,
        pads_numbers=True,
        called=called,
        move_fields=move_fields,
        is_agent_name=lambda name: not is_model_name(name),
        work_needs_check=True,
        counts_polls=True,
        stop_ends_writing=True,
        writer_file="messages/employee-{}.log",
        lead_settings=("manager", CARD_MANAGER),
        default_lead=MANAGER,
        lead_role=LEAD_ROLE,
    ),
    statuses=STATUSES,
    addressing=Addressing(mentions_add_recipients=True, unaddressed_is_for_lead=True),
)
