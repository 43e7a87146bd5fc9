"""The channel of a team: its mount, the names that are used there, and what stands there."""

from palaver.bus.admin import event_history
from palaver.bus.session import Session
from palaver.model.event import Event, text
from palaver.model.limits import OWED, ROWS
from palaver.model.message import Message, from_event
from palaver.sync.mount_names import MountNames
from palaver.sync.mounts.mount_point import MountPoint, mount_points
from palaver.views.files import outstanding


def mounted_team(core: Session, team: str) -> MountPoint | None:
    """Return the mount of a team, if it has one."""
    core.view.current()
    for each in mount_points(core.root.path, core.view.roster().mounts):
        if each.mount.dialect == "swarm" and team in (each.name, each.mount.settings.get("team")):
            return each
    return None


def said(core: Session, team: str) -> list[Message]:
    """Return the messages of a team, oldest first; of a mount those that stand in its file, or are to."""
    events = event_history.latest(core, limit=ROWS, event_type="mail.sent")
    found = mounted_team(core, team)
    if found is None:
        return [from_event(event) for event in events if _team(event) == team]
    db = core.view.current()
    standing = {row[0] for row in outstanding.outstanding(db, found.name, OWED)}
    for event in event_history.latest(core, limit=ROWS, event_type="file.echoed"):
        if _mount(event) == found.name and isinstance(numbers := event.data.get("messages"), list):
            standing.update(numbers)
    names = MountNames(found, core.view.roster())
    return [
        names.local(from_event(event), outstanding.meant(db, event.seq), _mount(event))
        for event in events
        if _mount(event) == found.name or event.seq in standing
    ]


def _team(event: Event) -> str:
    meta = event.data.get("meta")
    return text(meta, "team") if type(meta) is dict else ""


def _mount(event: Event) -> str:
    return text(event.src, "mount") if event.src else text(event.data, "mount")
