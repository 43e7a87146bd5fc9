"""Workspace trust: the buses that this user has accepted, and the outside folders that they may use.

A bus decides which files are read and written, and whose word counts. A `.palaver` that arrives with a cloned
repository, an archive or another user's folder must not decide that by itself. So a bus is used only if this
user created it here, or accepted it with `palaver trust`.

The record is kept outside the bus, in `$XDG_STATE_HOME/palaver/bus/<bus id>` (`~/.local/state` by default):

    path /srv/project/.palaver
    revoked /srv/old/.palaver
    mount swarm - /srv/teams/t1

`path` lines name the places where the bus was accepted; a bus that was moved or copied is asked about once
more. `mount` lines name folders outside the project that were mounted with `palaver mount add`. Where no
record can be kept, PALAVER_TRUST names folders (separated by ':') whose buses are accepted.

`palaver run` passes trust on to programs that may not see the record: PALAVER_TRUST names the `.palaver`
itself then, and means this bus alone. A `revoked` line wins over that: programs that still run lose trust too
(docs/adr/0058).

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import os
from _collections_abc import Callable
from stat import S_ISREG

from palaver.files.regular import way_out
from palaver.model.errors import LogLocked, StorageFailed, UnsafeRoot, Untrusted
from palaver.model.limits import LOCK_SECONDS

VARIABLE = "PALAVER_TRUST"
# 128 bits in the alphabet of our ids.
_ID_CHARS = 26
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
# A record is a few lines; a file that is longer is not one of ours.
_RECORD_BYTES = 1 << 20


def require(path: str) -> None:
    """Refuse a bus that this user did not create or accept on this machine, and one with links in it."""
    real = os.path.realpath(path)
    named = _named()
    # By the user, as a folder of projects; by `palaver run`, as this bus.
    if not any(is_within(real, each) for each in named if not _is_bus(each)):
        bus = bus_id(path)
        lines = _lines(bus) if bus else []
        if not _is_recorded(lines, real) and (_revoked(real) in lines or real not in named):
            raise _untrusted(real, lines)
    _refuse_links(path)


def _untrusted(real: str, lines: list[str]) -> Untrusted:
    before = [line[5:] for line in lines if line.startswith("path ")]
    if _revoked(real) in lines:
        why = "you have revoked your trust in it"
    elif before:
        why = f"you accepted this bus at {before[-1]}, and this may be a copy"
    else:
        why = f"you did not create or accept this bus on this machine: {state_folder()} has no record of it"
    return Untrusted(f"{real} is not trusted", why, "review it: palaver trust")


def _refuse_links(path: str) -> None:
    """Refuse a bus in which an entry is a link: a checkout of the repository may have put it there."""
    with os.scandir(path) as entries:
        for entry in entries:
            is_plain = entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
            if entry.is_symlink() or not is_plain:
                what = "a symbolic link" if entry.is_symlink() else "neither a file nor a folder"
                raise UnsafeRoot(
                    f"will not use {path}",
                    f"{entry.path} is {what}",
                    "remove it, and find out where it came from",
                )


def is_trusted(path: str) -> bool:
    """Return True if this user has created or accepted the bus on this machine."""
    try:
        require(path)
    except (Untrusted, UnsafeRoot):
        return False
    return True


def is_recorded(path: str) -> bool:
    """Return True if the record says that this user trusts the bus, whatever PALAVER_TRUST says."""
    bus = bus_id(path)
    return bool(bus) and _is_recorded(_lines(bus), os.path.realpath(path))


def bus_id(path: str) -> str:
    """Return the id of a bus, or nothing if it has none that could be one of ours."""
    found = _read(path + "/id", 64).decode("ascii", "replace").strip()
    return found if len(found) == _ID_CHARS and all(each in _ALPHABET for each in found) else ""


def accept(path: str) -> None:
    """Record that this user accepts the bus at this place; give it its own id if it is new or a copy."""
    real = os.path.realpath(path)
    here = f"path {_quoted(real)}"
    bus = bus_id(path)
    recorded = _without(_lines(bus) if bus else [], _revoked(real))
    if here not in recorded:
        standing = _standing(recorded, bus)
        mounts = [line for line in standing if line.startswith("mount ")]
        if not recorded or standing != mounts:
            # An id that came with a foreign bus is not kept: others know it. That of a copy is in use.
            bus = "".join(_ALPHABET[byte & 31] for byte in os.urandom(_ID_CHARS))
        _edit(path, bus, lambda lines: [*(_standing(_without(lines, _revoked(real)), bus) or mounts), here])
    if bus_id(path) != bus:
        # After the record: an interrupted init leaves a record without a bus, never a bus without its record.
        from palaver.files.atomic_replace import replace

        replace(path + "/id", f"{bus}\n".encode())


def withdraw(path: str) -> bool:
    """Record that this user no longer trusts a bus at this place; return True if the record said so."""
    real = os.path.realpath(path)
    here, revoked = f"path {_quoted(real)}", _revoked(real)
    bus = bus_id(path)
    if not bus:
        # Without an id, no record has ever made it trusted.
        return False
    was_trusted = here in _lines(bus)
    _edit(path, bus, lambda lines: [*(each for each in lines if each not in (here, revoked)), revoked])
    return was_trusted


def allow_mount(path: str, dialect: str, file: str, folder: str) -> None:
    """Record that a mount outside the project was added by this user."""
    bus, line = bus_id(path), _mount_line(dialect, file, folder)
    if line not in _lines(bus):
        _edit(path, bus, lambda lines: [*lines, line])


def forget_mount(path: str, dialect: str, file: str, folder: str) -> None:
    """Remove the record of a mount outside the project, if there is one."""
    _remove(path, _mount_line(dialect, file, folder))


def is_mount_allowed(path: str, dialect: str, file: str, folder: str) -> bool:
    """Return True if this user has added the mount, or allows its folder in the user config."""
    bus = bus_id(path)
    if bus and _mount_line(dialect, file, folder) in _lines(bus):
        return True
    from palaver.bus.config.user_config import load

    return any(is_within(folder, each) for each in load(path).folders)


def is_within(path: str, folder: str) -> bool:
    """Return True if a path is a folder or is inside it; both are absolute and normal."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def state_folder() -> str:
    """Return the folder where Palaver keeps what this user has accepted."""
    named = os.environ.get("XDG_STATE_HOME", "")
    return (named if named.startswith("/") else os.path.expanduser("~/.local/state")) + "/palaver"


