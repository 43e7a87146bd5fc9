"""A log that tells of runs which never were: no process ends by it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.project import Project
from tests.acceptance.trust.records import cut_last_lines, rewrite


@pytest.fixture
def victim() -> Iterator["subprocess.Popen[bytes]"]:
    """Return a program of the user, in a session of its own, that is in no run."""
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    yield process
    process.kill()
    process.wait()


def forge(project: Project, victim: int) -> None:
    """Rewrite the log: the run that it tells of has not ended, and its program and runner are the victim."""
    project.do("run", "--as", "bob", "--", "true")
    [started] = project.events("run.started")
    data = started["data"]
    assert isinstance(data, dict)
    ticks = Path(f"/proc/{victim}/stat").read_text().rpartition(")")[2].split()[19]
    cut_last_lines(project, 1)
    fields = {"pid": victim, "pgid": victim, "ticks": ticks, "keeper": victim, "keeper_ticks": ticks}
    for name, value in fields.items():
        rewrite(project, f'"{name}":{data[name]}'.encode(), f'"{name}":{value}'.encode())
    project.do("rebuild")
    [run] = project.do("runs", "--json").rows
    if (run["pid"], run["state"]) != (victim, "running"):
        raise RuntimeError(f"setup failed: {run}")


@pytest.mark.parametrize(
    "words",
    [("runs", "kill", "run_001"), ("patrol",), ("agents", "retire", "bob"), ("co", "worker", "kill", "bob")],
    ids=" ".join,
)
def test_a_forged_start_of_a_run_ends_no_process(
    project: Project, victim: "subprocess.Popen[bytes]", words: tuple[str, ...]
) -> None:
    forge(project, victim.pid)

    project.run(*words, agent="ada")

    assert victim.poll() is None
