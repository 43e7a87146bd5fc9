"""What we export is read by the library of CloudEvents itself."""

import json
from pathlib import Path

from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent

from palaver import Bus
from palaver.bus.admin.event_history import cloudevent
from palaver.wiring import begin


def test_every_event_is_a_cloudevent_in_the_order_of_the_log(tmp_path: Path) -> None:
    begin(str(tmp_path), "ada")
    bus = Bus(str(tmp_path), agent="ada")
    bus.add_agent("bob", about="reads")
    question = bus.send("bob", "Ready?\n\u2028 \x1b[2J 🤝", act="ask", subject="Parser")
    bus.read([question.message.id], agent="bob")
    answer = bus.reply(question.message.id, "Yes.", sender="bob")

    exported = [json.dumps(cloudevent(event, "/palaver/test")) for event in bus.events(limit=100)]

    read = [JSONFormat().read(CloudEvent, line) for line in exported]
    events = bus.events(limit=100)
    assert [each.get_id() for each in read] == [event.event_id for event in events]
    assert [each.get_data() for each in read] == [event.data for event in events]
    sequences = [each.get_extension("sequence") for each in read]
    assert sequences == sorted(sequences)
    last = read[-1]
    assert last.get_type() == "dev.palaver.mail.sent.v1"
    assert last.get_subject() == answer.message.id
    assert last.get_extension("causationid") == question.message.event_id
    assert last.get_extension("correlationid") == question.message.thread
