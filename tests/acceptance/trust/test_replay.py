"""A line that has moved a task, pasted again byte for byte, moves nothing, and its author is told."""

import itertools
import json
from dataclasses import dataclass
from typing import Final

import pytest

from tests.acceptance.lines import block, mail, work_mail
from tests.acceptance.project import Project
from tests.acceptance.teams import COLLAB, Team, create_folder, mount_team


def swarm(sender: str, to: str, content: str, minute: int) -> str:
    fields = {"from": sender, "to": [f"@{to}"], "type": "task", "reasoning": "r", "content": content}
    return json.dumps({"ts": f"2026-01-25T10:{minute:02}:00.000Z", **fields})


@dataclass(frozen=True, slots=True)
class Story:
    """Lines that bring a task to where a line of the past would move it again."""

    dialect: str
    settings: tuple[str, ...]
    task: str
    author: str
    file: str
    #: File and line, in the order in which they are written.
    lines: tuple[tuple[str, str], ...]
    replayed: str
    before: str
    after: str


CLAIM: Final = "[CLAIM] task-001 | title: One | by: w1 | difficulty: 1 | deps-met: yes"
DELIVERY: Final = "[DELIVERY] task-001 | by: w1 | files: a.py | criteria-met: all"
APPROVAL: Final = "[2026-01-25T10:01:00Z] [APPROVAL] task-001 approved for w1. Status: In Progress."
ACCEPTED: Final = "[2026-01-25T10:03:00Z] [DONE] task-001 marked Done. Delivered by w1."
WORKER: Final = "messages/employee-w1.log"
MANAGER: Final = "messages/manager-inbox.log"
COLLAB_DONE: Final = "2026-01-25 10:02:00 CLAWDY -> JIM: [DONE:price] BTC $94,230"
SWARM_DONE: Final = swarm("programmer", "td", "Completed task #2.", 2)
STORIES: Final = {
    "office-approval": Story(
        "office", ("approval=true",), "001", "emp-manager-001", MANAGER,
        (
            (WORKER, f"[2026-01-25T10:00:00Z] {CLAIM}"),
            (MANAGER, APPROVAL),
            (WORKER, "[2026-01-25T10:02:00Z] [INFO] by: w1 | [RELEASE:001] not now"),
            (WORKER, f"[2026-01-25T10:03:00Z] {CLAIM}"),
        ),
        APPROVAL, "claimed", "working",
    ),
    "office-done": Story(
        "office", ("approval=true",), "001", "emp-manager-001", MANAGER,
        (
            (WORKER, f"[2026-01-25T10:00:00Z] {CLAIM}"),
            (MANAGER, APPROVAL),
            (WORKER, f"[2026-01-25T10:02:00Z] {DELIVERY}"),
            (MANAGER, ACCEPTED),
            (MANAGER, "[2026-01-25T10:04:00Z] [REPLY] To w1: [REWORK:001] a test fails"),
            (WORKER, f"[2026-01-25T10:05:00Z] {DELIVERY}"),
        ),
        ACCEPTED, "delivered", "done",
    ),
    "collab-done": Story(
        "collab", ("a=jim", "b=clawdy", "person=jeremy"), "price", "clawdy", "chat.log",
        (
            ("chat.log", "2026-01-25 10:00:00 JIM -> CLAWDY: [TASK:price] Get BTC"),
            ("chat.log", "2026-01-25 10:01:00 CLAWDY -> JIM: [ACK:price] On it."),
            ("chat.log", COLLAB_DONE),
            ("chat.log", "2026-01-25 10:03:00 JIM -> CLAWDY: [REWORK:price] in euros"),
            ("chat.log", "2026-01-25 10:04:00 CLAWDY -> JIM: [ACK:price] On it."),
        ),
        COLLAB_DONE, "working", "done",
    ),
    "swarm-completed": Story(
        "swarm", (), "2", "programmer", "channel.jsonl",
        (
            ("channel.jsonl", swarm("td", "programmer", "[ASSIGN:#2] Write it.", 0)),
            ("channel.jsonl", swarm("programmer", "td", "ACK: Claimed task #2.", 1)),
            ("channel.jsonl", SWARM_DONE),
            ("channel.jsonl", swarm("td", "programmer", "[REWORK:#2] a test fails", 3)),
            ("channel.jsonl", swarm("programmer", "td", "[ACK:#2] again", 4)),
        ),
        SWARM_DONE, "working", "delivered",
    ),
}  # fmt: skip
ROWS: Final = [pytest.param(story, id=name) for name, story in STORIES.items()]


