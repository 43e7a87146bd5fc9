"""What is wrong with a line decides what becomes of it; the lines around it never suffer."""

import json
from collections.abc import Mapping

import pytest

from palaver.dialects.vermas.spec import SPEC
from palaver.model.limits import LINE_BYTES
from palaver.model.mounted_files import Kind, Mount, Source

GOOD = {
    "id": "msg-1",
    "from": "ceo",
    "to": "operations",
    "subject": "s",
    "body": "b",
    "timestamp": "2026-01-01T00:00:00Z",
}


def line(changes: Mapping[str, object], *, without: str = "") -> bytes:
    return json.dumps({k: v for k, v in {**GOOD, **changes}.items() if k != without}).encode()


DEEP = b'{"id":"m","from":"a","to":"b","subject":"s","body":"b","x":' + b"[" * 70 + b"]" * 70 + b"}"
QUARANTINED = {
    "UTF-16": "{}".encode("utf-16"),
    "a byte that is not UTF-8": b'{"id":"\xff"}',
    "an encoded surrogate": b'{"id":"\xed\xa0\x80"}',
    "a NUL in the line": b'{"id":"\x00"}',
    "four KiB of NUL": b"\x00" * 4096,
    "a line too long": line({"body": "x" * LINE_BYTES}),
    "a torn record": b'{"id":"msg-1","from":"ce',
    "two objects glued, of which one is no message": line({}) + line({"id": "msg-2"}, without="to"),
    "two objects glued, of which one is too deep": line({}) + DEEP,
    "an object and a text": line({}) + b"x",
    "a conflict mark": b"<<<<<<< HEAD",
    "nesting of seventy": DEEP,
    "nesting without end": b'{"a":' + b"[" * 100_000,
    "a number of 4,301 digits": line({"priority": 1}).replace(b"1}", b"9" * 4301 + b"}"),
    "NaN": b'{"id":NaN}',
    "a number too large": b'{"id":1e999}',
    "a key twice": b'{"id":"a","id":"b","from":"ceo","to":"ceo","subject":"s","body":"b","timestamp":"t"}',
    "a key twice, with a space before its colon": (
        line({}).replace(b'"id": "msg-1"', b'"id": "msg-1", "id" :"msg-3"')
    ),
    "half a surrogate pair": b'{"id":"\\ud800"}',
    "an array": b"[1]",
    "a text": b'"x"',
    "null": b"null",
    "a trailing comma": b'{"id":"a",}',
    "a comment": b'{"id":"a"} // x',
    "single quotes": b"{'id':'a'}",
    "a recipient that is a number": line({"to": 5}),
    "a recipient that is an object": line({"to": {}}),
    "no recipient": line({}, without="to"),
    "no sender": line({}, without="from"),
    "an empty list of recipients": line({"to": []}),
    "a path as a name": line({"from": "../../etc/passwd"}),
    "an absolute path": line({"from": "/abs"}),
    "an empty name": line({"from": ""}),
    "a dot": line({"from": "."}),
    "a name of 65 characters": line({"from": "a" * 65}),
    "a device": line({"from": "CON"}),
    "a Cyrillic letter": line({"from": "\u0430da"}),
    "a mark that turns writing": line({"from": "a\u202eb"}),
    "an option": line({"from": "-rf"}),
    "a star": line({"from": "*"}),
    "a NUL in a name": line({"from": "a\x00"}),
    "metadata that is a list": line({"metadata": []}),
    "a body that is a number": line({"body": 5}),
    "a hundred thousand keys": json.dumps({f"k{n}": 1 for n in range(100_000)}).encode(),
}


@pytest.mark.parametrize("name", sorted(QUARANTINED))
def test_what_cannot_be_a_message_is_kept_whole_and_its_neighbours_are_read(name: str) -> None:
    bad = QUARANTINED[name]
    content = line({}) + b"\n" + bad + b"\n" + line({"id": "msg-9"}) + b"\n"

    parsed = SPEC.parse(Source(path=".work/messages.jsonl", content=content, mount=Mount(dialect="vermas")))

    before, *kept, after = parsed.pieces
    assert (before.kind, after.kind) == (Kind.EVENT, Kind.EVENT)
    assert {piece.kind for piece in kept} == {Kind.QUARANTINED}
    assert content[kept[0].start : after.start] == bad + b"\n"
    # A line that is longer than a line may be is kept in parts.
    assert len(kept) == 1 + len(bad) // LINE_BYTES
    assert {piece.reason for piece in kept} <= {finding.code for finding in parsed.findings}
    assert all(finding.fix for finding in parsed.findings)


