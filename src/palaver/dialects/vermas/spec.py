"""vermas: mail, assignments, work orders and an event log under `.work/`."""

from typing import Final

from palaver.dialects.vermas.assignments import AssignmentFile
from palaver.dialects.vermas.corrections import CORRECTIONS
from palaver.dialects.vermas.events import render_event
from palaver.dialects.vermas.grammar import CODES, COMPANY_ROLES, EVENTS, MAIL
from palaver.dialects.vermas.layout import WATCHED, colleagues, files, recognises, residents
from palaver.dialects.vermas.mail import correct_line, read_line
from palaver.dialects.vermas.parse import parse
from palaver.dialects.vermas.render import render
from palaver.dialects.vermas.work_orders import STATUSES, WorkOrderFile
from palaver.model.board_files import BoardFiles, EventFile, MailFile
from palaver.model.spec import Conventions, Detection, DialectSpec

SPEC: Final = DialectSpec(
    name="vermas",
    parse=parse,
    render=render,
    files=files,
    recognises=recognises,
    watched=WATCHED,
    residents=residents,
    colleagues=colleagues,
    board_files=BoardFiles(
        codecs=(WorkOrderFile(), AssignmentFile()),
        show_assignments=True,
    ),
    event_file=EventFile(file=EVENTS, render=render_event),
    mail_file=MailFile(file=MAIL, read=read_line, correct=correct_line),
    corrections=CORRECTIONS,
    codes=CODES,
    rules_module="palaver.dialects.vermas.rules",
    # The file itself shows which recipients do not exist.
    bounces=False,
    detection=Detection(evidence=((".work/", "."),), entries=(".work/",)),
    conventions=Conventions(
        work_needs_check=True,
        delivers_given_tasks=True,
        default_caretaker=COMPANY_ROLES[0],
    ),
    statuses=STATUSES,
)
