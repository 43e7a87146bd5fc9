"""The inbox of collab: one file, one message; theirs is left alone, ours is emptied, and nothing is lost."""

import os
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest

from palaver.model.limits import LINE_BYTES
from tests.cli.spoken import Shell, surroundings
from tests.sync.living import eventually
from tests.sync.scene import Scene, append, dropped, left_alone

CAST: Final = {"a": "jim", "b": "clawdy", "person": "jeremy"}
NAME: Final = "msg_1771730144123456789.txt"
both_modes = pytest.mark.parametrize("mode", ["theirs", "ours"])


def a_collab(tmp_path: Path, mode: str = "theirs", **more: str) -> tuple[Scene, Path]:
    """Return a bus, and the inbox of its only mount."""
    scene = Scene(tmp_path / "bus")
    return scene, scene.mount("collab", inbox=mode, **CAST, **more) / "inbox"


def lines(inbox: Path) -> list[str]:
    chat = inbox.parent / "chat.log"
    return chat.read_text().splitlines() if chat.exists() else []


def visible(inbox: Path) -> list[str]:
    return sorted(path.name for path in inbox.iterdir() if not path.name.startswith("."))


@both_modes
def test_a_dropped_file_is_one_message_to_b(tmp_path: Path, mode: str) -> None:
    scene, inbox = a_collab(tmp_path, mode)

    dropped(inbox, NAME, b"[TASK:price-check] BTC price\n")
    scene.settle()
    scene.restart()
    scene.settle()

    [event] = scene.mail()
    assert event.data["to"] == ["clawdy"]
    assert "BTC price" in str(event.data["body"]) + str(event.data.get("subject", ""))


def test_theirs_is_left_where_it_is_and_its_line_is_theirs_to_write(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)

    dropped(inbox, NAME, b"hello\n")
    scene.settle()

    assert visible(inbox) == [NAME]
    assert lines(inbox) == []


def test_ours_is_emptied_and_the_line_stands_in_the_log_once(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path, "ours")

    dropped(inbox, NAME, b"hello\n")
    scene.settle()
    scene.restart()
    scene.settle()

    assert visible(inbox) == []
    assert [line for line in lines(inbox) if "hello" in line] == lines(inbox)
    assert len(lines(inbox)) == 1
    assert scene.bodies() == ["hello"]


def test_the_line_that_the_watcher_writes_after_it_is_the_same_message(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)
    dropped(inbox, NAME, b"hello\n")
    scene.settle()

    (inbox / NAME).unlink()
    append(inbox.parent / "chat.log", b"2026-02-22 03:15:44 JIM -> CLAWDY: hello\n")
    scene.settle()

    assert scene.bodies() == ["hello"]


def test_the_line_and_the_file_seen_in_one_pass_are_one_message(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)

    dropped(inbox, NAME, b"hello\n")
    append(inbox.parent / "chat.log", b"2026-02-22 03:15:44 JIM -> CLAWDY: hello\n")
    scene.settle()

    assert scene.bodies() == ["hello"]


def test_the_same_words_to_somebody_else_are_another_message(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)
    dropped(inbox, NAME, b"hello\n")
    scene.settle()

    append(inbox.parent / "chat.log", b"2026-02-22 03:15:44 CLAWDY -> JIM: hello\n")
    scene.settle()

    assert scene.bodies() == ["hello", "hello"]


def test_the_same_words_a_second_time_are_a_second_message(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)
    chat = inbox.parent / "chat.log"
    dropped(inbox, NAME, b"hello\n")
    append(chat, b"2026-02-22 03:15:44 JIM -> CLAWDY: hello\n")
    scene.settle()

    append(chat, b"2026-02-22 03:15:45 JIM -> CLAWDY: hello\n")
    scene.settle()

    assert scene.bodies() == ["hello", "hello"]


def test_of_two_equal_lines_in_one_pass_only_one_repeats_the_file(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)
    dropped(inbox, NAME, b"hello\n")

    append(inbox.parent / "chat.log", b"2026-02-22 03:15:44 JIM -> CLAWDY: hello\n" * 2)
    scene.settle()

    assert scene.bodies() == ["hello", "hello"]


def test_in_an_inbox_of_ours_a_line_with_the_words_of_a_file_is_a_message(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path, "ours")
    dropped(inbox, NAME, b"hello\n")
    scene.settle()

    append(inbox.parent / "chat.log", b"2026-02-22 03:15:50 JIM -> CLAWDY: hello\n")
    scene.settle()

    assert scene.bodies() == ["hello", "hello"]


