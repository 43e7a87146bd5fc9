"""`.work/.assignment-<agent>` and the assignments of the bus agree, whoever writes and whoever dies."""

import json
import random
import subprocess
import time
from pathlib import Path
from typing import Final

import pytest

from tests.processes.command import PROGRAM, environment
from tests.sync.living import Up
from tests.sync.scene import Scene
from tests.sync.test_marks import CALLS

COMPANY: Final = str(Path(PROGRAM).with_name("co"))
KILLS: Final = 10
WORKER: Final = "project-a/workers/slot0"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    found = Scene(tmp_path / "project")
    found.mount("vermas")
    for task in ("wo-1", "wo-2"):
        found.bus.open_task(f"Feature {task}", task=task)
    for agent in ("ceo", WORKER):
        found.bus.add_agent(agent)
    found.settle()
    return found


@pytest.fixture
def folder(scene: Scene) -> Path:
    return scene.folder / "vermas/.work"


def held(scene: Scene, agent: str = "ceo") -> str:
    found = scene.bus.assignment(agent=agent)
    return found.line if found else ""


def written(folder: Path, agent: str = "ceo") -> str:
    path = folder / f".assignment-{agent.replace('/', '-')}"
    return path.read_text().strip() if path.exists() else ""


def test_what_is_assigned_stands_in_the_file_until_it_is_cleared(scene: Scene, folder: Path) -> None:
    scene.bus.assign("ceo", "work_order:wo-1")
    scene.settle()
    assert (folder / ".assignment-ceo").read_bytes() == b"work_order:wo-1\n"

    scene.bus.clear_assignment(agent="ceo")
    scene.settle()

    assert (folder / ".assignment-ceo").read_bytes() == b""
    assert held(scene) == ""
    assert len(scene.events("assignment.set", "assignment.cleared")) == 2


def test_a_dispatch_is_found_by_the_worker_in_its_file(scene: Scene, folder: Path) -> None:
    scene.bus.dispatch("wo-1", "project-a")
    scene.settle()

    assert written(folder, WORKER) == "work_order:wo-1"
    scene.bus.deliver("wo-1", "branch slot0-x", by=WORKER)
    scene.settle()
    assert written(folder, WORKER) == ""


def test_a_file_that_is_written_by_hand_sets_the_assignment_and_gives_the_work(
    scene: Scene, folder: Path
) -> None:
    (folder / ".assignment-project-a-workers-slot0").write_text("work_order:wo-1\n")
    scene.settle()

    assert held(scene, WORKER) == "work_order:wo-1"
    task = scene.bus.task("wo-1").task
    assert (task.state, task.holder) == ("assigned", WORKER)
    assert written(folder, WORKER) == "work_order:wo-1"
    assert '"assignee":"project-a/workers/slot0"' in (folder / "work_orders.jsonl").read_text()


def test_what_was_assigned_is_emptied_by_hand_and_given_again(scene: Scene, folder: Path) -> None:
    scene.bus.assign("ceo", "work_order:wo-1")
    scene.settle()
    file = folder / ".assignment-ceo"

    seen = []
    for line in ("", "work_order:wo-2\n", "", "work_order:wo-1\n", "", "work_order:wo-1"):
        file.write_text(line)
        scene.settle()
        seen.append(held(scene))

    assert seen == ["", "work_order:wo-2", "", "work_order:wo-1", "", "work_order:wo-1"]


def test_a_work_order_written_over_another_changes_nothing_and_its_owner_is_told(
    scene: Scene, folder: Path
) -> None:
    scene.bus.assign("ceo", "work_order:wo-1")
    scene.settle()

    (folder / ".assignment-ceo").write_text("work_order:wo-2\n")
    scene.settle()

    assert (held(scene), written(folder)) == ("work_order:wo-1", "work_order:wo-1")
    [told] = [each.message.body for each in scene.bus.inbox(agent="ada").mail if "wo-2" in each.message.body]
    assert "it has work_order:wo-1" in told


def test_mail_may_be_written_over_a_work_order_which_comes_back_after_it(scene: Scene, folder: Path) -> None:
    scene.bus.assign("ceo", "work_order:wo-1")
    mail = scene.bus.send("ceo", "Go on at step 3").message.id
    scene.settle()

    (folder / ".assignment-ceo").write_text(f"mail:{mail}\n")
    scene.settle()
    during = held(scene)
    scene.bus.archive([mail], agent="ceo")
    scene.settle()

    assert during == f"mail:{mail}"
    assert (held(scene), written(folder)) == ("work_order:wo-1", "work_order:wo-1")


