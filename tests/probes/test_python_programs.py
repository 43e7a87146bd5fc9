"""A program in Python, inside a run, that uses the library instead of the commands."""

import sys
from pathlib import Path

import pytest

from tests.acceptance.project import Answer, Project
from tests.acceptance.trust.agent_run import AgentRun
from tests.probes.settings import claim

SERVE = """
import sys
from palaver.web.server import Server
server = Server(sys.argv[1], person=sys.argv[2])
server.start()
print(server.address, flush=True)
server.stop()
"""
APPROVE = """
import sys
from palaver import Bus
Bus(sys.argv[1], agent=sys.argv[2]).move("t7", "approve")
"""
APPROVE_IN_A_SESSION = """
import sys
from palaver import Bus
from palaver.wiring import open_session
Bus(session=open_session(sys.argv[1], agent=sys.argv[2])).move("t7", "approve")
"""


def run_python(run: AgentRun, program: str, folder: Path, name: str, *variables: str) -> Answer:
    return run.execute("env", *variables, sys.executable, "-c", program, str(folder), name)


@pytest.mark.parametrize("name", ["boss", "ada", "bob", ""])
@pytest.mark.parametrize("variable", ["A=1", "PALAVER_ROOT=", "PALAVER_TOKEN="])
def test_no_server_of_the_dashboard_gives_a_run_a_session(
    project: Project, bob: AgentRun, name: str, variable: str
) -> None:
    tried = run_python(bob, SERVE, project.folder, name, variable)

    assert "#in=" not in tried.out, tried
    assert "NotPermitted" in tried.err, tried


def test_no_server_on_a_bus_of_its_own_gives_a_run_a_session(bob: AgentRun, fresh: Path) -> None:
    tried = run_python(bob, SERVE, fresh, "ada")

    assert "#in=" not in tried.out, tried
    assert "NotPermitted" in tried.err, tried


@pytest.mark.parametrize("program", [APPROVE, APPROVE_IN_A_SESSION], ids=["bus", "session"])
@pytest.mark.parametrize("name", ["boss", "ada"])
def test_a_program_has_no_power_in_another_name(
    project: Project, bob: AgentRun, program: str, name: str
) -> None:
    claim(project)

    tried = run_python(bob, program, project.folder, name)

    assert "NotPermitted" in tried.err, tried
    assert project.task("t7")["state"] == "claimed"
