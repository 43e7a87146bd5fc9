"""The stream: whoever listens hears everything, in order, once; whoever was away misses nothing."""

import socket
import time

import pytest

from palaver.bus.session import draft
from palaver.model.event import Draft
from palaver.model.limits import WEB_AT_HAND
from tests.patience import PATIENCE
from tests.web.place import Ear, Place


def say(place: Place, *words: str) -> int:
    """Say something, and return its number."""
    return [place.bus.send("lead", each, sender="scout").message.seq for each in words][-1]


def test_what_is_said_is_heard(place: Place) -> None:
    ear = place.listen()
    ear.until(b"retry:")

    seq = say(place, "heard once")

    assert b'"gist":"heard once"' in ear.until(b"event: now")
    assert ear.numbers()[-1] == seq
    ear.close()


def test_who_was_away_hears_all_of_it_in_order_and_once(own: Place) -> None:
    first = say(own, "before")
    ear = own.listen(first - 1)
    ear.until(b'"gist":"before"')
    ear.close()
    last = say(own, *(f"away {n}" for n in range(20)))

    again = own.listen(first)
    again.until(b"away 19")
    more = say(own, "and after")
    again.until(b"and after")

    assert again.numbers() == list(range(first + 1, more + 1))
    assert last < more
    again.close()


def test_what_is_no_longer_at_hand_is_read_from_the_log(own: Place) -> None:
    start = own.bus.session.log.last_seq()
    listening = own.listen()
    listening.until(b"retry:")
    # So many that the hub has forgotten the first of them.
    own.bus.session.log.append([_note(n) for n in range(WEB_AT_HAND + 300)])
    end = say(own, "the last")
    listening.until(b"id: %d\n" % end)
    listening.close()

    again = own.listen(start)
    again.until(b"id: %d\n" % end)

    assert again.numbers() == list(range(start + 1, end + 1))
    again.close()


def _note(number: int) -> Draft:
    return draft("note.made", "scout", {"number": number})


def test_a_number_that_was_never_given_means_starting_anew(place: Place) -> None:
    ear = place.listen(999_999_999)

    ear.until(b"event: resync")

    ear.close()


def test_who_is_too_far_behind_starts_anew(own: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palaver.web.hub.WEB_BEHIND", 5)

    ear = own.listen(1)

    ear.until(b"event: resync")
    ear.close()


def test_there_is_room_for_so_many_and_a_place_is_free_when_one_goes(
    own: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaver.web.hub.WEB_LISTENERS", 3)
    ears = [own.listen() for _ in range(3)]
    for ear in ears:
        ear.until(b"retry:")

    full = own.listen()
    full.until(b"HTTP/1.1 503")
    full.close()
    ears[0].close()

    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        late = own.listen()
        if b"200" in late.until(b"\r\n"):
            break
        late.close()
        time.sleep(0.05)
    assert b"HTTP/1.1 200" in late.until(b"\r\n")
    for ear in (*ears, late):
        ear.close()


def test_a_listener_that_says_nothing_is_told_that_we_are_here(
    own: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaver.web.hub.WEB_HEARTBEAT_SECONDS", 0.1)

    ear = own.listen()

    ear.until(b": still here")
    ear.close()


def test_stopping_ends_every_stream(own: Place) -> None:
    ear: Ear = own.listen()
    ear.until(b"retry:")

    own.server.stop()

    while ear.wire.recv(65_536):
        pass
    ear.close()


def test_verify_tells_progress_and_then_the_verdict(place: Place) -> None:
    status, told = place.ask("/api/verify", body={})

    assert status == 200
    assert told.count(b"event: progress") >= 2
    assert b'event: verdict\ndata: {"ok":true' in told


def test_who_leaves_in_the_middle_of_verify_keeps_nobody_from_it(own: Place) -> None:
    head = (
        f"POST /api/verify HTTP/1.1\r\nHost: 127.0.0.1:{own.server.port}\r\n"
        "Content-Type: application/json\r\n"
        f"Authorization: Bearer {own.session}\r\nContent-Length: 2\r\n\r\n{{}}"
    )
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", own.server.port)) as wire:
            wire.sendall(head.encode())

    deadline = time.monotonic() + PATIENCE
    told = b""
    while b"verdict" not in told and time.monotonic() < deadline:
        told = own.raw(head.encode())

    assert b"event: verdict" in told
