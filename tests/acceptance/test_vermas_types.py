"""vermas: the nine types of mail, in the words that agents write them."""

from pathlib import Path

from tests.acceptance.files import read, records
from tests.acceptance.vermas_company import QA, SUPERVISOR, WORKER, Company

ORDER = {"metadata": {"work_order_id": "wo-123"}}


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
