"""vermas: messages.jsonl, work_orders.jsonl and events.jsonl are projections that agents also append to."""

import json
import os
from pathlib import Path

import pytest

from tests.acceptance.files import read, records
from tests.acceptance.vermas_company import CEO, TIME, Company

OPERATIONS = "operations"


@pytest.fixture
def company(tmp_path: Path) -> Company:
    """Return a company with three messages in its file, which the bus has taken in."""
    company = Company(tmp_path, (CEO, OPERATIONS))
    for subject in ("First", "Second", "Third"):
        company.write_mail(CEO, OPERATIONS, subject)
    company.sync()
    return company


def subjects(company: Company) -> list[object]:
    return [mail["subject"] for mail in records(company.messages)]


# --- messages.jsonl ---


def test_a_line_that_was_appended_is_mail_and_stands_as_it_was_written(company: Company) -> None:
    line = company.write_mail(CEO, OPERATIONS, "Fourth", metadata={"work_order_id": "wo-9", "mine": [1]})

    inbox = company.co("inbox", agent=OPERATIONS).out

    assert "Fourth" in inbox
    assert read(company.messages).endswith(f"{line}\n")


def test_a_message_that_was_read_says_when(company: Company) -> None:
    company.do("co", "read", "msg-second", agent=OPERATIONS)

    read_at = {mail["id"]: mail.get("read_at") for mail in records(company.messages)}
    assert read_at["msg-second"]
    assert read_at["msg-first"] is read_at["msg-third"] is None


def test_every_line_has_an_id_of_its_own(company: Company) -> None:
    company.write_mail(CEO, OPERATIONS, "Second", body="Something else.")
    company.sync()

    ids = [mail["id"] for mail in records(company.messages)]
    assert len(ids) == len(set(ids))
    assert len(company.mail_to(OPERATIONS)) == 4


@pytest.mark.parametrize(
    "difference",
    [
        pytest.param({"metadata": {"work_order_id": "wo-1"}}, id="order"),
        pytest.param({"metadata": {"branch": "main"}}, id="metadata"),
        pytest.param({"type": "ESCALATION"}, id="type"),
        pytest.param({"priority": "urgent"}, id="priority"),
        pytest.param({"to": CEO}, id="recipient"),
        pytest.param({"from": "project-a/qa"}, id="sender"),
    ],
)
def test_a_line_with_the_id_and_the_words_of_another_message_is_not_missing(
    company: Company, difference: dict[str, object]
) -> None:
    (second,) = [mail for mail in records(company.messages) if mail["id"] == "msg-second"]

    for _ in range(2):
        company.project.append(company.messages, json.dumps({**second, **difference}))
        company.sync()

    found = [mail for mail in records(company.messages) if mail["subject"] == "Second"]
    assert len(found) == len({mail["id"] for mail in found}) == 2
    assert found[0] == second
    assert {**found[1], "id": second["id"]} == {**second, **difference}


def test_a_message_may_go_to_the_same_role_of_two_factories(tmp_path: Path) -> None:
    company = Company(tmp_path, ("project-a/supervisor", "project-b/supervisor", CEO))
    for factory in ("project-a", "project-b"):
        company.write_mail(CEO, f"{factory}/supervisor", "Report")
        company.sync()

    for factory in ("project-a", "project-b"):
        assert "Report" in company.co("inbox", agent=f"{factory}/supervisor").out


def test_a_line_to_nobody_gets_the_undeliverable_flag(company: Company) -> None:
    company.write_mail(CEO, "project-z/workers/slot9", "Lost")
    company.sync()

    (mail,) = company.mail_to("project-z/workers/slot9")
    assert mail.get("undeliverable") is True


def test_mail_that_a_command_sends_to_nobody_is_in_the_file(company: Company) -> None:
    company.do("co", "send", "ghost", "-s", "Lost", "-m", "x", "--allow-unknown", agent=CEO)

    assert [mail.get("undeliverable") for mail in company.mail_to("ghost")] == [True]


def test_messages_come_back_when_the_file_is_deleted(company: Company) -> None:
    company.messages.unlink()
    company.sync()

    assert subjects(company) == ["First", "Second", "Third"]


def test_a_message_comes_back_when_its_line_is_deleted(company: Company) -> None:
    first, _, third = read(company.messages).splitlines(keepends=True)
    company.messages.write_text(first + third)
    company.sync()

    assert sorted(map(str, subjects(company))) == ["First", "Second", "Third"]