@both_modes
def test_the_same_bytes_twice_are_two_messages(tmp_path: Path, mode: str) -> None:
    scene, inbox = a_collab(tmp_path, mode)

    dropped(inbox, "msg_1771730144123456789.txt", b"again\n")
    dropped(inbox, "msg_1771730144123456790.txt", b"again\n")
    scene.settle()

    assert scene.bodies() == ["again", "again"]


@both_modes
def test_the_same_name_twice_is_two_messages(tmp_path: Path, mode: str) -> None:
    scene, inbox = a_collab(tmp_path, mode)

    for text in (b"first\n", b"second\n"):
        dropped(inbox, NAME, text)
        scene.settle()
        (inbox / NAME).unlink(missing_ok=True)

    assert scene.bodies() == ["first", "second"]


@both_modes
def test_what_is_hidden_or_unfinished_is_left_alone(tmp_path: Path, mode: str) -> None:
    scene, inbox = a_collab(tmp_path, mode)

    (inbox / ".msg.Xa81Bc").write_bytes(b"half a mess")
    left_alone(inbox / ".msg.Xa81Bc")
    scene.settle()

    assert scene.bodies() == []
    assert (inbox / ".msg.Xa81Bc").exists()


@both_modes
def test_a_file_written_in_place_is_taken_when_it_was_left_alone(tmp_path: Path, mode: str) -> None:
    scene, inbox = a_collab(tmp_path, mode)
    file = inbox / NAME
    now = time.time()
    file.write_bytes(b"written ")
    # The clock of a file that is written right now, however slow this machine is.
    os.utime(file, (now + 1, now + 1))

    scene.sync()
    early = scene.bodies()
    append(file, b"in place\n")
    left_alone(file)
    scene.settle()

    assert early == []
    assert scene.bodies() == ["written in place"]


@both_modes
def test_a_file_that_somebody_still_has_open_is_not_taken_whatever_it_is_called(
    tmp_path: Path, mode: str
) -> None:
    scene, inbox = a_collab(tmp_path, mode)

    with (inbox / NAME).open("wb", buffering=0) as file:
        file.write(b"first line\n")
        scene.sync()
        early = scene.bodies()
        file.write(b"second line\n")
    left_alone(inbox / NAME)
    scene.settle()

    assert early == []
    assert scene.bodies() == ["first line\nsecond line"]


@both_modes
@pytest.mark.parametrize(
    "content",
    [b"", b"x" * (LINE_BYTES + 1), "hello".encode("utf-16"), b"\xff\xff", b"a\0b"],
    ids=["empty", "too long", "UTF-16", "no text", "a NUL"],
)
def test_what_is_no_message_is_quarantined_once_and_kept(tmp_path: Path, mode: str, content: bytes) -> None:
    scene, inbox = a_collab(tmp_path, mode)

    dropped(inbox, NAME, content)
    first = scene.settle()
    scene.restart()
    second = scene.settle()

    assert scene.bodies() == []
    assert first.quarantined == 1
    assert second.quarantined == 0
    [item] = scene.bus.quarantine()
    assert item.length == len(content)


def test_a_sparse_file_of_a_terabyte_is_no_message(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)
    (inbox / NAME).touch()
    os.truncate(inbox / NAME, 1 << 40)
    left_alone(inbox / NAME)

    report = scene.settle()

    assert scene.bodies() == []
    assert report.troubles or report.quarantined


def test_a_program_file_with_a_text_is_no_message(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)

    dropped(inbox, "x.json", b"hello\n")
    scene.settle()

    assert scene.bodies() == []
    assert len(scene.bus.quarantine()) == 1


@both_modes
def test_names_that_differ_in_case_alone_are_two_files(tmp_path: Path, mode: str) -> None:
    scene, inbox = a_collab(tmp_path, mode)

    dropped(inbox, "note.txt", b"one\n")
    dropped(inbox, "NOTE.txt", b"two\n")
    scene.settle()

    assert sorted(scene.bodies()) == ["one", "two"]


@both_modes
def test_files_that_were_there_before_the_mount_are_taken_in(tmp_path: Path, mode: str) -> None:
    scene = Scene(tmp_path / "bus")
    inbox = scene.folder / "collab" / "inbox"
    inbox.mkdir(parents=True)
    for n in range(20):
        dropped(inbox, f"msg_17717301441234567{n:02}.txt", f"n{n}\n".encode())

    scene.mount("collab", inbox=mode, **CAST)

    assert scene.bodies() == [f"n{n}" for n in range(20)]


