"""Convert a whole file to another dialect, or show one message in every dialect."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from hashlib import blake2b
from typing import NamedTuple

from palaver.model import secrets
from palaver.model.message import Message, mask_message
from palaver.model.mounted_files import (
    Finding,
    Growth,
    Kind,
    Mount,
    Parsed,
    Piece,
    Place,
    Provenance,
    Record,
    Source,
)
from palaver.model.spec import DialectSpec

_UNSAID = "not-converted"


class Conversion(NamedTuple):
    """A file in another dialect, what was found in it on the way, and whether all of it was converted."""

    content: bytes
    findings: list[Finding]
    is_complete: bool


def convert(
    path: str, content: bytes, source: DialectSpec, target: DialectSpec, settings: Mapping[str, str]
) -> Conversion:
    """Convert a file, with secrets masked. Bytes that are no messages stay behind: the findings name them."""
    parsed = source.parse(
        Source(
            path=path,
            content=content,
            mount=Mount(dialect=source.name, settings=settings),
            provenance=Provenance.RELATIONS,
        )
    )
    mount = Mount(dialect=target.name, settings=settings)
    said: list[bytes] = []
    masked: list[Finding] = []
    for place, (piece, written) in enumerate(_messages(parsed)):
        message, families = mask_message(written)
        if families:
            masked.append(_masked(path, piece, families))
        if not message.id:
            # Without a log to give one, the place in the file does.
            # A path need not be UTF-8; a text always is.
            words = f"{path}:{place}:{message.body}".encode("utf-8", "surrogateescape")
            drawn = blake2b(words, digest_size=6).hexdigest()
            message = message.replace(id=f"msg-{drawn}", event_id=f"evt-{drawn}")
        said.append(target.render(message, mount, _log_file(message, target, mount)))
    unsaid = [_unsaid(path, piece) for piece in parsed.pieces if _records(piece)]
    is_read = all(piece.kind is not Kind.QUARANTINED for piece in parsed.pieces)
    # What a finding quotes may be a secret, too.
    found = [replace(each, message=secrets.masked(each.message)) for each in (*parsed.findings, *unsaid)]
    findings = sorted([*found, *masked], key=lambda each: each.place.offset)
    return Conversion(target.appending.separator.join(said), findings, is_read and not unsaid)


def _messages(parsed: Parsed) -> Iterator[tuple[Piece, Message]]:
    """Yield the messages of a file, each with the piece that says it."""
    for piece in parsed.pieces:
        yield from ((piece, value) for value in piece.values if isinstance(value, Message))


def _masked(path: str, piece: Piece, families: list[str]) -> Finding:
    said = f"it held a secret ({', '.join(dict.fromkeys(families))}); it was converted with the secret masked"
    place = Place(path=path, line=piece.line, offset=piece.start)
    return Finding(
        code="secret", place=place, message=said, fix="replace the secret, and take it out of the file"
    )


def _log_file(message: Message, target: DialectSpec, mount: Mount) -> str:
    """Return the log in which a message is a line: a file that is dropped into a folder holds only one."""
    logs = [each for each in target.watched if each.growth is Growth.LOG]
    files = target.files(message, mount)
    for file in files:
        folder, _, name = file.rpartition("/")
        if any(each.folder == folder and fnmatchcase(name, each.pattern) for each in logs):
            return file
    return f"{logs[0].folder}/{logs[0].pattern}".lstrip("/") if logs else files[0]


def _records(piece: Piece) -> list[Record]:
    """Return what a piece holds besides messages: only their own dialect has a form for it."""
    return [value for value in piece.values if isinstance(value, Record)]


def _unsaid(path: str, piece: Piece) -> Finding:
    # The first field of a record is what it is known by.
    names = [f"{each.kind} {next(iter(each.plain().values()))}" for each in _records(piece)]
    message = f"{' and '.join(names)} cannot be written in another dialect"
    place = Place(path=path, line=piece.line, offset=piece.start)
    return Finding(code=_UNSAID, place=place, message=message, fix="only messages are converted")


def translated(message: Message, dialects: Mapping[str, DialectSpec]) -> list[dict[str, object]]:
    """Return the file and the text of a message in each dialect."""
    told: list[dict[str, object]] = []
    for name, dialect in dialects.items():
        mount = Mount(dialect=name)
        path = dialect.files(message, mount)[0]
        content = dialect.render(message, mount, path)
        told.append({"dialect": name, "file": path, "text": content.decode("utf-8", "backslashreplace")})
    return told
