"""Where the bus is: the same one from every subfolder and every worktree of a repository.

`--root`, else PALAVER_ROOT, else: inside a linked git worktree, the same place in the main worktree;
then the nearest folder upwards that has `.palaver/config.toml`. A `.palaver` inside a linked worktree is
never used: two worktrees would be two buses, and each would wait for the other's mail.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from stat import S_ISDIR, S_IWOTH

from palaver.model.errors import NoBus, NotYours, StorageFailed, UnsafeRoot

FOLDER = ".palaver"


class Root:
    """The paths of one bus."""

    __slots__ = ("bells", "config", "log", "log_lock", "path", "quarantine", "roster", "view", "view_lock")

    def __init__(self, path: str) -> None:
        """Take the path of the `.palaver` folder."""
        self.path = path
        self.config = path + "/config.toml"
        self.log = path + "/log"
        self.log_lock = path + "/log.lock"
        self.view = path + "/view"
        self.view_lock = path + "/view.lock"
        self.roster = path + "/roster"
        self.bells = path + "/bell"
        self.quarantine = path + "/quarantine"


def find(given: str, *, force: bool = False) -> Root:
    """Return the bus that is meant, or refuse."""
    named = given or os.environ.get("PALAVER_ROOT", "")
    if named:
        path = os.path.abspath(named)
        if os.path.basename(path) != FOLDER:
            path += "/" + FOLDER
        if not _is_bus(path):
            raise NoBus(
                f"no bus at {named}",
                "it has no .palaver/config.toml",
                f"make one: palaver init --root {named}",
            )
    else:
        path = nearest(here())
        if not path:
            raise NoBus(
                "no bus here", "no .palaver/config.toml in this folder or above", "make one: palaver init"
            )
    _check(path, force=force)
    return Root(path)


def here() -> str:
    """Return the folder we stand in."""
    try:
        return os.getcwd()
    except OSError as fault:
        raise StorageFailed(
            "cannot tell where we are", "this folder was deleted", "cd somewhere else"
        ) from fault


def nearest(folder: str) -> str:
    """Return the `.palaver` that serves a folder, or nothing."""
    folder = in_main_worktree(folder)
    while True:
        path = folder.rstrip("/") + "/" + FOLDER
        if _is_bus(path):
            return path
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def in_main_worktree(folder: str) -> str:
    """Return the folder itself, or, inside a linked git worktree, the same place in the main one."""
    top = folder
    while True:
        git = top.rstrip("/") + "/.git"
        common = _common(git) if os.path.isfile(git) else ""
        if common:
            main = os.path.dirname(common) if os.path.basename(common) == ".git" else os.path.dirname(top)
            same = os.path.join(main, os.path.relpath(folder, top))
            return os.path.normpath(same if os.path.basename(common) == ".git" else main)
        parent = os.path.dirname(top)
        if parent == top or os.path.isdir(git):
            return folder
        top = parent


def _common(git: str) -> str:
    """Return the shared git folder that a worktree's `.git` file leads to; a submodule's leads to none."""
    try:
        with open(git, encoding="utf-8", errors="surrogateescape") as link:
            words = link.read(8_192).partition("gitdir:")[2].strip()
        gitdir = os.path.normpath(os.path.join(os.path.dirname(git), words))
        with open(gitdir + "/commondir", encoding="utf-8", errors="surrogateescape") as link:
            return os.path.normpath(os.path.join(gitdir, link.read(8_192).strip()))
    except OSError:
        return ""


def _is_bus(path: str) -> bool:
    return os.access(path + "/config.toml", os.F_OK)


def _check(path: str, *, force: bool) -> None:
    try:
        found = os.stat(path)
    except OSError as fault:
        raise StorageFailed(
            f"cannot use {path}", fault.strerror or str(fault), "look at the folder"
        ) from fault
    if S_ISDIR(found.st_mode) and found.st_mode & S_IWOTH:
        raise UnsafeRoot(f"will not use {path}", "everyone may write in it", f"chmod 700 {path}")
    user = os.geteuid()
    if user == 0 and found.st_uid != 0 and not force:
        raise NotYours(
            f"will not write to {path} as root",
            f"it belongs to user {found.st_uid}, who could not write there afterwards",
            "do it as that user, or with --force",
        )
