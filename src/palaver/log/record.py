"""One record: a line of JSON that can be checked by itself and against the line before it.

    {"v":1,"seq":7,"event_id":"evt-…",…,"data":{…},"prev":"<hash of the line before>","crc":"…"}

`crc` covers every byte before `,"crc"`: a torn or flipped line is found alone. `prev` is the hash of
the previous valid record: a removed, moved or edited line is found by its neighbours.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _blake2 import blake2b
from _collections_abc import Iterator
from zlib import crc32

from palaver.model.errors import TooLarge
from palaver.model.event import Draft, Event
from palaver.model.limits import ENVELOPE_BYTES, LINE_BYTES
from palaver.model.plain import dumps, loads, quote

# The `prev` of the very first record.
GENESIS = "0" * 32
_START = b'{"v":1,"seq":'
# The length of `,"crc":"xxxxxxxx"}`.
_TAIL = 18
_ENDING = b',"crc":"........"}'
_KEY = b'"key":'


def body(draft: Draft) -> bytes:
    """Return what of a record is known before it has its number: event_id to data."""
    rare = ""
    if draft.inside is not None:
        rare = f',"inside":{dumps(draft.inside)}'
    if draft.key:
        rare += f',"key":{quote(draft.key)}'
    if draft.request:
        rare += f',"request":{quote(draft.request)}'
    if draft.src is not None:
        rare += f',"src":{dumps(draft.src)}'
    if draft.correlation_id:
        rare += f',"correlation_id":{quote(draft.correlation_id)}'
    if draft.caused_by:
        rare += f',"caused_by":{quote(draft.caused_by)}'
    encoded = (
        f'"event_id":"{draft.event_id}","event_type":"{draft.event_type}","timestamp":"{draft.timestamp}",'
        f'"actor":{quote(draft.actor)},"auth":"{draft.auth}"{rare},"data":{dumps(draft.data)}'
    ).encode()
    if len(encoded) > LINE_BYTES - ENVELOPE_BYTES:
        raise TooLarge(
            f"cannot store {len(encoded)} bytes in one record",
            f"a record holds at most {LINE_BYTES}",
            "put the text in a file and name it with --file",
        )
    return encoded


def line(seq: int, encoded: bytes, prev: str) -> bytes:
    """Return the whole record, without its newline."""
    head = b'{"v":1,"seq":%d,%b,"prev":"%b"' % (seq, encoded, prev.encode())
    return b'%b,"crc":"%08x"}' % (head, crc32(head))


def hashed(raw: bytes) -> str:
    """Return what the next record says in `prev`."""
    return blake2b(raw, digest_size=16).hexdigest()


def intact(raw: bytes) -> bool:
    """Return True if the line is what was written."""
    return raw.startswith(_START) and raw[-_TAIL:] == b',"crc":"%08x"}' % crc32(raw[:-_TAIL])


def is_torn(raw: bytes) -> bool:
    """Return True if the death of a writer can have left this: the beginning of a record, and no more.

    A whole record that was damaged later still ends like one, whichever bit of it was flipped.
    """
    alike = sum(found == wanted for found, wanted in zip(raw[-_TAIL:], _ENDING, strict=False))
    begins = raw != b"" and raw[: len(_START)] == _START[: len(raw)]
    return begins and alike < _TAIL - 8 - 1 and b"\0" not in raw


def seq_of(raw: bytes) -> int:
    """Return the number of an intact line without parsing the rest."""
    start = len(_START)
    return int(raw[start : raw.index(b",", start)])


def is_up_to(raw: bytes, seq: int) -> bool:
    """Return True if the number of a line is no greater than `seq`; the line itself is not checked."""
    start = len(_START)
    digits = raw[start : raw.find(b",", start)]
    return digits.isdigit() and int(digits) <= seq


def decode(raw: bytes, place: str = "") -> Event | None:
    """Return the event of a line that is stored at a place, or None if the line is corrupted."""
    if not intact(raw):
        return None
    try:
        fields = loads(raw.decode())
    except ValueError:
        return None
    return Event(fields, place) if type(fields) is dict else None


def keyed(data: bytes, keys: set[str]) -> Iterator[Event]:
    """Yield the events of whole lines that have one of these keys: one walk, however many keys there are."""
    quoted = {quote(key).encode() for key in keys}
    place = data.find(_KEY)
    while place >= 0:
        place += len(_KEY)
        if _text_at(data, place) in quoted:
            event = decode(data[data.rfind(b"\n", 0, place) + 1 : data.find(b"\n", place)])
            if event is not None:
                yield event
        place = data.find(_KEY, place)


def _text_at(data: bytes, start: int) -> bytes:
    """Return the text in quotes that starts at a place."""
    end = data.find(b'"', start + 1)
    while end > 0 and (end - start - len(data[start:end].rstrip(b"\\"))) % 2:
        # It follows an odd number of backslashes: the quote is part of the text.
        end = data.find(b'"', end + 1)
    return data[start : end + 1]
