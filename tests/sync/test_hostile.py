"""What lies in the place of a file and is none: no hang, no look outside, a finding, and tried again."""

import os
import socket
import time
from pathlib import Path

import pytest

from palaver.model.event import table
from palaver.sync.intake.file_events import draft
from tests.cli.spoken import Shell, obey_modes, surroundings
from tests.patience import PATIENCE
from tests.sync.living import swarm_line
from tests.sync.scene import Scene, append, left_alone
from tests.sync.spoken import SPEECH, SPEECHES, Speech

every_dialect = pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
# Nothing that is refused takes longer than this, even on a machine that is busy.


def a_place(tmp_path: Path, speech: Speech) -> tuple[Scene, Path]:
    scene = Scene(tmp_path / "bus")
    folder = scene.mount(speech.dialect, **speech.settings)
    return scene, folder / speech.file


def shell(scene: Scene) -> Shell:
    return Shell(folder=scene.folder, env=surroundings(PALAVER_AGENT="ada"))


def link(place: Path, outside: Path) -> None:
    place.symlink_to(outside)


def pipe(place: Path, outside: Path) -> None:
    del outside
    os.mkfifo(place)


def folder(place: Path, outside: Path) -> None:
    del outside
    place.mkdir()


def twin(place: Path, outside: Path) -> None:
    place.hardlink_to(outside)


def door(place: Path, outside: Path) -> None:
    del outside
    here = Path.cwd()
    os.chdir(place.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(place.name)
    finally:
        os.chdir(here)


def dangling(place: Path, outside: Path) -> None:
    place.symlink_to(outside.with_name("nothing-here"))


def looping(place: Path, outside: Path) -> None:
    del outside
    place.symlink_to(place.name)


OBJECTS = {
    "symlink": link,
    "dangling": dangling,
    "looping": looping,
    "fifo": pipe,
    "folder": folder,
    "hard link": twin,
    "socket": door,
}
every_object = pytest.mark.parametrize("made", OBJECTS.values(), ids=OBJECTS)


@every_object
@every_dialect
def test_what_is_no_plain_file_is_not_read_and_is_said_once(
    tmp_path: Path, speech: Speech, made: object
) -> None:
    scene, place = a_place(tmp_path, speech)
    outside = tmp_path / "outside"
    outside.write_bytes(speech.says("a secret of somebody else"))
    before = outside.read_bytes()
    assert callable(made)
    # A file that the bus makes itself is there from the start.
    place.unlink(missing_ok=True)
    made(place, outside)
    began = time.monotonic()

    first = scene.settle()
    second = scene.settle()

    assert time.monotonic() - began < PATIENCE
    assert scene.bodies() == []
    assert first.troubles
    assert second.troubles, "it is tried again"
    assert len(scene.codes()) == 1, "it is said once"
    assert outside.read_bytes() == before
    assert scene.account(speech.dialect, speech.file).unfit


@every_object
@every_dialect
def test_nothing_is_written_through_what_is_no_plain_file_and_it_is_written_once_it_is_one(
    tmp_path: Path, speech: Speech, made: object
) -> None:
    scene, place = a_place(tmp_path, speech)
    append(place, speech.says("I live here"))
    left_alone(place)
    scene.settle()
    place.unlink()
    outside = tmp_path / "outside"
    outside.write_bytes(b"precious\n")
    assert callable(made)
    made(place, outside)

    scene.bus.send(f"@{speech.dialect}", "to everyone there")
    report = scene.settle()
    untouched = outside.read_bytes()
    if place.is_dir() and not place.is_symlink():
        place.rmdir()
    else:
        place.unlink()
    scene.settle()

    files = {path: path.read_bytes() for path in place.parent.iterdir() if path.is_file()}
    assert report.troubles or any(b"to everyone there" in each for each in files.values())
    assert untouched == b"precious\n"
    assert b"".join(files.values()).count(b"to everyone there") >= 1


def test_devices_do_not_make_anybody_wait(tmp_path: Path) -> None:
    scene, place = a_place(tmp_path, SPEECH["swarm"])
    if os.geteuid() != 0:
        pytest.fail("devices are made by root; run the tests as root or in a container")
    os.mknod(place, 0o600 | 0o020000, os.makedev(1, 5))

    report = scene.settle()

    assert report.troubles
    assert scene.codes() == ["not-a-file"]
    assert scene.bodies() == []


@every_dialect
def test_a_file_that_may_not_be_read_is_tried_again(tmp_path: Path, speech: Speech) -> None:
    scene, place = a_place(tmp_path, speech)
    append(place, speech.says("hidden"))
    left_alone(place)
    place.chmod(0)

    answer = shell(scene).run("sync", "--json", before=obey_modes)
    hidden = scene.bodies()
    place.chmod(0o600)
    scene.restart()
    scene.settle()

    assert answer.code == 1
    assert hidden == []
    assert scene.bodies() == ["hidden"]
    assert scene.codes()[0] == "unreadable"


def test_a_file_that_may_not_be_written_stays_owed_and_the_command_succeeds(tmp_path: Path) -> None:
    speech = SPEECH["swarm"]
    scene, place = a_place(tmp_path, speech)
    append(place, speech.says("hello"))
    scene.settle()
    place.chmod(0o444)

    answer = shell(scene).run("send", "architect", "-m", "for you", before=obey_modes)
    waiting = place.read_bytes()
    place.chmod(0o644)
    scene.restart()
    scene.settle()

    assert answer.code == 0
    assert b"for you" not in waiting
    assert place.read_bytes().count(b"for you") == 1


def test_a_sparse_file_of_a_terabyte_is_not_read(tmp_path: Path) -> None:
    scene, place = a_place(tmp_path, SPEECH["swarm"])
    place.touch()
    os.truncate(place, 1 << 40)
    began = time.monotonic()

    report = scene.settle()

    assert time.monotonic() - began < PATIENCE
    assert report.troubles
    assert scene.codes() == ["too-large"]


def test_a_mount_whose_folder_became_a_link_is_not_followed_elsewhere(tmp_path: Path) -> None:
    speech = SPEECH["swarm"]
    scene, place = a_place(tmp_path, speech)
    append(place, speech.says("mine"))
    scene.settle()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "channel.jsonl").write_bytes(speech.says("not yours to read"))
    place.parent.rename(tmp_path / "away")
    place.parent.symlink_to(elsewhere)

    scene.restart()
    scene.bus.send("architect", "hello")
    report = scene.settle()

    assert "not yours to read" not in scene.bodies()
    assert (elsewhere / "channel.jsonl").read_bytes() == speech.says("not yours to read")
    assert report.troubles


