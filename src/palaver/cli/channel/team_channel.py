"""The channel of a team: its mount and its messages."""

from palaver.bus.admin import event_history
from palaver.bus.session import Session
from palaver.model.event import Event, text
from palaver.model.limits import OWED, ROWS
from palaver.model.message import Message, from_event
from palaver.sync.mount_names import MountNames
from palaver.sync.mounts.mount_point import MountPoint, mount_points
from palaver.views.files import outstanding


def mounted_team(session: Session, team: str) -> MountPoint | None:
    """Return the mount of a team, if it has one."""
    session.view.current()
    for each in mount_points(session.root.path, session.view.roster().mounts):
        if each.mount.dialect == "swarm" and team in (each.name, each.mount.settings.get("team")):
            return each
    return None


def team_messages(session: Session, team: str) -> list[Message]:
    """Return the messages of a team, oldest first; of a mount those that its file has, or will have."""
    events = event_history.latest(session, limit=ROWS, event_type="mail.sent")
    found = mounted_team(session, team)
    if found is None:
        return [from_event(event) for event in events if _team(event) == team]
    db = session.view.current()
    written = {row[0] for row in outstanding.outstanding(db, found.name, OWED)}
    for event in event_history.latest(session, limit=ROWS, event_type="file.echoed"):
        if _mount(event) == found.name and isinstance(numbers := event.data.get("messages"), list):
            written.update(numbers)
    names = MountNames(found, session.view.roster())
    return [
        names.local(from_event(event), outstanding.meant(db, event.seq), _mount(event))
        for event in events
        if _mount(event) == found.name or event.seq in written
    ]


def _team(event: Event) -> str:
    meta = event.data.get("meta")
    return text(meta, "team") if type(meta) is dict else ""


def _mount(event: Event) -> str:
    return text(event.src, "mount") if event.src else text(event.data, "mount")
