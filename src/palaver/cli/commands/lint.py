"""palaver lint: what is wrong with files of the five protocols."""

import os
from collections.abc import Mapping
from errno import EINVAL
from stat import S_ISREG

from palaver.bus.admin.lint import HEAD_BYTES, judged, likely, named
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.dialects import DIALECTS, specs
from palaver.model.errors import BadArguments, NotFound
from palaver.model.spec import DialectSpec

SPEC = Spec(
    "lint",
    "Judge files of the five protocols: each finding with its place and the way out. Exit 1 if there is any.",
    words="PATH…",
    least=1,
    most=-1,
    options=(Option("--dialect", "D", help=f"{', '.join(DIALECTS)} (default: by name and content)"),),
    text="""
A folder stands for all files in it that some dialect knows. Files of one dialect are judged together.
`palaver rules CODE` explains a finding. No bus is needed.
""",
    examples=("palaver lint messages/", "palaver lint MESSAGE-BUS.md --json"),
)
_LARGEST = 256 << 20


def run(context: Context) -> int:
    """Judge."""
    forced = context.args.text("--dialect")
    known = specs()
    if context.args.has("--dialect"):
        named(forced, known)
    files: dict[str, bytes] = {}
    for path in context.args.words:
        # In a folder, whatever no dialect knows is none of our business, however large or unreadable.
        inside = [name for name in _inside(path) if forced or _is_likely(name, known)]
        for name in inside if os.path.isdir(path) else [path]:
            files[name] = content_of(name)
    findings = judged(list(files.items()), known, forced)
    if context.json:
        context.answer([finding.plain() for finding in findings])
    else:
        for finding in findings:
            context.say(safe(str(finding)))
        if not findings:
            context.say(f"Good: {len(files)} file{'' if len(files) == 1 else 's'}")
    return 1 if findings else 0


def _inside(folder: str) -> list[str]:
    """Return the files below a folder, but for what belongs to git or to a bus."""
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in (".git", ".palaver"))
        found += [os.path.join(place, name) for name in sorted(names)]
    return [path for path in found if os.path.isfile(path)]


def _is_likely(path: str, known: Mapping[str, DialectSpec]) -> bool:
    try:
        return likely(path, _read(path, HEAD_BYTES), known)
    except OSError:
        return likely(path, b"", known)


def content_of(path: str) -> bytes:
    """Return the bytes of a file, if it is one and not too large."""
    try:
        content = b"" if (size := os.stat(path).st_size) > _LARGEST else _read(path, _LARGEST + 1)
    except (OSError, ValueError) as fault:
        why = fault.strerror if isinstance(fault, OSError) else ""
        raise NotFound(f"cannot read {path}", why or str(fault), "name a file that is there") from fault
    if max(size, len(content)) > _LARGEST:
        raise BadArguments(
            f"cannot judge {path}", f"it is larger than {_LARGEST >> 20} MB", "judge a part of it"
        )
    return content


def _read(path: str, size: int) -> bytes:
    # Without waiting: a pipe that nobody writes to would never open.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        if not S_ISREG(os.fstat(fd).st_mode):
            raise OSError(EINVAL, "it is no file")
        with open(fd, "rb", closefd=False) as file:
            return file.read(size)
    finally:
        os.close(fd)
