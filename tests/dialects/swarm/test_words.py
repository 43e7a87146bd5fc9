"""How swarm says each act, and how it reads what others say."""

import json
from typing import Final

import pytest

from palaver.dialects.shared.translation import missing_fields
from palaver.dialects.swarm.spec import SPEC
from palaver.model.message import ACTS, Message
from tests.dialects.swarm.read import MOUNT, PATH, line, linted, message

#: Act → the type and the content in which td says "words" of the task 7 to qa.
SAID: Final = {
    "inform": ("message", "words"),
    "ask": ("request", "words"),
    "answer": ("message", "[ANSWER:#7] words"),
    "decide": ("decision", "words"),
    "report": ("status", "words"),
    "review": ("message", "[REVIEW:#7] words"),
    "health": ("system", "[HEALTH:#7] words"),
    "assign": ("task", "[ASSIGN:#7] words"),
    "claim": ("task", "[CLAIM:#7] words"),
    "ack": ("task", "ACK: words"),
    "approve": ("message", "[APPROVE:#7] words"),
    "refuse": ("message", "[REFUSE:#7] words"),
    "block": ("status", "BLOCKED: words"),
    "resume": ("message", "[RESUME:#7] words"),
    "deliver": ("task", "[DELIVER:#7] words"),
    "ready": ("message", "[READY:#7] words"),
    "accept": ("message", "[ACCEPT:#7] words"),
    "rework": ("message", "[REWORK:#7] words"),
    "handoff": ("task", "HANDOFF: words"),
    "release": ("message", "[RELEASE:#7] words"),
    "cancel": ("message", "[CANCEL:#7] words"),
    "nudge": ("message", "[NUDGE:#7] words"),
    "ping": ("message", "[PING:#7] words"),
    "escalate": ("system", "[ESCALATE:#7] words"),
    "autonomy": ("autonomy", "words"),
    "shutdown": ("system", "SHUTDOWN_REQUEST: words"),
    "leave": ("system", "SHUTDOWN_ACK: words"),
}
#: What is read, but written otherwise: with the sign of tasks, in the T; without a T that changes nothing.
REWRITTEN: Final = {
    "[APPROVE:2]": "[APPROVE:#2]",
    "[CLAIM] task #2 is mine": "[CLAIM:#2] task #2 is mine",
    "[INFORM] BLOCKED: x": "BLOCKED: x",
}


def said(one: Message) -> dict[str, object]:
    fields: dict[str, object] = json.loads(SPEC.render(one, MOUNT, PATH))
    return fields


def test_the_table_has_every_act() -> None:
    assert set(SAID) == set(ACTS)


@pytest.mark.parametrize("act", SAID)
def test_an_act_is_said_in_its_own_words(act: str) -> None:
    one = Message(sender="td", to=["qa"], body="words", act=act, task="7", reasoning="r")

    fields = said(one)

    assert (fields["type"], fields["content"]) == SAID[act]
    assert fields.get("task") == (None if "#7" in SAID[act][1] else "7")


#: Type, content; act, task, body, tag.
READ: Final = (
    ("message", "Hello.", "inform", "", "Hello.", ""),
    ("message", "[INFORM] BLOCKED: x", "inform", "", "BLOCKED: x", ""),
    ("message", "[APPROVE:#2] Go.", "approve", "2", "Go.", ""),
    ("message", "[APPROVE:2]", "approve", "2", "", ""),
    ("message", "[TASK:2] x", "inform", "", "[TASK:2] x", ""),
    ("message", "see task #2", "inform", "", "see task #2", ""),
    ("decision", "[ACK] x", "ack", "", "x", "decision"),
    ("decision", "Chose Redis.", "decide", "", "Chose Redis.", ""),
    ("request", "BLOCKED: y", "ask", "", "BLOCKED: y", ""),
    ("status", "50% of task #2.", "report", "2", "50% of task #2.", ""),
    ("status", "BLOCKED: Task #2 needs x", "block", "2", "Task #2 needs x", ""),
    ("status", "ACK: x", "report", "", "ACK: x", ""),
    ("task", "BLOCKED: x", "block", "", "x", "task"),
    ("task", "ACK: Claimed task #2.", "ack", "2", "Claimed task #2.", ""),
    ("task", "ACK:", "ack", "", "", ""),
    ("task", "HANDOFF: subtask #1, task #a.b-c.", "handoff", "a.b-c", "subtask #1, task #a.b-c.", ""),
    ("task", "Claimed task #2.", "claim", "2", "Claimed task #2.", "task"),
    ("task", "completed task #2", "deliver", "2", "completed task #2", "task"),
    ("task", "Completed.", "deliver", "", "Completed.", "task"),
    ("task", "Completeness of task #2", "report", "2", "Completeness of task #2", "task"),
    ("task", "[CLAIM:#2] mine", "claim", "2", "mine", ""),
    ("task", "[CLAIM] task #2 is mine", "claim", "2", "task #2 is mine", ""),
    ("system", "The disk is full.", "inform", "", "The disk is full.", "system"),
    ("system", "[HEALTH] ok", "health", "", "ok", ""),
    ("system", "SHUTDOWN_REQUEST: x", "shutdown", "", "x", ""),
    ("system", "SHUTDOWN_ACK: x", "leave", "", "x", ""),
    ("autonomy", "Be careful.", "autonomy", "", "Be careful.", ""),
    ("status", "[REPORT] BLOCKED: z", "report", "", "BLOCKED: z", ""),
    ("message", "Approved.", "inform", "", "Approved.", ""),
)


