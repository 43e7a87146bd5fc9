"""palaver up: told of changes, it looks; told of none, it looks too; ended anyhow, nothing is lost."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from palaver.daemon.folder_watch import Folders
from tests.cli.spoken import PALAVER, Shell, surroundings
from tests.patience import PATIENCE
from tests.sync.scene import Scene, append, dropped
from tests.sync.spoken import SPEECH, SPEECHES

# Nothing takes longer, even on a machine that is busy; what takes longer never comes.


def shell(scene: Scene) -> Shell:
    return Shell(folder=scene.folder, env=surroundings(PALAVER_AGENT="ada"))


@contextmanager
def up(scene: Scene, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Keep a bus up meanwhile."""
    process = shell(scene).start("up", "--no-web", *words)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith(b"Up:"), said
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def until(happened: Callable[[], object], *, seconds: float = PATIENCE, nap: float = 0.01) -> None:
    """Wait until something is so."""
    began = time.monotonic()
    while not happened():
        assert time.monotonic() - began < seconds, "it never came"
        time.sleep(nap)


def a_bus(tmp_path: Path) -> tuple[Scene, dict[str, Path]]:
    scene = Scene(tmp_path / "bus")
    return scene, {each.dialect: scene.mount(each.dialect, **each.settings) for each in SPEECHES}


def test_lines_in_all_dialects_are_in_the_log_without_any_command(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path)

    with up(scene, "--quiet"):
        for n in range(5):
            for each in SPEECHES:
                append(mounts[each.dialect] / each.file, each.says(f"{each.dialect} {n}"))
        until(lambda: len([body for body in scene.bodies() if "palaver" not in body]) >= 25)

    found = Counter(body for body in scene.bodies() if "palaver" not in body)
    assert found == Counter(f"{each.dialect} {n}" for each in SPEECHES for n in range(5))


def test_ended_politely_it_says_so_and_leaves_nothing_to_do(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path)

    with up(scene, "--quiet") as process:
        append(mounts["swarm"] / "channel.jsonl", SPEECH["swarm"].says("hello"))
        until(lambda: "hello" in scene.bodies())
        process.send_signal(signal.SIGTERM)
        code = process.wait(PATIENCE)
    scene.settle()

    chat = (mounts["collab"] / "chat.log").read_text()
    assert code == 0
    assert chat.count("palaver is up") == 1
    assert chat.count("palaver is down") == 1


def test_a_second_one_says_who_is_there(tmp_path: Path) -> None:
    scene, _ = a_bus(tmp_path)

    with up(scene, "--quiet") as process:
        answer = shell(scene).run("up")

    assert answer.code == 5
    assert str(process.pid) in answer.err


def test_killed_and_started_again_it_repeats_and_loses_nothing(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path)
    channel = mounts["swarm"] / "channel.jsonl"

    for n in range(4):
        with up(scene, "--quiet") as process:
            append(channel, SPEECH["swarm"].says(f"while up {n}"))
            process.kill()
        append(channel, SPEECH["swarm"].says(f"while down {n}"))
    scene.restart()
    scene.settle()

    assert scene.bodies("swarm") == [f"while {how} {n}" for n in range(4) for how in ("up", "down")]


def test_a_folder_that_is_made_later_or_made_again_is_watched_from_then_on(tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    folders = Folders()

    for _ in range(2):
        folders.cover([str(tmp_path), str(inbox)])
        inbox.mkdir()
        assert folders.changed() is None
        assert folders.stale, "whoever was told that a folder came looks again, and watches it"
        folders.cover([str(tmp_path), str(inbox)])
        (inbox / "a").touch()
        (inbox / "a").unlink()

        assert folders.changed() == {str(inbox)}

        inbox.rmdir()
        assert folders.changed() is None
        assert folders.stale, "whoever was told that a watch is gone sets it again"
    folders.close()


def test_without_watches_it_looks_by_itself_and_says_so(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path)
    blind = ["strace", "-f", "-o", "/dev/null", "-e", "inject=inotify_init1:error=EMFILE"]
    palaver = shell(scene)
    process = subprocess.Popen(
        [*blind, PALAVER, "up", "--no-web", "--quiet"],
        cwd=scene.folder,
        env=dict(palaver.env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"Up:")
        append(mounts["swarm"] / "channel.jsonl", SPEECH["swarm"].says("hello"))
        until(lambda: "hello" in scene.bodies())
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        _, complaints = process.communicate(timeout=PATIENCE)

    assert b"checked every" in complaints


def test_what_is_sent_stands_in_the_file_of_the_recipient(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path)

    with up(scene, "--quiet"):
        for n in range(5):
            assert shell(scene).run("send", "architect", "-m", f"number {n}.").code == 0
        channel = mounts["swarm"] / "channel.jsonl"
        until(lambda: channel.exists() and channel.read_bytes().count(b"number") >= 5)
    scene.restart()
    scene.settle()

    assert [channel.read_bytes().count(f"number {n}.".encode()) for n in range(5)] == [1] * 5


@pytest.mark.parametrize("count", [300])
def test_each_dropped_file_is_one_message_however_many_come_at_once(tmp_path: Path, count: int) -> None:
    scene, mounts = a_bus(tmp_path)

    with up(scene, "--quiet"):
        for n in range(count):
            dropped(
                mounts["collab"] / "inbox", f"msg_{1771730144_000000000 + n}.txt", f"drop {n}.\n".encode()
            )
        until(lambda: scene.bodies().count(f"drop {count - 1}.") and len(scene.bodies("collab")) >= count)

    assert Counter(scene.bodies("collab")) == Counter(f"drop {n}." for n in range(count))
