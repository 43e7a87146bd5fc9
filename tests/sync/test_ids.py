"""Ids that agents give their messages: the same one twice is one message, or two teams that count alike."""

import json
from pathlib import Path

import pytest

from tests.sync.scene import Scene, append


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def mail(message_id: str, sender: str, to: str, body: str, **more: str) -> bytes:
    fields = {"id": message_id, "from": sender, "to": to, "subject": "s", "body": body}
    return json.dumps({**fields, "timestamp": "2026-01-01T10:00:00Z", **more}).encode() + b"\n"


BLOCK = b"""---
messageId: MSG-20260203-081154-codex-d6e7
type: FACT
agent: codex-impl-1
timestamp: 2026-02-03T08:11:54Z
runId: run_001
taskId: TASK-000
---

%b

---
"""


def test_two_companies_that_count_their_messages_alike_lose_none(scene: Scene) -> None:
    first = scene.mount("vermas", "c1", agents="ceo")
    second = scene.mount("vermas", "c2", agents="ops")
    append(first / ".work" / "messages.jsonl", mail("msg-1", "ceo", "c2/ops", "One."))
    scene.settle()
    append(second / ".work" / "messages.jsonl", mail("msg-1", "ops", "c1/ceo", "Another."))

    scene.settle()

    [read] = scene.bus.inbox("ceo").mail
    assert read.message.body == "Another."
    assert read.message.id != "msg-1"
    assert read.message.meta["id"] == "msg-1"
    assert scene.codes() == ["id-twice"]


def test_a_message_that_stands_in_the_files_of_two_mounts_is_one(scene: Scene) -> None:
    folders = [scene.mount("runbus", name) for name in ("r1", "r2")]

    for folder in folders:
        append(folder / "MESSAGE-BUS.md", BLOCK % b"It builds.")
        scene.settle()

    assert scene.bodies() == ["It builds."]
    assert scene.codes() == []


def test_another_text_under_the_same_id_is_another_message(scene: Scene) -> None:
    folder = scene.mount("runbus")
    append(folder / "MESSAGE-BUS.md", BLOCK % b"It builds." + BLOCK % b"It does not.")

    scene.settle()

    assert scene.bodies() == ["It builds.", "It does not."]
    assert scene.codes() == ["id-twice"]


def test_a_message_with_a_secret_is_not_twice_when_its_line_is_marked_as_read(scene: Scene) -> None:
    file = scene.mount("vermas", agents="ceo,ops") / ".work" / "messages.jsonl"
    said = ("msg-1", "ceo", "ops", "The key is " + "AKIA" + "ABCD2345EFGH6789.")
    append(file, mail(*said))
    scene.settle()
    file.write_bytes(mail(*said, read_at="2026-01-01T11:00:00Z"))

    scene.settle()

    assert len(scene.bodies()) == 1
    assert "AKIA" not in scene.bodies()[0]
