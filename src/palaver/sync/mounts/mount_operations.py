"""Operations on mounts: add one, list them, remove one."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from palaver.bus.config.config_events import apply
from palaver.bus.operations import keys
from palaver.bus.operations.fields import Key
from palaver.bus.operations.operation import operation, reads, writes
from palaver.bus.session import Session
from palaver.model.errors import NotFound
from palaver.model.event import Event
from palaver.model.names import BUS
from palaver.sync.mounts import registration
from palaver.sync.mounts.mount_point import MountPoint, mount_points
from palaver.sync.mounts.registration import MountRequest
from palaver.views.files import outstanding

_PATH_CHARS = 4_096
DialectName = Annotated[
    str, Meta(title="DIALECT", description="dialect of the files", max_length=_PATH_CHARS)
]
FolderPath = Annotated[
    str, Meta(title="PATH", description="folder that holds the files", max_length=_PATH_CHARS)
]
MountName = Annotated[
    str, Meta(title="N", description="name of the mount (default: team or dialect)", max_length=_PATH_CHARS)
]
Team = Annotated[
    str,
    Meta(
        title="T",
        description="team of a swarm; without PATH, its folder in ~/.claude/teams",
        max_length=_PATH_CHARS,
    ),
]
Settings = Annotated[
    dict[str, str] | None, Meta(title="K=V", description="settings of the mount, such as a=jim or inbox=ours")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class MountState:
    """A mount, its agents, and how many messages are still to be written to its files."""

    point: MountPoint
    agents: list[str]
    outstanding: int

    def plain(self) -> dict[str, object]:
        """Return every field, for programs."""
        return {
            "name": self.point.name,
            "dialect": self.point.mount.dialect,
            "path": self.point.path,
            "prefix": self.point.prefix,
            "settings": dict(self.point.mount.settings),
            "agents": self.agents,
            "outstanding": self.outstanding,
        }


@operation(reads)
def mounts(session: Session) -> list[MountState]:
    """List the mounts."""
    apply(session)
    waiting = outstanding.waiting(session.view.current())
    roster = session.view.roster()
    return [
        MountState(point=each, agents=roster.residents(each.name), outstanding=waiting.get(each.name, 0))
        for each in mount_points(session.root.path, roster.mounts)
    ]


def _added_before(session: Session, first: Event) -> MountPoint:
    wanted = keys.expect_done(first, "add_mount")
    for each in mount_points(session.root.path, session.view.roster().mounts):
        if each.name == wanted:
            return each
    raise NotFound(f"no mount {wanted}", "it was removed since", "add it with a new key")


@operation(writes, repeat=_added_before)
def add_mount(
    session: Session,
    dialect: DialectName,
    path: FolderPath = "",
    *,
    name: MountName = "",
    team: Team = "",
    settings: Settings = None,
    key: Key = "",
) -> MountPoint:
    """Mount a folder of files that agents use."""
    wanted = MountRequest(dialect=dialect, path=path, name=name, team=team, settings=settings or {})
    fresh = registration.add(session, wanted)
    keys.mark_done(session, "add_mount", session.agent or BUS, key, about=fresh.name)
    return fresh


def _removed_before(session: Session, first: Event) -> None:
    del session
    keys.expect_done(first, "remove_mount")


@operation(writes, repeat=_removed_before)
def remove_mount(session: Session, name: MountName, *, key: Key = "") -> None:
    """Remove a mount. Its files and what the log has of them stay."""
    registration.remove(session, name)
    keys.mark_done(session, "remove_mount", session.agent or BUS, key, about=name)
