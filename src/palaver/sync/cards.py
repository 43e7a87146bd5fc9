"""The task cards and the board of an office, as others write them: new tasks, and wishes about known ones.

A card (`tasks/task-004.json`) is what holds; a board may be older than the cards, so only tasks that nobody
knows yet are taken from it. Both belong to the manager, so what they say is taken as his.
"""

import os
from collections.abc import Iterator
from typing import Final

from palaver.bus.tasks import moves
from palaver.dialects.office.layout import manager_of
from palaver.model.errors import Refusal
from palaver.model.event import number, text, texts
from palaver.model.limits import LEVELS, LINE_BYTES
from palaver.model.strict_json import NotAnObject, loads_object
from palaver.sync.intake import keeping
from palaver.sync.intake.events import Batch, Place, draft, hashed
from palaver.sync.intake.known_messages import Known
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.intake.resolver import Resolver
from palaver.sync.names import Names
from palaver.sync.render.small_files import news
from palaver.sync.wishes import Wish

BOARD: Final = "board.json"


def take_card(intake: Intake, file: str, path: str) -> None:
    """Take in a task card, or a board; what is no whole JSON object may still become one."""
    found = news(intake, file, path)
    if found is None:
        return
    content, place = found
    batch = Batch()
    src = place.src(0, len(content), hashed(content))
    try:
        fields = loads_object(content[:LINE_BYTES])
    except NotAnObject as fault:
        if not keeping.is_quiet(os.stat(path)):
            intake.report.unsettled = True
            return
        reason = ("not-json", str(fault))
        batch.drafts.append(intake.quarantine(place, (0, len(content)), content, reason, []))
    else:
        _read(intake, place, fields, content, batch)
        batch.drafts.append(draft("file.recorded", {"kind": "Card"}, src))
    intake.put_soon(batch)


def _read(intake: Intake, place: Place, fields: dict[str, object], content: bytes, batch: Batch) -> None:
    """Make events of what a card, or the cards of a board, say anew."""
    intake.flush()
    # What the same pass has read in the logs counts already: an approval, and the card that says so.
    known = Known(intake.core, intake.core.view.current())
    known.cards = intake.known.cards if intake.history else {}
    resolver = Resolver(intake.mounted, intake.roster, known)
    for count, card in enumerate(_cards(place.file, fields)):
        src = place.src(count, 0, "")
        try:
            wish = _wished(card, intake)
        except Refusal as refused:
            words = refused.why or refused.what
            batch.drafts += resolver.note(place, "card", words, content, "mend the card")
            continue
        if known.card(wish.task) is None:
            # An office approves what is claimed, where it does not say otherwise.
            wish.fields.setdefault("approval", True)
        if place.file != BOARD or known.card(wish.task) is None:
            batch.drafts += resolver.wish(place, wish, src, content)


def _cards(file: str, fields: dict[str, object]) -> Iterator[dict[str, object]]:
    if file != BOARD:
        yield fields if text(fields, "id") else {**fields, "id": os.path.basename(file).removesuffix(".json")}
        return
    cards = fields.get("cards")
    for each in cards if type(cards) is list else []:
        if type(each) is dict and text(each, "taskId"):
            yield {**each, "id": each["taskId"], "dependencies": each.get("blockedBy")}


def _wished(card: dict[str, object], intake: Intake) -> Wish:
    """Return how a card wants its task to be; refuse what cannot be."""
    names = Names(intake.mounted, intake.roster)
    by = names.speaker(manager_of(intake.mounted.mount))
    said: dict[str, object] = {}
    for written, name in (("title", "title"), ("description", "about")):
        if type(card.get(written)) is str:
            said[name] = card[written]
    if 0 < number(card, "difficulty") <= LEVELS:
        said["difficulty"] = card["difficulty"]
    if type(card.get("dependencies")) is list:
        said["needs"] = [moves.task_name(task_id(each)) for each in texts(card, "dependencies")]
    if type(card.get("restrictedAssignee")) is str:
        restricted = text(card, "restrictedAssignee")
        said["restricted"] = names.speaker(restricted) if restricted else ""
    approval = card.get("approval")
    if type(approval) is dict and type(approval.get("required")) is bool:
        said["approval"] = approval["required"]
    moves.sayable(said)
    assignee = text(card, "assignee") if type(card.get("assignee")) is str else None
    return Wish(
        task=moves.task_name(task_id(text(card, "id"))),
        status=text(card, "status"),
        dialect="office",
        assignee=names.speaker(assignee) if assignee else assignee,
        fields=said,
        by=by,
    )


def task_id(written: str) -> str:
    """Return the id of a task as the bus has it: `task-` is taken off, `rework-` stays."""
    return written[5:] if written.lower().startswith("task-") else written
