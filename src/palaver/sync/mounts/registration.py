"""Adding and removing mounts: the config is edited, and the next pass reads the files."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from palaver.bus import trust
from palaver.bus.config import settings
from palaver.bus.config.config_events import apply
from palaver.bus.config.mount_config import mount_settings
from palaver.bus.session import Session, draft
from palaver.dialects import spec
from palaver.model.dialect import Mount
from palaver.model.errors import AlreadyMounted, BadArguments, NotFound
from palaver.model.limits import CONFIG_BYTES
from palaver.model.names import BUS, name
from palaver.model.spec import Detection
from palaver.sync.foreign_file import Unfit, read_span
from palaver.sync.mounts.mount_point import OUTSIDE, MountPoint, mount_points, placed
from palaver.views.agents.roster import Roster


@dataclass(frozen=True, slots=True, kw_only=True)
class MountRequest:
    """A mount that a user asks for; what is missing is derived from the folder and the dialect."""

    dialect: str
    path: str = ""
    name: str = ""
    team: str = ""
    settings: Mapping[str, str]


def add(core: Session, wanted: MountRequest) -> MountPoint:
    """Add a mount to the config, or allow one that the config has already; return it."""
    detection = spec(wanted.dialect).detection
    folder, given = _folder(wanted, detection)
    roster = apply(core)
    known = mount_points(core.root.path, roster.mounts)
    if unallowed := _unallowed(known, folder, wanted.dialect):
        _allow(unallowed)
        return unallowed
    _refuse_repeated(core, folder, wanted.dialect, known)
    called = _name(wanted, folder, roster)
    fields = {"dialect": wanted.dialect, "path": _config_path(core, folder), **given}
    fields |= {**_hints(folder, detection), **wanted.settings}
    usable = [each.name for each in mount_settings(wanted.dialect)]
    for key in fields:
        if key not in usable:
            choices = ", ".join(each for each in usable if each not in ("dialect", "path"))
            raise BadArguments(
                f"{wanted.dialect} has no setting '{key}'", "nothing reads it", f"use {choices}"
            )
    if "prefix" not in fields and _has_name_clash(called, fields, known):
        fields["prefix"] = called
    [fresh] = mount_points(core.root.path, {called: fields})
    _allow(fresh)
    settings.edit_mount(core, called, fields)
    core.view.current()
    return next(
        each for each in mount_points(core.root.path, core.view.roster().mounts) if each.name == called
    )


def _unallowed(known: list[MountPoint], folder: str, dialect: str) -> MountPoint | None:
    """Return the mount of the config that only lacks permission on this machine."""
    for each in known:
        if each.path == folder and each.mount.dialect == dialect:
            forbidden = each.forbidden()
            if forbidden is not None and forbidden.code == OUTSIDE:
                return each
    return None


def _allow(wanted: MountPoint) -> None:
    """Record that the user allows a mount outside the project; refuse one that is never allowed."""
    forbidden = wanted.forbidden()
    if forbidden is None:
        return
    if forbidden.code != OUTSIDE:
        raise BadArguments(f"cannot mount {wanted.path}", forbidden.why, forbidden.fix)
    trust.allow_mount(wanted.root, wanted.mount.dialect, wanted.mount.settings.get("file", ""), wanted.path)


def add_resident(core: Session, called: str, agent: str) -> None:
    """Make an agent a resident of a mount, because it wrote there by a command."""
    known = core.view.roster().agents.get(agent)
    if known is None or called not in known.homes:
        core.log.append([draft("agent.registered", BUS, {"agent": agent, "mount": called})])
        core.view.current()


def remove(core: Session, called: str) -> None:
    """Remove a mount from the config; its files and its events in the log stay."""
    core.view.current()
    known = core.view.roster().mounts
    if called not in known:
        mounts = ", ".join(known) or "none"
        raise NotFound(f"no mount {called}", f"the mounts are: {mounts}", "palaver mount list")
    [gone] = mount_points(core.root.path, {called: known[called]})
    settings.edit_mount(core, called, None)
    trust.forget_mount(gone.root, gone.mount.dialect, gone.mount.settings.get("file", ""), gone.path)


def _folder(wanted: MountRequest, detection: Detection) -> tuple[str, dict[str, str]]:
    """Return the folder that is meant, and the settings that follow from the path and the team."""
    given = {"team": wanted.team} if wanted.team else {}
    path = wanted.path
    if not path and wanted.team and detection.teams:
        path = f"{os.path.expanduser(detection.teams)}/{name(wanted.team)}"
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
        raise NotFound(f"cannot mount {wanted.path or path}", "there is no such folder", "create it first")
    return path, given


def _hints(folder: str, detection: Detection) -> dict[str, str]:
    """Return the settings that a file of the folder holds, if the dialect knows such a file."""
    if detection.hints is None:
        return {}
    file, read = detection.hints
    try:
        content, _ = read_span(f"{folder}/{file}", 0, CONFIG_BYTES)
    except (OSError, Unfit):
        return {}
    return read(content.decode("utf-8", "replace"))


def _refuse_repeated(core: Session, folder: str, dialect: str, known: list[MountPoint]) -> None:
    if folder == core.root.path or folder.startswith(core.root.path + "/"):
        raise BadArguments(f"cannot mount {folder}", "it is inside the bus itself", "name another folder")
    for each in known:
        if each.path == folder and each.mount.dialect == dialect:
            raise AlreadyMounted(
                f"cannot mount {folder} again",
                f"it is mounted as {each.name}",
                f"palaver mount remove {each.name}",
            )


def _name(wanted: MountRequest, folder: str, roster: Roster) -> str:
    """Return the name of the mount: as requested, else the team or the dialect, numbered if it is taken."""
    if wanted.name:
        called = name(wanted.name)
        if "/" in called:
            raise BadArguments(f"cannot call a mount {called}", "it has a '/'", "use a plain name")
        if _is_taken(called, roster):
            raise AlreadyMounted(
                f"cannot call a mount {called}", "the name is taken", "use another: --name N"
            )
        return called
    plain = wanted.team or (
        os.path.basename(folder) if spec(wanted.dialect).detection.teams else wanted.dialect
    )
    called = name(plain) if plain and plain.isascii() and plain[0].isalnum() else wanted.dialect
    number = 2
    free = called
    while _is_taken(free, roster):
        free = f"{called}-{number}"
        number += 1
    return free


def _is_taken(called: str, roster: Roster) -> bool:
    return called in roster.mounts or roster.meaning(called).kind != "none"


def _config_path(core: Session, folder: str) -> str:
    """Return the path for the config: relative to the project, if the folder is in it."""
    home = os.path.realpath(os.path.dirname(core.root.path))
    relative = os.path.relpath(folder, home)
    found = folder if relative.startswith("..") else relative
    assert placed(core.root.path, found) == folder, "the config must lead back to the folder"
    return found


def _has_name_clash(called: str, fields: dict[str, str], known: list[MountPoint]) -> bool:
    """Return True if residents by protocol have the same names as those of another mount."""
    dialect = spec(fields["dialect"])
    alike = [each for each in known if each.mount.dialect == dialect.name and not each.prefix]
    mine = set(dialect.residents(Mount(dialect=dialect.name, name=called, settings=fields), ()))
    # By the protocol, not by the roster: the other mount may not have been read yet.
    return any(mine & set(dialect.residents(each.mount, ())) for each in alike)
