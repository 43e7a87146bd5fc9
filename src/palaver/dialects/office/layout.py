"""The files of an office, and who writes them.

    messages/employee-<employeeId>.log   only that employee writes; the manager reads
    messages/manager-inbox.log           only the manager writes; every worker reads

Mail from outside has no file of its own, so the bus writes to both: mail for the manager goes to
`employee-<sender>.log`, mail for a worker to `manager-inbox.log`.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from palaver.dialects.office.grammar import BY_NAME, HEAD, Desk
from palaver.dialects.office.model_names import is_model_name
from palaver.model.clock_text import to_utc
from palaver.model.errors import BadName
from palaver.model.message import Message
from palaver.model.mounted_files import Growth, Mount, Provenance, Watched
from palaver.model.names import BUS, EVERYONE, address, short
from palaver.model.strict_json import NotAnObject, loads_object

FOLDER: Final = "messages"
INBOX: Final = "manager-inbox.log"
#: The role card of the manager.
ROLE: Final = "roles/manager.json"
#: The setting that holds the manager of that card.
CARD_MANAGER: Final = "card_manager"
#: The manager's id in the template of the protocol, for mounts that name none.
MANAGER: Final = "emp-manager-001"
#: How the whole bus may call the manager.
LEAD_ROLE: Final = "manager"
#: Workers first: their questions come before the answers of the manager.
WATCHED: Final = (
    Watched(FOLDER, "employee-*.log", Growth.LOG),
    Watched(FOLDER, INBOX, Growth.LOG),
)
_EMPLOYEE: Final = re.compile(r"employee-(.+)\.log", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeLog:
    """A file of an office: its desk, its owner (empty if the name is not safe), and the manager."""

    desk: Desk
    owner: str
    manager: str
    #: Whether trailers are read.
    provenance: Provenance = Provenance.ALL
    #: Whether somebody has a name.
    is_known: Callable[[str], bool] = lambda _: True


def manager_of(mount: Mount) -> str:
    """Return the id of the manager, by the settings of the mount."""
    given = (mount.settings.get("manager", ""), mount.settings.get(CARD_MANAGER, ""), MANAGER)
    return next(found for name in given if name and (found := plain_name(name)))


def read_role(card: str) -> dict[str, str]:
    """Return the settings that the role card of the manager holds: its employeeId; or raise ValueError.

    An empty card is one that is still being written.
    """
    if not card.strip():
        return {}
    try:
        written = loads_object(card.encode()).get("employeeId")
    except NotAnObject as fault:
        raise ValueError(f"it is not a JSON object ({fault})") from fault
    manager = plain_name(written) if isinstance(written, str) else ""
    if not manager:
        raise ValueError("it has no employeeId that is a name")
    if is_model_name(manager):
        raise ValueError(f"its employeeId {manager} is the name of a model")
    return {CARD_MANAGER: manager}


def log_of(path: str, mount: Mount) -> OfficeLog:
    """Return the log at a path, by its name alone."""
    manager = manager_of(mount)
    name = path.rpartition("/")[2]
    if name == INBOX:
        return OfficeLog(desk=Desk.MANAGER, owner=manager, manager=manager)
    match = _EMPLOYEE.fullmatch(name)
    if match is None:
        return OfficeLog(desk=Desk.NEITHER, owner="", manager=manager)
    return OfficeLog(desk=Desk.WORKER, owner=plain_name(match[1]), manager=manager)


def plain_name(written: str) -> str:
    """Return the canonical form of the name of one agent, or nothing if it cannot be one."""
    with suppress(BadName):
        return "" if (found := address(written)).startswith("@") else found
    return ""


def files(message: Message, mount: Mount) -> tuple[str, ...]:
    """Return the files that a message is written to: those that its recipients read."""
    manager = manager_of(mount)
    inbox = f"{FOLDER}/{INBOX}"
    workers = others(message, manager)
    # The last segment of a name that was checked segment by segment: it cannot leave the folder.
    owner = short(plain_name(message.sender.removeprefix("@")))
    if not owner:
        return (inbox,)
    if message.sender in (manager, BUS):
        # The manager reads no log of its own, and none of the bus: a poll tells what the bus has to say.
        return (inbox,) if workers or not message.to else ()
    own = f"{FOLDER}/employee-{owner}.log"
    if not workers:
        return (own,)
    is_for_manager = len(workers) < len(message.to) or EVERYONE in message.to
    return (own, inbox) if is_for_manager else (inbox,)


def others(message: Message, manager: str) -> list[str]:
    """Return the recipients of a message besides the manager, with or without the prefix of the mount."""
    return [to for to in message.to if short(to).removeprefix("@") not in (short(manager), LEAD_ROLE)]


def onward(message: Message, mount: Mount, file: str) -> tuple[str, ...]:
    """Return the inbox, for what a worker writes to workers in its own log, which they do not read.

    Only what the owner of the log wrote: no agent can speak for the manager by writing into another's file.
    """
    if message.auth != "channel" or log_of(file, mount).desk is not Desk.WORKER:
        return ()
    return tuple(each for each in files(message, mount) if each != file)


def residents(mount: Mount, found: Iterable[str]) -> tuple[str, ...]:
    """Return the manager and the owners of the logs."""
    owners = [log.owner for file in found if (log := log_of(file, mount)).desk is Desk.WORKER]
    return (manager_of(mount), *(each for each in owners if each and not is_model_name(each)))


def recognises(path: str, head: bytes) -> int:
    """Return how likely a file is an office's: by its name, its folder, and its first entry."""
    folder, _, name = path.rpartition("/")
    known = name == INBOX or _EMPLOYEE.fullmatch(name) is not None
    filed = known and (not folder or folder.rpartition("/")[2] == FOLDER)
    return min(3, 2 * known + filed + _entry(head))


def _entry(head: bytes) -> int:
    """Return 2 for an entry with a known tag, 1 for one with another tag, 0 for anything else."""
    for line in head.split(b"\n"):
        text = line.decode("utf-8", "replace").removeprefix("\ufeff")
        if not text.strip():
            continue
        match = HEAD.match(text)
        if match is None or not to_utc((match["time"] or "").strip()):
            return 0
        return 2 if match["tag"].upper() in BY_NAME else 1
    return 0