def test_a_message_comes_back_when_its_line_is_edited(company: Company) -> None:
    company.messages.write_text(read(company.messages).replace("Second", "Forged"))
    company.sync()

    assert [mail["subject"] for mail in records(company.messages) if mail["id"] == "msg-second"] == ["Second"]


def test_a_line_that_is_appended_twice_stands_once(company: Company) -> None:
    company.project.append(company.messages, read(company.messages).splitlines()[-1])
    company.sync()

    assert subjects(company) == ["First", "Second", "Third"]


@pytest.mark.parametrize(
    "added",
    [
        pytest.param({"priority": "soon"}, id="priority"),
        pytest.param({"type": "CHATTER"}, id="type"),
        pytest.param({"read_at": "2026-01-02T00:00:00.000Z"}, id="read-mark"),
        pytest.param({"metadata": {"palaver": {"note": "mine"}}}, id="metadata"),
    ],
)
def test_a_field_of_a_line_that_is_appended_twice_stays(company: Company, added: dict[str, object]) -> None:
    third = records(company.messages)[2]
    company.project.append(company.messages, json.dumps({**third, **added}))
    company.sync()
    company.do("co", "read", "msg-first", agent=OPERATIONS)

    found = [mail for mail in records(company.messages) if mail["subject"] == "Third"]
    assert found == [{**third, **added}]


def test_a_line_to_a_list_of_recipients_becomes_a_line_for_each(company: Company) -> None:
    fields = {"id": "msg-both", "from": CEO, "to": [OPERATIONS, "project-a/qa"], "subject": "Both"}
    company.project.append(
        company.messages, json.dumps({**fields, "body": "x", "timestamp": TIME, "branch": "main"})
    )
    company.sync()
    company.do("co", "read", "msg-both", agent=OPERATIONS)

    found = [mail for mail in records(company.messages) if mail["id"] == "msg-both"]
    assert [mail["to"] for mail in found] == [OPERATIONS, "project-a/qa"]
    assert all("main" in json.dumps(mail) for mail in found)


def test_each_of_several_recipients_has_a_read_mark_of_its_own(tmp_path: Path) -> None:
    company = Company(tmp_path)
    for to in (CEO, OPERATIONS):
        company.write_mail("project-a/qa", to, "Both")
    company.sync()
    company.do("co", "read", "msg-both", agent=OPERATIONS)

    marks = {mail["to"]: mail.get("read_at") for mail in records(company.messages)}
    assert marks[OPERATIONS]
    assert marks[CEO] is None


def test_the_line_of_one_of_several_recipients_comes_back_when_it_is_deleted(company: Company) -> None:
    for to in (OPERATIONS, "project-a/qa"):
        company.write_mail(CEO, to, "Both")
    company.sync()
    company.messages.write_text("".join(read(company.messages).splitlines(keepends=True)[:-1]))
    company.sync()

    found = [mail["to"] for mail in records(company.messages) if mail["id"] == "msg-both"]
    assert sorted(map(str, found)) == [OPERATIONS, "project-a/qa"]


def test_a_line_that_is_appended_while_the_file_is_replaced_is_not_missing(company: Company) -> None:
    with company.messages.open("a") as writer:
        company.do("co", "read", "msg-first", agent=OPERATIONS)
        late = read(company.messages).splitlines(keepends=True)[-1].replace("hird", "hird and late")
        writer.write(late.replace("msg-third", "msg-late"))
    company.sync()

    assert "Third and late" in subjects(company)


def test_a_line_that_is_appended_to_a_replaced_file_is_not_missing(company: Company) -> None:
    company.do("co", "read", "msg-first", agent=OPERATIONS)
    company.write_mail(CEO, OPERATIONS, "Fourth")
    company.do("co", "read", "msg-second", agent=OPERATIONS)

    assert subjects(company) == ["First", "Second", "Third", "Fourth"]


def test_records_on_one_line_of_a_replaced_file_get_a_line_each(company: Company) -> None:
    with company.messages.open("ab", buffering=0) as held:
        company.project.do("read", agent=OPERATIONS)
        if os.fstat(held.fileno()).st_ino == company.messages.stat().st_ino:
            raise RuntimeError("the file was not replaced")
        lines = [mail_line(each) for each in ("Fourth", "Fifth", "Sixth")]
        held.write("".join([*lines, "\n"]).encode())
    company.sync()

    assert [subject for subject in subjects(company) if subject in ("Fourth", "Fifth", "Sixth")] == [
        "Fourth", "Fifth", "Sixth",
    ]  # fmt: skip


