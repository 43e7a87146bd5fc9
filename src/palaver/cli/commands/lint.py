"""palaver lint: check files of the five protocols."""

import os
from collections.abc import Callable, Mapping
from errno import EINVAL
from stat import S_ISREG

from palaver.bus.admin.lint import HEAD_BYTES, judged, likely, named
from palaver.bus.session import Session
from palaver.cli.arguments import Option, Spec
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.dialects import DIALECTS, specs
from palaver.model.errors import BadArguments, NotFound
from palaver.model.spec import DialectSpec
from palaver.sync.mount_names import MountNames
from palaver.sync.mounts.mount_point import MountPoint, places_of_files
from palaver.sync.own_entries import OwnEntries

SPEC = Spec(
    "lint",
    "Check files of the five protocols. Each finding has a place and a fix. Exits with 1 if there is one.",
    words="PATH…",
    options=(Option("--dialect", "D", help=f"{', '.join(DIALECTS)} (default: by name and content)"),),
    text="""
In a folder, all files that belong to a dialect are checked. Files of one dialect are checked together.
`palaver rules CODE` explains a finding. No bus is needed; in a mounted folder, the settings of the mount are
used.
""",
    examples=("palaver lint messages/", "palaver lint MESSAGE-BUS.md --json"),
)
_LARGEST = 256 << 20


def run(context: Context) -> int:
    """Check the files."""
    forced = context.args.text("--dialect")
    known = specs()
    if context.args.has("--dialect"):
        named(forced, known)
    files: dict[str, bytes] = {}
    for path in context.args.words:
        # In a folder, files that belong to no dialect are ignored, however large or unreadable they are.
        inside = [name for name in _inside(context, path) if forced or _is_likely(context, name, known)]
        for name in inside if os.path.isdir(context.path(path)) else [path]:
            files[name] = content_of(context, name)
    places = places_of_files(lambda: context.root, {name: context.path(name) for name in files})
    mounts = {path: point.mount for path, (point, _) in places.items()}
    session = connect(context) if places else None
    is_ours, is_known = _own_entries(session, places), _agents(session, places)
    findings = judged(list(files.items()), known, forced, mounts, is_ours, is_known=is_known)
    good = f"Good: {len(files)} file{'' if len(files) == 1 else 's'}"
    lines = (safe(str(finding)) for finding in findings)
    return context.show(findings, lines, empty=good, code=1 if findings else 0)


def _own_entries(
    session: Session | None, places: Mapping[str, tuple[MountPoint, str]]
) -> Callable[[str, bytes], bool]:
    """Return a function that says which entries of a file the bus has written."""
    if session is None:
        return lambda *_: False
    known = {point.name: OwnEntries(session, point) for point, _ in places.values()}

    def is_ours(path: str, content: bytes) -> bool:
        found = places.get(path)
        return found is not None and known[found[0].name].has(found[1], content)

    return is_ours


def _agents(
    session: Session | None, places: Mapping[str, tuple[MountPoint, str]]
) -> Callable[[str, str], bool]:
    """Return a function that says whom the bus knows by a name in a file."""
    if session is None:
        return lambda *_: False
    roster = session.view.current().roster()
    names = {point.name: MountNames(point, roster) for point, _ in places.values()}

    def is_known(path: str, name: str) -> bool:
        return path in places and names[places[path][0].name].is_known(name)

    return is_known


def _inside(context: Context, folder: str) -> list[str]:
    """Return the files below a folder, without those of git and of a bus."""
    found: list[str] = []
    top = context.path(folder)
    for place, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name not in (".git", ".palaver"))
        shown = folder + place.removeprefix(top)
        found += [os.path.join(shown, name) for name in sorted(names) if os.path.isfile(f"{place}/{name}")]
    return found


def _is_likely(context: Context, path: str, known: Mapping[str, DialectSpec]) -> bool:
    try:
        return likely(path, _read(context.path(path), HEAD_BYTES), known)
    except OSError:
        return likely(path, b"", known)


def content_of(context: Context, path: str) -> bytes:
    """Return the bytes of a file, or refuse what is no file or too large."""
    try:
        real = context.path(path)
        content = b"" if (size := os.stat(real).st_size) > _LARGEST else _read(real, _LARGEST + 1)
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else ""
        raise NotFound(f"cannot read {path}", why or str(fault), "name a file that exists") from fault
    if max(size, len(content)) > _LARGEST:
        raise BadArguments(
            f"cannot check {path}", f"it is larger than {_LARGEST >> 20} MB", "check a part of it"
        )
    return content


def _read(path: str, size: int) -> bytes:
    # Without blocking: a pipe without a writer would never open.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        if not S_ISREG(os.fstat(fd).st_mode):
            raise OSError(EINVAL, "it is not a file")
        with open(fd, "rb", closefd=False) as file:
            return file.read(size)
    finally:
        os.close(fd)
