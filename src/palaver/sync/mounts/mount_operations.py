"""Operations on mounts: add, list, remove. They edit the config, and the next pass reads the files."""

import os
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from typing import Annotated

from msgspec import Meta

from palaver.bus import trust
from palaver.bus.config import config_store as config
from palaver.bus.config.config_events import apply
from palaver.bus.config.mount_config import checked_settings, mount_settings
from palaver.bus.operations import keys
from palaver.bus.operations.fields import Key
from palaver.bus.operations.operation import operation, reads, writes
from palaver.bus.power_check import require
from palaver.bus.session import Session, draft
from palaver.dialects import spec
from palaver.files.regular import open_folder
from palaver.model import names
from palaver.model.errors import AlreadyMounted, BadArguments, NotFound
from palaver.model.event import Event
from palaver.model.mounted_files import Growth, Mount, Watched
from palaver.model.names import BUS
from palaver.model.spec import Detection
from palaver.sync.foreign_file import Unfit
from palaver.sync.mounts.mount_point import OUTSIDE, MountPoint, mount_points, placed, read_hints
from palaver.sync.render.delivery import append
from palaver.sync.report import Report
from palaver.views.agents.roster import Roster
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
        point = self.point
        return {
            "name": point.name,
            "dialect": point.mount.dialect,
            "path": point.path,
            "prefix": point.prefix,
            "settings": dict(point.mount.settings),
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


def _find(session: Session, name: str) -> MountPoint | None:
    points = mount_points(session.root.path, session.view.roster().mounts)
    return next((each for each in points if each.name == name), None)


def _added_before(session: Session, first: Event) -> MountPoint:
    wanted = keys.expect_done(first, "add_mount")
    found = _find(session, wanted)
    if found is None:
        raise NotFound(f"no mount {wanted}", "it was removed since", "add it with a new key")
    return found


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
    detection = spec(dialect).detection
    folder, given = _folder(path, team, detection)
    if f"{folder}/".startswith(f"{session.root.path}/"):
        raise BadArguments(f"cannot mount {folder}", "it is inside the bus itself", "name another folder")
    wanted = _settings(dialect, settings or {})
    require(session, "mount", by=session.agent)
    roster = session.view.roster()
    known = mount_points(session.root.path, roster.mounts)
    found = next((each for each in known if each.path == folder and each.dialect.name == dialect), None)
    if found is None:
        called = _choose_name(name, team, folder, dialect, roster)
        place = {"dialect": dialect, "path": _config_path(session, folder)}
        fields = {**place, **given, **_hints(folder, detection), **wanted}
        found = _add(session, called, fields, known)
    elif not _allow(found):
        raise AlreadyMounted(
            f"cannot mount {folder} again",
            f"it is mounted as {found.name}",
            f"palaver mount remove {found.name}",
        )
    keys.mark_done(session, "add_mount", session.agent or BUS, key, about=found.name)
    return found


def _removed_before(session: Session, first: Event) -> None:
    del session
    keys.expect_done(first, "remove_mount")


@operation(writes, repeat=_removed_before)
def remove_mount(session: Session, name: MountName, *, key: Key = "") -> None:
    """Remove a mount. Its files and what the log has of them stay."""
    require(session, "mount", by=session.agent)
    known = session.view.roster().mounts
    if name not in known:
        mounts = ", ".join(known) or "none"
        raise NotFound(f"no mount {name}", f"the mounts are: {mounts}", "palaver mount list")
    config.edit_mount(session, name, None)
    for gone in mount_points(session.root.path, {name: known[name]}):
        trust.forget_mount(gone.root, gone.mount.dialect, gone.mount.settings.get("file", ""), gone.path)
    keys.mark_done(session, "remove_mount", session.agent or BUS, key, about=name)


def add_resident(session: Session, mount: str, agent: str) -> None:
    """Make an agent a resident of a mount, because it wrote there by a command."""
    known = session.view.roster().agents.get(agent)
    if known is None or mount not in known.homes:
        session.log.append([draft("agent.registered", BUS, {"agent": agent, "mount": mount})])
        session.view.current()


def refuse_nested(team: str) -> None:
    """Refuse a team whose name a folder and a mount cannot have."""
    if "/" in team:
        raise BadArguments(f"cannot call a team {team[:80]}", "it has a '/'", "use a plain name")


# --- what a new mount is ---


def _settings(dialect: str, settings: dict[str, str]) -> dict[str, str]:
    """Return the settings that were asked for, or refuse them."""
    for key in ("dialect", "path"):
        if key in settings:
            why = "it is an argument of its own, and not a setting"
            raise BadArguments(f"cannot set {key}", why, "palaver mount add DIALECT PATH")
    return checked_settings(dialect, settings)


def _add(session: Session, called: str, fields: dict[str, str], known: list[MountPoint]) -> MountPoint:
    """Add a mount to the config; the next pass reads its files."""
    dialect = fields["dialect"]
    usable = [each.name for each in mount_settings(dialect)]
    for key in fields:
        if key not in usable:
            choices = ", ".join(each for each in usable if each not in ("dialect", "path"))
            raise BadArguments(f"{dialect} has no setting '{key}'", "nothing reads it", f"use {choices}")
    if "prefix" not in fields and _has_name_clash(called, fields, known):
        fields["prefix"] = called
    require(session, "mount", by=session.agent, data={"settings": fields})
    [fresh] = mount_points(session.root.path, {called: fields})
    _allow(fresh)
    config.edit_mount(session, called, fields)
    session.view.current()
    added = _find(session, called)
    assert added is not None, "the config has it"
    for each in added.dialect.watched:
        if each.folder:
            _create(added.path, each)
    if added.dialect.appending.header and not added.listing().files:
        _begin(added)
    return added


def _create(path: str, watched: Watched) -> None:
    """Create the folder that agents write to, and the log that they read, if it has one name."""
    folder = open_folder(path, watched.folder, create=0o777)
    try:
        if watched.growth is Growth.LOG and "*" not in watched.pattern:
            with suppress(FileExistsError):
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                os.close(os.open(watched.pattern, flags, 0o666, dir_fd=folder))
    finally:
        os.close(folder)


def _begin(added: MountPoint) -> None:
    """Create the file that agents append to, with its header: the first message may be theirs."""
    file = added.mount.settings.get("file", added.dialect.detection.default_file)
    # Whatever keeps us from it now is reported by the pass that has something to write.
    with suppress(OSError, Unfit):
        append(added.full(file), [], added.dialect.appending, Report())


def _hints(folder: str, detection: Detection) -> dict[str, str]:
    """Return the settings that a file of the folder tells; what is wrong with it is reported by each pass."""
    with suppress(Unfit):
        return read_hints(folder, detection)
    return {}


def _allow(wanted: MountPoint) -> bool:
    """Record that the user allows a mount outside the project; return False if that is not needed.

    Refuse a mount that is never allowed.
    """
    forbidden = wanted.forbidden()
    if forbidden is None:
        return False
    if forbidden.code != OUTSIDE:
        raise BadArguments(f"cannot mount {wanted.path}", forbidden.why, forbidden.fix)
    trust.allow_mount(wanted.root, wanted.mount.dialect, wanted.mount.settings.get("file", ""), wanted.path)
    return True


def _folder(wanted: str, team: str, detection: Detection) -> tuple[str, dict[str, str]]:
    """Return the folder that is meant, and the settings that follow from the path and the team."""
    given = {"team": team} if team else {}
    refuse_nested(team)
    path = wanted
    if not path and team and detection.teams:
        path = f"{os.path.expanduser(detection.teams)}/{names.name(team)}"
    if not path:
        raise BadArguments("nothing to mount", "no folder was named", "palaver mount add DIALECT PATH")
    path = os.path.realpath(path)
    folder, inside = os.path.split(path)
    is_file = os.path.isfile(path)
    if inside in detection.entries or (is_file and detection.default_file):
        if detection.default_file and inside != detection.default_file:
            given["file"] = inside
        path = folder
    elif f"{inside}/" in detection.entries and not is_file:
        path = folder
    if not os.path.isdir(path):
        raise NotFound(f"cannot mount {wanted or path}", "there is no such folder", "create it first")
    return path, _present_file(path, detection) | given


def _present_file(folder: str, detection: Detection) -> dict[str, str]:
    """Return the setting for the file that a folder has instead of the default one: its agents read that."""
    present = [each for each in detection.entries if os.path.isfile(f"{folder}/{each}")]
    if not detection.default_file or not present or detection.default_file in present:
        return {}
    return {"file": present[0]}


def _choose_name(wanted: str, team: str, folder: str, dialect: str, roster: Roster) -> str:
    """Return the name of the mount: as requested, else the team or the dialect, numbered if it is taken."""
    if wanted:
        called = names.name(wanted)
        if "/" in called:
            raise BadArguments(f"cannot call a mount {called}", "it has a '/'", "use a plain name")
        if _is_taken(called, roster):
            raise AlreadyMounted(
                f"cannot call a mount {called}", "the name is taken", "use another: --name N"
            )
        return called
    plain = team or (os.path.basename(folder) if spec(dialect).detection.teams else dialect)
    called = names.name(plain) if plain and plain.isascii() and plain[0].isalnum() else dialect
    numbered = (f"{called}-{number}" for number in count(2))
    return next(free for free in chain([called], numbered) if not _is_taken(free, roster))


def _is_taken(called: str, roster: Roster) -> bool:
    return called in roster.mounts or roster.meaning(called).kind != "none"


def _config_path(session: Session, folder: str) -> str:
    """Return the path for the config: relative to the project, if the folder is in it."""
    relative = os.path.relpath(folder, os.path.realpath(os.path.dirname(session.root.path)))
    found = folder if relative.startswith("..") else relative
    assert placed(session.root.path, found) == folder, "the config must lead back to the folder"
    return found


def _has_name_clash(called: str, fields: dict[str, str], known: list[MountPoint]) -> bool:
    """Return True if residents by protocol have the same names as those of another mount."""
    dialect = spec(fields["dialect"])
    alike = [each for each in known if each.mount.dialect == dialect.name and not each.prefix]
    mine = set(dialect.residents(Mount(dialect=dialect.name, name=called, settings=fields), ()))
    # By the protocol, not by the roster: the other mount may not have been read yet.
    return any(mine & set(dialect.residents(each.mount, ())) for each in alike)
