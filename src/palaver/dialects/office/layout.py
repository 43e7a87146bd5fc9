"""The files of an office, and whose pen writes them.

    messages/employee-<employeeId>.log   only that employee writes; the manager reads
    messages/manager-inbox.log           only the manager writes; every worker reads

Mail from outside has no file of its own, so the bus holds both pens: what is for the manager stands in
`employee-<sender>.log`, what is for a worker in `manager-inbox.log`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from palaver.dialects.office.grammar import BY_NAME, HEAD, Desk
from palaver.model.clock_text import to_utc
from palaver.model.dialect import Growth, Mount, Watched
from palaver.model.errors import BadName
from palaver.model.message import Message
from palaver.model.names import EVERYONE, address, short

FOLDER: Final = "messages"
INBOX: Final = "manager-inbox.log"
#: The manager's id in the template of the protocol, for mounts that name none.
MANAGER: Final = "emp-manager-001"
#: Workers first: what they ask comes before what the manager says to it.
WATCHED: Final = (
    Watched(FOLDER, "employee-*.log", Growth.LOG),
    Watched(FOLDER, INBOX, Growth.LOG),
)
_EMPLOYEE: Final = re.compile(r"employee-(.+)\.log", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """Who writes a file: the desk, the one it belongs to (nobody, if the name is unsafe), and the manager."""

    desk: Desk
    owner: str
    manager: str


def manager_of(mount: Mount) -> str:
    """Return the manager's id, as the mount says."""
    return plain_name(mount.settings.get("manager", MANAGER)) or MANAGER


def pen_of(path: str, mount: Mount) -> Pen:
    """Return whose file this is, by its name alone."""
    manager = manager_of(mount)
    name = path.rpartition("/")[2]
    if name == INBOX:
        return Pen(desk=Desk.MANAGER, owner=manager, manager=manager)
    match = _EMPLOYEE.fullmatch(name)
    if match is None:
        return Pen(desk=Desk.NEITHER, owner="", manager=manager)
    return Pen(desk=Desk.WORKER, owner=plain_name(match[1]), manager=manager)


def plain_name(text: str) -> str:
    """Return the canonical form of the name of one agent, or nothing if it cannot be one."""
    try:
        found = address(text)
    except BadName:
        return ""
    return "" if found.startswith("@") else found


def files(message: Message, mount: Mount) -> tuple[str, ...]:
    """Return the files in which a message stands: where each of its recipients looks."""
    manager = manager_of(mount)
    inbox = f"{FOLDER}/{INBOX}"
    # The last segment of a name that was checked segment by segment: it cannot leave the folder.
    owner = short(plain_name(message.sender.removeprefix("@")))
    if message.sender == manager or not owner:
        return (inbox,)
    own = f"{FOLDER}/employee-{owner}.log"
    for_manager = [to for to in message.to if is_manager(to, manager)]
    if len(for_manager) == len(message.to):
        return (own,)
    return (own, inbox) if for_manager or EVERYONE in message.to else (inbox,)


def onward(message: Message, mount: Mount, file: str) -> tuple[str, ...]:
    """Return the inbox, for what a worker says to workers in his own log: they do not read it there.

    Only what the owner of the log wrote: nobody gets the manager's pen by writing into another's file.
    """
    if message.auth != "channel" or pen_of(file, mount).desk is not Desk.WORKER:
        return ()
    return tuple(each for each in files(message, mount) if each != file)


def residents(mount: Mount, found: Iterable[str]) -> tuple[str, ...]:
    """Return the manager, and everyone who has a log."""
    owners = [pen.owner for file in found if (pen := pen_of(file, mount)).desk is Desk.WORKER and pen.owner]
    return (manager_of(mount), *owners)


def is_manager(recipient: str, manager: str) -> bool:
    """Tell whether an address is the manager's, with or without the path that a mount puts before it."""
    return short(recipient).removeprefix("@") == short(manager)


def recognises(path: str, head: bytes) -> int:
    """Return how surely a file is an office's: by its name, its folder, and its first entry."""
    folder, _, name = path.rpartition("/")
    known = name == INBOX or _EMPLOYEE.fullmatch(name) is not None
    filed = known and (not folder or folder.rpartition("/")[2] == FOLDER)
    return min(3, 2 * known + filed + _entry(head))


def _entry(head: bytes) -> int:
    """Return 2 for an entry with a tag of ours, 1 for one with another tag, 0 for anything else."""
    for line in head.split(b"\n"):
        text = line.decode("utf-8", "replace").removeprefix("\ufeff")
        if not text.strip():
            continue
        match = HEAD.match(text)
        if match is None or not to_utc((match["time"] or "").strip()):
            return 0
        return 2 if match["tag"].upper() in BY_NAME else 1
    return 0
