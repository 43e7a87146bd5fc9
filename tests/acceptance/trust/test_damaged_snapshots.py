"""A snapshot of a damaged log is made, because a backup is of most use then, and the command says so."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.project import Project
from tests.acceptance.trust.records import segments


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a project with a snapshot, and something new for the next one."""
    made = Project.create(tmp_path / "project", "ada")
    made.do("agents", "add", "bob", agent="ada")
    for number in (1, 2):
        made.do("send", "bob", "-m", f"message {number}", agent="ada")
    made.do("snapshot")
    made.do("send", "bob", "-m", "message 3", agent="ada")
    return made


def edit(project: Project) -> None:
    [segment] = segments(project)
    segment.write_bytes(segment.read_bytes().replace(b"message 1", b"message X"))


def remove_line(project: Project) -> None:
    [segment] = segments(project)
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join(line for line in lines if b"message 1" not in line))


@pytest.mark.parametrize("damage", [edit, remove_line])
def test_a_snapshot_of_a_damaged_log_is_made_and_says_so(
    project: Project, damage: Callable[[Project], None]
) -> None:
    damage(project)

    taken, again = project.run("snapshot"), project.run("snapshot")
    verified = json.loads(project.run("verify", "--json").out)

    count = len(verified["faults"])
    damaged = f"of a damaged log: {count} fault{'s' if count > 1 else ''}; palaver verify names them\n"
    assert (taken.code, again.code) == (1, 1), (taken, again)
    commit = taken.out.split()[1]
    assert taken.out == f"Snapshot {commit} {damaged}"
    assert again.out == f"Nothing has changed since the last snapshot {damaged}"
    [segment] = segments(project)
    shown = ["git", "-C", str(project.root), "show", f"{commit}:log/{segment.name}"]
    assert subprocess.check_output(shown) == segment.read_bytes()


def test_a_snapshot_of_a_damaged_log_names_its_faults_to_programs(project: Project) -> None:
    edit(project)

    first = project.run("snapshot", "--json", "--key", "k")
    again = project.run("snapshot", "--json", "--key", "k")

    assert (first.code, again.code) == (1, 1)
    assert json.loads(first.out)["faults"] > 0
    assert again.out == first.out
