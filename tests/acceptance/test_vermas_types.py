"""vermas: the nine types of mail, in the words that agents write them."""

import json
import re
from pathlib import Path

import pytest

from tests.acceptance.files import read, records
from tests.acceptance.vermas_company import CEO, QA, SUPERVISOR, WORKER, Company

#: What stands before the line that a notice offers.
WRITE = re.compile(r" (?:Write|next time write): ")
ORDER = {"metadata": {"work_order_id": "wo-123"}}


def offers(company: Company, agent: str) -> list[str]:
    """Return the lines that notices tell an agent to write."""
    bodies = [str(mail["body"]) for mail in company.mail_to(agent)]
    return [WRITE.split(body)[1] for body in bodies if WRITE.search(body)]


def test_the_happy_path_of_the_seed_closes_the_order(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    company.write_mail(WORKER, SUPERVISOR, "Done", type="WORKER_DONE", **ORDER)
    company.write_mail(SUPERVISOR, QA, "Ready", type="READY_FOR_QA", **ORDER)
    company.write_mail(QA, WORKER, "Merged", type="MERGED", **ORDER)

    inbox = company.co("inbox", agent=WORKER).out

    assert company.order("wo-123")["status"] == "closed"
    assert read(company.assignment_file()) == ""
    assert "Merged" in inbox


def test_the_failure_path_of_the_seed_reopens_the_order(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    company.write_mail(WORKER, SUPERVISOR, "Done", type="WORKER_DONE", **ORDER)
    company.write_mail(SUPERVISOR, QA, "Ready", type="READY_FOR_QA", **ORDER)
    company.write_mail(QA, WORKER, "Rework", type="REWORK_REQUEST", **ORDER)

    inbox = company.co("inbox", agent=WORKER).out

    assert company.order("wo-123")["status"] in ("assigned", "in_progress")
    assert "Rework" in inbox


def test_message_type_is_read_as_type(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")

    company.write_mail(WORKER, SUPERVISOR, "Done", message_type="WORKER_DONE", **ORDER)
    company.sync()

    assert read(company.assignment_file()) == ""


def test_urgent_mail_comes_first_and_then_the_oldest(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.write_mail(WORKER, SUPERVISOR, "Low", priority="low")
    company.write_mail(WORKER, SUPERVISOR, "First")
    company.write_mail(WORKER, SUPERVISOR, "Second", priority="normal")
    company.write_mail(WORKER, SUPERVISOR, "Urgent", priority="urgent")

    inbox = company.co("inbox", agent=SUPERVISOR).out

    assert [line.split()[0] for line in inbox.splitlines()[1:]] == [
        "msg-urgent",
        "msg-first",
        "msg-second",
        "msg-low",
    ]


def test_a_type_counts_in_any_case_in_a_file(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")

    company.write_mail(WORKER, SUPERVISOR, "Done", type="worker_done", **ORDER)
    company.sync()

    assert read(company.assignment_file()) == ""


def test_a_type_counts_in_any_case_in_a_command(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")

    words = ("send", SUPERVISOR, "-s", "Done", "-m", "x", "--type", "worker_done", "--wo", "wo-123")
    answer = company.co(*words, agent=WORKER)

    assert answer.code == 0
    assert read(company.assignment_file()) == ""


def test_a_subject_may_name_type_and_order_in_a_file(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")

    company.write_mail(WORKER, SUPERVISOR, "WORKER_DONE: wo-123")
    company.sync()

    assert read(company.assignment_file()) == ""


@pytest.mark.parametrize("subject", ["worker_done: wo-123", "Worker_Done wo-123", "worker_done : wo-123"])
def test_a_type_in_a_subject_counts_in_any_case(tmp_path: Path, subject: str) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    company.write_mail(WORKER, SUPERVISOR, subject)
    company.sync()

    assert company.project.task("wo-123")["state"] == "delivered"


@pytest.mark.parametrize(
    ("status", "state", "word"),
    [
        ("ready_for_review", "delivered", "in_progress"),
        ("failed", "blocked", "in_progress"),
        ("blocked", "blocked", "in_progress"),
        ("merged", "done", "closed"),
        ("done", "done", "closed"),
        ("Closed", "done", "closed"),
        ("in-progress", "working", "in_progress"),
    ],
)
def test_other_words_for_a_status_are_read_as_they_are_meant(
    tmp_path: Path, status: str, state: str, word: str
) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    company.project.append(company.orders, json.dumps({"id": "wo-123", "status": status}))
    company.sync()

    assert company.project.task("wo-123")["state"] == state
    assert company.order("wo-123")["status"] == word


def test_a_subject_may_name_type_and_order_in_a_command(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")

    company.do("co", "send", SUPERVISOR, "-s", "WORKER_DONE: wo-123", "-m", "Branch x", agent=WORKER)

    assert read(company.assignment_file()) == ""
    assert records(company.messages)[-1]["type"] == "WORKER_DONE"


# In these two there is no order at all, so that none can be meant.


def test_a_command_refuses_a_type_that_lacks_its_order(tmp_path: Path) -> None:
    company = Company(tmp_path)

    answer = company.co("send", WORKER, "-s", "Merged", "-m", "x", "--type", "MERGED", agent=QA)

    assert answer.code == 2
    assert "--wo" in answer.text
    assert company.mail_to(WORKER) == []


def test_the_writer_of_a_type_that_lacks_its_order_is_told_how_to_write_it(tmp_path: Path) -> None:
    company = Company(tmp_path)

    company.write_mail(QA, WORKER, "Merged", type="MERGED")
    company.sync()

    assert "work_order_id" in " ".join(str(mail["body"]) for mail in company.mail_to(QA))


def test_the_line_that_a_notice_offers_has_an_effect(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    company.write_mail(WORKER, SUPERVISOR, "Done", type="WORKER_DONE")
    company.sync()

    (line,) = offers(company, WORKER)
    company.project.say(company.messages, line)

    assert read(company.assignment_file()) == ""
    assert len([mail for mail in company.mail_to(SUPERVISOR) if mail["subject"] == "Done"]) == 2


def test_mail_without_an_id_and_a_time_is_offered_with_both(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.project.say(company.messages, json.dumps({"from": WORKER, "to": SUPERVISOR, "body": "Hello"}))

    # One notice for each code; all offer the same line.
    (line,) = set(offers(company, WORKER))
    company.project.say(company.messages, line)

    assert set(offers(company, WORKER)) == {line}
    assert json.loads(line) in company.mail_to(SUPERVISOR)


def test_mail_that_another_role_sends_is_not_offered_to_its_author(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    company.write_mail(WORKER, SUPERVISOR, "Merged", type="MERGED", **ORDER)
    company.sync()

    (told,) = [str(mail["body"]) for mail in company.mail_to(WORKER) if "VER101" in str(mail["body"])]
    assert "let the qa send it" in told
    assert not WRITE.search(told)


def test_a_message_that_got_a_new_id_need_not_be_written_again(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.write_mail(WORKER, SUPERVISOR, "Hello")
    company.write_mail(WORKER, SUPERVISOR, "Hello again")
    company.sync()

    (told,) = [str(mail["body"]) for mail in company.mail_to(WORKER) if "id-twice" in str(mail["body"])]
    assert not WRITE.search(told)


def test_a_work_order_with_an_unknown_status_is_offered_as_a_work_order(tmp_path: Path) -> None:
    company = Company(tmp_path)
    order = {"id": "wo-7", "title": "Feature X", "status": "wibble", "created_by": CEO}
    company.project.say(company.orders, json.dumps(order))

    assert [json.loads(line) for line in offers(company, CEO)] == [{**order, "status": "open"}]


def test_an_edit_of_an_old_line_moves_no_work(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    company.write_mail(WORKER, SUPERVISOR, "Done", type="WORKER_DONE", **ORDER)
    company.write_mail(SUPERVISOR, QA, "Ready", type="READY_FOR_QA", **ORDER)
    company.write_mail(QA, WORKER, "Fails", type="REWORK_REQUEST", **ORDER)
    company.write_mail(WORKER, SUPERVISOR, "Fixed", type="WORKER_DONE", **ORDER)
    company.write_mail(SUPERVISOR, QA, "Again", type="READY_FOR_QA", **ORDER)
    company.write_mail(QA, WORKER, "Merged", type="MERGED", **ORDER)
    company.sync()

    edited = company.work / "edited"
    edited.write_text(read(company.messages).replace('"Fails"', '"Fails badly"'))
    edited.replace(company.messages)
    company.sync()

    assert company.order("wo-123")["status"] == "closed"
    assert {"Fails", "Fails badly"} <= {mail["subject"] for mail in company.mail_to(WORKER)}
    assert any("moves no work" in str(mail["body"]) for mail in company.mail_to(QA))


def test_the_delivery_of_an_unknown_order_is_told_with_the_order_that_the_worker_has(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    company.write_mail(WORKER, SUPERVISOR, "WORKER_DONE: wo-124")
    company.sync()

    (told,) = [str(mail["body"]) for mail in company.mail_to(WORKER) if mail["from"] == "palaver"]
    (offered,) = offers(company, WORKER)
    assert told.startswith("What you said about wo-124 had no effect: there is no such task. Write: ")
    company.project.say(company.messages, offered)
    assert company.project.task("wo-123")["state"] == "delivered"


def test_a_move_without_effect_is_told_and_no_record_is_offered(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    company.write_mail(WORKER, SUPERVISOR, "MERGED: wo-123")
    company.sync()

    bodies = [str(mail["body"]) for mail in company.mail_to(WORKER) if mail["from"] == "palaver"]
    assert any("had no effect" in body for body in bodies)
    assert any("let the qa send it" in body for body in bodies)
    assert offers(company, WORKER) == []


def test_a_command_says_that_another_role_sends_or_gets_a_type(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")

    sent = company.co("send", CEO, "--type", "HANDOFF", "-s", "Context", "-m", "x", agent=WORKER)
    to_ceo = company.co("send", CEO, "--type", "NUDGE", "-s", "Wake up", "-m", "x", agent=WORKER)

    assert (sent.code, sent.err) == (0, "")
    assert to_ceo.code == 0
    assert "let the supervisor send it" in to_ceo.err
    assert "send it to the worker" in to_ceo.err
