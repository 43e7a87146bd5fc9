"""The flows of a company and of a run, by lines in their own files. Each a story, with real processes."""

import json
from pathlib import Path

import pytest

from tests.cli.spoken import Shell

WORKER, SUPERVISOR, QA = "project-a/workers/slot0", "project-a/supervisor", "project-a/qa"


class Place:
    """A bus, and agents who know nothing but their files."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.folder = Path(shell.folder)
        self._count = 0

    def appends(self, file: str, text: str) -> None:
        """Let somebody append to a file, and the bus look."""
        with (self.folder / file).open("a", encoding="utf-8") as opened:
            opened.write(text)
        self.shell.run("sync")

    def text(self, file: str) -> str:
        return (self.folder / file).read_text(encoding="utf-8")

    def mails(self, sender: str, to: str, kind: str, body: str, order: str = "wo-1") -> None:
        """Let an agent of the company write a mail."""
        self._count += 1
        line = {
            "id": f"msg-{self._count}",
            "from": sender,
            "to": to,
            "subject": kind,
            "body": body,
            "type": kind,
        }
        line["timestamp"] = f"2026-01-01T10:00:{self._count:02}.000Z"
        self.appends(
            "co/.work/messages.jsonl", json.dumps({**line, "metadata": {"work_order_id": order}}) + "\n"
        )

    def assignment(self) -> str:
        path = self.folder / "co/.work/.assignment-project-a-workers-slot0"
        return path.read_text(encoding="utf-8").strip() if path.exists() else ""

    def order(self, task: str = "wo-1") -> tuple[object, object]:
        """Return what the company's own file says of a work order."""
        rows = [json.loads(line) for line in self.text("co/.work/work_orders.jsonl").splitlines()]
        [row] = [row for row in rows if row["id"] == task]
        return row["status"], row.get("assignee")

    def state(self, task: str) -> object:
        return self.shell.run("task", "show", task, "--json").fields["state"]


@pytest.fixture
def company(ada: Shell) -> Place:
    place = Place(ada)
    (place.folder / "co/.work").mkdir(parents=True)
    for file in ("messages", "work_orders"):
        (place.folder / f"co/.work/{file}.jsonl").touch()
    agents = ",".join(("ceo", WORKER, SUPERVISOR, QA))
    ada.run("mount", "add", "vermas", "co", "--set", f"agents={agents}")
    place.appends(
        "co/.work/work_orders.jsonl", '{"id":"wo-1","title":"Feature X","status":"open","created_by":"ceo"}\n'
    )
    # The CEO dispatches as the protocol says: by writing the assignment file.
    (place.folder / "co/.work/.assignment-project-a-workers-slot0").write_text("work_order:wo-1\n")
    ada.run("sync")
    return place


def test_work_goes_from_the_ceo_through_the_hands_of_all_and_is_merged(company: Place) -> None:
    assert company.order() == ("assigned", WORKER)
    assert company.assignment() == "work_order:wo-1"

    company.mails(WORKER, SUPERVISOR, "WORKER_DONE", "branch slot0-x, 40 tests green")
    assert company.assignment() == ""
    assert company.state("wo-1") == "delivered"

    company.mails(SUPERVISOR, QA, "READY_FOR_QA", "branch slot0-x")
    assert company.state("wo-1") == "checking"
    company.mails(QA, WORKER, "MERGED", "merged as abc123")

    assert company.state("wo-1") == "done"
    assert company.order() == ("closed", WORKER)
    assert company.shell.run("waiting").out == "Nobody is waiting\n"


def test_work_that_fails_comes_back_and_is_merged_the_second_time(company: Place) -> None:
    company.mails(WORKER, SUPERVISOR, "WORKER_DONE", "branch slot0-x")
    company.mails(SUPERVISOR, QA, "READY_FOR_QA", "branch slot0-x")

    company.mails(QA, WORKER, "REWORK_REQUEST", "two tests fail")
    assert company.state("wo-1") == "rework"
    assert company.order() == ("in_progress", WORKER)

    company.mails(WORKER, SUPERVISOR, "WORKER_DONE", "both are green")
    company.mails(SUPERVISOR, QA, "READY_FOR_QA", "again")
    company.mails(QA, WORKER, "MERGED", "merged as abc123")
    assert company.order() == ("closed", WORKER)


