"""An agent that has work accepted by itself, by choosing who checks it."""

import pytest

from tests.acceptance.project import Project
from tests.acceptance.trust.agent_run import AgentRun
from tests.probes.settings import set_policy

DELIVER = ("--act", "deliver", "--task", "t7", "-m", "It is in parser.py.")


@pytest.fixture(params=["open", "strict"])
def identity(request: pytest.FixtureRequest, project: Project) -> str:
    set_policy(project, identity=request.param)
    return str(request.param)


def open_task(project: Project, holder: str) -> None:
    """Let an agent hold a task whose owner, boss, must accept the work."""
    project.do("task", "open", "t7", "--id", "t7", agent="boss")
    project.do("task", "claim", "t7", agent=holder)


@pytest.mark.usefixtures("identity")
def test_an_agent_that_delivers_to_itself_does_not_accept_its_own_work(
    project: Project, bob: AgentRun
) -> None:
    open_task(project, "bob")

    delivered = bob.run("send", "bob", *DELIVER)
    accepted = bob.run("task", "accept", "t7")

    assert delivered.code == 0, delivered
    assert accepted.code == 4, accepted
    assert project.task("t7")["state"] == "delivered"


def test_an_owner_accepts_its_own_work(project: Project, bob: AgentRun, identity: str) -> None:
    assert identity
    assert bob.run("task", "open", "t7", "--id", "t7").code == 0
    assert bob.run("task", "claim", "t7").code == 0
    assert bob.run("task", "deliver", "t7", "-m", "It is in parser.py.").code == 0

    assert bob.run("task", "accept", "t7").code == 0
    assert project.task("t7")["state"] == "done"


@pytest.mark.usefixtures("identity")
def test_a_delivery_in_the_name_of_another_makes_nobody_its_checker(project: Project, bob: AgentRun) -> None:
    open_task(project, "carol")

    delivered = bob.run("send", "bob", *DELIVER, "--as", "carol")
    accepted = bob.run("task", "accept", "t7")

    assert delivered.code == 0, delivered
    assert accepted.code == 4, accepted
    assert project.task("t7")["state"] == "delivered"


@pytest.mark.usefixtures("identity")
def test_a_delivery_that_is_repeated_in_the_name_of_another_adds_no_checker(
    project: Project, bob: AgentRun
) -> None:
    open_task(project, "carol")
    project.do("send", "boss", *DELIVER, agent="carol")

    repeated = bob.run("send", "bob", *DELIVER, "--as", "carol")
    accepted = bob.run("task", "accept", "t7")

    assert repeated.code == 0, repeated
    assert accepted.code == 4, accepted


@pytest.mark.usefixtures("identity")
def test_a_task_is_not_passed_on_to_a_checker_in_the_name_of_its_owner(
    project: Project, bob: AgentRun
) -> None:
    open_task(project, "carol")
    project.do("send", "boss", *DELIVER, agent="carol")

    passed = bob.run("task", "ready", "t7", "bob", "--as", "boss")
    accepted = bob.run("task", "accept", "t7")

    assert passed.code == 4, passed
    assert accepted.code == 4, accepted


def test_a_cancelled_task_is_not_opened_again_in_the_name_of_its_owner(
    project: Project, bob: AgentRun
) -> None:
    project.do("task", "open", "t7", "--id", "t7", agent="boss")
    project.do("task", "cancel", "t7", agent="boss")

    resumed = bob.run("task", "unblock", "t7", "--as", "boss")

    assert resumed.code == 4, resumed
    assert project.task("t7")["state"] == "cancelled"


def test_the_agent_that_gets_a_delivery_may_accept_it(project: Project, bob: AgentRun) -> None:
    open_task(project, "carol")
    project.do("send", "bob", *DELIVER, agent="carol")

    assert bob.run("task", "accept", "t7").code == 0
    assert project.task("t7")["state"] == "done"
