"""Mounting: point the bus at a folder that agents already use, and let it go again."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from palaver.bus import trust
from palaver.bus.config import settings
from palaver.bus.config.config_events import apply
from palaver.bus.session import Session, draft
from palaver.model.dialect import Mount
from palaver.model.errors import AlreadyMounted, BadArguments, NotFound
from palaver.model.limits import CONFIG_BYTES
from palaver.model.mounts import MOUNT_KEYS, MOUNT_POLICY
from palaver.model.names import BUS, name
from palaver.sync.mounts import OUTSIDE, Mounted, Speaks, mounted, placed
from palaver.sync.opening import Unfit, opened
from palaver.views.agents.roster import Roster

#: What people name who mean the folder that it lies in.
_INSIDE: Final = {
    "office": ("messages",),
    "vermas": (".work",),
    "swarm": ("channel.jsonl",),
    "runbus": ("MESSAGE-BUS.md", "TASK-MESSAGE-BUS.md", "PROJECT-MESSAGE-BUS.md"),
    "collab": ("chat.log", "inbox"),
}
TEAMS: Final = "~/.claude/teams"
_NAMED: Final = re.compile(
    r"""^\s*(?:export\s+)?AGENT_([AB])_NAME=["']?([A-Za-z0-9][A-Za-z0-9_-]{0,60})["']?\s*$""", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What somebody wants to have mounted."""

    dialect: str
    path: str = ""
    name: str = ""
    team: str = ""
    settings: Mapping[str, str]


def add(core: Session, speaks: Speaks, wanted: Wanted) -> Mounted:
    """Write a mount into the config; the next pass takes it in."""
    if wanted.dialect not in MOUNT_KEYS:
        raise NotFound(f"there is no dialect '{wanted.dialect}'", "", f"use one of {', '.join(MOUNT_KEYS)}")
    folder, given = _folder(wanted)
    roster = apply(core)
    known = mounted(core.root.path, roster.mounts, speaks)
    if waiting := _waiting(known, folder, wanted.dialect):
        _allow(waiting)
        return waiting
    _check(core, folder, wanted.dialect, known)
    called = _name(wanted, folder, roster)
    fields = {"dialect": wanted.dialect, "path": _shown(core, folder), **given, **wanted.settings}
    if wanted.dialect == "collab":
        fields = {**fields, **_pair(folder), **wanted.settings}
    for key in fields:
        if key not in ("dialect", "path", "prefix", "agents", *MOUNT_POLICY, *MOUNT_KEYS[wanted.dialect]):
            usable = ", ".join(("prefix", "agents", *MOUNT_KEYS[wanted.dialect], *MOUNT_POLICY))
            raise BadArguments(f"{wanted.dialect} has no setting '{key}'", "nobody reads it", f"use {usable}")
    if "prefix" not in fields and _clashes(called, fields, speaks, known):
        fields["prefix"] = called
    [fresh] = mounted(core.root.path, {called: fields}, speaks)
    _allow(fresh)
    settings.edit_mount(core, called, fields)
    core.view.current()
    return next(
        each for each in mounted(core.root.path, core.view.roster().mounts, speaks) if each.name == called
    )


def _waiting(known: list[Mounted], folder: str, dialect: str) -> Mounted | None:
    """Return the mount of the config that only waits to be allowed on this machine."""
    for each in known:
        if each.path == folder and each.mount.dialect == dialect:
            forbidden = each.forbidden()
            if forbidden is not None and forbidden.code == OUTSIDE:
                return each
    return None


def _allow(wanted: Mounted) -> None:
    """Record that the user wants a mount outside the project; refuse one that nobody may have."""
    forbidden = wanted.forbidden()
    if forbidden is None:
        return
    if forbidden.code != OUTSIDE:
        raise BadArguments(f"cannot mount {wanted.path}", forbidden.why, forbidden.fix)
    trust.allow_mount(wanted.root, wanted.mount.dialect, wanted.mount.settings.get("file", ""), wanted.path)


def move_in(core: Session, called: str, agent: str) -> None:
    """Let an agent live in a mount, if it does not yet: it lives where it writes, by a command too."""
    known = core.view.roster().agents.get(agent)
    if known is None or called not in known.homes:
        core.log.append([draft("agent.registered", BUS, {"agent": agent, "mount": called})])
        core.view.current()


def remove(core: Session, speaks: Speaks, called: str) -> None:
    """Take a mount out of the config; its files and all that the log has of them stay."""
    core.view.current()
    known = core.view.roster().mounts
    if called not in known:
        there = ", ".join(known) or "none"
        raise NotFound(f"no mount {called}", f"there is {there}", "palaver mount list")
    [gone] = mounted(core.root.path, {called: known[called]}, speaks)
    settings.edit_mount(core, called, None)
    trust.forget_mount(gone.root, gone.mount.dialect, gone.mount.settings.get("file", ""), gone.path)


def _folder(wanted: Wanted) -> tuple[str, dict[str, str]]:
    """Return the folder that is meant, and what the path says besides."""
    given = {"team": wanted.team} if wanted.team else {}
    path = wanted.path
    if not path and wanted.dialect == "swarm" and wanted.team:
        path = f"{os.path.expanduser(TEAMS)}/{name(wanted.team)}"
    if not path:
        raise BadArguments("nothing to mount", "no folder was named", "palaver mount add DIALECT PATH")
    path = os.path.realpath(path)
    inside = os.path.basename(path)
    if inside in _INSIDE[wanted.dialect] and not (inside in ("messages", "inbox") and os.path.isfile(path)):
        if wanted.dialect == "runbus" and inside != "MESSAGE-BUS.md":
            given["file"] = inside
        path = os.path.dirname(path)
    elif wanted.dialect == "runbus" and os.path.isfile(path):
        given["file"] = inside
        path = os.path.dirname(path)
    if not os.path.isdir(path):
        raise NotFound(f"cannot mount {wanted.path or path}", "there is no such folder", "make it first")
    return path, given


def _pair(folder: str) -> dict[str, str]:
    """Return who A and B are, if the two have written it down where their scripts look for it."""
    try:
        # What else stands there is not ours to know, and secrets lie in another file.
        fd, _ = opened(f"{folder}/.ai-collab.env")
    except (OSError, Unfit):
        return {}
    try:
        text = os.read(fd, CONFIG_BYTES).decode("utf-8", "replace")
    finally:
        os.close(fd)
    return {which.lower(): called.lower() for which, called in _NAMED.findall(text)}


def _check(core: Session, folder: str, dialect: str, known: list[Mounted]) -> None:
    if folder == core.root.path or folder.startswith(core.root.path + "/"):
        raise BadArguments(f"cannot mount {folder}", "it is inside the bus itself", "name another folder")
    for each in known:
        if each.path == folder and each.mount.dialect == dialect:
            raise AlreadyMounted(
                f"cannot mount {folder} again",
                f"it is mounted as {each.name}",
                f"palaver mount remove {each.name}",
            )


def _name(wanted: Wanted, folder: str, roster: Roster) -> str:
    """Return what the mount is called: as wanted, else by its team or dialect, with a number if need be."""
    if wanted.name:
        called = name(wanted.name)
        if "/" in called:
            raise BadArguments(f"cannot call a mount {called}", "it has a '/'", "use a plain name")
        if _taken(called, roster):
            raise AlreadyMounted(
                f"cannot call a mount {called}", "the name is taken", "use another: --name N"
            )
        return called
    plain = wanted.team or (os.path.basename(folder) if wanted.dialect == "swarm" else wanted.dialect)
    called = name(plain) if plain and plain.isascii() and plain[0].isalnum() else wanted.dialect
    number = 2
    free = called
    while _taken(free, roster):
        free = f"{called}-{number}"
        number += 1
    return free


def _taken(called: str, roster: Roster) -> bool:
    return called in roster.mounts or roster.meaning(called).kind != "none"


def _shown(core: Session, folder: str) -> str:
    """Return the path as the config has it: from the folder of the bus, if it lies in there."""
    home = os.path.realpath(os.path.dirname(core.root.path))
    relative = os.path.relpath(folder, home)
    found = folder if relative.startswith("..") else relative
    assert placed(core.root.path, found) == folder, "the config must lead back to the folder"
    return found


def _clashes(called: str, fields: dict[str, str], speaks: Speaks, known: list[Mounted]) -> bool:
    """Tell whether those who live there by protocol are called as others are who live elsewhere."""
    dialect = speaks(fields["dialect"])
    alike = [each for each in known if each.mount.dialect == dialect.name and not each.prefix]
    mine = set(dialect.residents(Mount(dialect=dialect.name, name=called, settings=fields), ()))
    # By the protocol, not by who was seen: nobody may have looked into the other mount yet.
    return any(mine & set(dialect.residents(each.mount, ())) for each in alike)
