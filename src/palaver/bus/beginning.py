"""Init: a new bus in a folder, ready for its first message."""

import os
import subprocess

from palaver import config
from palaver.bus import people, settings, snapshots
from palaver.bus.core import Core
from palaver.bus.replacing import replace
from palaver.bus.root import FOLDER, Root, here, in_main_worktree
from palaver.model.errors import BadArguments, BadName, StorageFailed
from palaver.model.names import name

_FOLDERS = ("", "/log", "/view", "/bell", "/quarantine")


class Begun:
    """What init did."""

    __slots__ = ("core", "fresh", "git", "hidden", "person")

    def __init__(self, core: Core, *, fresh: bool, person: str, git: bool, hidden: bool) -> None:
        """Take the bus, whether it is new, its person, and what git made of it."""
        self.core = core
        self.fresh = fresh
        self.person = person
        self.git = git
        self.hidden = hidden

    def plain(self) -> dict[str, object]:
        """Return what a program wants to know."""
        return {
            "root": self.core.root.path,
            "fresh": self.fresh,
            "person": self.person,
            "snapshots": self.git,
            "ignored_by_outer_repository": self.hidden,
        }


def begin(folder: str = "", person: str = "") -> Begun:
    """Make a bus in a folder, or leave the one that is there as it is; the same from any worktree."""
    place = os.path.abspath(folder) if folder else in_main_worktree(here())
    path = place if os.path.basename(place) == FOLDER else place.rstrip("/") + "/" + FOLDER
    root = Root(path)
    fresh = not os.path.exists(root.config)
    who = name(person) if person else _person()
    try:
        if not os.path.isdir(os.path.dirname(path)):
            raise BadArguments(f"cannot make a bus in {place}", "there is no such folder", "make it first")
        for part in _FOLDERS:
            os.makedirs(path + part, mode=0o700, exist_ok=True)
            os.chmod(path + part, 0o700)
    except OSError as fault:
        raise StorageFailed(
            f"cannot make {path}", fault.strerror or str(fault), "choose a folder that can be written"
        ) from fault
    if fresh:
        replace(root.config, config.fresh(who).encode())
    core = Core(root, agent=who)
    who = settings.read(root)[1].person or who
    git = snapshots.begin(root)
    hidden = _hide(os.path.dirname(path)) if git else False
    known = people.roster(core).agents
    if who not in known:
        people.add_agent(core, who, about="the person at the terminal")
    return Begun(core, fresh=fresh, person=who, git=git, hidden=hidden)


def _person() -> str:
    """Return a name for whoever sits at the terminal."""
    import pwd

    try:
        found = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        found = os.environ.get("USER", "")
    try:
        return name(found)
    except BadName:
        return "human"


def _hide(folder: str) -> bool:
    """Keep the bus out of the surrounding repository, without touching a file that it tracks."""
    done = subprocess.run(
        ["git", "-C", folder, "rev-parse", "--git-path", "info/exclude"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return False
    path = os.path.join(folder, done.stdout.strip())
    line = f"{FOLDER}/"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a+", encoding="utf-8") as file:
            file.seek(0)
            present = file.read()
            if line not in present.split("\n"):
                file.write(("" if not present or present.endswith("\n") else "\n") + line + "\n")
    except OSError:
        return False
    return True