def received(project: Project, agent: str) -> list[str]:
    """Return the mail of an agent, each message as JSON."""
    listed = project.do("inbox", "--all", "--json", "-n", "100", agent=agent)
    return [json.dumps(message) for message in json.loads(listed.out)["messages"]]


def play(project: Project, story: Story) -> list[str]:
    """Write the lines of a story in their order; return the mail of the author so far."""
    folder = mount_team(project, story.dialect, *story.settings).folder
    for file, group in itertools.groupby(story.lines, key=lambda each: each[0]):
        project.append(folder / file, *(written for _, written in group))
        project.sync()
    if project.task(story.task)["state"] != story.before:
        raise RuntimeError(f"setup failed: {project.do('task', 'show', story.task).out}")
    return received(project, story.author)


@pytest.mark.parametrize("story", ROWS)
def test_a_new_line_with_the_same_words_moves_the_task(project: Project, story: Story) -> None:
    play(project, story)

    later = story.replayed.replace("10:01:00", "10:09:00").replace("10:02:00", "10:09:00")
    project.append(project.folder / story.dialect / story.file, later.replace("10:03:00", "10:09:00"))
    project.sync()

    assert project.task(story.task)["state"] == story.after


@pytest.mark.parametrize("story", ROWS)
def test_a_line_that_has_moved_a_task_moves_nothing_when_it_is_pasted_again(
    project: Project, story: Story
) -> None:
    play(project, story)

    project.append(project.folder / story.dialect / story.file, story.replayed)
    project.sync()

    assert project.task(story.task)["state"] == story.before


@pytest.mark.parametrize("story", ROWS)
def test_the_author_of_a_line_that_was_pasted_again_is_told(project: Project, story: Story) -> None:
    mail = play(project, story)

    project.append(project.folder / story.dialect / story.file, story.replayed)
    project.sync()

    # Nothing else in these stories is addressed to the author.
    assert [each for each in received(project, story.author) if each not in mail] != []


# --- what else is a copy, and what is not ---

CHAT: Final = "2026-01-25 10:{:02}:00 {} -> {}: {}"
GIVEN: Final = CHAT.format(0, "JIM", "CLAWDY", "[TASK:price] Get BTC")
TAKEN: Final = CHAT.format(1, "CLAWDY", "JIM", "[ACK:price] On it.")
DONE: Final = CHAT.format(2, "CLAWDY", "JIM", "[DONE:price] BTC $94,230")
AGAIN: Final = CHAT.format(3, "JIM", "CLAWDY", "[REWORK:price] in euros")


def told(team: Team, agent: str, *words: str) -> list[str]:
    """Return what the bus told an agent in the file that it reads, if it has all the words."""
    return [line for line in team.told(agent) if all(word in line for word in words)]


def test_the_author_is_told_what_to_do_and_gets_no_line_to_copy(project: Project) -> None:
    team = mount_team(project, "collab")
    team.say("clawdy", GIVEN, TAKEN, DONE, AGAIN)

    team.say("clawdy", DONE)

    [notice] = told(team, "clawdy", "line-twice")
    assert "has no effect" in notice
    assert "the time of now" in notice
    assert "[DONE:price]" not in notice


def test_the_other_side_is_told_that_the_line_does_not_count(project: Project) -> None:
    team = mount_team(project, "collab")
    team.say("clawdy", GIVEN, TAKEN, DONE, AGAIN)

    team.say("clawdy", DONE)

    [notice] = told(team, "jim", "line-twice")
    assert "clawdy" in notice.lower()
    assert "the time of now" not in notice


def test_the_log_keeps_the_line_and_the_reason(project: Project) -> None:
    team = mount_team(project, "collab")
    team.say("clawdy", GIVEN, TAKEN, DONE, AGAIN)

    team.say("clawdy", DONE)

    [finding] = project.findings()
    [kept] = [each["data"] for each in project.events("file.kept")]
    assert isinstance(kept, dict)
    assert (finding["code"], finding["line"], kept["text"]) == ("line-twice", 5, DONE)


def test_a_move_that_is_repeated_within_a_second_needs_a_new_time(project: Project) -> None:
    team = mount_team(project, "office")
    claim = f"[2026-01-25T10:00:00Z] {CLAIM}"
    team.say("w1", claim, "[2026-01-25T10:00:00Z] [INFO] by: w1 | [RELEASE:001] not now")

    team.say("w1", claim)
    assert project.task("001")["state"] == "open"

    team.say("w1", claim.replace("10:00:00", "10:00:01"))
    assert project.task("001")["state"] == "claimed"


