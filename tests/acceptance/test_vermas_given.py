"""vermas: an order that is given to a worker is in its assignment file, whoever gave it, and how."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.files import read
from tests.acceptance.lines import approval, block, chat, post
from tests.acceptance.teams import mount_team
from tests.acceptance.vermas_company import CEO, QA, SUPERVISOR, WORKER, Company


def by_command(company: Company) -> str:
    company.project.do("task", "open", "Feature X", "--id", "wo-1", agent=CEO)
    company.project.do("task", "assign", "wo-1", WORKER, agent=CEO)
    return "wo-1"


def by_swarm(company: Company) -> str:
    team = mount_team(company.project, "swarm")
    team.say("td", post("td", f"@{WORKER}", "task", "Implement auth, task #2."))
    return "2"


def by_runbus(company: Company) -> str:
    team = mount_team(company.project, "runbus")
    team.say("lead-1", block("TASK", "lead-1", f"@{WORKER} write the parser."))
    return "parser"


def by_collab(company: Company) -> str:
    team = mount_team(company.project, "collab")
    team.say("jim", chat("JIM", WORKER, "[TASK:price] Get BTC from CoinGecko"))
    return "price"


def by_office(company: Company) -> str:
    team = mount_team(company.project, "office")
    company.project.do("task", "open", "Home Page", "--id", "004", agent="emp-manager-001")
    team.say("emp-manager-001", approval("004", WORKER))
    return "004"


def by_order_file(company: Company) -> str:
    company.write_order("wo-1")
    company.sync()
    company.project.say(company.orders, json.dumps({"id": "wo-1", "status": "assigned", "assignee": WORKER}))
    return "wo-1"


GIVEN = (by_command, by_swarm, by_runbus, by_collab, by_office, by_order_file)


@pytest.mark.parametrize("give", GIVEN)
def test_an_order_that_is_given_is_in_the_assignment_file(
    tmp_path: Path, give: Callable[[Company], str]
) -> None:
    company = Company(tmp_path)

    order = give(company)
    company.sync()

    assert company.project.task(order)["holder"] == WORKER
    assert read(company.assignment_file()) == f"work_order:{order}\n"


def test_a_second_order_does_not_replace_the_first(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")

    order = by_command(company)
    company.sync()

    assert read(company.assignment_file()) == "work_order:wo-123\n"
    assert company.co("assignment", agent=WORKER).out == f"ASSIGNED: wo-123\nPending: {order}\n"


def test_the_agent_that_gives_a_second_order_is_told_that_it_is_pending(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")

    order = by_command(company)
    company.sync()

    (told,) = [each for each in company.mail_to(CEO) if each["from"] == "palaver"]
    assert told["body"] == f"{order} is pending: {WORKER} has wo-123 first."


@pytest.mark.parametrize("end", ["deliver", "clear", "take"])
def test_the_second_order_comes_when_the_first_ends(tmp_path: Path, end: str) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    order = by_command(company)

    if end == "deliver":
        company.write_mail(WORKER, SUPERVISOR, "WORKER_DONE: wo-123")
    elif end == "clear":
        company.write_assignment("")
    else:
        company.project.do("task", "release", "wo-123", agent=CEO)
    company.sync()

    assert read(company.assignment_file()) == f"work_order:{order}\n"


def test_a_delivery_that_is_recorded_before_its_order_is_told_and_the_order_stays(tmp_path: Path) -> None:
    company = Company(tmp_path)
    team = mount_team(company.project, "swarm")
    team.append("td", post("td", f"@{WORKER}", "task", "Implement auth, task #2."))
    metadata = {"work_order_id": "2"}
    company.write_mail(
        WORKER, SUPERVISOR, "Done", type="WORKER_DONE", timestamp="2026-02-01T10:00:00Z", metadata=metadata
    )

    company.sync()
    company.sync()

    told = [str(mail["body"]) for mail in company.mail_to(WORKER) if mail["from"] == "palaver"]
    assert [body for body in told if "2 had no effect: there is no such task" in body]
    assert company.co("assignment", agent=WORKER).out == "ASSIGNED: 2\n"


def test_an_order_that_a_worker_takes_itself_is_no_assignment(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.project.do("task", "open", "Feature X", "--id", "wo-1", agent=CEO)

    company.project.do("task", "claim", "wo-1", agent=WORKER)
    company.sync()

    assert not company.assignment_file().exists()


# --- an assignment file cannot give what is not free ---


@pytest.mark.parametrize("state", ["closed", "taken"])
def test_an_order_that_is_not_free_is_not_assigned_by_a_file(tmp_path: Path, state: str) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    if state == "closed":
        company.project.do("task", "accept", "wo-123", agent=CEO)
    other = company.assignment_file(QA)
    other.write_text("work_order:wo-123\n")
    company.sync()

    why = "wo-123 is done" if state == "closed" else f"{WORKER} has it"
    (told,) = [str(each["body"]) for each in company.mail_to(CEO) if each["from"] == "palaver"]
    assert f"work_order:wo-123 is not assigned to {QA}: {why}" in told
    assert read(other) == ""
    assert company.co("assignment", agent=QA).out == "Assignment is empty\n"
