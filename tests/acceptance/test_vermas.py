"""vermas: assignments, dispatch, handoffs, types and the company that a fresh mount knows."""

from pathlib import Path

import pytest

from tests.acceptance.daemon import run_daemon
from tests.acceptance.files import read, records
from tests.acceptance.vermas_company import CEO, QA, STAFF, SUPERVISOR, WORKER, Company

NOT_THE_WORKER = tuple(agent for agent in STAFF if agent != WORKER)

# --- assignments ---


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Company:
    """Return a company in which an order waits for a worker that nobody has heard of."""
    company = Company(tmp_path_factory.mktemp("waiting"), NOT_THE_WORKER)
    company.write_order("wo-123")
    company.write_assignment("work_order:wo-123\n")
    company.sync()
    return company


def test_an_assignment_of_an_unknown_worker_invents_no_agent(waiting: Company) -> None:
    assert "project-a-workers-slot0" not in waiting.project.do("agents").out


def test_an_assignment_of_an_unknown_worker_is_shown_as_pending(waiting: Company) -> None:
    (file,) = [file for file in waiting.project.files() if ".assignment-" in str(file["file"])]

    assert (file["size"], file["pending"], file["events"]) == (18, 18, 0)


def test_an_assignment_waits_for_its_worker(tmp_path: Path) -> None:
    company = Company(tmp_path, NOT_THE_WORKER)
    company.write_order("wo-123")
    company.write_assignment("work_order:wo-123\n")
    company.sync()
    company.write_mail(WORKER, SUPERVISOR, "Hello")
    company.sync()

    assert company.co("assignment", agent=WORKER).out == "ASSIGNED: wo-123\n"
    assert company.order("wo-123")["assignee"] == WORKER


def test_an_assignment_that_waits_is_found_by_the_first_check_of_its_worker(tmp_path: Path) -> None:
    company = Company(tmp_path, NOT_THE_WORKER)
    company.write_order("wo-123")
    with run_daemon(company.project):
        company.write_assignment("work_order:wo-123\n")
        company.sync()

        assert company.co("assignment", agent=WORKER).out == "ASSIGNED: wo-123\n"


@pytest.mark.parametrize(
    "line",
    ["work_order:wo-abc12", "work_order:wo-abc12     # Work order assigned"],
)
def test_an_assignment_file_assigns_the_order_that_it_names(tmp_path: Path, line: str) -> None:
    company = Company(tmp_path)
    company.write_order("wo-abc12")
    company.write_assignment(line + "\n")

    assert company.co("assignment", agent=WORKER).out == "ASSIGNED: wo-abc12\n"
    assert company.order("wo-abc12")["status"] == "assigned"
    assert company.order("wo-abc12")["assignee"] == WORKER