def test_who_did_not_do_the_work_cannot_hand_it_in(company: Place) -> None:
    company.mails(QA, SUPERVISOR, "WORKER_DONE", "I say so")

    assert company.order() == ("assigned", WORKER)
    assert company.assignment() == "work_order:wo-1"
    assert "had no effect" in company.text("co/.work/messages.jsonl")


# --- a run ---


def block(number: int, kind: str, agent: str, text: str, task: str = "TASK-1") -> str:
    head = f"messageId: MSG-20260203-0811{number:02}-{agent}-{number:03}\ntype: {kind}\nagent: {agent}\n"
    when = f"timestamp: 2026-02-03T08:11:{number:02}Z\nrunId: run_1\ntaskId: {task}\n"
    return f"---\n{head}{when}---\n{text}\n---\n"


@pytest.fixture
def run(ada: Shell) -> Place:
    place = Place(ada)
    (place.folder / "run").mkdir()
    (place.folder / "run/MESSAGE-BUS.md").write_text("# Message bus\n\n", encoding="utf-8")
    ada.run("mount", "add", "runbus", "run")
    return place


def test_in_a_run_a_question_waits_for_its_answer_and_the_work_is_completed(run: Place) -> None:
    run.appends("run/MESSAGE-BUS.md", block(1, "TASK", "orchestrator-1", "Write the parser"))
    run.appends("run/MESSAGE-BUS.md", block(2, "QUESTION", "codex-1", "@orchestrator-1 which grammar?"))
    asked = run.shell.run("waiting").out
    answer = block(3, "ANSWER", "orchestrator-1", "The second one.")
    relating = "taskId: TASK-1\nrelatesTo: MSG-20260203-081102-codex-1-002\n"
    run.appends("run/MESSAGE-BUS.md", answer.replace("taskId: TASK-1\n", relating))
    answered = run.shell.run("waiting").out
    run.appends("run/MESSAGE-BUS.md", block(4, "COMPLETE", "codex-1", "parser.py is written"))

    assert "waits for orchestrator-1: an answer" in asked
    assert "an answer" not in answered
    assert run.state("1") == "done"


def test_in_a_run_a_question_to_everyone_is_answered_by_one_of_them(run: Place) -> None:
    for number, agent in enumerate(("codex-1", "gemini-1"), start=1):
        run.appends("run/MESSAGE-BUS.md", block(number, "FACT", agent, "I am here."))
    run.appends("run/MESSAGE-BUS.md", block(3, "QUESTION", "claude-1", "Which grammar?", task="TASK-9"))
    asked = run.shell.run("waiting").out
    answer = block(4, "ANSWER", "codex-1", "The second one.", task="TASK-9")
    relating = "taskId: TASK-9\nrelatesTo: MSG-20260203-081103-claude-1-003\n"
    run.appends("run/MESSAGE-BUS.md", answer.replace("taskId: TASK-9\n", relating))

    assert [line.split()[1:4] for line in asked.splitlines()] == [["claude-1", "waits", "for"]] * 2
    assert "an answer" not in run.shell.run("waiting").out


def test_in_a_run_a_question_waits_until_somebody_comes_who_can_answer_it(run: Place) -> None:
    run.appends("run/MESSAGE-BUS.md", block(1, "QUESTION", "claude-1", "Is anybody there?"))
    asked = run.shell.run("waiting").out
    relating = "taskId: TASK-1\nrelatesTo: MSG-20260203-081101-claude-1-001\n"
    answer = block(2, "ANSWER", "codex-1", "I am.").replace("taskId: TASK-1\n", relating)
    run.appends("run/MESSAGE-BUS.md", answer)

    assert "claude-1     waits for @runbus: an answer" in asked
    assert "an answer" not in run.shell.run("waiting").out


def test_in_a_run_an_error_blocks_the_work_of_who_reports_it(run: Place) -> None:
    run.appends("run/MESSAGE-BUS.md", block(1, "TASK", "orchestrator-1", "Write the parser"))
    run.shell.run("task", "claim", "1", "--as", "codex-1")
    report = (
        "## Error Report\n\n**Task:** the parser\n**Attempts:**\n1. Codex: hung\n\n**Impact:** no release"
    )
    run.appends("run/MESSAGE-BUS.md", block(2, "ERROR", "codex-1", report))

    assert run.state("1") == "blocked"
