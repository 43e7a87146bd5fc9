"""The superuser uses the bus of another user as that user: what a command leaves there is the owner's.

A file of root's in such a bus would lock its owner out, and root would write into a folder in which somebody
else can put links (docs/adr/0052).
"""

import os
import pwd

from palaver.model.errors import NotYours

# Where a user's settings and records are. Those of root say nothing of the owner.
_FOLDERS = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
_acting: list[int] = []


def become(owner: int, group: int, path: str) -> None:
    """Give this process the rights of the owner of a bus, for good; refuse if that is not possible."""
    try:
        known = pwd.getpwuid(owner)
        name, group, home = known.pw_name, known.pw_gid, known.pw_dir
    except KeyError:
        # A user of another machine, or of another container.
        name, home = "", ""
    try:
        if name:
            os.initgroups(name, group)
        else:
            os.setgroups([])
        os.setresgid(group, group, group)
        os.setresuid(owner, owner, owner)
    except OSError as fault:
        raise _unusable(path, owner, f"we cannot act as that user here ({fault.strerror})") from fault
    for closed in (os.path.dirname(__file__), os.path.dirname(os.__file__), path):
        if not os.access(closed, os.R_OK | os.X_OK):
            raise _unusable(path, owner, f"that user cannot read {closed}")
    _acting.append(owner)
    for variable in _FOLDERS:
        if variable in os.environ and not _belongs(os.environ[variable], owner):
            del os.environ[variable]
    os.environ.setdefault("HOME", home or "/nonexistent")


def is_acting() -> bool:
    """Return True if this process was started by root and acts as the owner of a bus."""
    return bool(_acting)


def _unusable(path: str, owner: int, why: str) -> NotYours:
    return NotYours(
        f"will not use {path}", f"it belongs to another user (uid {owner}), and {why}", "run it as that user"
    )


def _belongs(folder: str, owner: int) -> bool:
    try:
        return os.stat(folder).st_uid == owner
    except OSError:
        return False
