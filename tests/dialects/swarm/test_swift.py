"""The shortcut of the parser is no other reading: it gives what the careful way gives, or nothing."""

import json
import random
import tracemalloc
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.dialects.swarm.careful import careful
from palaver.dialects.swarm.desk import Desk
from palaver.dialects.swarm.spec import SPEC as DIALECT
from palaver.dialects.swarm.swift import swift
from palaver.model.dialect import Kind, Source
from palaver.model.message import Message
from tests.dialects.contract import messages, texts
from tests.dialects.swarm.read import MOUNT, PATH, line

SEED: Final = 20260125


def desk_of(*lines: bytes) -> Desk:
    """Return a desk that has seen the names of these lines."""
    desk = Desk(MOUNT)
    for each in lines:
        careful(each.strip(), desk)
    return desk


def agree(raw: bytes) -> Message | None:
    """Assert that the shortcut says nothing else than the careful reader; return what it says."""
    found = swift(raw, desk_of(raw))
    if found is not None:
        wanted, notes = careful(raw.strip(), Desk(MOUNT))
        assert wanted is not None, raw
        assert found.plain() == wanted.plain(), raw
        assert notes == [], raw
    return found


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"to": None},
        {"to": ["@qa", "@critic"]},
        {"to": ["@security-engineer"]},
        {"to": ["@qa", "@QA"]},
        {"sender": "Bob"},
        {"content": 'He said "x": \\ y\nand\tleft.'},
        {"content": "[APPROVE:#2] Go."},
        {"type": "task", "content": "ACK: Claimed task #2."},
        {"type": "task", "sender": "td"},
        {"type": "status", "content": "BLOCKED: x"},
        {"type": "system"},
        {"reasoning": "-"},
        {"reasoning": ""},
        {"task": "parser", "subject": "s", "priority": "low", "re": "msg-1", "run": "r", "tag": "t"},
    ],
)
def test_lines_as_people_write_them_take_the_shortcut(fields: dict[str, object]) -> None:
    compact = line(**fields)
    spaced = json.dumps(json.loads(compact)).encode()

    assert agree(compact) is not None
    assert agree(spaced) is not None
    assert agree(compact + b"\r") is not None


@pytest.mark.parametrize(
    "raw",
    [
        line()[:-2] + b',"content":"x"}',
        line()[:-2] + b',"content" : "x"}',
        line()[:-2] + b',"task":"x","task":"y"}',
        line()[:-2] + b',"task":null}',
        line()[:-2] + b',"to":null}',
        line(priority="9"),
        line(content="ends in a \\"),
        line(content=" starts with a space"),
        line(ts="2026-02-30T00:00:00Z"),
        line(type="chat"),
        line(x="y"),
        line(to=[]),
        b"\xef\xbb\xbf" + line(),
    ],
)
def test_what_is_odd_does_not(raw: bytes) -> None:
    assert agree(raw) is None


@settings(deadline=None, max_examples=300)
@given(one=messages())
def test_on_what_we_write_both_agree(one: Message) -> None:
    agree(DIALECT.render(one, MOUNT, PATH))


@settings(deadline=None, max_examples=300)
@given(data=st.data())
def test_on_what_others_write_both_agree(data: st.DataObject) -> None:
    handles = st.sampled_from(["@qa", "@QA", "qa", "@all", "@game-master", "@gm", "@a/b", "@../x"])
    fields: dict[str, object] = {
        "ts": data.draw(st.sampled_from(["2026-01-25T23:45:00.000Z", "2026-02-29T00:00:00Z", "now"])),
        "from": data.draw(st.sampled_from(["td", "qa", "Bob", "@qa", "security-engineer"])),
        "to": data.draw(st.none() | st.lists(handles, max_size=3) | handles),
        "type": data.draw(st.sampled_from(["message", "task", "status", "system", "autonomy", "chat"])),
        "reasoning": data.draw(texts),
        "content": data.draw(texts),
        **data.draw(st.dictionaries(st.sampled_from(["task", "priority", "x", "meta"]), texts, max_size=2)),
    }
    keys = data.draw(st.permutations(list(fields)))
    left_out = data.draw(st.none() | st.sampled_from(keys))
    spread = {key: fields[key] for key in keys if key != left_out}

    agree(json.dumps(spread, ensure_ascii=data.draw(st.booleans())).encode())


def test_a_line_with_any_byte_changed_is_read_the_same_both_ways() -> None:
    dice = random.Random(SEED)
    original = line(type="task", content='ACK: "Claimed" task #2.', task="2")
    for _ in range(3_000):
        changed = bytearray(original)
        for _ in range(dice.randint(1, 3)):
            changed[dice.randrange(len(changed) - 1)] = dice.choice(b'"\\:,[]{}@# \x00\xffaT')
        agree(bytes(changed))


def test_a_long_file_in_chunks_needs_no_more_memory_than_a_chunk() -> None:
    chunk = b"".join(line(content=f"Line {n} of many, which says little.") for n in range(2_000))
    torn = chunk + chunk[:100]
    peaks = []
    for chunks in (2, 20):
        tracemalloc.start()
        tail, offset, number, seen = b"", 0, 1, 0
        for _ in range(chunks):
            parsed = DIALECT.parse(
                Source(path=PATH, content=tail + torn, mount=MOUNT, offset=offset, line=number, whole=False)
            )
            read = sum(piece.length for piece in parsed.pieces if piece.kind is not Kind.PENDING)
            tail, offset = (tail + torn)[read:], offset + read
            number += len(parsed.pieces)
            seen += sum(1 for _ in parsed.messages)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert seen >= chunks * 2_000 - 1

    assert peaks[1] < 1.5 * peaks[0]