@pytest.mark.parametrize("spoken", ["office", "collab", "vermas"])
def test_an_inner_folder_that_is_a_link_is_not_followed(tmp_path: Path, spoken: str) -> None:
    speech = SPEECH[spoken]
    scene = Scene(tmp_path / "bus")
    mount = scene.mount(spoken, **speech.settings)
    inner = {"office": "messages", "collab": "inbox", "vermas": ".work"}[spoken]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    name = {
        "office": "employee-emp-a.log",
        "collab": "msg_1771730144123456789.txt",
        "vermas": "messages.jsonl",
    }
    file = elsewhere / name[spoken]
    file.write_bytes(b"hello\n" if spoken == "collab" else speech.says("not yours to read"))
    left_alone(file)
    before = file.read_bytes()
    (mount / inner).rename(tmp_path / "away")
    (mount / inner).symlink_to(elsewhere)

    scene.bus.send(f"@{spoken}", "hello")
    report = scene.settle()

    assert [each for each in scene.bodies() if each != "hello" or spoken == "collab"] in ([], ["hello"])
    assert sorted(path.name for path in elsewhere.iterdir()) == [name[spoken]]
    assert file.read_bytes() == before
    assert report.troubles


def test_a_mount_that_is_gone_costs_nobody_else_anything(tmp_path: Path) -> None:
    speech = SPEECH["swarm"]
    scene, place = a_place(tmp_path, speech)
    other = scene.mount("collab", **SPEECH["collab"].settings)
    place.parent.rename(tmp_path / "away")

    append(other / "chat.log", SPEECH["collab"].says("still here"))
    report = scene.settle()
    (tmp_path / "away").rename(place.parent)
    append(place, speech.says("back again"))
    scene.settle()

    assert scene.bodies() == ["still here", "back again"]
    assert report.troubles


def test_a_file_name_with_anything_in_it_is_shown_safely(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    mount = scene.mount("collab", **SPEECH["collab"].settings)
    for name in (b"a\nb.txt", b"\x1b[2J.txt", b"\xff\xfe.txt", b"-rf", b"x" * 251 + b".txt"):
        path = os.fsencode(mount / "inbox") + b"/" + name
        with open(path, "wb") as file:  # noqa: PTH123 - bytes
            file.write(b"hello")
        os.utime(path, (1, 1))

    scene.settle()
    answer = shell(scene).run("status")

    assert answer.code == 0
    assert len(scene.bodies()) == 5


def test_a_mount_of_an_unknown_dialect_is_reported_and_the_others_are_synced(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    swarm = scene.mount("swarm")
    [*_, applied] = scene.events("config.applied")
    mounts = {**table(applied.data, "mounts"), "later": {"dialect": "morse", "path": "later"}}
    settings = {**applied.data, "mounts": mounts}
    scene.bus.session.log.append([draft("config.applied", settings)])
    append(swarm / "channel.jsonl", swarm_line("hello"))

    report = scene.sync()

    [(mount, _, why)] = report.troubles
    assert mount == "later"
    assert "morse" in why
    assert scene.bodies() == ["hello"]
