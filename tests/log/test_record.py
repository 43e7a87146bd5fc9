"""A record says what was meant, and cannot say anything else unnoticed."""

import json
import unicodedata
from zlib import crc32

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from palaver.log.record import GENESIS, body, decode, hashed, intact, is_up_to, keyed, line, seq_of
from palaver.model.event import Draft
from palaver.model.limits import LINE_BYTES
from palaver.model.plain import dumps, has_hidden, loads, quote
from tests.laws.drafts import HOSTILE_TEXTS, NOON, of_size, said
from tests.log.alphabets import drafts, texts, values

calm = settings(deadline=None)


def forged(inner: bytes) -> bytes:
    """Return a line with a right checksum around whatever somebody wrote into it."""
    head = b'{"v":1,"seq":1,' + inner
    return b'%b,"crc":"%08x"}' % (head, crc32(head))


@calm
@given(
    draft=drafts(), seq=st.integers(min_value=1, max_value=10**12), prev=st.sampled_from((GENESIS, "ab" * 16))
)
def test_what_is_encoded_is_decoded(draft: Draft, seq: int, prev: str) -> None:
    raw = line(seq, body(draft), prev)

    event = decode(raw)

    assert event is not None
    assert {name: getattr(event, name) for name in Draft.__slots__} == {
        name: getattr(draft, name) for name in Draft.__slots__
    }
    assert (event.seq, event.prev) == (seq, prev)
    assert (intact(raw), seq_of(raw)) == (True, seq)
    assert (is_up_to(raw, seq), is_up_to(raw, seq - 1)) == (True, False)


@calm
@given(draft=drafts())
def test_a_record_is_one_line_that_any_json_parser_reads(draft: Draft) -> None:
    raw = line(1, body(draft), GENESIS)

    assert b"\n" not in raw
    assert b"\r" not in raw
    fields = json.loads(raw)
    assert next(iter(fields)) == "v"
    assert list(fields)[-2:] == ["prev", "crc"]
    assert fields["data"] == draft.data


# A checksum can be right and the rest still be nonsense: somebody wrote it so.
@pytest.mark.parametrize(
    "inner",
    [
        b'"a":1e999',
        b'"a":NaN',
        b'"a":Infinity',
        b'"a":1,"a":2',
        b'"a":"\xff"',
        b'"a":"\xed\xa0\x80"',
        b'"a":"\x01"',
        b'"a":"\\ud800"',
        b'"a":"\\x"',
        b'"a":01',
        b'"a":1.',
        b'"a":' + b"9" * 5_000,
        b'"a":' + b"[" * 100_000,
        b'"a":' + b"[" * 100_000 + b"]" * 100_000,
        b'"a":' + b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
        b'"seq":"x","data":[],"actor":7,"key":null,"src":[]',
        b'"seq":1.5',
        b' "a" : 1 ',
        b"]",
        b"",
        b'"a":1\x00',
    ],
)
def test_a_forged_line_never_raises(inner: bytes) -> None:
    event = decode(forged(inner))

    assert event is None or event.plain()


@calm
@given(raw=st.binary(max_size=200))
@example(raw=b"")
@example(raw=b'{"v":1,"seq":')
@example(raw=b'{"v":1,"seq":,"crc":"00000000"}')
def test_bytes_that_are_no_record_are_none(raw: bytes) -> None:
    assert decode(raw) is None


def test_every_flipped_bit_is_noticed() -> None:
    raw = line(12, body(said("a few words, ä, 語, \x1b")), hashed(b"the one before"))

    unnoticed = [
        (place, bit)
        for place in range(len(raw))
        for bit in range(8)
        if decode(raw[:place] + bytes([raw[place] ^ 1 << bit]) + raw[place + 1 :]) is not None
    ]

    assert unnoticed == []


def test_every_missing_end_is_noticed() -> None:
    raw = line(12, body(said("a few words")), hashed(b"the one before"))

    assert [cut for cut in range(len(raw)) if decode(raw[:cut]) is not None] == []


