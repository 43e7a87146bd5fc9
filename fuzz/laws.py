"""What holds for any bytes in any file of a dialect: the fuzzer and the tests with mutations call `hold`.

A law that is broken is an AssertionError; anything else that is raised is a crash. Both count.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zlib import crc32

from palaver.dialects.shared.translation import FIELDS, missing_fields
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Mount, Parsed, Piece, Source
from palaver.model.spec import DialectSpec

SETTINGS: Final = {"manager": "emp-manager-001", "a": "jim", "b": "clawdy", "person": "jeremy"}
#: The files of a mount, by the dialect: the same bytes are read as each of them.
PATHS: Final = {
    "office": ("messages/employee-emp-copilot-a3f2.log", "messages/manager-inbox.log"),
    "vermas": (
        ".work/messages.jsonl", ".work/work_orders.jsonl", ".work/events.jsonl", ".work/.assignment-qa",
    ),
    "swarm": ("channel.jsonl",),
    "runbus": ("MESSAGE-BUS.md",),
    "collab": ("chat.log", "inbox/msg_1771730144123456789.txt"),
}  # fmt: skip
#: What stands in no good file: other line ends, NUL, torn and glued lines, marks, what runs elsewhere.
HOSTILE: Final = (
    b"\x00" * 64,
    b"\xff\xfe[\x00T\x00A\x00",
    b"\xef\xbb\xbf\xed\xa0\x80\xf4\x90\x80\x80",
    b"one\rtwo\r\nthree\x0bfour\x0cfive\x1csix\xc2\x85seven\xe2\x80\xa8eight",
    b"<<<<<<< HEAD\n=======\n>>>>>>> x\n",
    b'{"from":"a","from":"b","to":[],"x":' + b"[" * 80,
    b'{"from":"../../etc/passwd","to":"@all","content":"\\ud800","type":"task"}\n',
    b"---\nmessageId: x\n---\n---\n```\n---\n",
    b"[2026-13-45T99:00Z] [CLAIM] task-1 | by: a | by: b | \n",
    b"2026-02-22 03:15:44 A -> B: [TASK:[x]] (palaver re=1 re=2)\n2026-02-22 0",
    b"(palaver meta={)\n",
    "继续\uff1f🤝 HANDOFF: \u202e\u200b".encode(),
)
CASES: Final = Path(__file__).resolve().parents[1] / "tests" / "dialects"


def seeds(name: str) -> list[bytes]:
    """Return the golden files of a dialect and the hostile lines."""
    files = sorted((CASES / name / "cases").iterdir())
    golden = [path.read_bytes() for path in files if path.suffix != ".json"]
    assert golden, f"no cases of {name}"
    return [*golden, *HOSTILE]


def hold(dialect: DialectSpec, content: bytes) -> None:
    """Read the bytes as every file of the dialect, in every way; assert every law."""
    mount = Mount(dialect=dialect.name, settings=SETTINGS)
    assert 0 <= dialect.recognises("some.file", content[:4096]) <= 3
    for path in PATHS[dialect.name]:
        source = Source(path=path, content=content, mount=mount)
        parsed = dialect.parse(source)
        _cover(source, parsed)
        _judge(dialect, source, parsed)
        _feed(dialect, source, parsed)
        for message in parsed.messages:
            _say_again(dialect, mount, message)


def _cover(source: Source, parsed: Parsed) -> None:
    place = source.offset
    for piece in parsed.pieces:
        assert piece.start == place, f"{source.path}: a gap or an overlap at {place}: {piece}"
        assert piece.length > 0, f"{source.path}: an empty piece: {piece}"
        assert piece.kind is not Kind.PENDING or not source.whole, f"{source.path}: a whole file is pending"
        assert piece.kind is not Kind.PENDING or piece is parsed.pieces[-1], f"{source.path}: pending inside"
        place += piece.length
    assert place == source.offset + len(source.content), f"{source.path}: the end is not covered"


def _judge(dialect: DialectSpec, source: Source, parsed: Parsed) -> None:
    findings = [*parsed.findings]
    for rule in dialect.rules:
        findings += rule.check(source, parsed, {source.path: parsed})
    lines = source.content.count(b"\n") + 1
    for finding in findings:
        assert 1 <= finding.place.line <= lines, f"a finding on no line: {finding}"
        assert finding.fix, f"a finding without a way out: {finding}"


def _feed(dialect: DialectSpec, source: Source, parsed: Parsed) -> None:
    # Two chunks; the bytes themselves say where the cut is, so that an input always does the same.
    cut = crc32(source.content) % (len(source.content) + 1)
    first = Source(path=source.path, content=source.content[:cut], mount=source.mount, whole=False)
    half = dialect.parse(first)
    _cover(first, half)
    done = [piece for piece in half.pieces if piece.kind is not Kind.PENDING]
    start = sum(piece.length for piece in done)
    rest = Source(
        path=source.path,
        content=source.content[start:],
        mount=source.mount,
        offset=start,
        line=1 + source.content.count(b"\n", 0, start),
    )
    other = dialect.parse(rest)
    _cover(rest, other)
    fed = [_shape(piece) for piece in (*done, *other.pieces)]
    whole = [_shape(piece) for piece in parsed.pieces]
    assert fed == whole, f"{source.path}: cut at {cut}, it reads otherwise:\n{fed}\n{whole}"


def _say_again(dialect: DialectSpec, mount: Mount, message: Message) -> None:
    message = message.replace(
        id=message.id or "msg-aaaaaaaaaaaa", event_id=message.event_id or "evt-aaaaaaaaaaaa"
    )
    missing = {}
    for path in dialect.files(message, mount):
        content = dialect.render(message, mount, path)
        again = list(dialect.parse(Source(path=path, content=content, mount=mount)).messages)
        assert len(again) == 1, f"{path}: {len(again)} messages in {content!r}"
        missing[path] = missing_fields(message, again[0])
    is_complete = not all(missing.values())
    for path, fields in missing.items():
        # A file in the inbox of one recipient need not name the others, if they stand elsewhere.
        known = {"to"} if is_complete else set()
        assert fields.keys() <= known, f"{path}: {fields} from {dialect.render(message, mount, path)!r}"


def _shape(piece: Piece) -> tuple[object, ...]:
    return *piece[:4], piece.reason, list(_said(piece))


def _said(piece: Piece) -> Iterator[object]:
    for value in piece.values:
        if type(value) is Message:
            yield {name: getattr(value, attribute) for name, attribute in FIELDS.items()}
        else:
            yield value
