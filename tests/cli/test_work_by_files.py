"""Work by lines in files: the same board, whoever writes how. Each a story, with real processes."""

import json
from pathlib import Path

import pytest

from tests.cli.spoken import Shell

CLAIM = "[2026-02-11T10:00:00Z] [CLAIM] task-{task} | title: T | by: {by} | difficulty: 3 | deps-met: yes"


class Team:
    """A bus with files of several protocols."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell

    def line(self, file: str, text: str) -> None:
        """Let an agent append a line to its file, and the bus look."""
        path = self.shell.folder / file
        with path.open("a", encoding="utf-8") as opened:
            opened.write(text + "\n")
        self.shell.run("sync")

    def said(self, sender: str, to: list[str], content: str, kind: str = "task") -> None:
        """Let an agent of the swarm write to the channel."""
        line = {"ts": "2026-01-25T23:45:00.000Z", "from": sender, "to": to, "type": kind}
        self.line("swarm/channel.jsonl", json.dumps({**line, "reasoning": "r", "content": content}))

    def task(self, task: str) -> tuple[object, object]:
        found = self.shell.run("task", "show", task, "--json").fields
        return found["state"], found["holder"]

    def text(self, file: str) -> str:
        """Return what is in a file once the bus has written everything."""
        self.shell.run("sync")
        return (self.shell.folder / file).read_text(encoding="utf-8")


@pytest.fixture
def team(ada: Shell) -> Team:
    made = Path(ada.folder)
    for folder in ("office/messages", "swarm", "collab/inbox"):
        (made / folder).mkdir(parents=True)
    for file in ("manager-inbox", "employee-emp-a", "employee-emp-b"):
        (made / f"office/messages/{file}.log").touch()
    (made / "swarm/channel.jsonl").touch()
    (made / "collab/chat.log").touch()
    ada.run("mount", "add", "office", "office", "--set", "manager=ada")
    ada.run("mount", "add", "swarm", "swarm", "--name", "swarm", "--set", "agents=td,programmer,qa")
    ada.run("mount", "add", "collab", "collab", "--set", "a=jim", "--set", "b=clawdy")
    return Team(ada)


def policy(team: Team, words: str) -> None:
    path = team.shell.folder / ".palaver/config.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('identity = "open"\n', f'identity = "open"\n{words}\n'), encoding="utf-8")


def test_an_office_with_an_automatic_manager_never_waits(team: Team) -> None:
    policy(team, 'manager = "auto"')
    team.shell.run("task", "open", "Home page", "--id", "004", "--approval")
    team.shell.run("task", "open", "Docs", "--id", "005", "--approval", "--needs", "004")

    team.line("office/messages/employee-emp-a.log", CLAIM.format(task="004", by="emp-a"))
    team.line("office/messages/employee-emp-b.log", CLAIM.format(task="004", by="emp-b"))
    delivery = (
        "[2026-02-11T10:05:00Z] [DELIVERY] task-004 | by: emp-a | files: index.html | criteria-met: all"
    )
    team.line("office/messages/employee-emp-a.log", delivery)

    inbox = team.text("office/messages/manager-inbox.log")
    assert "[APPROVAL] task-004 approved for emp-a. Status: In Progress.\n" in inbox
    assert "[REJECT] task-004 claim by emp-b rejected: already claimed by emp-a.\n" in inbox
    assert "[DONE] task-004 marked Done. Delivered by emp-a.\n" in inbox
    assert "005 is ready" in inbox
    assert team.task("004") == ("done", "emp-a")


def test_an_office_whose_manager_writes_his_own_inbox(team: Team) -> None:
    team.shell.run("task", "open", "Home page", "--id", "004", "--approval")
    team.line("office/messages/employee-emp-a.log", CLAIM.format(task="004", by="emp-a"))
    assert team.task("004") == ("claimed", "emp-a")

    team.line(
        "office/messages/manager-inbox.log",
        "[2026-02-11T10:01:00Z] [APPROVAL] task-004 approved for emp-a. Status: In Progress.",
    )

    assert team.task("004") == ("working", "emp-a")


def test_an_approval_in_an_employees_log_has_no_power_and_both_sides_are_told_once(team: Team) -> None:
    log = "office/messages/employee-emp-a.log"
    team.line(log, CLAIM.format(task="004", by="emp-a"))

    team.line(log, "[2026-02-11T10:01:00Z] [APPROVAL] task-004 approved for emp-a. Status: In Progress.")
    team.shell.run("sync")

    assert team.task("004") == ("claimed", "emp-a")
    assert team.text("office/messages/manager-inbox.log").count("OFF102") == 1
    assert team.shell.run("continue", "--manager").out.count("OFF102") == 1
    assert "no effect" not in team.text("office/messages/manager-inbox.log")


def test_a_claim_in_the_log_of_another_worker_has_no_power(team: Team) -> None:
    team.shell.run("task", "open", "Home page", "--id", "004")

    team.line("office/messages/employee-emp-a.log", CLAIM.format(task="004", by="emp-b"))

    assert team.shell.run("task", "show", "004", "--json").fields["state"] == "open"


def test_the_manager_of_an_office_leads_those_who_live_there(team: Team) -> None:
    team.shell.run("task", "open", "Home page", "--id", "004", "--approval", "--as", "bob")
    team.line("office/messages/employee-emp-a.log", CLAIM.format(task="004", by="emp-a"))
    assert team.shell.run("task", "approve", "004", "--as", "carol").code == 4

    assert team.shell.run("task", "approve", "004").code == 0
    assert team.task("004") == ("working", "emp-a")


def test_a_task_that_is_first_heard_of_in_a_claim_is_called_as_the_claim_says(team: Team) -> None:
    line = CLAIM.replace("title: T ", "title: Home Page ").format(task="004", by="emp-a")
    team.line("office/messages/employee-emp-a.log", line)

    found = team.shell.run("task", "show", "004", "--json").fields

    assert (found["title"], found["difficulty"], found["state"]) == ("Home Page", 3, "claimed")


def test_who_opens_a_task_that_was_claimed_before_owns_it_and_is_the_only_one(team: Team) -> None:
    team.line("office/messages/employee-emp-a.log", CLAIM.format(task="004", by="emp-a"))

    opened = team.shell.run("task", "open", "Home page", "--id", "004", "--as", "bob")
    again = team.shell.run("task", "open", "Other page", "--id", "004", "--as", "carol")

    found = team.shell.run("task", "show", "004", "--json").fields
    assert (opened.code, again.code) == (0, 5)
    assert (found["title"], found["owner"], found["holder"]) == ("Home page", "bob", "emp-a")


def test_a_worker_who_goes_on_is_heard_by_the_manager_of_his_office(team: Team) -> None:
    team.line("office/messages/employee-emp-a.log", CLAIM.format(task="004", by="emp-a"))
    team.shell.run("task", "approve", "004")

    for _ in range(3):
        team.shell.run("continue", "--as", "emp-a")
        told = team.shell.run("continue", "--manager")

    assert "silent" not in told.out
    assert team.text("office/messages/employee-emp-a.log").count("[HEARTBEAT] emp-a | status: working") == 3


def test_claims_from_two_protocols_have_one_winner_and_the_other_is_told_in_its_own(team: Team) -> None:
    team.shell.run("task", "open", "Shared", "--id", "7")
    team.said("programmer", ["@td"], "Claimed task #7")
    team.line("office/messages/employee-emp-a.log", CLAIM.format(task="7", by="emp-a"))

    assert team.task("7") == ("working", "programmer")
    inbox = team.text("office/messages/manager-inbox.log")
    assert "[REJECT] task-7 claim by emp-a rejected: already claimed by programmer.\n" in inbox


# --- to hand on means three things ---


def test_in_collab_a_handoff_moves_the_task(team: Team) -> None:
    team.line("collab/chat.log", "2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:report] Write the summary")
    team.line("collab/chat.log", "2026-02-22 03:15:46 CLAWDY -> JIM: [ACK:report] On it.")
    team.line("collab/chat.log", "2026-02-22 03:20:00 CLAWDY -> JIM: [HANDOFF:report] You write the end.")

    assert team.task("report") == ("handed", "jim")
    team.line("collab/chat.log", "2026-02-22 03:21:00 JIM -> CLAWDY: [ACK:report] It is mine now.")
    assert team.task("report") == ("working", "jim")


def test_in_a_swarm_a_handoff_passes_finished_work_on(team: Team) -> None:
    team.shell.run("task", "open", "Auth", "--id", "2", "--as", "td")
    team.said("programmer", ["@td"], "ACK: Claimed task #2. Starting implementation.")
    team.said("programmer", ["@qa"], "HANDOFF: Task #2 complete. @qa run test suite.")

    assert team.task("2") == ("checking", "programmer")


def test_in_a_company_a_handoff_continues_a_session(team: Team) -> None:
    from tests.cli.test_company import Company

    team.shell.run("agents", "add", "ceo")
    ceo = Company(team.shell.with_env(PALAVER_AGENT="ceo"), "ceo")
    ceo("co", "handoff", "-m", "I was at the budget")

    assert "I was at the budget" in ceo("co", "prime").out
    assert team.shell.run("task", "list", "--all").out == "No tasks\n"


# --- the rules of two, by file: kept, and both sides are told ---


def test_a_result_by_somebody_who_does_not_hold_the_task_is_kept_and_told(team: Team) -> None:
    team.line("collab/chat.log", "2026-02-22 03:15:44 JIM -> CLAWDY: [TASK:report] Write the summary")
    team.line("collab/chat.log", "2026-02-22 03:16:00 JIM -> CLAWDY: [DONE:report] I did it myself")

    chat = team.text("collab/chat.log")
    assert team.task("report") == ("assigned", "clawdy")
    assert "I did it myself" in chat
    assert "had no effect: only its holder (clawdy) may deliver it" in chat
    assert "jim said 'deliver' about report, and it has no effect" in chat


def test_a_question_waits_for_its_answer_in_a_file(team: Team) -> None:
    team.line("collab/chat.log", "2026-02-22 03:15:44 CLAWDY -> JIM: [QUESTION:auth] Which API key?")
    waiting = team.shell.run("waiting").out
    team.line("collab/chat.log", "2026-02-22 03:15:50 JIM -> CLAWDY: [ANSWER:auth] The second one.")

    assert "waits for jim: an answer" in waiting
    assert team.shell.run("waiting").out == "Nobody is waiting\n"


# --- a policy of its own ---


@pytest.mark.alone("a daemon applies an edited config a moment later")
def test_a_mount_may_have_a_policy_of_its_own(team: Team) -> None:
    path = team.shell.folder / ".palaver/config.toml"
    text = path.read_text(encoding="utf-8")
    own = '[mounts.office]\napproval = false\nparallel = false\nidentity = "strict"\n'
    path.write_text(text.replace("[mounts.office]\n", own), encoding="utf-8")

    team.line("office/messages/employee-emp-a.log", CLAIM.format(task="1", by="emp-a"))
    team.line("office/messages/employee-emp-a.log", CLAIM.format(task="2", by="emp-a"))
    team.said("programmer", ["@td"], "ACK: Claimed task #3.")
    team.said("programmer", ["@td"], "ACK: Claimed task #4.")

    assert team.task("1") == ("working", "emp-a"), "claims count at once there"
    assert team.task("2") == ("open", ""), "and one at a time"
    assert (team.task("3")[0], team.task("4")[0]) == ("working", "working"), "elsewhere both count"


@pytest.mark.parametrize("line", ["lease = -1", 'lease = "long"', "approval = 3", 'identity = "none"'])
def test_a_policy_of_a_mount_that_cannot_be_is_refused(team: Team, line: str) -> None:
    path = team.shell.folder / ".palaver/config.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[mounts.office]\n", f"[mounts.office]\n{line}\n"), encoding="utf-8")

    answer = team.shell.run("task", "list")

    assert answer.code != 0
    assert f"cannot use '{line.split()[0]}'" in answer.err


def test_who_is_mentioned_in_a_channel_gets_it_and_is_expected_to_acknowledge_it(team: Team) -> None:
    team.said("td", ["@qa"], "@programmer please look at the parser", kind="message")
    asked = team.shell.run("waiting").out
    team.said("programmer", ["@td"], "ACK: looking")

    assert "td           waits for programmer: an acknowledgement" in asked
    assert "please look" in team.shell.run("inbox", "--as", "programmer").out
    assert "acknowledgement" not in team.shell.run("waiting").out
    assert team.text("swarm/channel.jsonl").count("\n") == 2


def test_nobody_is_expected_to_acknowledge_what_is_history(ada: Shell) -> None:
    line = {"ts": "2026-01-25T23:45:00.000Z", "from": "td", "to": ["@qa"], "type": "message"}
    old = Path(ada.folder) / "old"
    old.mkdir()
    (old / "channel.jsonl").write_text(
        json.dumps({**line, "reasoning": "r", "content": "@critic look"}) + "\n"
    )

    ada.run("mount", "add", "swarm", "old")

    assert "acknowledgement" not in ada.run("waiting").out


def test_nobody_leaves_a_swarm_by_a_line_while_he_holds_work(team: Team) -> None:
    team.shell.run("task", "open", "Auth", "--id", "2", "--as", "td")
    team.said("programmer", ["@td"], "Claimed task #2")
    team.said("td", ["@programmer"], "SHUTDOWN_REQUEST: Please confirm.", kind="system")

    team.said("programmer", ["@td"], "SHUTDOWN_ACK: Ready for shutdown.", kind="system")
    waits = team.shell.run("waiting").out
    told = team.text("swarm/channel.jsonl")
    team.shell.run("task", "release", "2", "--as", "programmer")
    team.said("programmer", ["@td"], "SHUTDOWN_ACK: Now I am ready.", kind="system")

    assert "td           waits for programmer: confirmation of the shutdown" in waits
    assert told.count("programmer holds 2; deliver, release or hand it on") == 2
    assert "confirmation to end" not in team.shell.run("waiting").out
