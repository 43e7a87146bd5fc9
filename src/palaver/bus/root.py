"""Where the bus is: the same one from every subfolder and every worktree of a repository.

The one that is named, else: inside a linked git worktree, the same place in the main worktree;
then the nearest folder upwards that has `.palaver/config.toml`. A `.palaver` inside a linked worktree is
never used: two worktrees would be two buses, and each would wait for the other's mail.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from _collections_abc import Mapping
from stat import S_IFDIR, S_IFMT, S_ISDIR, S_ISREG

from palaver.bus import trust
from palaver.model.errors import BadArguments, BadConfig, NoBus, NotYours, StorageFailed, UnsafeRoot

FOLDER = ".palaver"
# A submodule of a submodule of a submodule; more is a circle.
_HOPS = 8


class Root:
    """The paths of one bus."""

    def __init__(self, path: str, environment: Mapping[str, str] = os.environ) -> None:
        """Take the path of the `.palaver` folder, and the environment of the caller."""
        self.environment = environment
        self.path = path
        self.config = path + "/config.toml"
        self.log = path + "/log"
        self.log_lock = path + "/log.lock"
        self.view = path + "/view"
        self.view_lock = path + "/view.lock"
        self.roster = path + "/roster"
        self.bells = path + "/bell"
        self.pulse = path + "/pulse"
        self.quarantine = path + "/quarantine"
        self.sync_lock = path + "/sync.lock"
        self.attic = path + "/attic"
        self.up_lock = path + "/up.lock"
        self.up_log = path + "/up.log"
        self.start_lock = path + "/start.lock"
        self.losses = path + "/losses"

    def is_home(self, environment: Mapping[str, str]) -> bool:
        """Return True unless PALAVER_ROOT names another bus, by its folder or by that of its project."""
        named = environment.get("PALAVER_ROOT", "")
        return named in ("", self.path) or os.path.realpath(at(named)) == os.path.realpath(self.path)


def find(
    given: str,
    *,
    start: str = "",
    environment: Mapping[str, str] = os.environ,
    force: bool = False,
    untrusted: bool = False,
) -> Root:
    """Return the bus that is meant, or refuse; with `untrusted`, also one that the user has not accepted.

    `start` is the folder from which a relative path, or the nearest bus upwards, is looked for. By default it
    is the current folder of this process, and the environment is that of this process.
    """
    path = at(given, start) if given else nearest(start or here())
    if not path:
        raise NoBus(
            "no bus here", "no .palaver/config.toml in this folder or above", "make one: palaver init"
        )
    if given and not _is_bus(path):
        raise _no_bus(given, os.path.join(start, given), path)
    if os.path.islink(path):
        # The project is where the bus really is, not where a link to it is.
        path = os.path.realpath(path)
    check_access(path, force=force)
    if not untrusted:
        trust.require(path)
    return Root(path, environment)


def at(named: str, start: str = "") -> str:
    """Return the `.palaver` of a named folder, which may be the `.palaver` itself."""
    if "\0" in named or not _is_path(named):
        raise NoBus(f"no bus at {named!a}", "no folder can have that name", "name another")
    path = named if named.startswith("/") else (start or here()) + "/" + named
    # Two slashes in front would be a name of their own.
    path = "/" + os.path.normpath(path).lstrip("/")
    return path if os.path.basename(path) == FOLDER else path.rstrip("/") + "/" + FOLDER


def _is_path(named: str) -> bool:
    try:
        return bool(os.fsencode(named))
    except UnicodeEncodeError:
        return False


def here() -> str:
    """Return the current folder of this process."""
    try:
        return os.getcwd()
    except OSError as fault:
        raise StorageFailed(
            "cannot determine the current folder",
            "this folder was deleted",
            "cd somewhere else, or name the bus: --root",
        ) from fault


def nearest(folder: str) -> str:
    """Return the `.palaver` that serves a folder, or nothing."""
    while folder:
        folder, top = home(folder)
        found = between(folder, top)
        if found:
            return found
        # The folders around a repository may be a worktree of another one.
        folder = _above(top)
    return ""


def home(folder: str) -> tuple[str, str]:
    """Return where a folder is in the main worktree of its repository, and the top of that worktree.

    Without a repository that is the folder itself, and the root of all folders.
    """
    top = folder
    hops = 0
    while top:
        git = top.rstrip("/") + "/.git"
        kind = _kind(git)
        if kind == S_IFDIR:
            # The small repository inside the bus is not one that anybody works in.
            if os.path.basename(top) != FOLDER:
                return folder, top
        elif kind and (common := _common(git)):
            main, bare = _main(common)
            if bare or hops == _HOPS:
                return main, main
            # The main worktree of a submodule is in another repository: continue from there.
            hops += 1
            folder = os.path.normpath(os.path.join(main, os.path.relpath(folder, top)))
            top = folder
            continue
        top = _above(top)
    return folder, "/"


def between(folder: str, top: str) -> str:
    """Return the nearest bus from a folder upwards to a top, or nothing."""
    while folder:
        path = folder.rstrip("/") + "/" + FOLDER
        if _is_bus(path):
            return path
        if folder == top:
            break
        folder = _above(folder)
    return ""


def check_access(path: str, *, force: bool) -> None:
    """Refuse a bus of another user, and one that other users may write to.

    With `force`, the superuser becomes the owner of the bus instead.
    Only its own folder counts: who may write to the folders above it is not our business.
    """
    found = _stat(path)
    if found is None:
        return
    user = os.geteuid()
    if found.st_uid != user and user == 0 and force:
        from palaver.bus.superuser import become

        become(found.st_uid, found.st_gid, path)
    elif found.st_uid != user:
        way_out = "run the command as that user, or with --force" if user == 0 else "use a bus of your own"
        raise NotYours(f"will not use {path}", f"it belongs to another user (uid {found.st_uid})", way_out)
    config = _stat(path + "/config.toml")
    # A config that others may write to is out of their reach in a folder that they cannot enter.
    exposed = found.st_mode & 0o011 and config is not None and config.st_mode & 0o022
    if found.st_mode & 0o022 or exposed:
        raise UnsafeRoot(f"will not use {path}", "other users may write to it", f"chmod 700 {path}")


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        raise StorageFailed(
            f"cannot use {path}", fault.strerror or str(fault), "look at the folder"
        ) from fault


def _above(folder: str) -> str:
    parent = os.path.dirname(folder)
    return parent if parent != folder else ""


def _kind(path: str) -> int:
    """Return what is at a path: its file type, 0 if there is nothing."""
    try:
        return S_IFMT(os.stat(path).st_mode)
    except (OSError, ValueError):
        return 0


def _common(git: str) -> str:
    """Return the shared git folder that a linked worktree's `.git` file leads to, or nothing.

    A submodule's file leads to a folder without `commondir`: that is no linked worktree.
    """
    gitdir = _said(git).partition("gitdir:")[2].strip()
    gitdir = os.path.normpath(os.path.join(os.path.dirname(git), gitdir)) if gitdir else ""
    common = _said(gitdir + "/commondir").strip() if gitdir else ""
    return os.path.normpath(os.path.join(gitdir, common)) if common else ""


def _main(common: str) -> tuple[str, bool]:
    """Return the main worktree of a shared git folder; and whether it has none, being bare.

    A bare repository counts as if its worktree were the folder that it lies in.
    """
    if os.path.basename(common) == ".git":
        return os.path.dirname(common), False
    # A submodule keeps its git folder elsewhere, and says where its worktree is.
    for line in _said(common + "/config").split("\n"):
        key, _, value = line.partition("=")
        if key.strip() == "worktree":
            return os.path.normpath(os.path.join(common, value.strip())), False
    return os.path.dirname(common), True


def _said(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", opener=_unblocked) as file:
            return file.read(65_536)
    except (OSError, ValueError):
        return ""


def _unblocked(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _is_bus(path: str) -> bool:
    config = path + "/config.toml"
    try:
        mode = os.stat(config).st_mode
    except OSError:
        if os.path.islink(config):
            # Nobody would find it: the folder looks as if it had one.
            raise BadConfig(
                f"cannot read {config}", "it is a link to a file that is not there", "put a file there"
            ) from None
        return False
    if not S_ISREG(mode):
        raise BadConfig(f"cannot read {config}", "it is not a plain file", "put a file there")
    return True


def _no_bus(named: str, folder: str, path: str) -> BadArguments | NoBus | NotYours | StorageFailed:
    """Return why the folder that was named has no bus."""
    try:
        found = os.stat(folder)
        if not S_ISDIR(found.st_mode):
            return BadArguments(f"no bus at {named}", "it is not a folder", "name the folder of the bus")
        os.stat(path + "/config.toml")
    except PermissionError:
        return NotYours(f"cannot look into {named}", "it belongs to somebody else", "use a bus of your own")
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as fault:
        return StorageFailed(f"no bus at {named}", fault.strerror or str(fault), "name another folder")
    return NoBus(
        f"no bus at {named}", "it has no .palaver/config.toml", f"make one: palaver init --root {named}"
    )
