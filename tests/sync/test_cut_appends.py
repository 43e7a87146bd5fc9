"""A process dies between two records of one append: the next one goes on, and the author is told once."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from palaver.model.event import text
from tests.acceptance.lines import approval, block, chat, claim, delivery, info, mail, post, reply, work_order
from tests.sync.scene import Scene, append, dropped
from tests.sync.spoken import SPEECH

INBOX, ORDERS = "messages/manager-inbox.log", ".work/work_orders.jsonl"
SECRET = "The key is AKIAIOSFODNN7QWERTYZ."
MORE_SETTINGS = {"vermas": {"agents": "ceo,ops"}}
#: By dialect and kind of mistake: the file, what stands in it before, and the wrong lines.
WRONG = {
    "office: cannot be read": ("", "", claim("004", "emp-a").replace("| by:", "| by: emp-a | by:")),
    "office: form": ("", "", claim("004", "emp-a").replace("CLAIM", "claim")),
    "office: several faults": ("", "", claim("004", "emp-a", deps_met="no").replace("CLAIM", "claim")),
    "office: no effect": ("", "", delivery("099", "emp-a")),
    "office: secret": ("", "", info("emp-a", SECRET)),
    "office: another's file": ("", info("emp-a", "Here."), approval("004", "emp-a")),
    "office: to nobody": (INBOX, info("emp-a", "Here."), reply("emp-zz", "8080.")),
    "vermas: cannot be read": ("", "", mail("ceo", "", "Stuck", "Which branch?")),
    "vermas: type": ("", "", mail("ceo", "ops", "Plan", "Two parts.", type="NOPE")),
    "vermas: id twice": ("", mail("ceo", "ops", "A", "1", id="m-7"), mail("ceo", "ops", "A", "2", id="m-7")),
    "vermas: secret to nobody": ("", "", mail("ceo", "opps", "Key", SECRET, type="NOPE")),
    "vermas: order": (ORDERS, work_order("wo-1"), work_order("wo-1").replace("open", "in_progress")),
    "vermas: assignment": (".work/.assignment-ceo", "", "work_order:wo-9"),
    "swarm: cannot be read": ("", "", post("qa", "@td", "chatter", "Auth module ready.")),
    "swarm: cannot be read, twice": ("", "", f"?\n{post('qa', '@td', 'message', 'Ready.')}\n?!"),
    "swarm: several faults": ("", "", post("qa", "td", "message", "ACK: Claimed task #2.", reasoning="")),
    "swarm: to nobody": ("", "", post("qa", "@tdd", "message", "Auth module ready.")),
    "swarm: secret to nobody": ("", "", post("qa", "@tdd", "message", SECRET, reasoning="-")),
    "runbus: cannot be read": ("", "", block("FACT", "codex-impl-1", "2", name="MSG-1", more="type: FACT")),
    "runbus: rule": ("", "", block("COMPLETE", "codex-impl-1", "Wrote it.", name="MSG-1")),
    "runbus: id twice": (
        "",
        block("FACT", "codex-impl-1", "1", name="MSG-1"),
        block("FACT", "codex-impl-1", "2", name="MSG-1"),
    ),
    "collab: cannot be read": ("", "", "2026-02-22 03:15:46 CLAWDY -> JIM:"),
    "collab: rule": ("", "", chat("JIM", "CLAWDY", "Check on the trading bot")),
    "collab: no effect": (
        "",
        chat("JIM", "CLAWDY", "[TASK:price] BTC"),
        chat("JIM", "CLAWDY", "[DONE:price] $94,230"),
    ),
    "collab: mention": ("", "", chat("JIM", "CLAWDYY", "Look at the price.")),
    "collab: drop": ("inbox/1.txt", "", "Check on the trading bot\n"),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_author_is_told_once_wherever_the_append_of_its_line_was_cut(tmp_path: Path, case: str) -> None:
    whole = scene_with(case, tmp_path / "whole")
    before = len(records(whole))
    whole.take_in()
    appended = len(records(whole)) - before
    whole.settle()
    assert notices(whole)
    for count in range(appended):
        scene = scene_with(case, tmp_path / str(count))
        scene.take_in()
        die_after(scene, before + count)

        scene.settle()

        assert notices(scene) == notices(whole), f"{count} of {appended} records were written"
        assert findings(scene) == findings(whole), f"{count} of {appended} records were written"


@pytest.mark.parametrize("case", WRONG)
def test_a_line_is_taken_in_once_though_its_record_lost_the_end_of_its_line(
    tmp_path: Path, case: str
) -> None:
    whole = scene_with(case, tmp_path / "whole")
    before = len(records(whole))
    whole.take_in()
    appended = len(records(whole)) - before
    whole.settle()
    for count in range(1, appended + 1):
        scene = scene_with(case, tmp_path / str(count))
        scene.take_in()
        die_after(scene, before + count, lost=1)

        scene.settle()

        assert notices(scene) == notices(whole), f"{count} of {appended} records were written"
        assert scene.bodies() == whole.bodies(), f"{count} of {appended} records were written"


def scene_with(case: str, folder: Path) -> Scene:
    """Return a team in whose file an agent has just written a wrong line."""
    dialect = case.partition(":")[0]
    file, known, wrong = WRONG[case]
    speech = SPEECH[dialect]
    scene = Scene(folder)
    path = scene.mount(dialect, **speech.settings, **MORE_SETTINGS.get(dialect, {})) / (file or speech.file)
    if known:
        append(path, f"{known}\n".encode())
        scene.settle()
    if path.parent.name == "inbox":
        dropped(path.parent, path.name, wrong.encode())
    else:
        append(path, f"{wrong}\n".encode())
    return scene


def records(scene: Scene) -> list[bytes]:
    return log_file(scene).read_bytes().splitlines(keepends=True)


def log_file(scene: Scene) -> Path:
    [found] = (scene.folder / ".palaver" / "log").glob("*.jsonl")
    return found


def die_after(scene: Scene, count: int, lost: int = 0) -> None:
    """Leave so many records of the log, less some bytes, as a crash in the middle of a write does."""
    content = b"".join(records(scene)[:count])
    log_file(scene).write_bytes(content[: len(content) - lost])
    shutil.rmtree(scene.folder / ".palaver" / "view")
    (scene.folder / ".palaver" / "view").mkdir()
    scene.restart()


def notices(scene: Scene) -> Counter[tuple[str, str]]:
    """Return what the bus told whom, without ids and numbers, which are drawn."""
    return Counter(
        (str(event.data["to"]), re.sub(r"\b(msg|evt|q)-\w+|\d", "#", text(event.data, "body")))
        for event in scene.notices()
    )


def findings(scene: Scene) -> Counter[str]:
    return Counter(scene.codes())
