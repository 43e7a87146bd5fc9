"""The config of a bus: read it, edit it, let the log know it.

A fold reads the log only, so what a list or an alias meant when a message was sent can be told for
ever, whatever the file says today.
"""

import os
from collections.abc import Callable
from stat import S_ISREG
from typing import Annotated

from msgspec import Meta

from palaver.bus.config import config_edit, config_file
from palaver.bus.config.config_events import apply
from palaver.bus.config.config_file import Config
from palaver.bus.operations import keys
from palaver.bus.operations.fields import Key
from palaver.bus.operations.operation import operation, writes
from palaver.bus.root import Root
from palaver.bus.session import Session, draft
from palaver.bus.writer import digest
from palaver.files.atomic_replace import replace
from palaver.log.lock import Lock
from palaver.model.errors import BadArguments, BadConfig, LogLocked, NotFound
from palaver.model.event import Event
from palaver.model.limits import CONFIG_BYTES, LOCK_SECONDS
from palaver.model.names import BUS, address, name

ListName = Annotated[
    str, Meta(description="name of a distribution list", extra_json_schema={"maxLength": 2_000})
]
Members = Annotated[list[str] | None, Meta(description="members of the list; none removes it")]


def read(root: Root) -> tuple[bytes, Config]:
    """Return the config as it is on the disk."""
    try:
        # Whatever lies there instead of a file must not make us wait.
        fd = os.open(root.config, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            plain = S_ISREG(os.fstat(fd).st_mode)
            data = os.read(fd, CONFIG_BYTES + 1) if plain else b""
        finally:
            os.close(fd)
    except OSError as fault:
        raise BadConfig(
            f"cannot read {root.config}", fault.strerror or str(fault), "mend it and try again"
        ) from fault
    if not plain:
        raise BadConfig(f"cannot read {root.config}", "it is not a plain file", "put a file there")
    return data, config_file.parse(data, root.config)


def announce(session: Session, before: int) -> None:
    """Append `config.applied`; a config that cannot be read is refused and changes nothing.

    The key names what was in force before, so that two who see the same change apply it once, and a
    change back to an older config is a change too.
    """
    data, found = read(session.root)
    if not data and before:
        # An editor that writes in place, or a crash, has emptied it: the settings in force stay.
        return
    [(after,)] = session.view.current().execute("select seq from place")
    values = {"digest": digest(data), "after": after, **found.plain()}
    session.log.append([draft("config.applied", BUS, values, key=f"config:{before}:{values['digest']}")])
    session.view.current()
    # The first command that sees the config shows its warnings; palaver doctor shows them again.
    session.view.notes += found.warnings


def _set_before(session: Session, first: Event) -> None:
    del session
    keys.expect_done(first, "set_list")


@operation(writes, repeat=_set_before)
def set_list(session: Session, listed: ListName, members: Members, *, key: Key = "") -> None:
    """Set a distribution list in the config, or remove it."""
    listed = name(listed)
    if members is not None and not members:
        raise BadArguments(f"cannot make the list {listed}", "it has no members", "name some")
    wanted = [address(member) for member in members] if members is not None else None

    def edited(data: bytes, found: Config) -> bytes:
        if wanted is None and listed not in found.lists:
            raise NotFound(f"no list {listed}", "nothing has that name", "palaver lists shows them")
        return config_edit.with_list(data, session.root.config, listed, wanted)

    _edit(session, edited)
    keys.mark_done(session, "set_list", session.agent or BUS, key)


def edit_mount(session: Session, mount: str, settings: dict[str, str] | None) -> None:
    """Set a mount, or take it out, in the config; then apply it."""
    _edit(session, lambda data, _: config_edit.with_mount(data, session.root.config, mount, settings))


def _edit(session: Session, edited: Callable[[bytes, Config], bytes]) -> None:
    """Replace the config with what somebody makes of it, one at a time; then apply it."""
    lock = Lock(session.root.config + ".lock")
    if not lock.acquire(LOCK_SECONDS):
        raise LogLocked("cannot edit the config", "another command is at it", "try again")
    try:
        content, found = read(session.root)
        replace(session.root.config, edited(content, found))
    finally:
        lock.release()
    apply(session)
