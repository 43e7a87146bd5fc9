"""An agent that takes an open task without a claim: by a delivery, a block or a handoff of finished work."""

from typing import Final

import pytest

from tests.acceptance.lines import chat, post, work_mail
from tests.acceptance.project import Answer, Project
from tests.acceptance.trust.agent_run import AgentRun
from tests.acceptance.vermas_company import STAFF, SUPERVISOR, WORKER
from tests.probes.settings import set_policy

RESULT: Final = "It is in parser.py."
#: What speaks against a claim by bob, and the options that say so of a task.
OBSTACLES: Final = {
    "it is for carol only": ["--for", "carol"],
    "it waits for task first": ["--needs", "first"],
    "it needs level 3, and bob has 1": ["--difficulty", "3"],
    "bob has not claimed it": ["--approval"],
}


def open_tasks(project: Project, *options: str, identity: str = "strict") -> None:
    """Open a task of boss's that bob, who has level 1, cannot claim just so."""
    project.do("agents", "add", "bob", "--level", "1", agent="ada")
    project.do("task", "open", "First", "--id", "first", agent="boss")
    project.do("task", "open", "Second", "--id", "t7", *options, agent="boss")
    set_policy(project, identity=identity)


def is_free(project: Project, task: str = "t7") -> bool:
    shown = project.task(task)
    return (shown["state"], shown["holder"]) == ("open", "")


def is_refused(answer: Answer, why: str) -> bool:
    return answer.code in (4, 5) and f": {why}; " in answer.err


@pytest.mark.parametrize("why", OBSTACLES)
def test_what_speaks_against_a_claim_speaks_against_a_delivery_and_a_block(
    project: Project, bob: AgentRun, why: str
) -> None:
    open_tasks(project, *OBSTACLES[why])

    delivered = bob.run("task", "deliver", "t7", "-m", RESULT)
    blocked = bob.run("task", "block", "t7", "-m", "The disk is full.")
    bob.run("send", "bob", "--act", "deliver", "--task", "t7", "-m", RESULT)
    accepted = bob.run("task", "accept", "t7")

    assert is_refused(delivered, why), delivered
    assert is_refused(blocked, why), blocked
    assert accepted.code == 4, accepted
    assert is_free(project)


def test_an_owner_does_not_hand_over_finished_work_before_it_can_be_claimed(project: Project) -> None:
    open_tasks(project, "--needs", "first", identity="open")

    handed = project.run("task", "handoff", "t7", "carol", "--finished", agent="boss")

    assert is_refused(handed, "it waits for task first"), handed
    assert is_free(project)


def test_a_holder_that_hands_finished_work_to_itself_does_not_accept_it(
    project: Project, bob: AgentRun
) -> None:
    open_tasks(project)
    assert bob.run("task", "claim", "t7").code == 0

    bob.run("task", "handoff", "t7", "bob", "--finished", "-m", RESULT)
    accepted = bob.run("task", "accept", "t7")

    assert accepted.code == 4, accepted
    assert project.task("t7")["state"] != "done"


# --- lines of mounts that say nothing about identity, under the policy strict ---


def test_a_line_of_a_swarm_makes_nobody_a_checker(project: Project, bob: AgentRun) -> None:
    channel = project.mount("swarm", "prefix=") / "channel.jsonl"
    open_tasks(project)

    project.say(channel, post("carol", "@bob", "task", f"[DELIVER:#t7] {RESULT}"))
    accepted = bob.run("task", "accept", "t7")

    assert project.task("t7")["holder"] == "carol"
    assert accepted.code == 4, accepted
    assert project.task("t7")["state"] == "delivered"


def test_a_line_of_a_swarm_takes_no_task_that_is_for_another_agent(project: Project) -> None:
    channel = project.mount("swarm", "prefix=") / "channel.jsonl"
    open_tasks(project, "--for", "carol")

    project.say(channel, post("bob", "@boss", "task", f"[DELIVER:#t7] {RESULT}"))

    assert is_free(project)


def test_a_line_of_a_pair_makes_nobody_a_checker(project: Project, bob: AgentRun) -> None:
    folder = project.mount("collab", "a=carol", "b=bob", "person=ada", "prefix=")
    open_tasks(project)

    project.say(folder / "chat.log", chat("CAROL", "BOB", f"[DONE:t7] {RESULT}"))
    accepted = bob.run("task", "accept", "t7")

    assert project.task("t7")["holder"] == "carol"
    assert accepted.code == 4, accepted
    assert project.task("t7")["state"] == "delivered"


@pytest.mark.parametrize("kinds", [("WORKER_DONE",), ("WORKER_DONE", "READY_FOR_QA")])
def test_a_line_of_a_company_makes_nobody_a_checker(
    project: Project, bob: AgentRun, kinds: tuple[str, ...]
) -> None:
    messages = project.mount("vermas", f"agents={','.join(STAFF)}", "prefix=") / ".work/messages.jsonl"
    project.do("task", "open", "Order", "--id", "wo-7", "--owner", SUPERVISOR, agent="boss")
    project.do("task", "assign", "wo-7", WORKER, agent=SUPERVISOR)
    open_tasks(project)

    senders = {"WORKER_DONE": WORKER, "READY_FOR_QA": SUPERVISOR}
    project.say(messages, *(work_mail(senders[kind], "bob", kind, "wo-7") for kind in kinds))
    accepted = bob.run("task", "accept", "wo-7")

    assert accepted.code == 4, accepted
    assert project.task("wo-7")["state"] == "delivered"
