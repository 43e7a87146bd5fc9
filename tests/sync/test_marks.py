"""`.work/messages.jsonl` says what was read, and nothing that is written to it meanwhile is lost."""

import errno
import json
import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from palaver.model.event import texts
from palaver.sync.render import replacement
from palaver.sync.replaced_files import Fingerprint, entry_name
from tests.processes.command import PROGRAM, environment
from tests.sync.interleaving import quiet_bus
from tests.sync.scene import Scene, append, left_alone

NOT_FOUND: Final = 3
FILE: Final = ".work/messages.jsonl"
# All files of a mount.
FILES: Final = {"events.jsonl", "messages.jsonl", "work_orders.jsonl"}
# The system calls of a replacement: the new file is written and synced, exchanged with the old one, and the
# names are synced.
CALLS: Final = (("fchmod", 1), ("fsync", 1), ("renameat2", 1), ("fsync", 2), ("fsync", 3))


def line(message_id: str, to: str = "boss", sender: str = "w1", **more: object) -> bytes:
    fields = {"id": message_id, "from": sender, "to": to, "subject": "S", "body": f"text of {message_id}"}
    return (json.dumps({**fields, "timestamp": "2026-01-01T10:00:00.000Z", **more}) + "\n").encode()


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(row) for row in path.read_text().splitlines() if row.endswith("}")]


def marked(path: Path) -> dict[object, bool]:
    return {row["id"]: bool(row.get("read_at")) for row in rows(path)}


def reads(scene: Scene) -> list[tuple[str, list[str]]]:
    return [(event.actor, texts(event.data, "message_ids")) for event in scene.events("mail.read")]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "project")


@pytest.fixture
def file(scene: Scene) -> Path:
    path = scene.mount("vermas") / FILE
    append(path, line("msg-1") + line("msg-2", to="w1", sender="boss"))
    scene.settle()
    return path


def read_by(scene: Scene, agent: str) -> None:
    """Let an agent read all its mail, by commands."""
    code = 0
    while code == 0:
        ran = subprocess.run(command(scene), env=environment(agent), check=False, capture_output=True)
        code = ran.returncode
    assert code == NOT_FOUND, ran


def command(scene: Scene) -> list[str]:
    return [PROGRAM, "read", "--root", str(scene.folder), "--json"]


def test_what_was_read_says_so_in_the_file(scene: Scene, file: Path) -> None:
    read_by(scene, "boss")
    scene.settle()

    assert marked(file) == {"msg-1": True, "msg-2": False}
    [event] = scene.events("mail.read")
    assert rows(file)[0]["read_at"] == event.data["read_at"]


def test_what_was_sent_by_a_command_and_read_says_so_too(scene: Scene, file: Path) -> None:
    scene.bus.send("boss", "From outside.")
    scene.settle()
    read_by(scene, "boss")
    scene.settle()

    assert [bool(row.get("read_at")) for row in rows(file)] == [True, False, True]


def test_every_other_byte_of_a_line_keeps_its_meaning(scene: Scene, file: Path) -> None:
    odd = {
        "n": 1.5,
        "big": 12345678901234567890,
        "none": None,
        "deep": {"a": [1, {"b": "\u202e\x07é"}]},
        "zone": "ü",
    }
    append(file, line("msg-3", metadata=odd, extra=odd, read_at=None))
    append(file, b"this is no JSON\n\n  \n")
    append(file, line("msg-4").removesuffix(b"\n") + b"\r\n")
    scene.settle()
    before = {row["id"]: row for row in rows(file)}

    read_by(scene, "boss")
    scene.settle()

    after = {row["id"]: row for row in rows(file)}
    assert after["msg-2"] == before["msg-2"]
    for each in ("msg-1", "msg-3", "msg-4"):
        assert {**before[each], "read_at": after[each]["read_at"]} == after[each]
        assert after[each]["read_at"]
    assert b"this is no JSON\n\n  \n" in file.read_bytes()


def test_the_file_keeps_its_mode_and_nothing_lies_beside_it(scene: Scene, file: Path) -> None:
    file.chmod(0o664)

    read_by(scene, "boss")
    scene.settle()

    assert file.stat().st_mode & 0o777 == 0o664
    assert {each.name for each in file.parent.iterdir()} == FILES


def test_whoever_has_the_old_file_open_and_writes_to_it_later_is_heard(scene: Scene, file: Path) -> None:
    fd = os.open(file, os.O_WRONLY | os.O_APPEND)
    read_by(scene, "boss")
    scene.settle()
    assert os.fstat(fd).st_ino != file.stat().st_ino, "it was replaced"

    os.write(fd, line("msg-late"))
    scene.settle()
    os.write(fd, line("msg-later"))
    scene.settle()
    os.close(fd)
    scene.settle()

    assert sorted(scene.bodies())[2:] == ["text of msg-late", "text of msg-later"]
    assert len(scene.bodies()) == 4


def test_a_writer_who_never_stops_loses_nothing_while_marks_are_written(scene: Scene, file: Path) -> None:
    writer = subprocess.Popen(
        [
            "bash",
            "-c",
            f"for i in {{100..249}}; do echo \"${{LINE/msg-x/msg-$i}}\" >> '{file}'; sleep .01; done",
        ],
        env={"LINE": line("msg-x").decode().strip(), "PATH": os.environ["PATH"]},
    )
    while writer.poll() is None:
        subprocess.run(command(scene), env=environment("boss"), check=False, capture_output=True)
    scene.settle()

    wanted = [f"msg-{number}" for number in range(100, 250)]
    assert sorted(str(event.data["message_id"]) for event in scene.mail()) == sorted(
        ["msg-1", "msg-2", *wanted]
    )
    assert any(marked(file).values())