def test_commands_may_repeat_a_move_within_a_second(project: Project) -> None:
    mount_team(project, "office")
    project.do("task", "open", "One", "--id", "one", agent="emp-manager-001")

    for words in (("claim",), ("release",), ("claim",)):
        project.do("task", words[0], "one", agent="w1")
        project.sync()

    assert project.task("one")["state"] == "working"


def test_a_line_that_the_bus_wrote_moves_nothing_when_it_is_pasted(project: Project) -> None:
    team = mount_team(project, "collab")
    project.do("task", "open", "Get BTC", "--id", "price", agent="jim")
    project.do("task", "assign", "price", "clawdy", "-m", "Get BTC", agent="jim")
    project.do("task", "claim", "price", agent="clawdy")
    project.do("task", "deliver", "price", "-m", "BTC $94,230", agent="clawdy")
    project.sync()
    [done] = [line for line in project.bus_lines(team.read) if "[DONE:price]" in line]
    team.say("jim", AGAIN.replace("2026-01-25", "2099-01-25"))
    assert project.task("price")["state"] == "rework"

    team.say("clawdy", done)

    assert project.task("price")["state"] == "rework"


def test_a_line_of_the_past_moves_nothing_when_it_is_pasted(project: Project) -> None:
    folder = create_folder(project, "collab")
    project.append(folder / "chat.log", GIVEN, TAKEN, DONE, AGAIN, DONE)
    project.mount("collab", *COLLAB)
    project.sync()
    assert project.task("price")["state"] == "rework"

    project.say(folder / "chat.log", DONE)

    assert project.task("price")["state"] == "rework"


def test_a_line_that_is_pasted_into_another_file_of_the_mount_moves_nothing(project: Project) -> None:
    team = mount_team(project, "office", "approval=true")
    team.say("w1", f"[2026-01-25T10:00:00Z] {CLAIM}")
    team.say("emp-manager-001", APPROVAL)
    team.say("w1", "[2026-01-25T10:02:00Z] [INFO] by: w1 | [RELEASE:001] not now")
    before = project.task("001")["state"]

    project.say(team.folder / "messages/employee-w2.log", APPROVAL)

    assert (before, project.task("001")["state"]) == ("open", "open")


def test_a_rewritten_file_that_has_the_line_twice_moves_nothing(project: Project) -> None:
    team = mount_team(project, "collab")
    team.say("clawdy", GIVEN, TAKEN, DONE, AGAIN)
    text = team.read.read_text(encoding="utf-8")

    team.read.write_text(f"{text}{DONE}\n", encoding="utf-8")
    project.sync()

    assert project.task("price")["state"] == "rework"
    assert told(team, "clawdy", "line-twice") != []


def test_a_file_that_is_dropped_again_moves_nothing(project: Project) -> None:
    team = mount_team(project, "collab")
    team.say("clawdy", GIVEN, TAKEN)
    dropped = team.folder / "inbox/msg_1769335200000000000.txt"
    states = []
    for number in (3, 4):
        dropped.write_text("[SKIP:price] no longer needed\n", encoding="utf-8")
        project.sync()
        states.append(project.task("price")["state"])
        team.say("jim", CHAT.format(number, "JIM", "CLAWDY", "[RETRY:price] it is needed"))

    assert states == ["cancelled", "open"]


@pytest.mark.parametrize(
    ("dialect", "line"),
    [
        ("vermas", work_mail("project-a/workers/slot0", "project-a/supervisor", "WORKER_DONE", "wo-1")),
        ("runbus", block("COMPLETE", "claude-impl-1", "It is written.")),
    ],
)
def test_the_author_of_a_line_with_an_id_is_told_too(project: Project, dialect: str, line: str) -> None:
    author = "project-a/workers/slot0" if dialect == "vermas" else "claude-impl-1"
    team = mount_team(project, dialect)
    team.say(author, line)

    team.say(author, line)

    assert told(team, author, "line-twice") != []


def test_words_without_an_effect_may_be_said_again(project: Project) -> None:
    team = mount_team(project, "collab")
    team.say("clawdy", CHAT.format(0, "CLAWDY", "JIM", "still here"))

    team.say("clawdy", CHAT.format(0, "CLAWDY", "JIM", "still here"))

    assert len(project.messages("still")) == 2


def test_an_old_answer_that_is_pasted_answers_no_new_question(project: Project) -> None:
    team = mount_team(project, "collab")
    answer = CHAT.format(1, "CLAWDY", "JIM", "[ANSWER] yes")
    team.say("jim", CHAT.format(0, "JIM", "CLAWDY", "[ASK] May I?"), answer)
    team.say("jim", CHAT.format(2, "JIM", "CLAWDY", "[ASK] May I delete it all?"))

    team.say("clawdy", answer)

    assert [each["gist"] for each in project.questions()] == ["May I delete it all?"]


