"""Laws that need more than the common alphabet: lines that mean something in a bus file, in every order."""

import random
from collections.abc import Iterator
from importlib import import_module
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.dialects.runbus import blocks, entry, grammar
from palaver.dialects.runbus.grammar import BLOCK_BYTES
from palaver.dialects.runbus.spec import SPEC
from palaver.model.limits import LINE_BYTES
from palaver.model.message import Message
from palaver.model.mounted_files import Finding, Kind, Mount, Piece, Source
from tests.dialects.contract import cover
from tests.dialects.runbus.blocks import block

MOUNT: Final = Mount(dialect="runbus")
LINES: Final = (
    b"---", b"---", b"---", b"messageId: MSG-20260126-101500-x-1", b"msg_id: MSG-2", b"type: FACT",
    b"agent: x", b"timestamp: 2026-01-26T10:15:00Z", b"runId: r", b"taskId: TASK-1", b"```", b"```py",
    b"````", b"~~~", b"", b"", b"text", b"text", b"[2026-02-05 12:51:54] FACT: go", b"text---", b"# head",
    b"\\---",
    b"- REVIEW 2026-07-18 19:06 CEST (Q): ok", b"<!-- All messages below this line. -->", b"  ---", b"--- ",
    b"---\r", b"\xff", b"\0", b"<<<<<<< x", b"messageId: MSG-00000000-000000-000", b"Template initialized.",
    b"-----", b" ", b"- a", b"  b: c", b"x" * 70, block().encode()[:-1], block(type="TASK").encode()[:-1],
    block(body="a\n---\nb").encode()[:-1],
)  # fmt: skip
files = st.lists(st.sampled_from(LINES), max_size=18).map(b"\n".join) | st.lists(
    st.sampled_from(LINES), max_size=18
).map(lambda lines: b"".join(line + b"\n" for line in lines))


def source(content: bytes, *, offset: int = 0, line: int = 1, whole: bool = True) -> Source:
    return Source(path="MESSAGE-BUS.md", content=content, mount=MOUNT, offset=offset, line=line, whole=whole)


def fed(content: bytes, cuts: list[int]) -> tuple[list[Piece], list[Finding]]:
    """Read a file in chunks, each from where the last one left off."""
    pieces: list[Piece] = []
    findings: list[Finding] = []
    start, line = 0, 1
    for end in [*cuts, len(content)]:
        chunk = source(content[start:end], offset=start, line=line, whole=end == len(content))
        parsed = SPEC.parse(chunk)
        cover(chunk, parsed)
        findings += parsed.findings
        for piece in parsed.pieces:
            if piece.kind is not Kind.PENDING:
                pieces.append(piece)
                start = piece.start + piece.length
                line += content[piece.start : start].count(b"\n")
        if end == len(content):
            break
    return pieces, findings


def plain(pieces: Iterator[Piece]) -> list[object]:
    return [
        (*piece[:4], piece.reason, [value.plain() for value in piece.values if type(value) is Message])
        for piece in pieces
    ]


@settings(deadline=None, max_examples=300)
@given(content=files, cuts=st.lists(st.integers(0, 2_000), max_size=8))
def test_any_chunks_give_the_same_pieces_and_findings(content: bytes, cuts: list[int]) -> None:
    at_once = SPEC.parse(source(content))

    pieces, findings = fed(content, sorted(cut for cut in cuts if cut <= len(content)))

    assert plain(iter(pieces)) == plain(iter(at_once.pieces))
    assert findings == list(at_once.findings)


