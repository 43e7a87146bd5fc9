"""Bugs that are planted on purpose: a simulation that does not find them finds nothing at all.

Each changes the product in this process for good, so it is planted in a process of its own. `seeds` is the
number of seeds among which one must find it, and `words` is what the broken law says then.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from palaver.bus.operations import keys, operation
from palaver.bus.session import Session
from palaver.bus.tasks import consequences
from palaver.bus.view import View
from palaver.files.atomic_replace import write_whole
from palaver.log import file_log, segments
from palaver.log.file_log import FileLog, Segment
from palaver.model.event import Draft, Event
from palaver.sync.intake import growing_file
from palaver.sync.intake.echoes import Rendering, Renderings
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.passes import Sync
from palaver.sync.render import replacement
from palaver.views.agents.policy import Policy
from palaver.views.agents.roster import Roster
from palaver.views.fold import Folds
from palaver.views.query import Query
from palaver.views.tasks import board, move_check
from palaver.views.tasks.board import Consequence
from tests.processes import mutants as log_mutants
from tests.sync import mutants as sync_mutants


@dataclass(frozen=True, slots=True)
class Plant:
    """A bug: how it is planted, how soon it must be found, and what is said of it."""

    plant: Callable[[], None]
    words: str
    seeds: int = 20
    #: The first of these seeds: somewhat before one that is known to find it.
    first: int = 0


def _no_sync() -> None:
    """Acknowledge what the disk has not got."""

    def forget(self: FileLog, segment: Segment) -> None:
        del self, segment

    FileLog._sync = forget  # type: ignore[method-assign]


def _no_lock() -> None:
    """Let several processes write to the log at once."""
    vars(file_log)["Lock"] = log_mutants._Open


def _cut_torn_tail() -> None:
    """Cut a torn tail of the log off."""
    FileLog._seal = log_mutants.Cutting._seal  # type: ignore[method-assign, assignment]


def _glue_to_torn_tail() -> None:
    """Write on behind a torn tail of the log."""
    FileLog._seal = log_mutants.Careless._seal  # type: ignore[method-assign, assignment]


def _half_a_write() -> None:
    """Take a short write for a whole one."""

    def put(self: FileLog, segment: Segment, data: bytes, tail: segments.Tail) -> None:
        del self
        os.write(segment.fd, data)
        tail.end += len(data)

    FileLog._put = put  # type: ignore[method-assign]


def _echo_unknown() -> None:
    """Take what the bus wrote into a file for lines of others."""

    def none_of(owed: list[Rendering]) -> Renderings:
        del owed
        return Renderings([])

    vars(growing_file)["Renderings"] = none_of


def _rewrite_drops_lines() -> None:
    """Replace a file, whatever was added to it since it was read."""

    def replace(root: object, mounted: MountPoint, file: str, old: bytes, new: bytes, *, grows: bool) -> bool:
        del root, old, grows
        write_whole(mounted.full(file), new, mode=0o644)
        return True

    vars(replacement)["replace"] = replace


def _strict_takes_claims() -> None:
    """Let a claimed name approve under the policy strict."""
    vars(move_check)["PRIVILEGED"] = frozenset()


def _misfiled_lines_count() -> None:
    """Let a line in the file of another agent count."""

    def never(self: Policy, event: Event) -> bool:
        del self, event
        return False

    Policy.misfiled = never  # type: ignore[method-assign]


def _told_twice() -> None:
    """Send each notice twice."""
    right = consequences._draft

    def draft(session: Session, row: Consequence, roster: Roster) -> Draft:
        first = right(session, row, roster)
        first.key = ""
        session.log.append([first])
        return right(session, row, roster)

    vars(consequences)["_draft"] = draft


def _retry_without_key() -> None:
    """Store a message again when its key is repeated."""

    def append(session: Session, event: Draft) -> Event:
        event.key = ""
        return session.log.append([event])[0]

    vars(keys)["append"] = append


def _trust_stale_view() -> None:
    """Do a pass with a view that is behind."""

    def current(self: Sync) -> View:
        return self.session.view.current()

    Sync._current = current  # type: ignore[method-assign]


def _refuse_stored() -> None:
    """Refuse what is stored, because a file of a mount cannot be written."""
    vars(operation)["_write_on"] = lambda session: session.sync.write_on()


def _author_not_told() -> None:
    """Tell nobody what is wrong with a line."""
    right = board.due

    def due(db: Query, limit: int) -> list[Consequence]:
        return [row for row in right(db, limit) if row.rule not in (board.FINDING, "no-effect")]

    vars(board)["due"] = due


def _view_misses_event() -> None:
    """Leave an event out of the view if it comes alone."""
    right = Folds.apply

    def apply(self: Folds, events: list[Event]) -> None:
        is_missed = len(events) == 1 and events[0].event_type.startswith("mail.")
        right(self, [] if is_missed else events)

    Folds.apply = apply  # type: ignore[method-assign]


PLANTED: Final[dict[str, Plant]] = {
    "no sync before the acknowledgement": Plant(_no_sync, "was acknowledged as"),
    "no lock at the log": Plant(_no_lock, ""),
    "a torn tail is cut off": Plant(_cut_torn_tail, "bytes of the log were changed or taken away"),
    "a torn tail is written on": Plant(_glue_to_torn_tail, ""),
    "a short write counts": Plant(_half_a_write, ""),
    "the cursor comes before the record": Plant(
        sync_mutants.MUTANTS["read to, then taken in"], "is not in the log"
    ),
    "passes without a lock": Plant(sync_mutants.MUTANTS["nobody is kept out"], ""),
    "an echo is not recognised": Plant(_echo_unknown, "the log has grown"),
    "a rewrite drops appended lines": Plant(_rewrite_drops_lines, ""),
    "strict takes a claimed name": Plant(_strict_takes_claims, "under strict, and proved nothing"),
    "a line in another's file counts": Plant(_misfiled_lines_count, "moved"),
    "a notice is told twice": Plant(_told_twice, "times"),
    "a retry ignores its key": Plant(_retry_without_key, "and then as"),
    "a stale view is trusted": Plant(_trust_stale_view, ""),
    "an author is not told": Plant(_author_not_told, "nobody was told of"),
    "the view misses an event": Plant(_view_misses_event, "the view is not what the log amounts to"),
    "what is stored is refused": Plant(_refuse_stored, "was refused, and it is in the log"),
}
