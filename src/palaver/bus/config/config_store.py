"""The config of a bus: read it, edit it, append it to the log.

A fold reads only the log, so the meaning of a list or an alias at the time of a message stays known, whatever
the file says today.
"""

from typing import Annotated

from msgspec import Meta

from palaver.bus.config import config_edit, config_file
from palaver.bus.config.config_events import apply
from palaver.bus.config.config_file import Config
from palaver.bus.operations import keys
from palaver.bus.operations.fields import LONGEST_NAME, Key
from palaver.bus.operations.operation import operation, writes
from palaver.bus.power_check import require
from palaver.bus.root import Root
from palaver.bus.session import Session, draft
from palaver.bus.writer import digest
from palaver.files.atomic_replace import replace
from palaver.files.regular import NotRegular, open_regular, way_out
from palaver.log.lock import Lock
from palaver.model.errors import BadArguments, BadConfig, BadName, LogLocked, NotFound
from palaver.model.event import Event
from palaver.model.limits import CONFIG_BYTES, LOCK_SECONDS
from palaver.model.names import BUS, EVERYONE, address, name

ListName = Annotated[
    str, Meta(description="name of a distribution list", extra_json_schema={"maxLength": LONGEST_NAME})
]
Members = Annotated[list[str] | None, Meta(description="members of the list; none removes it")]


def read(root: Root) -> tuple[bytes, Config]:
    """Return the config as it is on the disk."""
    try:
        with open(root.config, "rb", opener=open_regular) as config:
            data = config.read(CONFIG_BYTES + 1)
    except NotRegular as special:
        why = f"it is {special.kind}, not a regular file"
        raise BadConfig(f"cannot read {root.config}", why, "put a file there") from special
    except OSError as fault:
        raise BadConfig(f"cannot read {root.config}", fault.strerror or str(fault), way_out(fault)) from fault
    return data, config_file.parse(data, root.config)


def announce(session: Session, before: int, *, is_accepted: bool = False) -> None:
    """Append `config.applied`; a config that cannot be read is refused and changes nothing.

    The key names the config that was in force before, so two processes that see the same change apply it
    once, and a change back to an older config is a change too. Nobody has seen the settings that an empty
    config leaves in force, so where the user has accepted what it shows, it counts like any other.
    """
    data, found = read(session.root)
    if not data and not is_accepted and session.view.settings():
        # An editor that writes in place, or a crash, has emptied it: the settings in force stay.
        return
    after = session.view.current().seq
    values = {"digest": digest(data), "after": after, **found.plain()}
    session.log.append([draft("config.applied", BUS, values, key=f"config:{before}:{values['digest']}")])
    session.view.current()
    # The first command that sees the config shows its warnings; palaver doctor shows them again.
    session.view.notes += found.warnings


def _set_before(session: Session, first: Event) -> list[str]:
    return _unknown_members(session, keys.expect_done(first, "set_list"))


def _unknown_members(session: Session, listed: str) -> list[str]:
    """Return the members of a list that mean no agent, with a note about them."""
    roster = session.view.current().roster()
    unknown = [member for member, _ in roster.meaning(listed).lost]
    for each in unknown:
        near = roster.nearest(each, roles=True)
        close = f"did you mean {' or '.join(near)}?" if near else "palaver agents lists the agents"
        session.view.note(f"{each} is no agent, so mail to {listed} does not reach it yet; {close}")
    return unknown


@operation(writes, repeat=_set_before)
def set_list(session: Session, listed: ListName, members: Members, *, key: Key = "") -> list[str]:
    """Set a distribution list in the config, or remove it. Return the members that are no agents yet."""
    if listed.lower() == EVERYONE:
        raise BadName(f"cannot set {EVERYONE}", "it is built in: all agents", "choose another name")
    listed = name(listed)
    wanted = [address(member) for member in members or []]
    require(session, "list", by=session.agent, data={"list": listed, "members": wanted})
    if members is not None and not members:
        raise BadArguments(f"cannot make the list {listed}", "it has no members", "name some")
    if members is None and listed not in read(session.root)[1].lists:
        raise NotFound(f"no list {listed}", "nothing has that name", "palaver lists shows them")
    known = session.view.current().roster()
    if members and (listed in known.agents or known.meaning(listed).kind == "agent"):
        # An agent comes before a list: mail to this one would never reach its members.
        why = "an agent has that name, and gets the mail for it"
        raise BadName(f"cannot make the list {listed}", why, "choose another name")
    _edit(session, "lists", listed, wanted or None)
    keys.mark_done(session, "set_list", session.agent or BUS, key, about=listed)
    return _unknown_members(session, listed)


def edit_mount(session: Session, mount: str, settings: dict[str, str] | None) -> None:
    """Set a mount in the config, or remove it; then apply it."""
    _edit(session, "mounts", mount, settings)


def _edit(session: Session, section: str, key: str, value: object) -> None:
    """Set or remove one key of a table of the config, one process at a time; then apply it."""
    path = session.root.config
    lock = Lock(path + ".lock")
    if not lock.acquire(LOCK_SECONDS):
        raise LogLocked("cannot edit the config", "another command is using it", "try again")
    try:
        content, _ = read(session.root)
        session.check_caller()
        replace(path, config_edit.edit(content, path, section, key, value))
    finally:
        lock.release()
    apply(session)
