"""Whether the log still has what it had: every anchor of a bus, wherever it is kept, against the log.

Anchors are in the state folder of the user, in the position of the view, in what views left when they were
rebuilt, and in the last snapshot. Of a bus that is not trusted only the first count, and nothing is written.
"""

from dataclasses import dataclass, field

from palaver.bus import anchor_file, trust
from palaver.bus.admin import snapshot_repository
from palaver.bus.session import Session
from palaver.log.anchor import Anchor, Loss, find_losses
from palaver.model.errors import HistoryLost, Refusal, StorageFailed, ToolMissing, UnsafeRoot

ACCEPT = "palaver verify --accept"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorReport:
    """What the anchors show."""

    anchors: int = 0
    newest: int = 0
    losses: list[Loss] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check_anchors(session: Session) -> AnchorReport:
    """Compare all anchors with the log."""
    known = session.anchors.known()
    anchors, notes = list(known.own), list(known.notes)
    if trust.is_trusted(session.root.path):
        position = session.view.position()
        anchors += [position] if position else []
        anchors += anchor_file.losses(session.root)
        try:
            found = snapshot_repository.find_anchor(session.root)
            anchors += [found] if found else []
        except (ToolMissing, UnsafeRoot) as missing:
            notes.append(f"the last snapshot could not be compared with the log: {missing.why}")
    try:
        losses = find_losses(session.log, anchors)
        elsewhere = find_losses(session.log, known.elsewhere)
    except StorageFailed as unread:
        return AnchorReport(notes=[*notes, f"the log could not be compared with its anchors: {unread.why}"])
    if elsewhere:
        notes.append(
            f"another machine, which shares your home folder, knows more of a log at this path "
            f"({elsewhere[0].what}); if both use the same disk, the log has lost records"
        )
    newest = max((each.seq for each in anchors), default=0)
    return AnchorReport(anchors=len(anchors), newest=newest, losses=losses, notes=notes)


def require_history(session: Session) -> None:
    """Refuse if the log has lost records that it had."""
    for loss in check_anchors(session).losses:
        raise HistoryLost(
            "the log is not what it was",
            loss.what,
            f"palaver verify shows all; after restoring a backup, {ACCEPT} accepts the log as it is",
        )


def settle(session: Session, head: Anchor, *, forget_unreadable: bool = False) -> list[str]:
    """Keep the head of a log without losses as an anchor; return notes if that cannot be done."""
    if not head.seq or not trust.is_trusted(session.root.path):
        return []
    try:
        session.log.sync()
        session.anchors.settle(head, forget_unreadable=forget_unreadable)
        anchor_file.forget_losses(session.root)
    except Refusal as refused:
        return [str(refused)]
    except OSError as fault:
        where = f"{fault.filename}: " if fault.filename else ""
        return [f"no anchor was kept: {where}{fault.strerror or fault}"]
    return []