@pytest.mark.parametrize(("kind", "content", "said"), [(each[0], each[1], each[2:]) for each in READ])
def test_words_are_read_as_one_act(kind: str, content: str, said: tuple[str, ...]) -> None:
    found = message(line(type=kind, content=content))

    assert (found.act, found.task, found.body, found.tag) == said


@pytest.mark.parametrize(("kind", "content"), [each[:2] for each in READ if each[1] not in REWRITTEN])
def test_words_are_written_as_they_were_read(kind: str, content: str) -> None:
    written = line(type=kind, content=content)

    assert SPEC.render(message(written), MOUNT, PATH) == written


@pytest.mark.parametrize("content", REWRITTEN)
def test_other_words_for_the_same_are_written_our_way(content: str) -> None:
    (kind,) = [each[0] for each in READ if each[1] == content]
    found = message(line(type=kind, content=content))

    assert said(found)["content"] == REWRITTEN[content]


def test_a_bare_task_from_the_director_is_an_assignment() -> None:
    written = line(sender="td", type="task", content="Build the parser, task #2.")

    found = message(written)

    assert (found.act, found.task, found.tag) == ("assign", "2", "task")
    assert SPEC.render(found, MOUNT, PATH) == written


@pytest.mark.parametrize(
    ("kind", "content", "act", "task"),
    [
        ("message", "Approved. Go ahead with task #7.", "approve", "7"),
        ("message", "APPROVED: task #7", "approve", "7"),
        ("task", "Approved, go ahead.", "approve", ""),
        ("message", "Not approved: task #7 is for qa.", "refuse", "7"),
        ("message", "Rejected. Ask the architect first.", "refuse", ""),
        ("decision", "Approved sources only.", "decide", ""),
        ("message", "Approvedly odd.", "inform", ""),
    ],
)
def test_the_director_approves_and_refuses_in_plain_words(
    kind: str, content: str, act: str, task: str
) -> None:
    written = line(sender="td", type=kind, content=content)

    found = message(written)

    assert (found.act, found.task, found.body) == (act, task, content)
    assert SPEC.render(found, MOUNT, PATH) == written


def test_a_tag_of_another_dialect_is_carried_along() -> None:
    one = Message(sender="ada", to=["bob"], body="x", act="report", tag="WAITING")

    assert said(one)["tag"] == "WAITING"
    assert missing_fields(one, message(SPEC.render(one, MOUNT, PATH))) == {}


@pytest.mark.parametrize(
    ("content", "agent", "level", "body"),
    [
        ("AUTONOMY_UPDATE: qa → gated", "qa", "gated", ""),
        ("AUTONOMY_UPDATE: qa → gated. Ask first.", "qa", "gated", "Ask first."),
        ("AUTONOMY_UPDATE: @QA -> supervised.", "qa", "supervised", ""),
        ("Autonomy_Update: Qa->Gated, ask first.", "qa", "gated", ", ask first."),
        ("AUTONOMY_UPDATE: qa â†’ gated. Garbled.", "qa", "gated", "Garbled."),
        ("AUTONOMY_UPDATE: security-engineer => autonomous as of now", "security", "autonomous", "as of now"),
    ],
)
def test_an_update_gives_the_agent_and_the_level_as_values(
    content: str, agent: str, level: str, body: str
) -> None:
    found = message(line(sender="td", type="autonomy", content=content))

    assert (found.act, found.body, found.meta) == ("autonomy", body, {"agent": agent, "level": level})


