"""What an office makes of lines that change nothing, that are odd, or that are in the wrong file."""

import re

import pytest

from tests.acceptance.lines import MANAGER, approval, claim, delivery, info, minute, reject
from tests.acceptance.project import Project
from tests.acceptance.teams import Team, mount_team


def open_office(project: Project, *options: str, task: str = "005") -> Team:
    """Mount an office with two workers and one task."""
    team = mount_team(project, "office")
    for worker in ("emp-a1", "emp-b2"):
        team.append(worker, info(worker, "I am here."))
    project.do("task", "open", "Home Page", "--id", task, *options, agent=MANAGER)
    return team


def worker_round(project: Project, worker: str) -> str:
    return project.do("继续", agent=worker).out


def manager_round(project: Project) -> str:
    return project.do("继续检查看板", agent=MANAGER).out


# --- an approval for a second worker ---


def test_an_approval_for_a_second_worker_is_told_to_both_sides(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("005", "emp-a1"))

    team.say(MANAGER, approval("005", "emp-b2", minute(1)))

    assert project.task("005")["holder"] == "emp-a1"
    [told] = team.told("emp-b2")
    assert "task-005" in told
    assert "emp-a1 has it" in told
    assert "What you said about task-005 had no effect: emp-a1 has it." in manager_round(project)


def test_an_approval_for_a_second_worker_who_never_wrote_is_told_to_the_manager(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("005", "emp-a1"))

    team.say(MANAGER, approval("005", "emp-c3", minute(1)))

    assert project.task("005")["holder"] == "emp-a1"
    assert "emp-a1 has it" in manager_round(project)


def test_each_worker_that_is_approved_in_vain_is_told(project: Project) -> None:
    team = open_office(project)
    team.say("emp-c3", info("emp-c3", "I am here."))
    team.say("emp-a1", claim("005", "emp-a1"))

    for worker in ("emp-b2", "emp-c3"):
        team.say(MANAGER, approval("005", worker, minute(1)))

    # Both have read that the task is theirs.
    for worker in ("emp-b2", "emp-c3"):
        assert any("emp-a1 has it" in told for told in team.told(worker))


def test_a_line_that_fails_for_another_reason_is_answered_again(project: Project) -> None:
    team = open_office(project, "--approval")
    team.say("emp-a1", claim("005", "emp-a1"))
    team.say("emp-a1", delivery("005", "emp-a1", minute(1)))
    team.say(MANAGER, reject("005", "emp-a1", "Wait for the design", minute(2)))

    team.say("emp-a1", delivery("005", "emp-a1", minute(3)))

    assert "[CLAIM] task-005 |" in team.told("emp-a1")[-1]


def test_an_approval_that_the_holder_has_already_is_no_violation(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("005", "emp-a1"))

    team.say(MANAGER, approval("005", "emp-a1", minute(1)))

    assert "had no effect" not in manager_round(project)


# --- a claim that counts although it is odd ---


def test_the_author_of_an_odd_claim_is_told_that_it_counted(project: Project) -> None:
    team = open_office(project, "--approval")

    team.say("emp-b2", "[CLAIM] task-005 | by: emp-b2")

    assert project.task("005")["state"] == "claimed"
    told = team.told("emp-b2")
    assert told
    assert all("It counted; next time write: [<ISO timestamp>] [CLAIM] task-005 |" in line for line in told)


def test_an_odd_claim_that_loses_is_not_said_to_count(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("005", "emp-a1"))

    team.say("emp-b2", "[CLAIM] task-005 | by: emp-b2")

    notice = [line for line in team.told("emp-b2") if "[REPLY]" in line]
    assert notice
    assert not [line for line in notice if "It counted" in line]
    # The REJECT says what to do now.
    assert all("Next time write: [<ISO timestamp>] [CLAIM] task-005 |" in line for line in notice)


def test_a_worker_may_repeat_its_own_claim(project: Project) -> None:
    team = open_office(project, "--approval")
    team.say("emp-b2", claim("005", "emp-b2"))

    team.say("emp-b2", claim("005", "emp-b2", minute(1)))

    assert team.told("emp-b2") == []
    said = manager_round(project)
    assert "Conflicts" not in said
    assert "emp-b2 wants task-005" in said


# --- the line to write instead ---


