"""Settings enter the log: the first command that sees a new config appends `config.applied`.

A fold reads the log only, so what a list or an alias meant when a message was sent can be told for
ever, whatever the file says today.
"""

import os

from palaver import config
from palaver.bus.core import Core, draft
from palaver.bus.known import digest
from palaver.bus.root import Root
from palaver.config import Config
from palaver.log.lock import Lock
from palaver.model.errors import BadArguments, BadConfig, LogLocked, NotFound, StorageFailed
from palaver.model.event import number, text
from palaver.model.limits import CONFIG_BYTES, LOCK_SECONDS
from palaver.model.names import BUS, address, name
from palaver.model.plain import loads


def read(root: Root) -> tuple[bytes, Config]:
    """Return the config as it is on the disk."""
    try:
        fd = os.open(root.config, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(fd, "rb") as file:
            data = file.read(CONFIG_BYTES + 1)
    except OSError as fault:
        raise BadConfig(
            f"cannot read {root.config}", fault.strerror or str(fault), "mend it and try again"
        ) from fault
    return data, config.parse(data, root.config)


def apply(core: Core) -> None:
    """Let the log know the config, if it does not yet; a config that cannot be read changes nothing."""
    fresh = core.config_digest()
    core.view.current()
    in_force = core.view.roster().settings
    known = loads(in_force) if in_force else {}
    assert type(known) is dict, "settings are written by us, as an object"
    if text(known, "digest") == fresh:
        return
    data, found = read(core.root)
    before = number(known, "after")
    after = core.view.current().execute("select seq from place").fetchone()[0]
    values = {"digest": digest(data), "after": after, **found.plain()}
    # The key names what was in force before, so that two who see the same change apply it once, and
    # a change back to an older config is a change too.
    core.log.append([draft("config.applied", BUS, values, key=f"config:{before}:{values['digest']}")])
    core.view.current()


def edit_list(core: Core, listed: str, members: list[str] | None) -> None:
    """Set a distribution list, or take it out, in the config; then apply it."""
    listed = name(listed)
    if members is not None and not members:
        raise BadArguments(f"cannot make the list {listed}", "it has no members", "name some")
    wanted = [address(member) for member in members] if members is not None else None
    lock = Lock(core.root.config + ".lock")
    if not lock.acquire(LOCK_SECONDS):
        raise LogLocked("cannot edit the config", "another command is at it", "try again")
    try:
        data, found = read(core.root)
        if wanted is None and listed not in found.lists:
            raise NotFound(f"no list {listed}", "nothing has that name", "palaver lists shows them")
        replace(core.root.config, config.with_list(data.decode("utf-8-sig"), listed, wanted).encode())
    finally:
        lock.release()
    apply(core)


def replace(path: str, data: bytes) -> None:
    """Write a whole file so that others see the old one or the new one, even after a power cut."""
    fresh = f"{path}.{os.getpid()}"
    try:
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)
        os.rename(fresh, path)
        directory = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as fault:
        raise StorageFailed(
            f"cannot write {path}", fault.strerror or str(fault), "mend it and try again"
        ) from fault