@pytest.mark.parametrize(("block_bytes", "line_bytes"), [(90, 50), (160, 140), (400, 150)])
def test_chunks_do_not_matter_where_a_bound_is_reached(
    monkeypatch: pytest.MonkeyPatch, block_bytes: int, line_bytes: int
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(blocks, "_AHEAD", 60)
    monkeypatch.setattr(grammar, "HEADER_BYTES", 80)
    for module in (import_module("palaver.dialects.runbus.parse"), blocks, entry):
        monkeypatch.setattr(module, "LINE_BYTES", line_bytes)
    for seed in range(250):
        rnd = random.Random(seed)
        content = b"\n".join(rnd.choices(LINES, k=rnd.randint(1, 18)))
        cuts = sorted(rnd.randint(0, len(content)) for _ in range(rnd.choice([1, 2, 5, 20])))
        at_once = SPEC.parse(source(content))
        cover(source(content), at_once)

        pieces, findings = fed(content, cuts)

        assert plain(iter(pieces)) == plain(iter(at_once.pieces)), (seed, content, cuts)
        assert findings == list(at_once.findings), (seed, content, cuts)
        assert max(piece.length for piece in pieces) <= max(block_bytes, line_bytes), (seed, content)


def streamed(chunks: Iterator[bytes]) -> Iterator[tuple[Piece, int]]:
    """Read chunks as they come; yield each piece, and how many bytes had to be held for it."""
    held, offset, line = b"", 0, 1
    for chunk in chunks:
        held += chunk
        size = len(held)
        for piece in SPEC.parse(source(held, offset=offset, line=line, whole=False)).pieces:
            if piece.kind is not Kind.PENDING:
                line += held.count(b"\n", 0, piece.length)
                held = held[piece.length :]
                offset += piece.length
                yield piece, size


def test_a_long_file_is_read_in_bounded_memory() -> None:
    some = b"".join(block(body=f"Number {n}.").encode() for n in range(300))
    chunks = (some[: 40_000 + n] if n % 2 else some[40_000 + n - 1 :] for n in range(200))

    read = list(streamed(chunks))

    assert len(read) > 25_000
    assert max(held for _, held in read) < 2 * len(some)


def test_an_endless_line_is_read_in_bounded_memory() -> None:
    read = list(streamed(b"x" * 100_000 for _ in range(60)))

    assert {piece.reason for piece, _ in read} == {"RUN003"}
    assert max(held for _, held in read) <= LINE_BYTES + 100_000


def test_an_endless_message_is_read_in_bounded_memory() -> None:
    start = block()[:-5].encode()
    more = b"m" * 999 + b"\n"

    read = list(streamed(start if n == 0 else more * 500 for n in range(40)))

    assert read[0][0].reason == "RUN003"
    assert max(held for _, held in read) <= BLOCK_BYTES + 600_000


OPEN: Final = block()[: -len("The parser is ready.\n\n---\n")]
HOSTILE: Final = {
    "fences that nothing closes": OPEN + "```py\n" * 40_000,
    "fences, a message, and an end": OPEN + "```py\n" * 40_000 + OPEN + "```\n",
    "messages with open fences": (OPEN + "```py\nx\n\n---\n") * 2_000,
    "messages with open fences of every length": "".join(
        OPEN + "`" * (3 + n % 40) + "x\n\n---\n" for n in range(2_000)
    ),
    "open fences between messages": "```py\n~~~~x\n" * 20_000,
    "rules": OPEN + "---\n" * 40_000 + "x",
    "blank lines": OPEN + "\n" * 200_000 + "x",
    "openers": "---\nmessageId: x\n" * 15_000,
    "torn lines": "x---\nmessageId: x\n" * 15_000,
    "keys": "---\nmessageId: x\n" + "k: v\n" * 40_000,
    "lines below a key": "---\nmessageId: x\n" + "  v\n" * 40_000 + "---\nx\n---\n",
    "escapes": OPEN + "```\n\\---\n```\n\\---\n" * 10_000 + "\n---\n",
    "quotes": OPEN + ("```\nx\n" + OPEN + "y\n---\n\n```\n") * 2_000,
    "dashes": OPEN + "```\n" + "-----\n" * 40_000 + OPEN + "\n```\n",
    "nested JSON": OPEN.replace("---\n\n", "palaver-meta: " + "[" * 100_000 + "\n---\n\n") + "x\n\n---\n",
    "headings": "# x\n" * 30_000,
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_no_file_takes_more_than_linear_time(content: str) -> None:
    """What took the square of it would run into the time limit of a test."""
    whole = source(content.encode())

    cover(whole, SPEC.parse(whole))