def record_folder() -> str:
    """Return the folder of the records."""
    return state_folder() + "/bus"


def _named() -> list[str]:
    """Return the folders that PALAVER_TRUST names."""
    named = os.environ.get(VARIABLE, "")
    return [os.path.realpath(each) for each in named.split(":") if each.startswith("/")] if named else []


def _is_bus(folder: str) -> bool:
    return os.path.basename(folder) == ".palaver"


def _is_recorded(lines: list[str], real: str) -> bool:
    return f"path {_quoted(real)}" in lines


def _revoked(real: str) -> str:
    return f"revoked {_quoted(real)}"


def _without(lines: list[str], unwanted: str) -> list[str]:
    return [line for line in lines if line != unwanted]


def _standing(lines: list[str], bus: str) -> list[str]:
    """Return the lines of a record without the places where the bus no longer is."""
    found = [(line, *line.partition(" ")[::2]) for line in lines]
    return [line for line, kind, rest in found if kind == "mount" or bus_id(_unquoted(rest)) == bus]


def _mount_line(dialect: str, file: str, folder: str) -> str:
    return f"mount {dialect} {_quoted(file) or '-'} {_quoted(folder)}"


def _lines(bus: str) -> list[str]:
    return (
        _read(f"{record_folder()}/{bus}", _RECORD_BYTES, ours=True)
        .decode("ascii", "replace")
        .split("\n")[:-1]
    )


def _remove(path: str, line: str) -> bool:
    """Remove a line from the record of a bus; return True if it was there."""
    bus = bus_id(path)
    if not bus or line not in _lines(bus):
        return False
    _edit(path, bus, lambda lines: _without(lines, line))
    return True


def _edit(path: str, bus: str, edited: Callable[[list[str]], list[str]]) -> None:
    """Replace the record of a bus, one process at a time."""
    from palaver.files.atomic_replace import replace
    from palaver.log.lock import Lock

    folder = record_folder()
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        lock = Lock(f"{folder}/.lock")
        if not lock.acquire(LOCK_SECONDS):
            # Two edits at once would lose one of them.
            raise LogLocked(
                f"cannot record whether you trust {path}", "another command is using it", "try again"
            )
        try:
            lines = edited(_lines(bus))
            replace(f"{folder}/{bus}", "".join(f"{line}\n" for line in lines).encode("ascii"))
        finally:
            lock.release()
    except (OSError, StorageFailed) as fault:
        why = fault.strerror if isinstance(fault, OSError) else fault.why
        raise StorageFailed(
            f"cannot record whether you trust {path}",
            f"{folder} cannot be written: {why}",
            f"set XDG_STATE_HOME to one that can, or {VARIABLE}={os.path.dirname(os.path.realpath(path))}",
        ) from fault


def _read(path: str, limit: int, *, ours: bool = False) -> bytes:
    """Return the start of a regular file, or nothing; with `ours`, only if no other user can write to it."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as fault:
        from errno import EIO, EMFILE, ENFILE

        if fault.errno in (EIO, EMFILE, ENFILE):
            # What it says is not known: that is no reason to call the bus foreign.
            raise StorageFailed(
                f"cannot read {path}", fault.strerror or str(fault), way_out(fault)
            ) from fault
        return b""
    try:
        found = os.fstat(fd)
        if not S_ISREG(found.st_mode) or (ours and (found.st_uid != os.geteuid() or found.st_mode & 0o022)):
            return b""
        return os.read(fd, limit)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _quoted(text: str) -> str:
    """Return a text as one word of ASCII."""
    if text.isascii() and text.isprintable() and " " not in text and "\\" not in text:
        # Most paths: the codec takes longer to load than the rest of this check.
        return text
    return text.encode("unicode_escape").decode("ascii").replace(" ", "\\x20")


def _unquoted(text: str) -> str:
    return text.encode("ascii").decode("unicode_escape")
