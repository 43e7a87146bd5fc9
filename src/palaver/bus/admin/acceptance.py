"""Accepting a bus that this user has not created at this place: what it would do, and what is kept of it.

Only the log, the config, the quarantine and the snapshots are kept. Everything else is either derived from
the log or a secret that somebody else may know (the dashboard's key, the tokens of runs), so it is removed;
locks are emptied. That also holds for a bus that was moved: from its files it cannot be told from a changed
copy.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from palaver.bus import trust
from palaver.bus.admin.init import keep_apart
from palaver.bus.admin.snapshot_repository import way_elsewhere
from palaver.bus.config import config_store
from palaver.bus.config.config_file import USUAL_POLICY, Config
from palaver.bus.operations.result import PlainFields
from palaver.bus.root import Root
from palaver.bus.session import Session
from palaver.files.irregular import find_irregular
from palaver.model.errors import BadConfig, Untrusted
from palaver.model.limits import TRUST_ENTRIES

#: `.git` holds the snapshots; Palaver writes its settings before each use.
_KEPT: Final = ("config.toml", "id", "log", "quarantine", ".git")
#: Emptied and not removed: a process that still has one open would exclude nobody any more.
_LOCKS: Final = ("log.lock", "view.lock", "sync.lock", "up.lock", "start.lock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect(PlainFields):
    """One thing that a bus would do, or that its config asks for in vain."""

    kind: str
    name: str
    text: str


#: Returns why a mount would not be used, or nothing: `sync/` knows that.
MountCheck = Callable[[str, dict[str, str]], tuple[str, str]]
#: Returns table, setting and text of what the config asks of this machine: `runs/` knows that.
MachineSettings = Callable[[Root], Iterable[tuple[str, str, str]]]


def review(root: Root, check_mount: MountCheck, machine_settings: MachineSettings) -> list[Effect]:
    """Return what the bus would do once it is accepted; refuse if that cannot be told."""
    try:
        _, config = config_store.read(root)
        machine = [Effect(kind=kind, name=name, text=said) for kind, name, said in machine_settings(root)]
    except BadConfig as bad:
        raise BadConfig(
            f"cannot show the settings of {root.path}", f"{bad.what}: {bad.why}", bad.way_out
        ) from bad
    return [*_mounts(config, check_mount), *machine, *_ignored(config), *_policy(config)]


def accept(root: Root) -> None:
    """Accept the bus at this place; refuse one that could not be used."""
    refuse_irregular(root)
    config_store.read(root)
    _clean(root.path)
    session = Session(root)
    seq = session.view.current().seq
    # What was shown is what holds: a foreign log may claim that another config is in force.
    config_store.announce(session, seq, is_accepted=True)
    trust.accept(root.path)
    keep_apart(root)


def refuse_irregular(root: Root) -> None:
    """Refuse a bus with anything in it that no bus of ours has: a link could lead us to any file."""
    # Git makes hard links of its own there.
    found = find_irregular(root.path, TRUST_ENTRIES, twins=root.path + "/.git")
    why = f"{found.path} {found.what}" if found else way_elsewhere(root)
    if why:
        raise Untrusted(f"cannot look into {root.path}", why, "remove it, and find out where it came from")


def _mounts(config: Config, check_mount: MountCheck) -> Iterator[Effect]:
    for name, fields in config.mounts.items():
        path, hindrance = check_mount(name, fields)
        file = f", file {fields['file']}" if fields.get("file") else ""
        use = hindrance or "Palaver reads and writes files there"
        yield Effect(kind="mount", name=name, text=f"{fields['dialect']} at {path}{file}: {use}")


def _ignored(config: Config) -> Iterator[Effect]:
    for warning in config.warnings:
        yield Effect(kind="ignored", name="config.toml", text=warning)


def _policy(config: Config) -> Iterator[Effect]:
    work = {key: value for key, value in config.work.items() if value != USUAL_POLICY[key]}
    named = {
        "person": config.person,
        "identity": config.identity,
        **{key: _worded(value) for key, value in work.items()},
        "aliases": ", ".join(f"{name} is {agent}" for name, agent in config.alias.items()),
        "lists": ", ".join(f"{name} ({_worded(members)})" for name, members in config.lists.items()),
        "daemon": "commands start it" if config.daemon == "auto" else "",
    }
    for name, text in named.items():
        if text:
            yield Effect(kind="policy", name=name, text=text)
    for name, seconds in config.deadlines.items():
        yield Effect(kind="deadline", name=name, text=f"{seconds:g}")


def _worded(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _clean(folder: str) -> None:
    """Remove what is not taken over, and keep other users out of the rest."""
    for name in os.listdir(folder):
        path = f"{folder}/{name}"
        if name in _KEPT:
            continue
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif name in _LOCKS:
            os.truncate(path, 0)
        else:
            os.unlink(path)
    for part in ("", "/log", "/view", "/bell", "/quarantine"):
        os.makedirs(folder + part, mode=0o700, exist_ok=True)
        os.chmod(folder + part, 0o700)