def test_an_assignment_file_that_is_emptied_clears_the_assignment(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.write_assignment("process:proc-123abc\n")
    assert company.co("assignment", agent=WORKER).out == "ASSIGNED: process:proc-123abc\n"

    company.write_assignment("")

    assert company.co("assignment", agent=WORKER).out == "Assignment is empty\n"


def test_co_assignment_set_assigns_the_order(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.write_order("wo-123")
    company.sync()

    answer = company.co("assignment", "set", WORKER, "work_order:wo-123", agent=CEO)

    assert answer.code == 0
    assert read(company.assignment_file()) == "work_order:wo-123\n"
    assert company.order("wo-123")["status"] == "assigned"
    assert company.order("wo-123")["assignee"] == WORKER


def test_co_assignment_set_does_not_replace_an_assignment(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-1")
    company.write_order("wo-2")

    answer = company.co("assignment", "set", WORKER, "work_order:wo-2", agent=CEO)

    assert answer.code == 5
    assert "wo-1" in answer.text
    assert read(company.assignment_file()) == "work_order:wo-1\n"


def test_an_assignment_is_not_replaced_silently_by_a_file(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-1")
    company.write_order("wo-2")
    company.sync()
    told_before = records(company.messages)

    company.write_assignment("work_order:wo-2\n")
    company.sync()

    # Whichever of the two orders stays: somebody reads that they met.
    told = " ".join(str(record) for record in records(company.messages) if record not in told_before)
    assert "wo-1" in told
    assert "wo-2" in told


@pytest.mark.parametrize("ref", ["work_order:wo-nope", "mail:msg-nope"])
def test_work_that_does_not_exist_is_not_assigned_by_a_file(tmp_path: Path, ref: str) -> None:
    company = Company(tmp_path)
    company.write_assignment(f"{ref}\n")

    assert company.co("assignment", agent=WORKER).out == "Assignment is empty\n"
    assert read(company.assignment_file()) == ""
    (told,) = [mail for mail in company.mail_to(CEO) if ref in str(mail["body"])]
    assert "it first, then write the line" in str(told["body"])


def test_an_order_that_is_opened_later_is_assigned_by_the_same_line(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.write_assignment("work_order:wo-1\n")
    company.sync()
    company.write_order("wo-1")
    company.write_assignment("work_order:wo-1\n")

    assert company.co("assignment", agent=WORKER).out == "ASSIGNED: wo-1\n"


def test_the_order_comes_back_when_a_handoff_is_archived(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    company.do("co", "handoff", "-m", "Go on with the parser", agent=WORKER)
    _, mail = read(company.assignment_file()).strip().split(":")

    company.do("co", "archive", mail, agent=WORKER)

    assert company.co("assignment", agent=WORKER).out == "ASSIGNED: wo-123\n"
    assert read(company.assignment_file()) == "work_order:wo-123\n"


def test_rework_leaves_the_order_with_its_worker(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.dispatch("wo-123")
    order = {"metadata": {"work_order_id": "wo-123"}}
    company.write_mail(WORKER, SUPERVISOR, "Done", type="WORKER_DONE", **order)
    company.write_mail(SUPERVISOR, QA, "Ready", type="READY_FOR_QA", **order)
    company.write_mail(QA, WORKER, "Rework", type="REWORK_REQUEST", **order)
    company.sync()

    assert company.order("wo-123")["assignee"] == WORKER
    assert read(company.assignment_file()) == "work_order:wo-123\n"


# --- dispatch ---


def test_dispatch_puts_the_order_into_the_file_of_a_free_slot(tmp_path: Path) -> None:
    company = Company(tmp_path)

    company.dispatch("wo-123")

    assert read(company.assignment_file()) == "work_order:wo-123\n"
    assert company.co("assignment", agent=WORKER).out == "ASSIGNED: wo-123\n"


def test_dispatch_refuses_an_order_that_needs_another(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.write_order("wo-a")
    company.write_order("wo-b")
    company.do("wo", "dep", "add", "wo-b", "wo-a", agent=CEO)

    answer = company.co("dispatch", "wo-b", "project-a", agent=CEO)

    assert answer.code != 0
    assert "wo-a" in answer.text
    assert read(company.assignment_file()) == ""


def test_dispatch_refuses_an_unknown_factory(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.write_order("wo-123")

    answer = company.co("dispatch", "wo-123", "nowhere", agent=CEO)

    assert answer.code == 3
    assert "nowhere/workers" not in company.project.do("agents").out


# --- handoffs ---


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(
            ("send", "ceo", "-s", "🤝 HANDOFF: Context for next session", "-m", "Details..."), id="seed"
        ),
        pytest.param(("handoff", "-m", "Context for next session"), id="handoff"),
    ],
)
def test_a_handoff_says_once_that_it_is_one(tmp_path: Path, words: tuple[str, ...]) -> None:
    company = Company(tmp_path, (CEO,))

    company.do("co", *words, agent=CEO)

    (mail,) = company.mail_to(CEO)
    assert mail["subject"] == "🤝 HANDOFF: Context for next session"


def test_a_handoff_that_is_attached_waits_in_the_assignment_file(tmp_path: Path) -> None:
    company = Company(tmp_path, (CEO,))
    company.do("co", "send", "ceo", "-s", "🤝 HANDOFF: Context", "-m", "Details...", agent=CEO)
    mail = company.mail_to(CEO)[0]["id"]

    company.do("co", "assignment", "attach", str(mail), agent=CEO)

    assert read(company.assignment_file(CEO)) == f"mail:{mail}\n"
    assert "Details..." in company.co("read", str(mail), agent=CEO).out


# --- a fresh mount ---


def test_a_fresh_mount_has_the_files_of_the_company(tmp_path: Path) -> None:
    company = Company(tmp_path, staff=())

    assert {path.name for path in company.work.glob("*")} >= {
        "messages.jsonl",
        "work_orders.jsonl",
        "events.jsonl",
    }


@pytest.mark.parametrize("role", ["ceo", "operations"])
def test_a_fresh_mount_knows_the_roles_of_the_company(tmp_path: Path, role: str) -> None:
    company = Company(tmp_path, staff=())

    answer = company.co("send", role, "-s", "Hello", "-m", "First mail", agent=WORKER)

    assert answer.code == 0
    assert "First mail" in read(company.messages)


@pytest.mark.parametrize("role", [SUPERVISOR, QA])
def test_a_factory_has_a_supervisor_and_a_qa(tmp_path: Path, role: str) -> None:
    company = Company(tmp_path, staff=())
    # The factory is known by the address of its worker; the seed names no other way.
    company.write_mail(WORKER, role, "Slot0 is here")

    inbox = company.co("inbox", agent=role)

    assert inbox.code == 0
    assert "Slot0 is here" in inbox.out


@pytest.mark.parametrize("words", [(), ("clear",)])
def test_the_assignment_of_nobody_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    found = Company(tmp_path).co("assignment", *words, "project-a/wrkers/slot0", agent=CEO)

    assert found.code == 3
    assert f"did you mean {WORKER}" in found.err


def test_each_assignment_that_is_put_back_is_told(tmp_path: Path) -> None:
    company = Company(tmp_path)
    company.write_assignment("work_order:wo-9\n")
    company.sync()
    company.dispatch("wo-123")
    company.write_order("wo-7")
    company.sync()
    for _ in range(2):
        company.write_assignment("work_order:wo-7\n")
        company.sync()

    bodies = [str(mail["body"]) for mail in company.mail_to(CEO)]
    assert len([body for body in bodies if "there is no wo-9" in body]) == 1
    assert len([body for body in bodies if "it has work_order:wo-123" in body]) == 1