KEPT = {
    "no time": (line({}, without="timestamp"), "VER005"),
    "an impossible time": (line({"timestamp": "2026-13-45T99:00Z"}), "VER005"),
    "no subject": (line({}, without="subject"), "VER004"),
    "no id": (line({}, without="id"), "VER004"),
    "an unknown type": (line({"type": "FOO"}), "VER006"),
    "an unknown priority": (line({"priority": "9"}), "VER007"),
    "two objects glued": (line({}) + line({"id": "msg-2"}), "VER001"),
    "unknown fields": (line({"thread_id": "t", "__proto__": 1}), ""),
    "a NUL in a text": (line({"body": "a\x00b"}), ""),
    "an escaped letter": (line({}).replace(b'"ceo"', b'"\\u0063eo"'), ""),
    "another case": (line({"from": "CEO"}), ""),
    "a list of recipients": (line({"to": ["ceo", "operations"]}), ""),
    "a CRLF": (line({}) + b"\r", ""),
    "a BOM": (b"\xef\xbb\xbf" + line({}), ""),
    "a leap second": (line({"timestamp": "2016-12-31T23:59:60Z"}), ""),
    "a zone": (line({"timestamp": "2026-01-01T00:00:00+14:00"}), ""),
    "a small z": (line({"timestamp": "2026-01-01t00:00:00z"}), ""),
    "the year 9999": (line({"timestamp": "9999-12-31T23:59:59Z"}), ""),
    "a script": (line({"body": "<img onerror=alert(1)>$(x)`y`{{7*7}}'; DROP"}), ""),
    "an escape sequence": (line({"body": "\x1b[2J\x9b\u202e\u200b"}), ""),
}


@pytest.mark.parametrize("name", sorted(KEPT))
def test_what_is_only_odd_is_a_message_with_a_finding(name: str) -> None:
    content, code = KEPT[name]

    parsed = SPEC.parse(
        Source(path=".work/messages.jsonl", content=content + b"\n", mount=Mount(dialect="vermas"))
    )

    assert [piece.kind for piece in parsed.pieces] == [Kind.EVENT]
    assert [finding.code for finding in parsed.findings] == ([code] if code else [])


BAD_RECORDS = {
    "a work order without id": (".work/work_orders.jsonl", b'{"title":"x"}', "VER011"),
    "a title of 101 characters": (".work/work_orders.jsonl", line({"title": "x" * 101}), "VER011"),
    "priority 9": (".work/work_orders.jsonl", line({"title": "x", "priority": 9}), "VER011"),
    "an event whose data is a list": (
        ".work/events.jsonl",
        b'{"event_id":"e","event_type":"mail.sent","data":[]}',
        "VER013",
    ),
    "an event without type": (".work/events.jsonl", b'{"event_id":"e"}', "VER013"),
    "an assignment without id": (".work/.assignment-x", b"work_order:", "VER012"),
    "an assignment of another type": (".work/.assignment-x", b"wo:1", "VER012"),
    "an assignment of two lines": (".work/.assignment-x", b"mail:1\nmail:2", "VER012"),
    "an assignment that is not UTF-8": (".work/.assignment-x", b"mail:\xff", "VER012"),
}


@pytest.mark.parametrize("name", sorted(BAD_RECORDS))
def test_a_record_that_breaks_its_schema_is_quarantined(name: str) -> None:
    path, content, code = BAD_RECORDS[name]

    parsed = SPEC.parse(Source(path=path, content=content + b"\n", mount=Mount(dialect="vermas")))

    assert [(piece.kind, piece.reason) for piece in parsed.pieces] == [(Kind.QUARANTINED, code)]


@pytest.mark.parametrize("before", [b"", line({"id": "msg-0"}) + b"\n"])
def test_a_byte_order_mark_at_the_start_of_a_line_is_ignored(before: bytes) -> None:
    content = before + b"\xef\xbb\xbf" + line({}) + b"\n"

    found = SPEC.parse(Source(path=".work/messages.jsonl", content=content, mount=Mount(dialect="vermas")))

    assert [each.id for each in found.messages][-1] == "msg-1"
    assert not found.findings
