"""The list of views: one line for each, in the order in which an event reaches them."""

from hashlib import blake2b
from typing import Final

from palaver.model.message import PRIORITIES
from palaver.views.agents.autonomy import Autonomy
from palaver.views.agents.input_volume import InputVolume
from palaver.views.agents.polls import Polls
from palaver.views.agents.roster_fold import RosterFold
from palaver.views.agents.runs import Runs
from palaver.views.files.findings import Findings
from palaver.views.files.known_files import KnownFiles
from palaver.views.files.line_notices import LineNotices
from palaver.views.files.outstanding import Outstanding
from palaver.views.files.projected_logs import ProjectedLogs
from palaver.views.files.quarantine import Quarantine
from palaver.views.fold import EVERY, Fold, Reaction
from palaver.views.mail.automatic import MailPrograms
from palaver.views.mail.inbox import Inbox
from palaver.views.mail.open_questions import Questions
from palaver.views.mail.unanswered import Unanswered
from palaver.views.supervision.activity import Activity
from palaver.views.supervision.notices import Notices
from palaver.views.supervision.patrol_steps import PatrolSteps
from palaver.views.tasks.assignments import Assignments
from palaver.views.tasks.board_fold import BoardFold

VIEWS: Final[tuple[type[Fold], ...]] = (
    RosterFold,
    Inbox,
    Unanswered,
    KnownFiles,
    Outstanding,
    ProjectedLogs,
    Findings,
    Quarantine,
    Runs,
    MailPrograms,
    InputVolume,
    Assignments,
    BoardFold,
    LineNotices,
    Questions,
    Polls,
    Autonomy,
    Activity,
    PatrolSteps,
    Notices,
)

# What reacts to events: first the views that look at every event.
REACTIONS: Final[tuple[Reaction, ...]] = tuple(
    sorted(
        (reaction for view in VIEWS for reaction in view.REACTIONS),
        key=lambda reaction: EVERY not in reaction.topics,
    )
)

# Raise this when events come to mean something else while the tables stay as they are.
_VERSION: Final = 9
# How far the view has read the log, and the idempotency keys that were used.
_OWN: Final = (
    "create table place (one integer primary key, seq integer, place text, head text, sum text, whole int)",
    "create table key (actor text, key text, seq integer, primary key (actor, key)) without rowid",
)
TABLES: Final = (*_OWN, *(table for view in VIEWS for table in view.TABLES))
INDEXES: Final = tuple(index for view in VIEWS for index in view.INDEXES)
#: What the rows depend on; a row holds the place of its priority in the table of priorities.
_SHAPE: Final = (str(_VERSION), *PRIORITIES, *TABLES, *INDEXES)
#: Part of the file name of a view: a release with another shape makes its own.
SCHEMA: Final = blake2b("\n".join(_SHAPE).encode(), digest_size=4).hexdigest()
