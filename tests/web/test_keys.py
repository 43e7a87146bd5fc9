"""Keys: a way in works once and soon; a session stands through a restart; nothing else opens anything."""

import base64
import os
from pathlib import Path

import pytest

from palaver.bus.root import Root
from palaver.model.errors import StorageFailed, UnsafeRoot
from palaver.model.limits import WEB_SESSION_SECONDS, WEB_WAY_IN_SECONDS
from palaver.web.access_keys import Keys


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def keys(folder: Path, boot: str = "a", clock: Clock | None = None) -> Keys:
    return Keys(Root(str(folder)), boot=boot, clock=clock or Clock())


def test_a_way_in_opens_one_session(tmp_path: Path) -> None:
    own = keys(tmp_path)
    way = own.sign_in_token()

    session = own.sign_in(way)

    assert session is not None
    assert own.is_session(session)
    assert own.sign_in(way) is None


def test_a_way_in_is_no_session_and_a_session_no_way_in(tmp_path: Path) -> None:
    own = keys(tmp_path)
    way = own.sign_in_token()
    session = own.sign_in(own.sign_in_token())

    assert session is not None
    assert not own.is_session(way)
    assert own.sign_in(session) is None


def test_a_way_in_ends_after_a_while_and_so_does_a_session(tmp_path: Path) -> None:
    clock = Clock()
    own = keys(tmp_path, clock=clock)
    late, session = own.sign_in_token(), own.sign_in(own.sign_in_token())
    assert session is not None

    clock.now += WEB_WAY_IN_SECONDS + 1
    assert own.sign_in(late) is None
    assert own.is_session(session)
    clock.now += WEB_SESSION_SECONDS
    assert not own.is_session(session)


def test_a_restart_keeps_sessions_and_ends_ways_in(tmp_path: Path) -> None:
    before = keys(tmp_path, "a")
    way, session = before.sign_in_token(), before.sign_in(before.sign_in_token())
    assert session is not None

    after = keys(tmp_path, "b")

    assert after.is_session(session)
    assert after.sign_in(way) is None


def test_no_change_of_any_bit_is_taken(tmp_path: Path) -> None:
    own = keys(tmp_path)
    session = own.sign_in(own.sign_in_token())
    assert session is not None
    prefix, encoded = session[:12], session[12:]
    raw = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))

    changed = [
        prefix
        + base64.urlsafe_b64encode(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]).decode().rstrip("=")
        for at in range(len(raw))
    ]

    assert not any(own.is_session(token) for token in changed)
    assert not any(
        own.is_session(token) for token in ("", "a", session[:-4], session + "AAAA", "ä", "=" * 80)
    )


def test_another_bus_has_other_keys(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    session = keys(tmp_path / "one").sign_in(keys(tmp_path / "one").sign_in_token())

    assert session is not None
    assert not keys(tmp_path / "two").is_session(session)


def test_the_secret_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        keys(tmp_path)
    finally:
        os.umask(before)

    assert (tmp_path / "web.key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "web.key").chmod(0o644)
    with pytest.raises(UnsafeRoot):
        keys(tmp_path)


def test_a_secret_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "web.key").write_bytes(b"short")
    (tmp_path / "web.key").chmod(0o600)

    with pytest.raises(StorageFailed):
        keys(tmp_path)
