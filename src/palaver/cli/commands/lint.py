"""palaver lint: what is wrong with files of the five protocols."""

import os

from palaver.bus.linting import judged, likely
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.model.errors import BadArguments, NotFound
from palaver.wiring import dialects

SPEC = Spec(
    "lint",
    "Judge files of the five protocols: each finding with its place and the way out. Exit 1 if there is any.",
    words="PATH…",
    least=1,
    most=-1,
    options=(
        Option(
            "--dialect", "D", help="office, vermas, swarm, runbus or collab; else told by name and content"
        ),
    ),
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
    known = dialects()
    files: list[tuple[str, bytes]] = []
    for path in context.args.words:
        if os.path.isdir(path):
            found = [(name, content_of(name)) for name in _inside(path)]
            files += [each for each in found if forced or likely(*each, known)]
        else:
            files.append((path, content_of(path)))
    findings = judged(files, known, forced)
    if context.json:
        context.answer([finding.plain() for finding in findings])
    else:
        for finding in findings:
            context.say(safe(str(finding)))
        if not findings:
            context.say(f"Good: {len(files)} files")
    return 1 if findings else 0


def _inside(folder: str) -> list[str]:
    """Return the files below a folder, but for what belongs to git or to a bus."""
    found: list[str] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in (".git", ".palaver"))
        found += [os.path.join(place, name) for name in sorted(names)]
    return [path for path in found if os.path.isfile(path)]


def content_of(path: str) -> bytes:
    """Return the bytes of a file, if it is one and not too large."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(fd, "rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as fault:
        raise NotFound(
            f"cannot read {path}", fault.strerror or str(fault), "name a file that is there"
        ) from fault
    if len(content) > _LARGEST:
        raise BadArguments(
            f"cannot judge {path}", f"it is larger than {_LARGEST >> 20} MB", "judge a part of it"
        )
    return content