@pytest.mark.parametrize(
    ("author", "line", "right"),
    [
        pytest.param(
            "emp-a1",
            "[CLAIMED] task-005 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes",
            "[CLAIM] task-005 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes",
            id="claimed",
        ),
        pytest.param(
            "emp-a1",
            "[DELIVERED] task-005 | by: emp-a1 | files: a.py | criteria-met: all",
            "[DELIVERY] task-005 | by: emp-a1 | files: a.py | criteria-met: all",
            id="delivered",
        ),
        pytest.param(
            "emp-a1",
            "[DONE] task-005 | by: emp-a1 | files: a.py",
            "[DELIVERY] task-005 | by: emp-a1 | files: a.py | criteria-met: all",
            id="done-by-a-worker",
        ),
        pytest.param(
            MANAGER,
            "[APPROVED] task-005 approved for emp-a1. Status: In Progress.",
            "[APPROVAL] task-005 approved for emp-a1. Status: In Progress.",
            id="approved",
        ),
        pytest.param(
            MANAGER,
            "[APPROVAL] task-005 approved for emp-a1",
            "[APPROVAL] task-005 approved for emp-a1. Status: In Progress.",
            id="short-approval",
        ),
        pytest.param(
            MANAGER,
            "[APPROVAL] emp-a1 may begin task-005",
            "[APPROVAL] task-005 approved for emp-a1. Status: In Progress.",
            id="approval-in-other-words",
        ),
        pytest.param(
            MANAGER,
            "[REJECT] task-005 claim by emp-a1 rejected wait",
            "[REJECT] task-005 claim by emp-a1 rejected: wait.",
            id="reject-without-colon",
        ),
        pytest.param(MANAGER, "[REPLY] emp-a1: Port 80.", "[REPLY] To emp-a1: Port 80.", id="reply"),
        pytest.param(
            MANAGER,
            "[ABANDON] emp-a1 is gone",
            "[ABANDON] emp-a1 marked inactive after <N> missed heartbeats. "
            "Tasks released: task-<id1>, task-<id2>.",
            id="abandon",
        ),
    ],
)
def test_the_line_to_write_instead_has_the_meant_tag_and_nothing_twice(
    project: Project, author: str, line: str, right: str
) -> None:
    team = open_office(project, "--approval", "--difficulty", "3")

    team.say(author, f"[{minute(1)}] {line}")

    said = manager_round(project) if author == MANAGER else "".join(f"{each}\n" for each in team.told(author))
    assert re.search(rf"rite: \[<ISO timestamp>\] {re.escape(right)}$", said, re.MULTILINE)


@pytest.mark.parametrize(
    ("line", "right"),
    [
        pytest.param(
            "[APPROVAL] task-005 approved for emp-b22. Status: In Progress.",
            ("task-005 approved for emp-b2. Status: In Progress.", "task-005 approved for emp-a1. "),
            id="approval",
        ),
        pytest.param("[REPLY] To emp-b22: Ask emp-b22x.", ("To emp-b2: Ask emp-b22x.",), id="reply"),
    ],
)
def test_the_line_for_the_agent_that_was_meant_has_the_blanks_of_the_protocol(
    project: Project, line: str, right: tuple[str, ...]
) -> None:
    team = open_office(project, "--approval")
    team.say("emp-a1", claim("005", "emp-a1"))

    team.say(MANAGER, f"[{minute(1)}] {line}")

    said = manager_round(project)
    tag = line.partition(" ")[0]
    assert all(f"Write: [<ISO timestamp>] {tag} {each}" in said for each in right)
    assert "YYYY" not in said


def test_an_approval_with_a_bar_is_for_the_employee_that_it_names(project: Project) -> None:
    team = open_office(project, "--approval")
    team.say("emp-b2", claim("005", "emp-b2"))

    team.say(MANAGER, f"[{minute(1)}] [APPROVAL] task-005 | approved for emp-a1")

    assert project.task("005")["holder"] == "emp-a1"


# --- leading zeros ---


def test_a_number_without_its_zeros_names_the_same_task(project: Project) -> None:
    team = open_office(project, task="012")

    team.say("emp-a1", "I claim task 12 please")

    assert project.task("012")["holder"] == "emp-a1"
    assert project.task("12")["id"] == "012"
    assert any("[CLAIM] task-012 |" in line for line in team.told("emp-a1"))


def test_the_manager_may_leave_out_the_zeros_of_a_task(project: Project) -> None:
    team = open_office(project, "--approval", task="001")
    team.say("emp-a1", claim("001", "emp-a1"))

    team.say(MANAGER, approval("1", "emp-a1", minute(1)))

    assert project.task("001")["state"] == "working"
    assert "no such task" not in manager_round(project)


