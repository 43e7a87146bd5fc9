"""co and wo: the flows of a VerMAS company, each told as a story, with processes of their own."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.spoken import Answer, Shell

BIN = Path(sys.executable).parent
WORKER = "project-a/workers/slot0"
SUPERVISOR, QA = "project-a/supervisor", "project-a/qa"


class Company:
    """Somebody who types co and wo."""

    def __init__(self, shell: Shell, agent: str) -> None:
        self._shell = shell
        self._agent = agent

    def __call__(self, *words: str) -> Answer:
        return self._shell.with_env(AGENT_ID=self._agent).type(*words)

    def orders(self, *words: str) -> list[dict[str, object]]:
        return self("wo", *words, "--json").rows


@pytest.fixture
def company(bus: Shell) -> dict[str, Company]:
    bus.run("agents", "add", "ceo", "operations", WORKER, SUPERVISOR, QA)
    return {agent: Company(bus, agent) for agent in ("ceo", "operations", WORKER, SUPERVISOR, QA)}


def dispatched(company: dict[str, Company]) -> str:
    """Return the id of a work order that the worker has."""
    order = company["ceo"]("wo", "create", "--title", "Feature X").out.split()[-1]
    assert company["ceo"]("co", "dispatch", order, "project-a").out == f"Dispatched: {order} to {WORKER}\n"
    return order


def status(company: dict[str, Company], order: str) -> object:
    return company["ceo"].orders("show", order)[0]["status"]


def test_the_happy_path_worker_done_ready_for_qa_merged(company: dict[str, Company]) -> None:
    order = dispatched(company)

    assert company[WORKER]("co", "assignment").out == f"ASSIGNED: {order}\n"
    company[WORKER]("wo", "update", order, "--status", "in_progress")
    company[WORKER]("co", "worker", "done", "-m", "branch slot0-x")
    assert company[WORKER]("co", "assignment").out == "Assignment is empty\n"
    company[SUPERVISOR]("co", "send", QA, "-s", "Ready", "--type", "READY_FOR_QA", "--wo", order)
    company[QA]("co", "send", WORKER, "-s", "Merged", "--type", "MERGED", "--wo", order)

    assert status(company, order) == "closed"
    assert "Merged" in company[WORKER]("co", "inbox").out
    assert "Merged" in company[SUPERVISOR]("co", "inbox").out


def test_the_failure_path_rework_request_reaches_author_and_supervisor(company: dict[str, Company]) -> None:
    order = dispatched(company)
    company[WORKER]("co", "worker", "done", "-m", "branch slot0-x")
    company[SUPERVISOR]("co", "send", QA, "-s", "Ready", "--type", "READY_FOR_QA", "--wo", order)

    company[QA]("co", "send", WORKER, "-s", "2 fail", "-m", "a, b", "--type", "REWORK_REQUEST", "--wo", order)

    assert "2 fail" in company[WORKER]("co", "inbox").out
    assert "2 fail" in company[SUPERVISOR]("co", "inbox").out
    assert order in company[WORKER]("co", "prime").out
    assert status(company, order) == "in_progress"


def test_the_escalation_path_nudge_help_escalation(company: dict[str, Company]) -> None:
    company[SUPERVISOR]("co", "send", WORKER, "-s", "Are you there?", "--type", "NUDGE")
    waiting = json.loads(company["ceo"]("palaver", "waiting", "--json").out)["waits"]
    company[WORKER]("co", "send", SUPERVISOR, "-s", "Stuck", "-m", "no key", "--type", "HELP")
    after = json.loads(company["ceo"]("palaver", "waiting", "--json").out)["waits"]
    company[SUPERVISOR]("co", "send", "operations", "-s", "Worker stuck", "--type", "ESCALATION")
    company["operations"]("co", "send", "ceo", "-s", "Worker stuck", "--type", "ESCALATION")

    assert [(wait["kind"], wait["movers"]) for wait in waiting] == [("nudge", [WORKER])]
    assert [(wait["kind"], wait["waiter"]) for wait in after] == [("ask", WORKER)]
    assert "Worker stuck" in company["ceo"]("co", "inbox").out


def test_the_sender_of_worker_done_never_waits(company: dict[str, Company]) -> None:
    dispatched(company)
    company[WORKER]("co", "worker", "done", "-m", "branch slot0-x")

    found = json.loads(company["ceo"]("palaver", "waiting", "--json").out)

    assert found["cycles"] == []
    assert "ASSIGNED" not in company[WORKER]("co", "prime").out


def test_a_handoff_as_the_handbook_writes_it(company: dict[str, Company]) -> None:
    sent = company["ceo"]("co", "send", "ceo", "-s", "🤝 HANDOFF: Context for next session", "-m", "Details…")
    attached = company["ceo"]("co", "assignment", "attach", sent.message_id)

    assert attached.out == f"Attached: mail:{sent.message_id} for ceo\n"
    assert company["ceo"]("co", "assignment").out == f"ASSIGNED: mail:{sent.message_id}\n"
    assert "Details…" in company["ceo"]("co", "prime").out
    company["ceo"]("co", "archive", sent.message_id)
    assert company["ceo"]("co", "assignment").out == "Assignment is empty\n"


def test_owners_update_work_orders_and_others_may_not(company: dict[str, Company]) -> None:
    order = dispatched(company)

    assert company[WORKER]("wo", "close", order).code == 4
    assert company[WORKER]("wo", "update", order, "--title", "Mine").code == 4
    assert company["ceo"]("wo", "close", order, "--reason", "not needed").out == f"Closed: {order}\n"
    assert company[WORKER]("co", "assignment").out == "Assignment is empty\n"


def test_a_work_order_that_needs_another_is_ready_when_that_is_closed(company: dict[str, Company]) -> None:
    ceo = company["ceo"]
    first, second = (ceo("wo", "create", title).out.split()[-1] for title in ("A", "B"))
    ceo("wo", "dep", "add", second, first)

    assert [order["id"] for order in ceo.orders("ready")] == [first]
    assert [order["id"] for order in ceo.orders("blocked")] == [second]
    assert ceo("wo", "dep", "add", first, second).code == 5
    ceo("wo", "close", first)
    assert [order["id"] for order in ceo.orders("ready")] == [second]


def test_events_have_the_names_of_the_company(company: dict[str, Company]) -> None:
    order = dispatched(company)
    company["ceo"]("wo", "close", order)

    found = company["ceo"].orders("events", "list", "--type", "work_order.*")

    assert [event["event_type"] for event in found] == [
        "work_order.created",
        "work_order.status_changed",
        "work_order.assigned",
        "work_order.status_changed",
        "work_order.closed",
    ]
    replayed = company["ceo"].orders("events", "replay", order)
    assert found == [event for event in replayed if str(event["event_type"]).startswith("work_order.")]


def test_events_are_counted_exported_and_followed(company: dict[str, Company]) -> None:
    order = dispatched(company)
    ceo = company["ceo"]

    stats = ceo("wo", "events", "stats", "--json").fields
    exported = [json.loads(line) for line in ceo("wo", "events", "export", "--since", "1h").out.splitlines()]
    followed = ceo("wo", "events", "tail", "--timeout", "0.1")

    assert (stats["work_order.created"], stats["work_order.assigned"]) == (1, 1)
    assert not [kind for kind in stats if kind.startswith(("file.", "log."))]
    assert [event for event in exported if event["data"].get("work_order_id") == order]
    assert (followed.code, followed.out) == (0, "")


def test_a_work_order_is_shown_as_the_company_shows_it(company: dict[str, Company]) -> None:
    made = company["ceo"]("wo", "create", "--title", "Bug in login", "--type", "bug", "--priority", "0").out
    order = made.split()[-1]

    assert made == f"Created work order {order}\n"
    assert company["ceo"]("wo", "list").out.split() == [order, "Bug", "in", "login", "open", "P0"]


def test_mail_is_listed_in_the_columns_of_the_company(company: dict[str, Company]) -> None:
    assert company[WORKER]("co", "inbox").out == "No messages\n"
    assert company[WORKER]("co", "inbox", "--json").rows == []
    subject = "Forty characters of a subject are shown, and the rest is not"
    company["ceo"]("co", "send", WORKER, "-s", subject, "-m", "x")
    [mail] = company[WORKER]("co", "inbox", "--json").rows

    head, row = company[WORKER]("co", "inbox").lines
    company[WORKER]("co", "read", str(mail["id"]))
    [_, read] = company[WORKER]("co", "inbox").lines

    assert head.split() == ["ID", "From", "Subject", "Date", "Read"]
    assert row.split()[:2] == [mail["id"], "ceo"]
    assert f"{subject[:39]}…" in row
    assert (row[-1], read[-1]) != ("✓", "✓")
    assert read == f"{row}  ✓"


def test_the_files_and_the_views_are_looked_after_by_the_commands_of_the_company(
    company: dict[str, Company],
) -> None:
    ceo = company["ceo"]

    assert ceo("wo", "sync").out == "Nothing to do\n"
    assert ceo("wo", "sync", "--status").code == 0
    assert ceo("wo", "rebuild-projections").out.startswith("Rebuilt: ")
    assert "log" in ceo("wo", "doctor").out


def test_lost_mail_is_sent_again(company: dict[str, Company]) -> None:
    refused = company["ceo"]("co", "send", "nobody", "-s", "Hello", "-m", "Hello")
    lost = company["ceo"]("co", "send", "nobody", "-s", "Hello", "-m", "Hello", "--allow-unknown")

    assert refused.code == 3
    assert company["ceo"]("co", "resend", lost.message_id, WORKER).code == 0
    assert "Hello" in company[WORKER]("co", "inbox").out


def test_a_company_at_a_glance(company: dict[str, Company]) -> None:
    dispatched(company)

    assert "work orders:  0 open, 1 assigned" in company["ceo"]("co", "status").out
    assert company["ceo"]("co", "workers", "project-a").out.split()[:2] == [WORKER, "assigned"]
    assert company["ceo"]("co", "factories").out == "project-a\n"
    assert company["ceo"]("wo", "stats").out.split()[:4] == ["open", "0", "assigned", "1"]


def test_mail_by_command_stands_in_the_file_of_the_company(bus: Shell) -> None:
    (bus.folder / ".work").mkdir()
    bus.run("mount", "add", "vermas", ".")
    bus.run("agents", "add", SUPERVISOR)
    ceo, worker = Company(bus, "ceo"), Company(bus, WORKER)

    order = ceo("wo", "create", "--title", "Feature X").out.split()[-1]
    ceo("co", "dispatch", order, "project-a")
    worker("co", "worker", "done", "-m", "branch slot0-x")
    ceo("co", "send", "ceo", "-s", "🤝 HANDOFF: Context for next session", "-m", "Details...")

    lines = (bus.folder / ".work/messages.jsonl").read_text(encoding="utf-8").splitlines()
    mail = [(line["from"], line["to"], line.get("type")) for line in map(json.loads, lines)]
    assert mail == [("ceo", WORKER, None), (WORKER, SUPERVISOR, "WORKER_DONE"), ("ceo", "ceo", "HANDOFF")]


MISTAKES = [
    (["co"], 2, "usage: co"),
    (["wo"], 2, "usage: wo"),
    (["co", "worker"], 2, "worker spawn"),
    (["wo", "dep"], 2, "dep add"),
    (["co", "dispach"], 2, "did you mean co dispatch?"),
    (["co", "send"], 2, "is missing"),
    (["co", "send", "ceo", "-s", "x", "--type", "SHOUT"], 2, "WORKER_DONE"),
    (["co", "read", "msg-none"], 3, "no message"),
    (["co", "dispatch", "wo-none", "project-a"], 3, "no task wo-none"),
    (["co", "assignment", "set", WORKER, "foo"], 2, "work_order:ID"),
    (["co", "assignment", "set", "ghost", "work_order:wo-1"], 3, "no task"),
    (["co", "worker", "done", "-m", "all of it"], 2, "has no work order"),
    (["wo", "show", "wo-none"], 3, "no task"),
    (["wo", "create"], 2, "no title"),
    (["wo", "create", "X", "--priority", "5"], 2, "between 0 and 4"),
    (["wo", "create", "X", "--type", "wish"], 2, "merge-request"),
    (["wo", "list", "--status", "nice"], 2, "in_progress"),
    (["wo", "list", "--older-than", "soon"], 2, "30m"),
    (["wo", "update", "wo-none", "--priority", "1"], 3, "no task"),
]


@pytest.mark.parametrize(("words", "code", "said"), MISTAKES, ids=[" ".join(case[0]) for case in MISTAKES])
def test_a_mistake_is_told(company: dict[str, Company], words: list[str], code: int, said: str) -> None:
    answer = company["ceo"](*words)

    assert answer.code == code
    assert said in answer.err


@pytest.mark.parametrize("program", ["co", "wo"])
def test_every_subcommand_explains_itself(company: dict[str, Company], program: str) -> None:
    from palaver.cli.company import co, wo

    for name in co.TABLE if program == "co" else wo.TABLE:
        answer = company["ceo"](program, *name.split(), "--help")

        assert answer.code == 0
        assert answer.out.startswith(f"usage: {program} {name}")


def test_a_repeated_key_of_a_company_command_writes_once(company: dict[str, Company]) -> None:
    created = [company["ceo"]("wo", "create", "Build it", "--key", "k").out for _ in range(2)]
    sent = [company["ceo"]("co", "send", QA, "-s", "Hello", "--key", "m").out for _ in range(2)]

    assert created[0] == created[1]
    assert sent[1] == sent[0].replace("\n", " (was sent before)\n")
    assert len(company["ceo"]("wo", "list").lines) == 1


def twice(agent: Company, *words: str) -> Answer:
    """Run a command with a key twice; return its answer, which must be the same, as text and for programs."""
    keyed = (*words, "--key", " ".join(words))
    first = agent(*keyed)
    before = len(agent("palaver", "events", "--limit", "1000").lines)
    again = agent(*keyed)

    assert (again.code, again.out) == (first.code, first.out) == (0, first.out)
    assert agent(*keyed, "--json").code == 0
    assert len(agent("palaver", "events", "--limit", "1000").lines) == before
    return first


def test_a_repeated_key_of_a_worker_or_an_order_does_nothing_and_answers_the_same(
    company: dict[str, Company],
) -> None:
    ceo = company["ceo"]
    order = ceo("wo", "create", "Build it").out.split()[-1]

    twice(ceo, "co", "dispatch", order, "project-a")
    twice(company[WORKER], "wo", "update", order, "--status", "in_progress")
    twice(company[WORKER], "co", "worker", "done", "-m", "branch slot0-x")
    twice(ceo, "co", "dispatch", ceo("wo", "create", "More").out.split()[-1], "project-a")
    killed = twice(ceo, "co", "worker", "kill", "project-a", "0")

    assert "released: work_order:" in killed.out


def test_a_repeated_key_of_mail_does_nothing_and_answers_the_same(company: dict[str, Company]) -> None:
    ceo = company["ceo"]
    sent = ceo("co", "send", "ceo", "-s", "🤝 HANDOFF: for later").message_id

    twice(ceo, "co", "assignment", "attach", sent)
    archived = twice(ceo, "co", "archive", sent)

    assert archived.out == f"Archived: {sent}\n"


def test_a_key_of_one_command_is_refused_for_another(company: dict[str, Company]) -> None:
    ceo = company["ceo"]
    order = ceo("wo", "create", "Build it").out.split()[-1]
    ceo("co", "dispatch", order, "project-a", "--key", "k")

    answer = ceo("wo", "update", order, "--title", "Another", "--key", "k")

    assert answer.code == 5
    assert "[key-conflict]" in answer.err