@calm
@given(draft=drafts(), place=st.integers(min_value=0), junk=st.binary(min_size=1, max_size=4))
def test_inserted_bytes_are_noticed(draft: Draft, place: int, junk: bytes) -> None:
    raw = line(3, body(draft), GENESIS)
    place %= len(raw)

    assert decode(raw[:place] + junk + raw[place:]) is None


def test_the_largest_record_stays_below_its_bound_whatever_its_number() -> None:
    raw = line(10**15, body(of_size(LINE_BYTES)), GENESIS)

    assert LINE_BYTES - 100 < len(raw) <= LINE_BYTES


def test_unknown_fields_are_ignored() -> None:
    raw = forged(b'"event_id":"evt-1","mood":"sunny","data":{"body":"x"},"later":{"a":[1]},"prev":"00"')

    event = decode(raw)

    assert event is not None
    assert event.plain() == {"seq": 1, "event_id": "evt-1", "data": {"body": "x"}}


# --- the JSON of it ---


@calm
@given(value=values)
def test_plain_values_are_json(value: object) -> None:
    text = dumps(value)

    assert json.loads(text) == value
    assert loads(text) == value
    assert repr(loads(text)) == repr(json.loads(text))


@calm
@given(text=texts)
def test_a_quoted_text_is_a_json_string(text: str) -> None:
    assert json.loads(quote(text)) == text
    assert loads(quote(text)) == text


@calm
@given(value=values)
@example(value=list(HOSTILE_TEXTS))
@example(value={"\x1b": "\u202e"})
def test_nothing_that_a_terminal_obeys_stands_raw(value: object) -> None:
    text = dumps(value)

    raw = {char for char in text if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    # A joiner between two symbols, or two letters that it joins, is harmless and makes them readable.
    assert raw <= {"\u200c", "\u200d"}
    assert not has_hidden(text)


@pytest.mark.parametrize("text", ["ä 語 😀", "ordinary", "two\nlines", 'tab\tquote"', "日本語テキスト"])
def test_a_text_that_prints_stands_as_it_is(text: str) -> None:
    assert quote(text) == json.dumps(text, ensure_ascii=False)


@pytest.mark.parametrize(
    "text", ["", "{", '{"a":1}}', "[1] 2", "nul", "NaN", "-Infinity", "[" * 100_000, "'a'"]
)
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        loads(text)


def test_equal_events_are_equal_by_what_they_say() -> None:
    draft = said("x")

    one, other = decode(line(1, body(draft), GENESIS)), decode(line(1, body(draft), "f" * 32))

    assert one == other
    assert one != decode(line(2, body(draft), GENESIS))
    assert one != draft
    assert len({one, other}) == 1
    assert NOON in str(one and one.plain())


@calm
@given(keys=st.lists(texts, min_size=1, max_size=6, unique=True), wanted=st.data())
def test_of_many_lines_those_are_found_that_have_one_of_the_keys(
    keys: list[str], wanted: st.DataObject
) -> None:
    drafts_ = [said(f'"key":"{key}"', key=key) for key in keys]
    data = b"".join(line(seq, body(each), GENESIS) + b"\n" for seq, each in enumerate(drafts_, start=1))
    some = wanted.draw(st.sets(st.sampled_from(keys)))

    found = [event.key for event in keyed(data, some) if event.key in some]

    assert set(found) == {key for key in some if key}


@pytest.mark.parametrize("key", ['a"b', "a\\", 'a\\"', "\\\\", '"', "ключ\u2028"])
def test_a_key_with_quotes_and_backslashes_is_found(key: str) -> None:
    data = line(1, body(said("hello", key=key)), GENESIS) + b"\n"

    assert [event.key for event in keyed(data, {key, "other"})] == [key]
    assert list(keyed(data, {"other"})) == []