def test_a_number_that_could_be_two_tasks_is_neither(project: Project) -> None:
    team = open_office(project, "--approval", task="001")
    project.do("task", "open", "Footer", "--id", "01", "--approval", agent=MANAGER)

    team.say(MANAGER, approval("1", "emp-a1", minute(1)))

    assert {str(project.task(each)["state"]) for each in ("001", "01")} == {"open"}
    assert "no such task" in manager_round(project)


# --- lines in the wrong file ---


def test_a_claim_in_the_file_of_the_manager_opens_no_task(project: Project) -> None:
    team = open_office(project)

    team.say(MANAGER, claim("013", "emp-a1"))

    assert project.task("013") == {}
    assert "ready: task-005" in manager_round(project)


def test_a_forged_approval_is_no_news_for_the_worker(project: Project) -> None:
    team = open_office(project, "--approval")
    team.say("emp-a1", claim("005", "emp-a1"))

    team.say("emp-a1", approval("005", "emp-a1", minute(1)))

    said = worker_round(project, "emp-a1")
    assert re.search(r"(?m)^ *\[\S+\] \[APPROVAL\]", said) is None
    assert "OFF102" in said


def test_an_approval_in_a_log_of_the_manager_has_no_effect(project: Project) -> None:
    team = open_office(project, "--approval")
    team.say("emp-a1", claim("005", "emp-a1"))

    project.say(team.folder / f"messages/employee-{MANAGER}.log", approval("005", "emp-a1", minute(1)))

    # No worker reads that file.
    assert project.task("005")["state"] == "claimed"
    said = manager_round(project)
    assert "Write: [<ISO timestamp>] [APPROVAL] task-005 approved for emp-a1. Status: In Progress." in said


def test_a_forged_approval_is_blamed_on_its_file(project: Project) -> None:
    team = open_office(project, "--approval")

    team.say("emp-a1", approval("005", "emp-a1"))

    said = manager_round(project)
    blamed = f"a line by {MANAGER} in messages/employee-emp-a1.log: approve task-005 had no effect: "
    assert blamed + "it is in a file that belongs to another agent" in said
    assert f"\n  {MANAGER}: approve" not in said


# --- words ---


def test_a_round_shows_a_notice_in_the_words_of_the_file(project: Project) -> None:
    team = open_office(project)

    team.say("emp-a1", delivery("099", "emp-a1"))

    words = "[REPLY] To emp-a1: What you said about task-099 had no effect: there is no such task."
    [line] = team.told("emp-a1")
    assert words in line
    assert f"{words}\n" in worker_round(project, "emp-a1")


def test_a_round_adds_nothing_to_a_text_that_ends_like_a_trailer(project: Project) -> None:
    team = open_office(project)
    line = info("emp-a1", "The port is 80 (palaver act=inform from=x)", minute(1))

    team.append("emp-a1", line)

    assert f"{line}\n" in manager_round(project)


def test_a_worker_that_missed_one_poll_is_counted_in_the_singular(project: Project) -> None:
    team = open_office(project)
    team.say("emp-a1", claim("005", "emp-a1"))
    manager_round(project)

    assert "silent for 1 poll:" in manager_round(project)


def test_a_second_claim_is_rejected_in_the_words_of_the_protocol(project: Project) -> None:
    team = open_office(project)
    team.say("emp-b2", claim("005", "emp-b2"))

    team.say("emp-a1", claim("005", "emp-a1", minute(1)))

    [line] = team.told("emp-a1")
    assert line.endswith("[REJECT] task-005 claim by emp-a1 rejected: already claimed by emp-b2.")


def test_the_manager_is_shown_no_command_for_an_unknown_task(project: Project) -> None:
    team = open_office(project)

    team.say(MANAGER, approval("099", "emp-a1"))

    said = manager_round(project)
    assert "no such task" in said
    assert "task show 099" not in said


def test_the_tasks_in_a_conflict_keep_their_prefix(project: Project) -> None:
    team = open_office(project)
    project.do("task", "open", "Footer", "--id", "006", "--needs", "005", agent=MANAGER)

    team.say("emp-a1", claim("006", "emp-a1"))

    assert "it waits for task-005" in manager_round(project)


def test_a_correction_repeats_the_difficulty_that_was_written(project: Project) -> None:
    team = open_office(project)

    team.say("emp-a1", "[CLAIM] task-014 | title: Menu | by: emp-a1 | difficulty: 4 | deps-met: yes")

    [line] = team.told("emp-a1")
    assert "| difficulty: 4 | deps-met: yes" in line


