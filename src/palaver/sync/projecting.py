"""`.work/work_orders.jsonl`: the board, in the words of vermas. Written anew whenever the two disagree.

A line that somebody wrote keeps all that it says and the bus does not know; what the board knows better is
put right. The log hears what we are about to write before it stands there, so that nobody takes it for news.
"""

import os
from typing import Final

from palaver.bus.session import Session
from palaver.bus.tasks.work_orders import order
from palaver.dialects.vermas.grammar import WORK_ORDERS
from palaver.dialects.vermas.spec import SPEC as VERMAS
from palaver.model.errors import Refusal
from palaver.model.limits import RUN_PIECES
from palaver.model.plain import dumps
from palaver.model.strict_json import NotAnObject, loads_object
from palaver.sync.intake import keeping
from palaver.sync.intake.events import draft, hashed
from palaver.sync.mounts.mount_point import MountPoint
from palaver.sync.names import Names
from palaver.sync.opening import Unfit, appending, opened
from palaver.sync.orders import needs
from palaver.sync.render import replacement
from palaver.sync.report import Report
from palaver.views.agents.roster import Roster
from palaver.views.files import sources
from palaver.views.query import Query
from palaver.views.tasks import board
from palaver.views.tasks.board import Card

# Hashes that one event names, so that its line stays short.
_SHAS: Final = 16 * RUN_PIECES


def project_orders(core: Session, db: Query, mounted: MountPoint, roster: Roster, report: Report) -> None:
    """Let the file say what the board says; wait while it says something that is not in the log yet."""
    found = _standing(db, mounted, report)
    if found is None:
        return
    content, is_there = found
    cards = {card.task.id: card for card in board.cards(db)}
    fresh = _Rendering(db, Names(mounted, roster)).of(content, cards)
    if fresh == content:
        return
    _say_so(core, mounted, WORK_ORDERS, [hashed(line) for line in fresh.splitlines()], report)
    if is_there:
        done = replacement.replace(core.root, mounted, WORK_ORDERS, content, fresh, grows=True)
    else:
        done = replacement.create(core.root, mounted, WORK_ORDERS, fresh)
    report.written += done


def _standing(db: Query, mounted: MountPoint, report: Report) -> tuple[bytes, bool] | None:
    """Return what stands in the file, and whether it is there; None while it must be left alone."""
    path = mounted.full(WORK_ORDERS)
    try:
        fd, found = opened(path)
    except FileNotFoundError:
        return b"", False
    except Unfit:
        # The pass has said so.
        return None
    content = os.pread(fd, found.st_size, 0)
    os.close(fd)
    if len(content) == found.st_size and _is_taken_in(db, mounted, content):
        return content, True
    report.unsettled = True
    if keeping.is_quiet(found) and not content.endswith(b"\n"):
        _end_line(path)
    return None


def _say_so(core: Session, mounted: MountPoint, file: str, shas: list[str], report: Report) -> None:
    """Let the log know what will stand in a file."""
    head: dict[str, object] = {"mount": mounted.name, "file": file}
    starts = range(0, len(shas), _SHAS)
    said = [draft("file.projected", {**head, "shas": shas[each : each + _SHAS]}) for each in starts]
    core.log.append(said)
    report.events += len(said)
    # Nothing may have an effect that the next power cut would take back.
    core.log.sync()


def _is_taken_in(db: Query, mounted: MountPoint, content: bytes) -> bool:
    """Tell whether the log has every line of a file."""
    source = sources.sources(db, mounted.name).get(WORK_ORDERS)
    if source is None:
        return not content.strip()
    held = sources.remembered(db, source.number)
    lines = [line for line in content.split(b"\n") if line.strip()]
    return content[-1:] in (b"", b"\n") and all(held.get(hashed(line), (0, 0))[0] for line in lines)


def _end_line(path: str) -> None:
    fd, _ = appending(path)
    try:
        os.write(fd, b"\n")
    finally:
        os.close(fd)