def test_an_inbox_that_was_deleted_is_watched_again_when_it_is_back(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)
    inbox.rmdir()
    scene.settle()

    inbox.mkdir()
    dropped(inbox, NAME, b"back\n")
    scene.settle()

    assert scene.bodies() == ["back"]


def test_a_claimed_name_that_is_there_already_loses_neither_file(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path, "ours")

    for text in (b"first\n", b"second\n", b"third\n"):
        dropped(inbox, NAME, text)
        scene.settle()

    kept = [path.read_bytes() for path in inbox.rglob("*") if path.is_file()]
    assert scene.bodies() == ["first", "second", "third"]
    assert sorted(kept) == [b"first\n", b"second\n", b"third\n"], "nothing of others is deleted"


@both_modes
def test_a_name_of_255_bytes_is_a_name(tmp_path: Path, mode: str) -> None:
    scene, inbox = a_collab(tmp_path, mode)
    name = "n" * 251 + ".txt"
    (inbox / name).write_bytes(b"long\n")
    left_alone(inbox / name)

    scene.settle()

    assert scene.bodies() == ["long"]


def test_a_file_by_the_person_is_the_persons(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)

    dropped(inbox, NAME, b"USER: stop everything\n")
    scene.settle()

    [event] = scene.mail()
    assert event.actor == "jeremy"


# --- what we deliver ---


def test_what_is_sent_to_b_stands_in_the_log_and_in_the_inbox_once(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)

    scene.bus.send("clawdy", "wake up")
    scene.settle()
    scene.restart()
    scene.settle()

    [name] = visible(inbox)
    assert name.startswith("msg_")
    assert b"wake up" in (inbox / name).read_bytes()
    assert len(lines(inbox)) == 1
    assert scene.bodies() == ["wake up"]


def test_what_b_took_away_is_not_delivered_again(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)
    scene.bus.send("clawdy", "wake up")
    scene.sync()
    taken = visible(inbox)

    for name in taken:
        (inbox / name).unlink()
    scene.restart()
    scene.settle()

    assert len(taken) == 1
    assert visible(inbox) == []


def test_the_line_that_bs_watcher_writes_of_our_delivery_is_no_new_message(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path, chat="theirs")
    scene.bus.send("clawdy", "wake up")
    scene.settle()
    [name] = visible(inbox)
    text = (inbox / name).read_text().rstrip("\n")

    (inbox / name).unlink()
    append(inbox.parent / "chat.log", f"2026-02-22 03:15:44 ADA -> CLAWDY: {text}\n".encode())
    scene.settle()

    assert scene.bodies() == ["wake up"]


def test_a_watcher_sees_each_delivery_once_and_whole(tmp_path: Path) -> None:
    scene, inbox = a_collab(tmp_path)
    seen = tmp_path / "seen"
    script = (
        f"inotifywait -q -m -e moved_to --format '%f' '{inbox}' 2>'{tmp_path}/ready' | "
        f'while read -r f; do case "$f" in .*) ;; probe) rm -f "{inbox}/probe" ;; '
        f'*) printf "%s %s\\n" "$f" "$(wc -c < "{inbox}/$f")" '
        f">> '{seen}'; mv \"{inbox}/$f\" '{tmp_path}/'; esac; done"
    )
    shell = Shell(folder=scene.folder, env=surroundings(PALAVER_AGENT="ada"))
    watcher = subprocess.Popen(["bash", "-c", script], start_new_session=True)
    try:
        _until_watched(inbox, watcher.pid)
        for n in range(10):
            assert shell.run("send", "clawdy", "-m", f"message {n} " + "x" * 5_000).code == 0
        eventually(lambda: seen.exists() and len(seen.read_text().splitlines()) >= 10)
        assert shell.run("sync").code == 0
    finally:
        os.killpg(watcher.pid, 9)
        watcher.wait()

    names = [line.split()[0] for line in seen.read_text().splitlines()]
    sizes = [int(line.split()[1]) for line in seen.read_text().splitlines()]
    assert len(names) == len(set(names)) == 10
    assert all(size > 5_000 for size in sizes), "whole from the first moment"
    assert visible(inbox) == []


def _until_watched(inbox: Path, leader: int) -> None:
    """Wait until the watcher has its watch: a file that it is told of is gone."""
    probe = inbox / "probe"

    def is_gone() -> bool:
        beside = inbox / ".probe"
        beside.write_bytes(b"p")
        beside.rename(probe)
        time.sleep(0.05)
        return not probe.exists()

    eventually(is_gone, f"the watcher {leader} never woke up; is inotifywait here?")
