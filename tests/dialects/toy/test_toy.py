"""A dialect that only the tests have obeys the laws, and is mounted, read, written and detected."""

import json
from pathlib import Path

import pytest

from palaver.dialects import DIALECTS
from palaver.model.mounted_files import Mount
from palaver.model.spec import DialectSpec
from palaver.sync.mounts.detection import detect_mounts
from tests.dialects.contract import DialectContract
from tests.dialects.toy.spec import FILE, SPEC
from tests.sync.scene import Scene, append


class TestToy(DialectContract):
    @property
    def dialect(self) -> DialectSpec:
        return SPEC

    @property
    def mount(self) -> Mount:
        return Mount(dialect="toy")

    @property
    def paths(self) -> tuple[str, ...]:
        return (FILE,)

    @property
    def samples(self) -> tuple[bytes, ...]:
        return (b"ada > bob: hello", b"ada > bob, carol: done (palaver task=parser)", b"nonsense")


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setitem(DIALECTS, "toy", "tests.dialects.toy.spec")
    return Scene(tmp_path)


@pytest.fixture
def board_scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setitem(DIALECTS, "toy", "tests.dialects.toy.board_spec")
    return Scene(tmp_path)


def test_a_line_reaches_another_dialect_and_the_answer_comes_back(scene: Scene) -> None:
    talk, team = scene.mount("toy", chair="zoe"), scene.mount("swarm")
    append(talk / FILE, b"zoe > architect: is the parser ready?\n")
    scene.settle()

    [line] = [json.loads(line) for line in (team / "channel.jsonl").read_text().splitlines()]
    assert (line["from"], line["to"]) == ("zoe", ["@architect"])
    assert "is the parser ready?" in line["content"]

    answer = {"from": "architect", "to": ["@zoe"], "type": "message", "reasoning": "-", "content": "It is."}
    append(team / "channel.jsonl", json.dumps(answer).encode() + b"\n")
    scene.settle()

    assert (talk / FILE).read_text().splitlines()[1].startswith("architect > zoe: It is.")


def test_lines_that_are_no_messages_are_quarantined(scene: Scene) -> None:
    talk = scene.mount("toy")
    append(talk / FILE, b"hello, is anybody there\n")

    assert scene.settle().quarantined == 1


def test_its_settings_and_its_lead_count(scene: Scene) -> None:
    talk = scene.mount("toy", chair="zoe")
    append(talk / FILE, b"bob > zoe: mine (palaver act=claim task=parser)\n")
    scene.settle()

    [task] = scene.bus.tasks()
    assert (task.task.state, task.task.approval) == ("claimed", True)


def test_it_is_detected(scene: Scene) -> None:
    append(scene.folder / FILE, b"ada > bob: hello\n")

    assert "toy" in [each.dialect for each in detect_mounts(str(scene.folder))]


def test_a_task_of_the_bus_is_shown_in_its_board_file(board_scene: Scene) -> None:
    talk = board_scene.mount("toy")
    (talk / "list.txt").write_text("# what is left to do\n")
    board_scene.bus.open_task("Write the parser", task="parser")
    board_scene.settle()

    assert (talk / "list.txt").read_text() == "# what is left to do\nparser todo Write the parser\n"


def test_an_edit_of_its_board_file_changes_the_task(board_scene: Scene) -> None:
    talk = board_scene.mount("toy")
    board_scene.bus.open_task("Write the parser", task="parser")
    board_scene.settle()
    (talk / "list.txt").write_text("parser todo Write the whole parser\nlexer todo Write the lexer\n")
    board_scene.settle()

    titles = {each.task.id: each.task.title for each in board_scene.bus.tasks()}
    assert titles == {"parser": "Write the whole parser", "lexer": "Write the lexer"}


def test_a_board_file_that_cannot_be_read_is_quarantined_and_written_again(board_scene: Scene) -> None:
    talk = board_scene.mount("toy")
    board_scene.bus.open_task("Write the parser", task="parser")
    board_scene.settle()
    (talk / "list.txt").write_text("nonsense\n")

    assert board_scene.settle().quarantined == 1
    assert (talk / "list.txt").read_text() == "parser todo Write the parser\n"