def test_the_values_of_an_update_become_its_words() -> None:
    one = Message(sender="td", to=["qa"], body="Ask.", act="autonomy", meta={"agent": "qa", "level": "gated"})

    fields = said(one)

    assert fields["content"] == "AUTONOMY_UPDATE: qa → gated. Ask."
    assert "agent" not in fields


@pytest.mark.parametrize(
    "meta",
    [
        {"agent": "qa"},
        {"agent": "qa", "level": "free"},
        {"agent": "../qa", "level": "gated"},
        {"agent": "qa-engineer", "level": "gated"},
        {"agent": ["qa"], "level": "gated"},
        {"agent": "", "level": "gated"},
    ],
)
def test_values_that_are_no_update_are_carried_along(meta: dict[str, object]) -> None:
    one = Message(sender="td", to=["qa"], body="x", act="autonomy", meta=meta)

    assert missing_fields(one, message(SPEC.render(one, MOUNT, PATH))) == {}


def test_an_update_of_a_name_that_is_none_is_only_a_text() -> None:
    content = line(sender="td", type="autonomy", content="AUTONOMY_UPDATE: con → gated. x")

    found = message(content)

    assert (found.body, found.meta) == ("AUTONOMY_UPDATE: con → gated. x", {})
    assert linted(content) == ["SWA103"]


@pytest.mark.parametrize(
    ("to", "marked"),
    [
        (None, {"to": "null"}),
        ([], {"to": "empty"}),
        (["@all"], {}),
        (["@ALL"], {}),
        ("@all", {}),
        (["all"], {}),
    ],
)
def test_everyone_is_everyone_and_the_channel_is_told_from_it(to: object, marked: dict[str, object]) -> None:
    found = message(line(to=to))

    assert (found.to, found.meta) == (["@all"], marked)


def test_nobody_named_is_written_as_it_was() -> None:
    null = line(to=None)
    absent = line().replace(b'"to":["@qa"],', b"")
    written = (null, absent, line(to=[]), line(to=["@all"]))

    assert tuple(SPEC.render(message(each), MOUNT, PATH) for each in written) == written


def test_keys_of_others_are_kept_and_come_back() -> None:
    written = line(
        x=1, turn={"a": [True, None, 1.5]}, body="no field of ours", files=["a.py"], meta="m", priority=3
    )

    found = message(written)

    assert found.meta == {
        "x": 1,
        "turn": {"a": [True, None, 1.5]},
        "body": "no field of ours",
        "files": ["a.py"],
        "meta": "m",
        "priority": 3,
    }
    assert SPEC.render(found, MOUNT, PATH) == written


def test_keys_that_are_called_as_fields_of_ours_are_those_fields() -> None:
    written = line(
        task="parser",
        subject="S",
        priority="urgent",
        re="msg-1",
        run="run_1",
        files=[{"path": "a.py"}],
        artifacts=["r.md"],
        tag="WAKE",
    )

    found = message(written)

    assert (found.task, found.subject, found.priority, found.reply_to) == ("parser", "S", "urgent", "msg-1")
    assert (found.run, found.files, found.artifacts) == ("run_1", [{"path": "a.py"}], ["r.md"])
    assert (found.tag, found.meta) == ("WAKE", {})
    assert SPEC.render(found, MOUNT, PATH) == written


def test_free_fields_that_are_called_as_keys_of_ours_are_not_taken_for_them() -> None:
    meta: dict[str, object] = {
        "task": "a",
        "to": "b",
        "content": "c",
        "meta": {"d": 1},
        "palaver_from": "e",
        "f": 2,
    }
    one = Message(sender="ada", to=["bob"], body="x", meta=meta)

    fields = said(one)

    assert (fields["f"], fields["meta"]) == (2, {key: meta[key] for key in meta if key != "f"})
    assert missing_fields(one, message(SPEC.render(one, MOUNT, PATH))) == {}