def test_work_that_is_delivered_makes_room_for_the_next_assignment_of_the_same_moment(
    scene: Scene, folder: Path
) -> None:
    scene.bus.dispatch("wo-1", "project-a")
    scene.settle()

    done = {"id": "msg-1", "from": WORKER, "to": "ada", "subject": "WORKER_DONE: wo-1", "body": "x"}
    with (folder / "messages.jsonl").open("a") as file:
        file.write(json.dumps({**done, "timestamp": "2026-01-01T10:00:00Z"}) + "\n")
    (folder / ".assignment-project-a-workers-slot0").write_text("work_order:wo-2\n")
    scene.settle()

    assert held(scene, WORKER) == "work_order:wo-2"
    assert scene.bus.task("wo-2").task.holder == WORKER


def test_a_file_that_is_deleted_clears_the_assignment_once(scene: Scene, folder: Path) -> None:
    scene.bus.assign("ceo", "work_order:wo-1")
    scene.settle()

    (folder / ".assignment-ceo").unlink()
    scene.settle()
    assert held(scene) == ""
    assert not (folder / ".assignment-ceo").exists()

    scene.bus.assign("ceo", "work_order:wo-2")
    scene.settle()
    scene.restart()
    scene.settle()
    assert (held(scene), written(folder)) == ("work_order:wo-2", "work_order:wo-2")
    assert len(scene.events("assignment.cleared")) == 1


def test_a_folder_that_is_away_clears_nothing_and_comes_back(scene: Scene, folder: Path) -> None:
    scene.bus.assign("ceo", "work_order:wo-1")
    scene.settle()

    folder.rename(folder.with_name("away"))
    scene.settle()

    assert (held(scene), written(folder)) == ("work_order:wo-1", "work_order:wo-1")
    assert len(scene.events("assignment.cleared")) == 0


def test_what_is_no_assignment_is_kept_and_sets_nothing(scene: Scene, folder: Path) -> None:
    (folder / ".assignment-ceo").write_text("whatever\n")
    scene.settle()

    assert held(scene) == ""
    assert (folder / ".assignment-ceo").read_text() == "whatever\n"
    assert len(scene.events("file.quarantined")) == 1


def test_the_board_moves_on_before_anybody_has_read_what_was_written(scene: Scene, folder: Path) -> None:
    for line in ("work_order:wo-1", "work_order:wo-2") * 3:
        scene.bus.assign("ceo", line, replace=True)
        scene.sync()
    scene.bus.clear_assignment(agent="ceo")
    scene.sync()
    scene.restart()
    scene.settle()

    assert (held(scene), written(folder)) == ("", "")
    assert len(scene.events("assignment.set")) == 6
    assert len(scene.events("assignment.cleared")) == 1


def test_who_lives_in_another_company_has_his_file_there(scene: Scene, folder: Path) -> None:
    other = scene.mount("vermas", "v2", agents="w9") / ".work"
    scene.bus.assign("v2/w9", "work_order:wo-1")
    scene.settle()

    assert written(other, "w9") == "work_order:wo-1"
    assert not (folder / ".assignment-w9").exists()


def test_a_death_at_any_moment_leaves_file_and_bus_in_agreement(scene: Scene, folder: Path) -> None:
    env = environment("ada", {"PALAVER_ROOT": str(scene.folder), "AGENT_ID": "ada"})
    for number, (call, nth) in enumerate(CALLS):
        scene.bus.clear_assignment(agent="ceo")
        scene.settle()
        trace = ["strace", "-f", "-qq", "-o", "/dev/null", f"--trace={call}"]
        fault = ["-e", f"inject={call}:signal=KILL:when={nth}"]
        words = [COMPANY, "assignment", "set", "ceo", f"work_order:wo-{1 + number % 2}"]
        died = subprocess.run([*trace, *fault, *words], env=env, check=False, capture_output=True)
        assert died.returncode, call

        scene.restart()
        scene.settle()
        assert held(scene) == written(folder) == f"work_order:wo-{1 + number % 2}", call


def test_kills_leave_file_and_bus_in_agreement(scene: Scene, folder: Path) -> None:
    seed = time.time_ns()
    dice = random.Random(seed)
    for number in range(KILLS):
        daemon = Up(scene.folder, "--quiet")
        if dice.random() < 0.3:
            scene.bus.clear_assignment(agent="ceo")
        else:
            scene.bus.assign("ceo", f"work_order:wo-{1 + number % 2}", replace=True)
        time.sleep(dice.uniform(0.0, 0.3))
        daemon.kill()
        daemon.close()
        before = held(scene)
        scene.restart()
        scene.settle()
        assert held(scene) == written(folder) == before, f"seed {seed}"
