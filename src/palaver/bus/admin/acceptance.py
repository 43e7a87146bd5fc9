"""Accepting a bus that this user has not created at this place: what it would do, and what is kept of it.

Only the log, the config, the quarantine and the snapshots are kept. Everything else is either derived from
the log or a secret that somebody else may know (the dashboard's key, the tokens of runs), so it is removed.
That also holds for a bus that was moved: from its files it cannot be told from a changed copy.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from stat import S_ISDIR, S_ISREG
from typing import Final

from palaver.bus import trust
from palaver.bus.admin.init import keep_apart
from palaver.bus.config import config_store
from palaver.bus.config.config_file import Config
from palaver.bus.operations.result import PlainFields
from palaver.bus.root import Root
from palaver.bus.session import Session
from palaver.model.errors import BadConfig, Untrusted
from palaver.model.limits import TRUST_ENTRIES

#: `.git` holds the snapshots; Palaver writes its settings before each use.
_KEPT: Final = ("config.toml", "id", "log", "quarantine", ".git")


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect(PlainFields):
    """One thing that a bus would do, or that its config asks for in vain."""

    kind: str
    name: str
    text: str


#: Returns why a mount would not be used, or nothing: `sync/` knows that.
MountCheck = Callable[[str, dict[str, str]], tuple[str, str]]


def review(root: Root, check_mount: MountCheck) -> list[Effect]:
    """Return what the bus would do once it is accepted."""
    try:
        _, config = config_store.read(root)
    except BadConfig as bad:
        return [Effect(kind="config", name="config.toml", text=f"is invalid: {bad}")]
    return [*_mounts(config, check_mount), *_ignored(config), *_policy(config)]


def accept(root: Root) -> None:
    """Accept the bus at this place; refuse one that could not be used."""
    config_store.read(root)
    for path, why in _irregular(root.path):
        raise Untrusted(
            f"cannot accept {root.path}", f"{path} {why}", "remove it, and look where it came from"
        )
    _clean(root.path)
    session = Session(root)
    seq = session.view.current().seq
    # What was shown is what holds: a foreign log may claim that another config is in force.
    config_store.announce(session, seq)
    trust.accept(root.path)
    keep_apart(root)


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
    leads = config.work.get("leads")
    named = {
        "person": config.person,
        "identity": config.identity,
        "manager": str(config.work.get("manager") or ""),
        "leads": ", ".join(map(str, leads)) if isinstance(leads, list) else "",
        "aliases": ", ".join(f"{name} is {agent}" for name, agent in config.alias.items()),
        "lists": ", ".join(config.lists),
        "daemon": "commands start it" if config.daemon == "auto" else "",
    }
    for name, text in named.items():
        if text:
            yield Effect(kind="policy", name=name, text=text)


def _irregular(folder: str) -> Iterator[tuple[str, str]]:
    """Yield what no bus of ours has in it: links could lead our writes anywhere."""
    count = 0
    for place, folders, files in os.walk(folder):
        if place == folder:
            # Git writes hard links of its own there.
            folders[:] = [name for name in folders if name != ".git"]
        for name in (*folders, *files):
            path = f"{place}/{name}"
            found = os.lstat(path)
            if not S_ISDIR(found.st_mode) and not S_ISREG(found.st_mode):
                yield path, "is neither a file nor a folder"
            elif S_ISREG(found.st_mode) and found.st_nlink > 1:
                yield path, "is a hard link to a file that is also somewhere else"
            count += 1
            if count > TRUST_ENTRIES:
                yield folder, f"holds more than {TRUST_ENTRIES} files"
                return


def _clean(folder: str) -> None:
    """Remove what is not taken over, and keep other users out of the rest."""
    for name in os.listdir(folder):
        path = f"{folder}/{name}"
        if name in _KEPT:
            continue
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    for part in ("", "/log", "/view", "/bell", "/quarantine"):
        os.makedirs(folder + part, mode=0o700, exist_ok=True)
        os.chmod(folder + part, 0o700)
