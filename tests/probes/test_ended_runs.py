"""A process that outlives the run whose token it has: it looks, and does nothing else."""

from typing import Final

import pytest

from tests.acceptance.project import Answer, Project
from tests.acceptance.trust.agent_run import AgentRun

#: Commands of every kind, each in a name that bob could use: his own, another one, or none.
REFUSED: Final = (
    "run -- palaver send boss -m ghost",
    "run --as boss -- true",
    "send boss -m ghost",
    "send boss -m ghost --as carol",
    "inbox",
    "task open New --as carol",
    "task accept t7 --as boss",
    "agents add dora",
    "agents retire carol",
    "lists set l bob",
    "mount add runbus . --name m",
    "channel init --team q",
    "up -d --no-web",
    "down",
    "sync",
    "patrol",
    "continue",
)
LOOKING: Final = ("board", "task show t7", "agents", "verify")
IN_PYTHON: Final = """
from palaver import Bus
Bus(agent="carol").send("boss", "ghost")
"""


@pytest.fixture
def leftover(project: Project, bob: AgentRun) -> dict[str, str]:
    """Return the variables of a process of bob's run, which has ended."""
    project.do("task", "open", "t7", "--id", "t7", agent="boss")
    names = ("PALAVER_TOKEN", "PALAVER_RUN", "PALAVER_ROOT", "PALAVER_AGENT")
    variables = {name: bob.variable(name) for name in names}
    bob.stop()
    return variables


def events(project: Project) -> list[dict[str, object]]:
    return project.do("events", "-n", "1000", "--json").rows


def is_bad_token(answer: Answer) -> bool:
    return answer.code == 4 and "[bad-token]" in answer.err and "the run of bob" in answer.err


def test_a_process_whose_run_has_ended_only_looks(project: Project, leftover: dict[str, str]) -> None:
    before = events(project)

    refused = {words: project.run(*words.split(), env=leftover) for words in REFUSED}
    looked = {words: project.run(*words.split(), env=leftover) for words in LOOKING}

    assert {words: said for words, said in refused.items() if not is_bad_token(said)} == {}
    assert {words: said for words, said in looked.items() if said.code != 0} == {}
    assert events(project) == before


def test_python_in_a_process_whose_run_has_ended_opens_no_bus(
    project: Project, leftover: dict[str, str]
) -> None:
    said = project.run("-c", IN_PYTHON, program="python", env=leftover)

    assert said.code != 0
    assert "BadToken" in said.err, said