def test_mail_of_a_rotated_file_gets_a_line_in_the_new_one(company: Company) -> None:
    with company.messages.open("ab", buffering=0) as held:
        company.messages.rename(f"{company.messages}.1")
        company.write_mail(CEO, OPERATIONS, "Fourth")
        company.sync()
        held.write(f"{mail_line('Fifth')}\n".encode())
    company.sync()

    assert subjects(company) == ["First", "Second", "Third", "Fourth", "Fifth"]


def mail_line(subject: str) -> str:
    fields = {"id": f"msg-{subject.lower()}", "from": CEO, "to": OPERATIONS, "subject": subject}
    return json.dumps({**fields, "body": "See the log.", "timestamp": TIME})


# --- work_orders.jsonl and events.jsonl ---


def test_work_orders_come_back_when_the_file_is_deleted(company: Company) -> None:
    company.write_order("wo-1")
    company.sync()

    company.orders.unlink()
    company.sync()

    assert company.order("wo-1")["title"] == "Feature X"


def test_a_work_order_comes_back_when_its_line_is_deleted(company: Company) -> None:
    company.write_order("wo-1")
    company.write_order("wo-2", "Feature Y")
    company.sync()

    company.orders.write_text(read(company.orders).splitlines(keepends=True)[0])
    company.sync()

    assert {order["id"] for order in records(company.orders)} == {"wo-1", "wo-2"}


def test_a_work_order_is_put_right_when_its_line_gets_an_impossible_status(company: Company) -> None:
    company.write_order("wo-1")
    company.sync()

    company.orders.write_text(read(company.orders).replace('"open"', '"wibble"'))
    company.sync()

    assert company.order("wo-1")["status"] == "open"


def test_a_field_of_an_earlier_line_about_a_work_order_stays(company: Company) -> None:
    company.project.append(
        company.orders, json.dumps({"id": "wo-7", "title": "X", "type": "bug", "sprint": 3})
    )
    company.sync()
    company.project.append(company.orders, json.dumps({"id": "wo-7", "title": "Y", "issue_type": "task"}))
    company.sync()

    found = company.order("wo-7")
    assert (found["title"], found["issue_type"], found["sprint"]) == ("Y", "task", 3)
    assert "type" not in found


def test_work_orders_come_back_when_the_file_is_truncated(company: Company) -> None:
    company.write_order("wo-1")
    company.sync()

    company.orders.write_text(read(company.orders)[:7])
    # Long ago: nobody is about to write the rest.
    os.utime(company.orders, (1_700_000_000, 1_700_000_000))
    company.sync()

    assert '"wo-1"' in read(company.orders)


def test_events_come_back_when_the_file_is_deleted(company: Company) -> None:
    before = [event["event_id"] for event in records(company.events)]
    company.events.unlink()
    company.sync()

    assert [event["event_id"] for event in records(company.events)][: len(before)] == before


def test_an_event_comes_back_when_its_line_is_deleted(company: Company) -> None:
    lines = read(company.events).splitlines(keepends=True)
    company.events.write_text("".join([lines[0], *lines[2:]]))
    company.sync()

    assert set(read(company.events).splitlines(keepends=True)) >= set(lines)


def test_a_field_that_is_added_to_a_line_of_an_event_stays(company: Company) -> None:
    lines = read(company.events).splitlines()
    changed = json.loads(lines[1])
    changed["note"] = "mine"
    changed["data"] = {**changed["data"], "seen_by": [CEO]}
    company.events.write_text("\n".join([lines[0], json.dumps(changed), *lines[2:], ""]))
    company.sync()
    company.sync()

    assert records(company.events)[1] == changed
    assert len(records(company.events)) >= len(lines)


def test_a_field_of_a_copy_of_an_event_stays(company: Company) -> None:
    first = records(company.events)[0]
    company.project.append(company.events, json.dumps({**first, "note": "mine"}))
    company.sync()
    # Any edit has the file put right.
    company.events.write_text("".join(read(company.events).splitlines(keepends=True)[1:]))
    company.sync()

    (found,) = [event for event in records(company.events) if event["event_id"] == first["event_id"]]
    assert found == {**first, "note": "mine"}
