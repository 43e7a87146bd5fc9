"""Feedback is impossible: the log has what agents and commands said, and what the bus itself said to that."""

import json
import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palaver.sync.intake.echoes import FOREIGN, Renderings, Span
from tests.sync.scene import Scene, append, left_alone
from tests.sync.spoken import AT, SPEECHES
from tests.sync.traffic import Traffic


def files(scene: Scene) -> dict[Path, bytes]:
    """Return every byte of every file of every mount."""
    return {
        path: path.read_bytes()
        for each in scene.mounts()
        for path in Path(each.path).rglob("*")
        if path.is_file()
    }


def talk(folder: Path, seed: int, count: int) -> None:
    """Let agents talk at random; what was said is in the log once, and then there is rest."""
    scene = Scene(folder / "bus")
    traffic = Traffic(scene, random.Random(seed))

    for _ in range(count):
        traffic.something_is_said()
    scene.settle()
    before = files(scene)
    scene.restart()
    scene.settle()

    traffic.check()
    assert files(scene) == before, "at rest nothing is written"


@settings(deadline=None, max_examples=10, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 1 << 30))
def test_the_log_has_as_many_messages_as_were_said_and_passes_come_to_rest(seed: int) -> None:
    with TemporaryDirectory() as folder:
        talk(Path(folder), seed, 12)


def test_a_question_and_its_answers_wander_through_all_five_and_come_to_rest(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    mounts = {each.dialect: scene.mount(each.dialect, **each.settings) for each in SPEECHES}
    for each in SPEECHES:
        append(mounts[each.dialect] / each.file, each.says("hello, I am here"))
        left_alone(mounts[each.dialect] / each.file)
    scene.settle()

    for each in SPEECHES:
        scene.bus.send("@all", f"round {each.dialect}", sender=each.sender)
        scene.settle()

    said = Counter(scene.bodies())
    assert said == Counter(["hello, I am here"] * 5 + [f"round {each.dialect}" for each in SPEECHES])


def test_mounts_that_copy_each_others_lines_do_not_make_them_more(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    one, two = scene.mount("swarm", "t1"), scene.mount("swarm", "t2")
    line = json.dumps(
        {"ts": AT, "from": "td", "to": ["@all"], "type": "message", "reasoning": "r", "content": "x"}
    )
    append(one / "channel.jsonl", line.encode() + b"\n")
    scene.settle()
    sizes = [(path / "channel.jsonl").stat().st_size for path in (one, two)]

    for _ in range(3):
        scene.restart()
        scene.settle()

    assert scene.bodies() == ["x"]
    assert [(path / "channel.jsonl").stat().st_size for path in (one, two)] == sizes


def test_the_bounce_of_a_bounce_is_not_sent(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    folder = scene.mount("swarm")
    line = {"ts": AT, "from": "ghost", "to": ["@nobody", "@noone"], "type": "message", "reasoning": "r"}

    append(folder / "channel.jsonl", json.dumps({**line, "content": "boo"}).encode() + b"\n")
    scene.settle()

    assert len(scene.notices()) == 1
    assert len(scene.mail()) == 2


def test_who_takes_own_lines_for_anothers_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def foreign(owed: object, content: bytes) -> list[Span]:
        del owed
        return [Span(0, len(content), FOREIGN)] if content else []

    monkeypatch.setattr(Renderings, "spans", foreign)

    with pytest.raises(AssertionError):
        talk(tmp_path, 1, 3)
