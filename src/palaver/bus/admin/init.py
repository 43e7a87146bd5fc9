"""Init: a new bus in a folder, ready for its first message."""

import contextlib
import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass
from stat import S_ISDIR

from palaver.bus import trust
from palaver.bus.admin import snapshot_repository
from palaver.bus.agents import agent_registry
from palaver.bus.config import config_file, config_store
from palaver.bus.git import Git
from palaver.bus.identity import sign_new
from palaver.bus.root import FOLDER, Root, at, between, check_access, here, home
from palaver.bus.session import Session
from palaver.files.atomic_replace import replace
from palaver.files.regular import open_file
from palaver.log.lock import Lock
from palaver.model.errors import BadArguments, BadName, LogLocked, StorageFailed, ToolMissing
from palaver.model.limits import LOCK_SECONDS
from palaver.model.names import name

_FOLDERS = ("", "/log", "/view", "/bell", "/quarantine")


@dataclass(frozen=True, slots=True, kw_only=True)
class InitResult:
    """What init did."""

    session: Session
    fresh: bool
    person: str
    git: bool
    hidden: bool

    def plain(self) -> dict[str, object]:
        """Return the fields for programs."""
        return {
            "root": self.session.root.path,
            "fresh": self.fresh,
            "person": self.person,
            "snapshots": self.git,
            "ignored_by_outer_repository": self.hidden,
        }


def begin(
    named: str = "",
    person: str = "",
    *,
    folder: str = "",
    environment: Mapping[str, str] = os.environ,
    force: bool = False,
) -> InitResult:
    """Make a bus in a folder, or leave the one that is there as it is; the same from any worktree.

    `folder` and `environment` are those of the caller, by default those of this process.
    """
    path = _place(named or environment.get("PALAVER_ROOT", ""), folder or here())
    root = Root(path, environment)
    who = name(person) if person else _person(environment)
    check_access(path, force=force)
    if _is_used(path):
        _require_trust(root)
    _make(path)
    # Two at once make one bus: the second finds it made.
    lock = Lock(root.config + ".lock")
    if not lock.acquire(LOCK_SECONDS):
        raise LogLocked(f"cannot make {path}", "another command is using it", "try again")
    try:
        return _begun(root, who)
    finally:
        lock.release()


def _begun(root: Root, who: str) -> InitResult:
    fresh = not os.path.exists(root.config)
    if fresh:
        _accept(root)
        replace(root.config, config_file.fresh(who).encode())
    session = Session(root, agent=who)
    if fresh:
        sign_new(session, root.environment)
    who = config_store.read(root)[1].person or who
    if who not in agent_registry.roster(session).agents:
        agent_registry.register(session, who, about="the person at the terminal")
    git, hidden = keep_apart(root)
    return InitResult(session=session, fresh=fresh, person=who, git=git, hidden=hidden)


def _place(named: str, folder: str) -> str:
    """Return where the bus belongs: where it is, if this repository has one here or above."""
    if named:
        return at(named, folder)
    folder, top = home((folder + "/").partition(f"/{FOLDER}/")[0].rstrip("/") or "/")
    while folder != top and not os.path.isdir(folder):
        # A folder that the main worktree does not have.
        folder = os.path.dirname(folder)
    return between(folder, top if top != "/" else folder) or at(folder)


def _make(path: str) -> None:
    """Make the folders of a bus, or see to it that they are nobody else's."""
    around = os.path.dirname(path)
    try:
        if not S_ISDIR(os.stat(around).st_mode):
            raise BadArguments(f"cannot make a bus in {around}", "it is not a folder", "name a folder")
        for part in _FOLDERS:
            os.makedirs(path + part, mode=0o700, exist_ok=True)
            os.chmod(path + part, 0o700)
    except FileNotFoundError as fault:
        raise BadArguments(
            f"cannot make a bus in {around}", "there is no such folder", "make it first"
        ) from fault
    except OSError as fault:
        raise StorageFailed(
            f"cannot make {path}", fault.strerror or str(fault), "choose a folder that can be written"
        ) from fault


def _require_trust(root: Root) -> None:
    """Refuse a folder that holds a bus, or part of one, that this user has neither made nor accepted."""
    if not trust.is_trusted(root.path) and os.path.isfile(root.config + ".lock"):
        # Another `palaver init` may be making it at this moment.
        lock = Lock(root.config + ".lock")
        if lock.acquire(LOCK_SECONDS):
            lock.release()
    trust.require(root.path)


def _is_used(path: str) -> bool:
    """Return True if a folder holds more than what another `palaver init` may have begun to make."""
    try:
        with os.scandir(path) as entries:
            return any(not _is_begun(entry) for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as fault:
        raise StorageFailed(
            f"cannot make {path}", fault.strerror or str(fault), "look at the folder"
        ) from fault


def _is_begun(entry: os.DirEntry[str]) -> bool:
    if f"/{entry.name}" in _FOLDERS:
        return entry.is_dir(follow_symlinks=False) and not os.listdir(entry.path)
    return entry.name in ("id", "config.toml.lock") and entry.is_file(follow_symlinks=False)


def _accept(root: Root) -> None:
    """Record that the user who creates a bus trusts it; without a record, PALAVER_TRUST must name the bus."""
    try:
        trust.accept(root.path)
    except StorageFailed:
        if not trust.is_trusted(root.path):
            # Nothing is left behind that would be in the way of the next try.
            _unmake(root.path)
            raise


def _unmake(path: str) -> None:
    """Remove the empty folders of a bus that could not be made."""
    with contextlib.suppress(OSError):
        for part in reversed(_FOLDERS):
            os.rmdir(path + part)


def keep_apart(root: Root) -> tuple[bool, bool]:
    """Give the bus its own repository, and hide it from the outer one; return which of the two was done."""
    try:
        git = snapshot_repository.begin(root)
    except ToolMissing:
        # A git that does not work keeps nobody from talking.
        return False, False
    return git, git and _hide(root)


def _person(environment: Mapping[str, str]) -> str:
    """Return a name for the person at the terminal."""
    try:
        found = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        found = environment.get("USER", "")
    try:
        return name(found)
    except BadName:
        return "human"


def _hide(root: Root) -> bool:
    """Keep the bus out of the surrounding repository, without touching a file that it tracks."""
    # Inside a hook, git's variables name another repository than the one around us.
    outside = {name: value for name, value in root.environment.items() if not name.startswith("GIT_")}
    folder = os.path.dirname(root.path)
    try:
        exclude = Git(folder, outside).run("rev-parse", "--git-path", "info/exclude").strip()
    except ToolMissing:
        return False
    line = f"{FOLDER}/".encode()
    repository = os.path.join(folder, exclude).removesuffix("/info/exclude")
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    try:
        with open(open_file(repository, "info/exclude", flags, 0o644, create_folders=0o777), "rb+") as file:
            present = file.read()
            if line not in present.split(b"\n"):
                file.write((b"" if not present or present.endswith(b"\n") else b"\n") + line + b"\n")
    except OSError:
        return False
    return True
