"""Maintenance of the log and the views: verify, accept a loss, measure, rebuild."""

import gc
import re
from sqlite3 import Connection

from palaver.bus.admin.anchor_check import check_anchors, settle
from palaver.bus.agents import tokens
from palaver.bus.operations import keys
from palaver.bus.operations.fields import Key, Progress, RecordHash, Speaker
from palaver.bus.operations.operation import appends, inspects, operation
from palaver.bus.session import Session, draft
from palaver.log import verification
from palaver.log.anchor import ACCEPTED, Anchor
from palaver.log.port import EventBatch
from palaver.log.verification import Verification
from palaver.model.errors import BadArguments
from palaver.model.event import texts
from palaver.views import store
from palaver.views.mail import search


@operation(inspects)
def verify(session: Session, told: Progress = None, *, expect: RecordHash = "") -> Verification:
    """Check every line and every link of the log, and that it still has what it had."""
    if expect and not re.fullmatch("[0-9a-f]{32}", expect):
        raise BadArguments(
            f"{expect[:40]!r} is not a head", "a head is 32 hexadecimal digits", "palaver verify prints it"
        )
    verdict = verification.verify(session.log, told, expect)
    report = check_anchors(session)
    verdict.add_losses(report.losses)
    verdict.notes += report.notes
    if verdict.good:
        verdict.notes += settle(session, Anchor(verdict.last_seq, verdict.head))
    return verdict


@operation(appends, repeat=lambda _, first: texts(keys.expect(first, ACCEPTED).data, "losses"))
def accept_losses(session: Session, *, by: Speaker = "", key: Key = "") -> list[str]:
    """Accept the log as it is, although it has lost records; return what was accepted."""
    tokens.refuse_inside_run(session.root.environment, "accept a loss")
    actor = session.speaker(by)
    losses = check_anchors(session).losses
    told = [loss.what for loss in losses]
    if losses:
        data: dict[str, object] = {
            "first": min(loss.first for loss in losses),
            "last": max(loss.last for loss in losses),
            "heads": sorted({anchor.text for loss in losses for anchor in loss.anchors}),
            "losses": told,
        }
        keys.append(session, draft(ACCEPTED, actor, data, auth=session.proof(actor), key=key))
    position = session.view.current().position()
    if position is not None:
        settle(session, position, forget_unreadable=True)
    return told


@operation(inspects)
def size(session: Session) -> int:
    """Return the size of the log in bytes."""
    return session.log.size()


@operation(inspects)
def rebuild(core: Session) -> int:
    """Rebuild the views from the log; return the number of events."""
    folder = core.root.view
    told = core.view.told
    index: list[Connection] = []

    def both(batch: EventBatch) -> None:
        if not index:
            index.append(search.fresh(folder))
        search.put(index[0], batch, store.BUILDING_WAL_BYTES)
        if told:
            told(batch)

    collects = gc.isenabled()
    # Millions of short-lived values without cycles: the collector would take an eighth of the time.
    gc.disable()
    core.view.told = both
    try:
        db = core.view.rebuild(then=lambda: _install(folder, index))
    finally:
        core.view.told = told
        if collects:
            gc.enable()
    return db.seq


def _install(folder: str, index: list[Connection]) -> None:
    if index:
        search.install(folder, index[0])
    else:
        search.remove(folder)
