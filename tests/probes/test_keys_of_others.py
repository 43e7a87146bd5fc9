"""Idempotency keys: a program that uses them in another name takes none away from the real agent."""

from tests.acceptance.project import Project
from tests.acceptance.trust.agent_run import AgentRun


def test_a_key_that_was_used_in_the_name_of_an_agent_is_still_its_own(
    project: Project, bob: AgentRun
) -> None:
    project.do("task", "open", "t7", "--id", "t7", agent="boss")

    claimed = bob.run("send", "carol", "-m", "hi", "--as", "boss", "--key", "build-42")
    cancelled = project.run("task", "cancel", "t7", "-m", "No.", "--key", "build-42", agent="boss")

    assert (claimed.code, cancelled.code) == (0, 0), cancelled
    assert project.task("t7")["state"] == "cancelled"


def test_a_retry_in_the_name_of_another_agent_counts_once(project: Project, bob: AgentRun) -> None:
    words = ("send", "carol", "-m", "hi", "--as", "boss", "--key", "build-42", "--json")

    first, again = bob.run(*words), bob.run(*words)

    assert (first.fields["duplicate"], again.fields["duplicate"]) == (False, True)
    assert len(project.events("mail.sent")) == 1


def test_a_conflict_of_keys_in_the_name_of_another_agent_names_the_key(bob: AgentRun) -> None:
    words = ("send", "carol", "--as", "boss", "--key", "build-42")
    bob.run(*words, "-m", "hi")

    other = bob.run(*words, "-m", "something else")

    assert other.code == 5
    assert "cannot use the key 'build-42' again" in other.err