class _Rendering:
    """The board as lines, with what others have written in them."""

    def __init__(self, db: Query, names: Names) -> None:
        self._changed = board.changed(db)
        self._names = names

    def of(self, content: bytes, cards: dict[str, Card]) -> bytes:
        """Return a file with the lines that it has, as the board knows them, and those that it has not."""
        lines: list[tuple[str, bytes]] = []
        last: dict[str, bytes] = {}
        for line in content.split(b"\n"):
            task_id, fresh = self._line(line, cards)
            if task_id not in last:
                lines.append((task_id, fresh))
            if task_id:
                # The last word about a task counts, where the first one stood.
                last[task_id] = fresh
        while lines and not lines[-1][1].strip():
            lines.pop()
        missing = sorted(
            (card for task_id, card in cards.items() if task_id not in last),
            key=lambda card: (card.task.opened, card.task.id),
        )
        whole = [last.get(task_id, line) for task_id, line in lines] + [self._fresh(card) for card in missing]
        return b"".join(line + b"\n" for line in whole)

    def _line(self, line: bytes, cards: dict[str, Card]) -> tuple[str, bytes]:
        """Return the task of a line, and the line as the board has it; what is no task stays as it is."""
        try:
            fields = loads_object(line.strip())
        except NotAnObject:
            return "", line
        task_id = str(fields.get("id", "")).lower()
        card = cards.get(task_id)
        if card is None:
            return "", line
        right = self._differing(fields, card)
        at = self._changed.get(task_id, "")
        if right or (at and fields.get("updated_at") != at):
            fields.update(right)
            if at:
                fields["updated_at"] = at
            return task_id, dumps(fields).encode()
        return task_id, line.rstrip(b"\r")

    def _fresh(self, card: Card) -> bytes:
        task = card.task
        said = order(card)
        said["assignee"] = self._names.shown(task.holder) or None
        said["created_by"] = self._names.shown(task.owner)
        said["updated_at"] = self._changed.get(task.id) or task.at
        # It moves with every move, and would be one more thing to keep right.
        said["metadata"] = {}
        return dumps(said).encode()

    def _differing(self, fields: dict[str, object], card: Card) -> dict[str, object]:
        """Return what a line says otherwise than the board, as it ought to be."""
        task = card.task
        found: dict[str, object] = {}
        word = fields.get("status", "open")
        if VERMAS.statuses.state(str(word)) != task.state and word != VERMAS.statuses.word(task.state):
            found["status"] = VERMAS.statuses.word(task.state)
        kind = "issue_type" if "issue_type" in fields or "type" not in fields else "type"
        plain = {"title": (task.title, ""), "description": (task.about, ""), "priority": (task.priority, 2)}
        for name, (value, usual) in {**plain, kind: (task.kind, "task")}.items():
            if fields.get(name, usual) != value:
                found[name] = value
        for name, agent in (("assignee", task.holder), ("created_by", task.owner)):
            if self._speaker(fields.get(name)) != agent:
                found[name] = self._names.shown(agent) or None
        if self._needs(fields) != set(card.needs):
            found["dependencies"] = self._dependencies(fields, card)
        return found

    def _speaker(self, written: object) -> str:
        try:
            return self._names.speaker(written) if type(written) is str and written else ""
        except Refusal:
            return ""

    def _needs(self, fields: dict[str, object]) -> set[str]:
        try:
            return set(needs(fields.get("dependencies")))
        except Refusal:
            return set()

    def _dependencies(self, fields: dict[str, object], card: Card) -> list[object]:
        """Return what a work order needs; an entry that still holds stays as it was written."""
        written = fields.get("dependencies")
        kept: dict[str, object] = {}
        for each in written if type(written) is list else []:
            named = each.get("depends_on_id") if type(each) is dict else each
            if type(named) is str and named.lower() in card.needs:
                kept[named.lower()] = each
        return [kept.get(each, {"depends_on_id": each, "type": "blocks"}) for each in card.needs]