def test_a_claim_that_is_repeated_in_vain_is_said_once_in_a_round(project: Project) -> None:
    team = open_office(project)
    project.do("task", "open", "Footer", "--id", "006", "--needs", "005", agent=MANAGER)

    team.say("emp-a1", claim("006", "emp-a1"))
    team.say("emp-a1", claim("006", "emp-a1", minute(1)))

    assert manager_round(project).count("it waits for task-005") == 1


def test_the_timeline_keeps_the_prefix_of_the_tasks_in_a_reason(project: Project) -> None:
    team = mount_team(project, "office", "board=ours")
    project.do("task", "open", "Home Page", "--id", "005", agent=MANAGER)
    project.do("task", "open", "Footer", "--id", "006", "--needs", "005", agent=MANAGER)

    team.say("emp-a1", claim("006", "emp-a1"))

    assert "it waits for task-005" in (team.folder / "timeline.log").read_text(encoding="utf-8")


# --- punctuation ---


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(claim("005", "emp-a1").replace("|", "\uff5c").replace(": ", "\uff1a "), id="bars"),
        pytest.param(
            claim("005", "emp-a1").replace("[", "\u3010").replace("]", "\u3011"),
            id="brackets",
        ),
    ],
)
def test_a_claim_with_full_width_punctuation_counts_and_its_author_is_told(
    project: Project, line: str
) -> None:
    team = open_office(project, "--approval")

    team.say("emp-a1", line)

    assert project.task("005")["holder"] == "emp-a1"
    [told] = team.told("emp-a1")
    assert "[CLAIM] task-005 | title: Home Page | by: emp-a1 | difficulty: 3 | deps-met: yes" in told
    assert "OFF101" in project.run("lint", str(team.folder)).out


@pytest.mark.parametrize("end", ["  \n", "\t\n", "\r\n"], ids=["spaces", "tab", "crlf"])
def test_blanks_at_the_end_of_a_line_are_no_mistake(project: Project, end: str) -> None:
    team = open_office(project, "--approval")

    project.append(team.write("emp-a1"), claim("005", "emp-a1"), end=end)

    assert project.task("005")["holder"] == "emp-a1"
    assert [line for line in project.bus_lines(team.read) if "emp-a1" in line] == []
    assert project.run("lint", str(team.folder)).code == 0


def test_a_line_in_chinese_is_quoted_in_chinese(project: Project) -> None:
    team = open_office(project)

    team.say("emp-a1", "\u6211\u5728\u5de5\u4f5c")

    [told] = team.told("emp-a1")
    assert "'\u6211\u5728\u5de5\u4f5c' is not an entry" in told
    assert "\\" not in told


# --- other lines ---


def test_a_question_with_an_unknown_tag_is_a_question(project: Project) -> None:
    team = open_office(project)

    team.say("emp-a1", "[2026-02-11T10:01:00Z] [QUESTION] by: emp-a1 | Which port?")

    assert "emp-a1 asks: Which port?" in manager_round(project)
    assert any("[INFO] by: emp-a1 | Which port?" in told for told in team.told("emp-a1"))


def test_a_block_of_an_unclaimed_task_is_answered_with_its_claim(project: Project) -> None:
    team = open_office(project, "--approval")

    team.say("emp-a1", "[2026-02-11T10:01:00Z] [BLOCKED] task-005 | by: emp-a1 | reason: no network")

    [told] = team.told("emp-a1")
    assert "Write: [<ISO timestamp>] [CLAIM] task-005 | title: Home Page | by: emp-a1" in told


def test_a_worker_that_was_stopped_is_offered_its_farewell_and_no_task(project: Project) -> None:
    team = open_office(project)
    team.say(MANAGER, "[2026-02-11T10:01:00Z] [STOP] To all: The project is accepted.")

    said = worker_round(project, "emp-a1")

    assert "[INFO] by: emp-a1 | [LEAVE] Good bye." in said
    assert "can be claimed" not in said
    project.sync()
    assert not any("HEARTBEAT" in line for line in project.bus_lines(team.write("emp-a1")))


@pytest.mark.parametrize("named", ["task-a/b", "task-/", "task-../x"])
def test_a_notice_about_a_task_that_cannot_be_has_no_task(project: Project, named: str) -> None:
    team = open_office(project)

    team.say("emp-a1", f"[{minute(0)}] [CLAIM] {named} | by: emp-a1")

    [told] = [each["data"] for each in project.events("mail.sent") if each["actor"] == "palaver"]
    assert "cannot use the task id" in str(told)
    assert "'task':" not in str(told)
