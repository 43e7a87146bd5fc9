"""An event as one line: with its text for a person at a terminal, without it for a log that others read."""

import pytest

from palaver.cli.event_line import event_fields, event_line
from palaver.model.event import Event


def event(event_type: str, **data: object) -> Event:
    fields = {"seq": 7, "event_type": event_type, "timestamp": "2026-02-22T10:00:00.123Z", "actor": "ada"}
    return Event({**fields, "data": data})


def test_a_message_is_shown_with_its_first_words() -> None:
    said = event("mail.sent", **{"message_id": "msg-1", "from": "ada", "to": ["bob"], "body": "for bob"})

    assert event_line(said) == "      7  10:00:00.123  mail.sent          ada            msg-1 → bob: for bob"
    assert event_line(said, has_texts=False).endswith("msg-1 → bob")


def test_a_task_is_shown_with_its_title() -> None:
    opened = event("task.opened", task="t1", title="Write the parser")

    assert event_line(opened).endswith(" t1 Write the parser")
    assert event_line(opened, has_texts=False).endswith(" t1")


def test_an_act_is_no_text() -> None:
    fields = {"message_id": "msg-1", "from": "ada", "to": ["bob"], "body": "which port?", "act": "ask"}

    assert event_line(event("mail.sent", **fields), has_texts=False).endswith("msg-1 → bob: [ask]")


@pytest.mark.parametrize(
    "name", ["body", "subject", "reasoning", "title", "reason", "why", "text", "line", "meta", "found"]
)
def test_a_program_gets_no_text_for_a_log(name: str) -> None:
    said = event("mail.sent", **{"message_id": "msg-1", "to": ["bob"], "hops": 2, name: "the text"})

    assert "the text" in str(event_fields(said))
    assert event_fields(said, has_texts=False)["data"] == {"message_id": "msg-1", "to": ["bob"], "hops": 2}
