"""A folder that is mounted under another name: nothing is recorded again."""

from pathlib import Path
from typing import Final

import pytest

from palaver.sync.mounts.mount_operations import add_mount
from tests.sync.scene import Scene, append, dropped, left_alone
from tests.sync.spoken import SPEECH, SPEECHES, Speech

every_dialect = pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
DROPPED: Final = "msg_1771149600000000000.txt"


def rename_by_command(scene: Scene, folder: Path, speech: Speech) -> None:
    scene.unmount(speech.dialect)
    add_mount(scene.bus.session, speech.dialect, str(folder), name="other", settings=speech.settings)


def rename_in_the_config(scene: Scene, folder: Path, speech: Speech) -> None:
    assert folder.is_dir()
    config = Path(scene.bus.root.path) / "config.toml"
    config.write_text(config.read_text().replace(f"[mounts.{speech.dialect}]", "[mounts.other]"))


@every_dialect
@pytest.mark.parametrize("rename", [rename_by_command, rename_in_the_config])
def test_what_is_in_a_folder_is_recorded_once(tmp_path: Path, speech: Speech, rename: object) -> None:
    assert callable(rename)
    scene = Scene(tmp_path / "bus")
    folder = scene.mount(speech.dialect, **speech.settings)
    append(folder / speech.file, speech.says("once") + b"\xff junk\n" + speech.says("twice"))
    if speech.dialect == "collab":
        dropped(folder / "inbox", DROPPED, b"JIM: in the inbox")
    left_alone(folder / speech.file)
    scene.settle()
    before, junk = sorted(scene.bodies()), len(scene.events("file.quarantined"))

    rename(scene, folder, speech)
    scene.settle()
    append(folder / speech.file, speech.says("news"))
    left_alone(folder / speech.file)
    scene.settle()

    assert sorted(scene.bodies()) == sorted([*before, "news"])
    assert scene.bodies("other") == ["news"]
    assert len(scene.events("file.quarantined")) == junk


def test_what_was_written_while_a_folder_was_not_mounted_is_history(tmp_path: Path) -> None:
    speech = SPEECH["swarm"]
    scene = Scene(tmp_path / "bus")
    folder = scene.mount("swarm")
    append(folder / speech.file, speech.says("once"))
    scene.settle()

    scene.unmount("swarm")
    append(folder / speech.file, speech.says("between"))
    add_mount(scene.bus.session, "swarm", str(folder), name="other")
    scene.settle()

    [between] = [event for event in scene.mail() if event.data["body"] == "between"]
    assert (between.src or {})["history"] == 1
    assert scene.bodies() == ["once", "between"]


def test_the_agents_of_a_folder_get_their_mail_there_under_its_new_name(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    folder = scene.mount("swarm")
    line = SPEECH["swarm"].says("once").replace(b"architect", b"newcomer")
    append(folder / "channel.jsonl", line)
    scene.settle()

    rename_by_command(scene, folder, SPEECH["swarm"])
    scene.settle()
    scene.bus.send(["newcomer"], "a letter")
    scene.settle()

    assert b"a letter" in (folder / "channel.jsonl").read_bytes()
