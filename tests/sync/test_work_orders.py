"""`.work/work_orders.jsonl` and the board agree, whoever moves what where, and whoever dies in between."""

import json
import os
import random
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest

from palaver.dialects import spec
from tests.processes.command import PROGRAM, environment
from tests.sync.living import Up
from tests.sync.scene import Scene, append, left_alone
from tests.sync.test_marks import CALLS

FILE: Final = ".work/work_orders.jsonl"
KILLS: Final = 12


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "project")


@pytest.fixture
def file(scene: Scene) -> Path:
    path = scene.mount("vermas") / FILE
    scene.bus.add_agent("bob")
    return path


def rows(path: Path) -> dict[str, dict[str, object]]:
    found = [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]
    assert len({row["id"] for row in found}) == len(found), "a work order has one line"
    return {row["id"]: row for row in found}


def order(task: str, title: str = "Feature X", **more: object) -> bytes:
    return (json.dumps({"id": task, "title": title, **more}) + "\n").encode()


def edit(path: Path, task: str, **fields: object) -> None:
    """Change a line as a script does: read all, write all beside, move it there."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["id"] == task:
            line.update(fields)
    beside = path.with_name("edited")
    beside.write_text("".join(json.dumps(line) + "\n" for line in lines))
    beside.rename(path)


def state(scene: Scene, task: str) -> tuple[str, str]:
    found = scene.bus.task(task).task
    return found.state, found.holder


def agree(scene: Scene, path: Path) -> None:
    """Check that the file says of every task what the board says."""
    cards = {card.task.id: card for card in scene.bus.tasks()}
    said = rows(path)
    assert set(said) == set(cards)
    for task_id, card in cards.items():
        row, task = said[task_id], card.task
        assert row["title"] == task.title
        assert row.get("status", "open") == spec("vermas").statuses.word(task.state), task_id
        assert (row.get("assignee") or "") == task.holder, task_id
        needs = row.get("dependencies") or []
        assert isinstance(needs, list)
        assert {each["depends_on_id"] for each in needs} == set(card.needs)


# --- what the bus does stands in the file ---


def test_a_task_that_is_opened_and_moved_stands_in_the_file(scene: Scene, file: Path) -> None:
    scene.bus.open_task("Write the parser", task="wo-1", about="All of it.")
    scene.bus.open_task("Write its page", task="wo-2", needs=["wo-1"])
    scene.settle()
    agree(scene, file)

    scene.bus.claim("wo-1", by="bob")
    scene.settle()
    agree(scene, file)
    scene.bus.deliver("wo-1", "40 tests green", by="bob")
    scene.bus.move("wo-1", "accept")
    scene.settle()

    agree(scene, file)
    assert rows(file)["wo-1"]["status"] == "closed"
    assert rows(file)["wo-1"]["description"] == "All of it."
    assert [event.event_type for event in scene.events("task.opened", "task.changed")] == ["task.opened"] * 2


def test_without_tasks_the_file_is_empty(scene: Scene, file: Path) -> None:
    scene.bus.send("bob", "Hello.")
    scene.settle()

    assert file.read_bytes() == b""


def test_what_we_wrote_is_never_taken_in(scene: Scene, file: Path) -> None:
    scene.bus.open_task("Feature X", task="wo-1")
    scene.settle()
    for act in ("claim", "release", "claim", "release"):
        scene.bus.move("wo-1", act, by="bob")
        # The file is written, and the board moves on before anybody has read what was written.
        scene.sync()
    scene.settle()
    scene.restart()
    scene.settle()

    agree(scene, file)
    assert len(scene.mail()) == 4
    assert scene.events("file.recorded", "file.found") == []


def test_a_file_that_was_deleted_comes_back(scene: Scene, file: Path) -> None:
    scene.bus.open_task("Feature X", task="wo-1")
    scene.settle()
    file.unlink()

    scene.settle()

    agree(scene, file)
    assert len(scene.events("task.opened")) == 1


def test_a_file_that_was_emptied_is_filled_again(scene: Scene, file: Path) -> None:
    scene.bus.open_task("Feature X", task="wo-1")
    scene.settle()
    file.write_bytes(b"")

    scene.settle()

    agree(scene, file)


# --- what others write in the file stands on the board ---


def test_a_line_that_is_appended_is_a_task(scene: Scene, file: Path) -> None:
    append(file, order("wo-1", description="All of it.", priority=1, type="bug", created_by="ceo"))
    needs = [{"depends_on_id": "wo-1", "type": "blocks"}]
    append(file, order("wo-2", "Feature Y", dependencies=needs))
    scene.settle()

    card = scene.bus.task("wo-1")
    assert (card.task.title, card.task.about, card.task.priority) == ("Feature X", "All of it.", 1)
    assert (card.task.kind, card.task.owner, card.task.state) == ("bug", "ceo", "open")
    assert scene.bus.task("wo-2").waits_for == ["wo-1"]
    agree(scene, file)
    assert file.read_bytes().startswith(
        order("wo-1", description="All of it.", priority=1, type="bug", created_by="ceo")
    )


def test_fields_that_the_bus_does_not_know_stay(scene: Scene, file: Path) -> None:
    append(file, order("wo-1", labels=["a"], metadata={"n": 1.5}, mine={"deep": [1]}, created_by="ceo"))
    scene.settle()
    scene.bus.claim("wo-1", by="bob")
    scene.settle()

    row = rows(file)["wo-1"]
    assert (row["labels"], row["metadata"], row["mine"]) == (["a"], {"n": 1.5}, {"deep": [1]})
    assert (row["status"], row["assignee"]) == ("in_progress", "bob")


def test_a_title_that_is_changed_by_hand_and_back_again(scene: Scene, file: Path) -> None:
    scene.bus.open_task("Feature X", task="wo-1")
    scene.settle()

    for title in ("Feature Y", "Feature X", "Feature Y"):
        edit(file, "wo-1", title=title)
        scene.settle()
        assert scene.bus.task("wo-1").task.title == title
        agree(scene, file)


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"status": "in_progress", "assignee": "bob"}, ("working", "bob")),
        ({"status": "assigned", "assignee": "bob"}, ("assigned", "bob")),
        ({"assignee": "bob"}, ("assigned", "bob")),
        ({"status": "closed"}, ("done", "")),
    ],
)
def test_a_status_that_is_written_by_hand_is_a_move(
    scene: Scene, file: Path, fields: dict[str, object], wanted: tuple[str, str]
) -> None:
    scene.bus.open_task("Feature X", task="wo-1")
    scene.settle()

    edit(file, "wo-1", **fields)
    scene.settle()

    assert state(scene, "wo-1") == wanted
    agree(scene, file)


def test_the_way_of_a_work_order_by_hand_alone(scene: Scene, file: Path) -> None:
    append(file, order("wo-1", created_by="ceo"))
    scene.settle()

    seen = []
    for fields in (
        {"status": "assigned", "assignee": "w1"},
        {"status": "in_progress"},
        {"status": "open", "assignee": None},
        {"status": "in_progress", "assignee": "w2"},
        {"status": "closed"},
        {"status": "in_progress"},
    ):
        edit(file, "wo-1", **fields)
        scene.settle()
        agree(scene, file)
        seen.append(state(scene, "wo-1"))

    assert seen == [
        ("assigned", "w1"),
        ("working", "w1"),
        ("open", ""),
        ("working", "w2"),
        ("done", "w2"),
        ("rework", "w2"),
    ]


def test_a_claim_by_hand_that_breaks_a_rule_has_no_effect_and_the_file_is_put_right(
    scene: Scene, file: Path
) -> None:
    scene.bus.open_task("First", task="wo-1")
    scene.bus.open_task("Second", task="wo-2", needs=["wo-1"])
    scene.settle()

    edit(file, "wo-2", status="in_progress", assignee="bob")
    scene.settle()

    assert state(scene, "wo-2") == ("open", "")
    agree(scene, file)
    assert scene.bus.tried("wo-2")[-1].why == "it waits for task wo-1"
    assert any("wo-2 is not yours: it waits for wo-1" in str(each.data["body"]) for each in scene.notices())


def test_a_line_that_is_older_than_the_board_has_no_effect(scene: Scene, file: Path) -> None:
    scene.bus.open_task("Feature X", task="wo-1")
    scene.bus.claim("wo-1", by="bob")
    scene.settle()
    old = file.read_bytes()
    scene.bus.deliver("wo-1", "40 tests green", by="bob")
    scene.bus.move("wo-1", "accept")
    scene.settle()

    file.write_bytes(old.replace(b"Feature X", b"Feature Y"))
    scene.settle()

    assert scene.bus.task("wo-1").task.title == "Feature X"
    assert state(scene, "wo-1")[0] == "done"
    assert scene.codes() == ["order"]
    agree(scene, file)


def test_a_copy_that_is_put_back_changes_nothing(scene: Scene, file: Path) -> None:
    scene.bus.open_task("Feature X", task="wo-1")
    scene.settle()
    old = file.read_bytes()
    scene.bus.claim("wo-1", by="bob")
    scene.settle()

    file.write_bytes(old)
    scene.settle()

    assert state(scene, "wo-1") == ("working", "bob")
    agree(scene, file)


def test_a_status_without_an_agent_is_a_finding(scene: Scene, file: Path) -> None:
    scene.bus.open_task("Feature X", task="wo-1")
    scene.settle()

    edit(file, "wo-1", status="in_progress")
    scene.settle()

    assert state(scene, "wo-1") == ("open", "")
    assert scene.codes() == ["order"]
    agree(scene, file)


def test_where_the_policy_is_strict_a_line_proves_nothing(scene: Scene, file: Path) -> None:
    config = scene.folder / ".palaver/config.toml"
    config.write_text(config.read_text().replace('identity = "open"', 'identity = "strict"'))
    scene.bus.open_task("Feature X", task="wo-1")
    scene.settle()

    edit(file, "wo-1", title="Feature Y", status="closed")
    scene.settle()

    assert scene.bus.task("wo-1").task.title == "Feature X"
    assert state(scene, "wo-1") == ("open", "")
    agree(scene, file)


def test_what_cannot_be_read_stays_where_it_stands(scene: Scene, file: Path) -> None:
    append(file, b"not JSON\n" + order("wo-1", created_by="ceo") + order("bad id", "T"))
    scene.settle()
    scene.bus.claim("wo-1", by="bob")
    scene.settle()

    lines = file.read_bytes().splitlines()
    assert lines[0] == b"not JSON"
    assert json.loads(lines[1])["assignee"] == "bob"
    assert json.loads(lines[2]) == {"id": "bad id", "title": "T"}
    assert scene.codes() == ["order"]


def test_what_stands_there_when_it_is_mounted_is_as_far_as_it_says(scene: Scene) -> None:
    folder = scene.folder / "vermas/.work"
    folder.mkdir(parents=True)
    lines = (
        order("wo-1", status="closed", created_by="ceo")
        + order("wo-2", status="in_progress", assignee="w1", created_by="ceo")
        + order("wo-3", status="open", dependencies=[{"depends_on_id": "wo-2", "type": "blocks"}])
    )
    (folder / "work_orders.jsonl").write_bytes(lines)

    scene.mount("vermas")

    assert state(scene, "wo-1") == ("done", "")
    assert state(scene, "wo-2") == ("working", "w1")
    assert scene.bus.task("wo-3").waits_for == ["wo-2"]
    assert (folder / "work_orders.jsonl").read_bytes() == lines
    assert scene.mail() == []


# --- races and deaths ---


def test_who_has_the_old_file_open_is_heard(scene: Scene, file: Path) -> None:
    scene.bus.open_task("Feature X", task="wo-1")
    scene.settle()
    slow = os.open(file, os.O_WRONLY | os.O_APPEND)
    scene.bus.claim("wo-1", by="bob")
    scene.settle()
    assert os.fstat(slow).st_ino != file.stat().st_ino, "it was replaced"

    os.write(slow, order("wo-2", "Feature Y"))
    os.close(slow)
    scene.settle()

    agree(scene, file)
    assert state(scene, "wo-2") == ("open", "")


def test_a_line_without_end_keeps_nothing_waiting_for_ever(scene: Scene, file: Path) -> None:
    append(file, order("wo-1", created_by="ceo") + b'{"id":"wo-2"')
    scene.sync()
    scene.bus.claim("wo-1", by="bob")
    left_alone(file)
    for _ in range(3):
        scene.sync()
        left_alone(file)
    scene.settle()

    lines = file.read_bytes().splitlines()
    assert json.loads(lines[0])["assignee"] == "bob"
    assert lines[1] == b'{"id":"wo-2"'


def test_a_death_at_any_moment_of_the_replacement_loses_nothing(scene: Scene, file: Path) -> None:
    scene.bus.open_task("Feature X", task="wo-0")
    scene.settle()
    for number, (call, nth) in enumerate(CALLS):
        trace = ["strace", "-f", "-qq", "-o", "/dev/null"]
        fault = [f"--trace={call}", "-e", f"inject={call}:signal=KILL:when={nth}"]
        words = [PROGRAM, "task", "open", f"Feature {number}", "--id", f"wo-1{number}"]
        run = [*trace, *fault, *words, "--root", str(scene.folder)]
        died = subprocess.run(run, env=environment("ada"), check=False, capture_output=True)
        assert died.returncode, call

        append(file, order(f"wo-2{number}"))
        scene.restart()
        scene.settle()

        agree(scene, file)
        assert state(scene, f"wo-2{number}") == ("open", "")
    opened = [str(event.data["task"]) for event in scene.events("task.opened")]
    assert len(set(opened)) == len(opened)
    assert scene.mail() == []


def test_kills_leave_the_board_and_the_file_in_agreement(scene: Scene, file: Path) -> None:
    seed = time.time_ns()
    dice = random.Random(seed)
    scene.bus.open_task("Feature X", task="wo-x")
    scene.settle()
    for number in range(KILLS):
        daemon = Up(scene.folder, "--quiet")
        scene.bus.open_task(f"Feature {number}", task=f"wo-c{number}")
        append(file, order(f"wo-f{number}", created_by="ceo"))
        scene.bus.claim(f"wo-c{number}", by="bob")
        time.sleep(dice.uniform(0.0, 0.4))
        daemon.kill()
        daemon.close()
    scene.restart()
    scene.settle()

    agree(scene, file)
    assert len(rows(file)) == 1 + 2 * KILLS, f"seed {seed}"
    assert all(state(scene, f"wo-c{number}") == ("working", "bob") for number in range(KILLS))
    assert len(scene.mail()) == KILLS, f"seed {seed}: nothing that we wrote came back as a move"