def test_an_old_answer_that_is_pasted_leaves_the_new_question_unanswered_in_the_inbox(
    project: Project,
) -> None:
    team = mount_team(project, "collab")
    answer = CHAT.format(1, "CLAWDY", "JIM", "[ANSWER] yes")
    team.say("jim", CHAT.format(0, "JIM", "CLAWDY", "[ASK] May I?"), answer)
    team.say("jim", CHAT.format(2, "JIM", "CLAWDY", "[ASK] May I delete it all?"))
    [new] = project.messages("delete")

    team.say("clawdy", answer)

    assert [each for each in project.messages("yes") if each.get("reply_to") == new["id"]] == []


def test_a_question_that_is_pasted_again_asks_nothing(project: Project) -> None:
    team = mount_team(project, "collab")
    question = CHAT.format(0, "JIM", "CLAWDY", "[ASK] May I?")
    team.say("jim", question, CHAT.format(1, "CLAWDY", "JIM", "[ANSWER] yes"))

    team.say("jim", question)

    assert project.questions() == []
    assert told(team, "jim", "line-twice") != []


# --- the same line in another form ---

OTHER_FORMS: Final = {
    "prose-behind-it": f"{DONE}\nthat was yesterday",
    "blanks": DONE.replace("CLAWDY -> JIM", "CLAWDY  ->  JIM"),
    "case": DONE.replace("CLAWDY", "Clawdy"),
    "full-stop": f"{DONE}.",
}


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_a_line_that_is_pasted_in_another_form_moves_nothing(project: Project, form: str) -> None:
    team = mount_team(project, "collab")
    team.say("clawdy", GIVEN, TAKEN, DONE, AGAIN)

    team.say("clawdy", OTHER_FORMS[form], CHAT.format(4, "JIM", "CLAWDY", "ok"))

    assert project.task("price")["state"] == "rework"
    assert told(team, "clawdy", "line-twice") != []


@pytest.mark.parametrize(
    "old", [f"[2026-01-25T10:01:00.000Z]{APPROVAL[22:]}", APPROVAL.replace("APPROVAL", "Approval")]
)
def test_a_formatted_line_of_an_office_moves_nothing(project: Project, old: str) -> None:
    team = mount_team(project, "office", "approval=true")
    team.say("w1", f"[2026-01-25T10:00:00Z] {CLAIM}")
    team.say("emp-manager-001", APPROVAL)
    team.say("w1", "[2026-01-25T10:02:00Z] [INFO] by: w1 | [RELEASE:001] not now")
    team.say("w1", f"[2026-01-25T10:03:00Z] {CLAIM}")

    team.say("emp-manager-001", old)

    assert project.task("001")["state"] == "claimed"


def test_equal_words_at_another_time_count(project: Project) -> None:
    team = mount_team(project, "collab")
    team.say("clawdy", GIVEN, TAKEN, DONE, AGAIN)

    team.say("clawdy", DONE.replace("10:02:00", "10:05:00"))

    assert project.task("price")["state"] == "done"


def test_other_words_at_the_same_time_count(project: Project) -> None:
    team = mount_team(project, "collab")
    team.say("clawdy", GIVEN, TAKEN, DONE, AGAIN)

    team.say("clawdy", DONE.replace("$94,230", "EUR 80,000"))

    assert project.task("price")["state"] == "done"


SUPERVISOR: Final = "project-a/supervisor"
SLOT: Final = "project-a/workers/slot0"
WORKER_DONE: Final = work_mail(SLOT, SUPERVISOR, "WORKER_DONE", "wo-1")


@pytest.mark.parametrize("before", [mail("ceo", SUPERVISOR, "Hello", "How is it?"), '{"id":"m'])
def test_a_record_that_is_pasted_behind_another_on_its_line_moves_nothing(
    project: Project, before: str
) -> None:
    team = mount_team(project, "vermas")
    project.do("agents", "add", SLOT, SUPERVISOR, agent="ada")
    project.do("task", "open", "One", "--id", "wo-1", agent=SUPERVISOR)
    project.do("task", "assign", "wo-1", SLOT, agent=SUPERVISOR)
    team.say(SLOT, WORKER_DONE)
    project.do("task", "rework", "wo-1", "-m", "A test fails.", agent=SUPERVISOR)

    team.say(SLOT, before + WORKER_DONE)

    assert project.task("wo-1")["state"] == "rework"
    assert before == '{"id":"m' or project.messages("How is it?")
