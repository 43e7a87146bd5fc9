"""vermas: the flows of the seed with a detour: mail that is passed on, lost, misaddressed or too early."""

import json
from pathlib import Path

import pytest

from tests.acceptance.vermas_company import CEO, QA, SUPERVISOR, WORKER, Company

ORDER = {"metadata": {"work_order_id": "wo-123"}}


@pytest.fixture
def company(tmp_path: Path) -> Company:
    """Return a company whose worker has an order."""
    company = Company(tmp_path)
    company.dispatch("wo-123")
    return company


def mail_id(sender: str, to: str, kind: str) -> str:
    return f"{kind}-{sender}-{to}".replace("/", "-")


def say(company: Company, sender: str, to: str, kind: str, **fields: object) -> None:
    more = {"id": mail_id(sender, to, kind), "type": kind, **ORDER, **fields}
    company.write_mail(sender, to, str(more.pop("subject", kind)), **more)
    company.sync()


def told(company: Company, agent: str) -> list[str]:
    return [str(mail["body"]) for mail in company.mail_to(agent) if mail["from"] == "palaver"]


def offered(company: Company, agent: str) -> str:
    (line,) = [body.partition("rite: ")[2] for body in told(company, agent) if "rite: {" in body]
    return line


@pytest.mark.parametrize("verdict", ["MERGED", "REWORK_REQUEST"])
def test_the_supervisor_passes_on_the_word_of_qa(company: Company, verdict: str) -> None:
    say(company, WORKER, SUPERVISOR, "WORKER_DONE")
    say(company, SUPERVISOR, QA, "READY_FOR_QA")
    say(company, QA, SUPERVISOR, verdict)
    # The file is written again, with the time when it was read.
    company.do("co", "read", mail_id(QA, SUPERVISOR, verdict), agent=SUPERVISOR)
    say(company, SUPERVISOR, WORKER, verdict)

    assert [told(company, each) for each in (WORKER, SUPERVISOR, QA, CEO)] == [[], [], [], []]
    assert company.project.run("lint", str(company.work.parent)).out == "Good: 4 files\n"


@pytest.mark.parametrize("verdict", ["MERGED", "REWORK_REQUEST"])
def test_the_supervisor_passes_on_the_word_of_qa_with_a_command(company: Company, verdict: str) -> None:
    say(company, WORKER, SUPERVISOR, "WORKER_DONE")
    say(company, SUPERVISOR, QA, "READY_FOR_QA")
    say(company, QA, SUPERVISOR, verdict)
    state = company.project.task("wo-123")["state"]

    sent = company.co("send", WORKER, "-s", f"{verdict}: wo-123", "-m", "So says QA.", agent=SUPERVISOR)

    assert (sent.code, sent.err) == (0, "")
    assert any(mail["body"] == "So says QA." for mail in company.mail_to(WORKER))
    assert company.project.task("wo-123")["state"] == state


def test_a_verdict_that_qa_has_not_given_is_not_passed_on_silently(company: Company) -> None:
    say(company, WORKER, SUPERVISOR, "WORKER_DONE")
    say(company, SUPERVISOR, WORKER, "MERGED")

    assert any("let the qa send it" in body for body in told(company, SUPERVISOR))


def test_mail_that_was_lost_is_sent_again_and_counts(company: Company) -> None:
    say(company, WORKER, "project-a/supervsor", "WORKER_DONE")
    say(company, WORKER, SUPERVISOR, "WORKER_DONE")
    say(company, SUPERVISOR, "project-a/qaa", "READY_FOR_QA")
    say(company, SUPERVISOR, QA, "READY_FOR_QA")
    say(company, QA, WORKER, "MERGED")

    assert company.order("wo-123")["status"] == "closed"
    assert [told(company, each) for each in (WORKER, SUPERVISOR, QA)] == [[], [], []]


def test_a_delivery_to_the_wrong_role_is_written_again_and_reaches_the_supervisor(company: Company) -> None:
    say(company, WORKER, CEO, "WORKER_DONE", subject="WORKER_DONE: wo-123", metadata={})
    line = offered(company, WORKER)
    company.project.say(company.messages, line)
    say(company, SUPERVISOR, QA, "READY_FOR_QA")

    assert json.loads(line)["metadata"] == {"work_order_id": "wo-123"}
    assert "counted" not in "".join(told(company, WORKER))
    assert company.project.task("wo-123")["state"] == "checking"


def test_a_move_that_has_no_effect_for_another_reason_is_told_again(company: Company) -> None:
    say(company, SUPERVISOR, QA, "READY_FOR_QA")
    company.do("wo", "close", "wo-123", agent=CEO)
    say(company, SUPERVISOR, QA, "READY_FOR_QA", id="msg-2")
    say(company, SUPERVISOR, QA, "READY_FOR_QA", id="msg-3")

    assert len([body for body in told(company, SUPERVISOR) if "had no effect" in body]) == 2


def test_a_verdict_before_the_delivery_is_told_to_wait_for_it(company: Company) -> None:
    say(company, QA, WORKER, "MERGED")

    (body,) = told(company, QA)
    assert body.endswith(f"Wait until {WORKER} has delivered it.")


def test_work_that_nobody_passed_on_is_not_said_to_be_undelivered(company: Company) -> None:
    say(company, WORKER, "project-a/supervsor", "WORKER_DONE")
    say(company, SUPERVISOR, QA, "READY_FOR_QA")

    assert "has delivered it" not in "".join(told(company, SUPERVISOR))


def test_a_verdict_about_an_unknown_order_names_those_that_exist(company: Company) -> None:
    say(company, QA, WORKER, "MERGED", metadata={"work_order_id": "wo-124"})

    (body,) = told(company, QA)
    assert body.endswith("there is no such task. Use an id that exists, such as wo-123.")


def test_a_misspelt_type_is_offered_as_the_type_that_was_meant(company: Company) -> None:
    say(company, WORKER, SUPERVISOR, "WORKER_DNE")
    company.project.say(company.messages, offered(company, WORKER))

    assert company.project.task("wo-123")["state"] == "delivered"