# --- what others do to the file ---


def test_a_mark_that_somebody_sets_by_hand_is_taken_in(scene: Scene, file: Path) -> None:
    file.write_bytes(line("msg-1") + line("msg-2", to="w1", sender="boss", read_at="2026-01-02T08:00:00Z"))

    report = scene.settle()
    scene.settle()

    assert reads(scene) == [("w1", ["msg-2"])]
    assert report.notes == [("vermas", FILE, "it was rewritten: its recorded bytes were changed")]
    assert len(scene.bodies()) == 2
    assert marked(file) == {"msg-1": False, "msg-2": True}


def test_a_mark_of_ours_is_not_taken_for_somebody_elses(scene: Scene, file: Path) -> None:
    read_by(scene, "boss")
    scene.settle()
    scene.restart()
    scene.settle()

    assert marked(file)["msg-1"]

    assert reads(scene) == [("boss", ["msg-1"])]


def test_a_line_that_somebody_adds_while_editing_is_a_message(scene: Scene, file: Path) -> None:
    file.write_bytes(line("msg-0") + file.read_bytes())

    report = scene.settle()

    assert sorted(scene.bodies()) == ["text of msg-0", "text of msg-1", "text of msg-2"]
    assert report.notes


def test_a_text_that_somebody_changes_is_taken_in_and_reported_and_the_log_keeps_what_was_said(
    scene: Scene, file: Path
) -> None:
    file.write_bytes(file.read_bytes().replace(b"text of msg-1", b"another text"))

    report = scene.settle()

    assert scene.bodies() == ["text of msg-1", "text of msg-2", "another text"]
    assert report.notes
    assert scene.codes() == ["id-twice"]
    assert b"another text" in file.read_bytes()


def test_a_line_without_end_keeps_nothing_waiting_for_ever(scene: Scene, file: Path) -> None:
    append(file, b'{"id":"msg-3","from":"w1"')
    left_alone(file)

    read_by(scene, "boss")
    for _ in range(3):
        scene.sync()
        left_alone(file)
    scene.settle()

    assert marked(file)["msg-1"]
    assert "mail.read" in (file.parent / "events.jsonl").read_text()
    assert b'{"id":"msg-3","from":"w1"' in file.read_bytes()


def test_a_file_that_was_deleted_is_made_again_with_what_is_new(scene: Scene, file: Path) -> None:
    file.unlink()
    scene.settle()
    scene.bus.send("boss", "From outside.")
    scene.settle()
    read_by(scene, "boss")
    scene.settle()

    [*_, row] = rows(file)
    assert row["body"] == "From outside."
    assert row["read_at"]
    assert len(scene.bodies()) == 3


# --- deaths ---


def test_a_death_at_any_moment_of_the_replacement_loses_nothing(scene: Scene, file: Path) -> None:
    """Kill the pass at each system call that changes a name; the file goes on being read."""
    for number, (call, nth) in enumerate(CALLS):
        append(file, line(f"msg-1{number}"))
        scene.settle()
        trace = ["strace", "-f", "-qq", "-o", "/dev/null"]
        fault = [f"--trace={call}", "-e", f"inject={call}:signal=KILL:when={nth}"]
        died = subprocess.run(
            [*trace, *fault, *command(scene)], env=environment("boss"), check=False, capture_output=True
        )
        assert died.returncode, call

        append(file, line(f"msg-2{number}"))
        scene.settle()
        read_by(scene, "boss")
        scene.settle()

        assert marked(file)[f"msg-1{number}"], call
        assert marked(file)[f"msg-2{number}"], call
        assert {each.name for each in file.parent.iterdir()} == FILES
    assert len(scene.bodies()) == 2 + 2 * len(CALLS)


@pytest.mark.parametrize("fault", [None, OSError(errno.ENOSPC, "no space")], ids=["refused", "full disk"])
def test_a_replacement_that_fails_is_made_by_the_next_pass(
    scene: Scene, file: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError | None
) -> None:
    def fail(*_: object, **__: object) -> bool:
        if fault is not None:
            raise fault
        return False

    quiet_bus(scene).read(["msg-1"], agent="boss")
    with monkeypatch.context() as patch:
        patch.setattr(replacement, "replace", fail)
        scene.sync()
    assert not any(marked(file).values())

    scene.restart()
    scene.settle()

    assert marked(file) == {"msg-1": True, "msg-2": False}


def test_a_file_that_was_about_to_be_replaced_goes_on_being_read(scene: Scene, file: Path) -> None:
    """Where two files cannot be exchanged: a process died between the link and the rename."""
    attic = scene.folder / ".palaver/attic"
    attic.mkdir(exist_ok=True)
    content = file.read_bytes()
    os.link(file, attic / entry_name("vermas", FILE, Fingerprint(content), Fingerprint(b"new"), 1))
    (attic / "new@1@1").write_bytes(b"half of it")

    append(file, line("msg-3"))
    report = scene.settle()

    assert report.troubles == []
    assert scene.bodies()[-1] == "text of msg-3"
    assert list(attic.iterdir()) == []
