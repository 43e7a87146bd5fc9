"""The command of a person: once for each escalation, in bounded time, and never in the way."""

import json
import sys
from pathlib import Path

import pytest

from palaver.bus.config import user_config
from tests.patience import PATIENCE
from tests.supervision.scene import WORKER, Scene
from tests.sync.living import eventually

WRITE = """
import json, os, sys
with open(sys.argv[1], "a") as file:
    kept = {name: value for name, value in os.environ.items() if name.startswith("PALAVER")}
    file.write(json.dumps(kept) + "\\n")
"""


@pytest.fixture(autouse=True)
def own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))


def notifying(folder: Path, *command: str, deadlines: str = "") -> Scene:
    own = Path(user_config.location())
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(f"[notify]\ncommand = {json.dumps(list(command))}\n")
    return Scene(folder, f"[deadlines]\n{deadlines}")


def told(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().split("\n") if line] if path.exists() else []


def test_it_runs_once_for_each_escalation_and_is_told_which(tmp_path: Path) -> None:
    out = tmp_path / "out"
    scene = notifying(tmp_path / "bus", sys.executable, "-c", WRITE, str(out))
    first = scene.bus.send("ceo", "The disk is\x07 full.", sender=WORKER, act="escalate").message.id
    for _ in range(5):
        scene.restart()
        scene.patrol()
    eventually(lambda: told(out))
    second = scene.bus.send("ceo", "And now?", sender=WORKER, act="escalate").message.id
    for _ in range(5):
        scene.patrol()
        scene.patrols.wait_for_notifications(PATIENCE)
    eventually(lambda: len(told(out)) == 2)

    assert [each["PALAVER_ESCALATION"] for each in told(out)] == [first, second]
    assert told(out)[0]["PALAVER_TO"] == "ceo"
    assert told(out)[0]["PALAVER_FROM"] == WORKER
    assert told(out)[0]["PALAVER_TEXT"] == "The disk is  full."
    assert "PALAVER_AGENT" not in told(out)[0]


def test_one_that_hangs_is_ended_and_the_patrol_does_not_wait_for_it(tmp_path: Path) -> None:
    scene = notifying(
        tmp_path, sys.executable, "-c", "import time; time.sleep(600)", deadlines="notify = 0.2"
    )
    scene.bus.send("ceo", "The disk is full.", sender=WORKER, act="escalate")

    scene.patrol()
    scene.patrols.wait_for_notifications(PATIENCE)

    assert any("longer than 0.2 s" in note for note in scene.notes)


def test_one_that_is_not_there_or_fails_is_said(tmp_path: Path) -> None:
    for number, command in enumerate((["/nothing/there"], [sys.executable, "-c", "raise SystemExit(3)"])):
        scene = notifying(tmp_path / str(number), *command)
        scene.bus.send("ceo", "The disk is full.", sender=WORKER, act="escalate")
        scene.patrol()
        scene.patrols.wait_for_notifications(PATIENCE)

        assert len(scene.notes) == 1, scene.notes


def test_an_agent_that_runs_needs_no_command(tmp_path: Path) -> None:
    out = tmp_path / "out"
    scene = notifying(tmp_path / "bus", sys.executable, "-c", WRITE, str(out))
    scene.started("operations")
    scene.bus.send("operations", "The disk is full.", sender=WORKER, act="escalate")
    scene.patrol()
    scene.patrols.wait_for_notifications(PATIENCE)

    assert told(out) == []
