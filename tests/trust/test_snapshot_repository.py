"""Git makes the snapshots inside a bus: nothing in its repository leads it out, or names a command to run.

Files arrive there with an archive or a copy, before or after the user has accepted the bus.
"""

import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.trust.scene import Project
from tests.trust.test_arriving_files import plant_command, set_fsmonitor

CONTENT: Final = "# mine\n"
ELSEWHERE: Final = ("commondir", "objects/info/alternates")
FILES: Final = ("COMMIT_EDITMSG", "HEAD", "index", "logs/HEAD", "refs/heads/log", "info/attributes")
FOLDERS: Final = ("logs", "refs", "objects", "objects/00", "info")


@pytest.fixture
def used(own: Project) -> Project:
    """Return a trusted project with a snapshot, and something new for the next one."""
    own.must("snapshot")
    own.must("send", "bob", "-m", "hello", "--as", "ada")
    return own


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return a repository outside the project."""
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "other"], check=True)
    return tmp_path / "other"


def clear(place: Path) -> Path:
    """Make room for an entry of the repository."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        place.rename(place.with_name("moved"))
    place.unlink(missing_ok=True)
    return place


def git(folder: Path, *words: str, text: str = "") -> str:
    """Run git as the author of a foreign bus."""
    author = ("-c", "user.name=mallory", "-c", "user.email=mallory@example.org")
    done = subprocess.run(
        ["git", "-C", folder, *author, *words], check=True, capture_output=True, text=True, input=text
    )
    return done.stdout


def log_in_last_snapshot(project: Project) -> str:
    return git(project.bus, "show", "log:log/000000000001.jsonl")


def files_below(folder: Path) -> list[Path]:
    return [each for each in folder.rglob("*") if each.is_file()]


@pytest.mark.parametrize("entry", FILES)
def test_a_link_that_arrives_among_the_snapshots_is_not_followed(
    used: Project, home: Path, entry: str
) -> None:
    victim = home / ".bashrc"
    victim.write_text(CONTENT)
    clear(used.bus / ".git" / entry).symlink_to(victim)

    refused, examined, verified = used.run("snapshot"), used.run("doctor"), used.run("verify")

    assert victim.read_text() == CONTENT
    assert refused.code == 4, refused
    assert f".git/{entry} is a symbolic link; remove it" in refused.err
    assert examined.code == 1
    assert f".git/{entry} is a symbolic link" in examined.out
    assert (verified.code, f".git/{entry} is a symbolic link" in verified.out) == (0, True)


@pytest.mark.parametrize("entry", FOLDERS)
def test_a_linked_folder_among_the_snapshots_receives_no_files(
    used: Project, tmp_path: Path, entry: str
) -> None:
    (tmp_path / "outside").mkdir()
    clear(used.bus / ".git" / entry).symlink_to(tmp_path / "outside")

    refused = used.run("snapshot")

    assert files_below(tmp_path / "outside") == []
    assert refused.code == 4, refused


@pytest.mark.parametrize("entry", ["HEAD", "COMMIT_EDITMSG", "index"])
def test_a_fifo_among_the_snapshots_holds_nobody_up(used: Project, entry: str) -> None:
    os.mkfifo(clear(used.bus / ".git" / entry))

    refused = used.run("snapshot")

    assert f".git/{entry} is a FIFO" in refused.err


@pytest.mark.parametrize("entry", ["COMMIT_EDITMSG", "logs/HEAD", "logs/refs/heads/log"])
def test_a_file_with_a_second_name_among_the_snapshots_is_not_written(
    used: Project, home: Path, entry: str
) -> None:
    victim = home / ".bashrc"
    victim.write_text(CONTENT)
    clear(used.bus / ".git" / entry).hardlink_to(victim)

    used.must("snapshot", "-m", "rm -r ~")

    assert victim.read_text() == CONTENT


@pytest.mark.parametrize("file", ELSEWHERE)
def test_a_repository_that_is_a_part_of_another_one_takes_no_snapshot(
    used: Project, other: Path, file: str
) -> None:
    clear(used.bus / ".git" / file).write_text(f"{other}\n")

    answer = used.run("snapshot")

    assert answer.code == 4, answer
    assert f".git/{file} leads to another repository; remove it" in answer.err
    assert files_below(other / "refs") == []


@pytest.mark.parametrize("file", ELSEWHERE)
@pytest.mark.parametrize("command", ["trust", "verify", "doctor"])
def test_a_foreign_bus_whose_repository_is_a_part_of_another_one_is_refused(
    foreign: Project, other: Path, command: str, file: str
) -> None:
    clear(foreign.bus / ".git" / file).write_text(f"{other}\n")

    answer = foreign.run(command, *(["--yes"] if command == "trust" else []))

    assert answer.code == 4, answer
    assert f".git/{file} leads to another repository" in answer.err


@pytest.mark.parametrize("file", ["gitdir", "worktrees/w/gitdir", "modules/m/commondir", "config.worktree"])
def test_what_git_keeps_for_other_working_trees_is_not_used(
    used: Project, other: Path, tmp_path: Path, file: str
) -> None:
    program, mark = plant_command(tmp_path)
    is_config = file == "config.worktree"
    content = f"[core]\n\tfsmonitor = {program}\n\tworktree = {other}\n" if is_config else f"{other}\n"
    clear(used.bus / ".git" / file).write_text(content)

    used.must("snapshot")

    assert "hello" in log_in_last_snapshot(used)
    assert not mark.exists()
    assert files_below(other / "refs") == []


@pytest.mark.parametrize("file", ["shallow", "info/grafts"])
def test_what_shortens_the_history_changes_no_snapshot(used: Project, file: str) -> None:
    first = git(used.bus, "rev-parse", "log")
    clear(used.bus / ".git" / file).write_text(first)

    used.must("snapshot")

    assert "hello" in log_in_last_snapshot(used)
    assert f"parent {first}" in git(used.bus, "--no-replace-objects", "cat-file", "commit", "log")


@pytest.mark.parametrize("place", [".git/info/attributes", "log/.gitattributes", ".gitattributes"])
def test_attributes_do_not_change_what_a_snapshot_holds(
    used: Project, tmp_path: Path, home: Path, place: str
) -> None:
    program, mark = plant_command(tmp_path)
    (home / ".gitconfig").write_text(f'[filter "f"]\n\tclean = {program}\n[core]\n\tautocrlf = input\n')
    clear(used.bus / place).write_text("* filter=f text working-tree-encoding=UTF-16\n")

    used.must("snapshot")

    assert log_in_last_snapshot(used) == (used.bus / "log/000000000001.jsonl").read_text()
    assert not mark.exists()


@pytest.mark.parametrize("place", ["log/.gitignore", ".git/info/exclude"])
def test_no_part_of_the_log_is_left_out_of_a_snapshot(used: Project, place: str) -> None:
    clear(used.bus / place).write_text("*\n")

    used.must("snapshot")

    assert "hello" in log_in_last_snapshot(used)


@pytest.mark.parametrize("is_in_index", [True, False], ids=["known", "new"])
def test_a_repository_inside_a_foreign_bus_runs_no_command(
    foreign: Project, tmp_path: Path, is_in_index: bool
) -> None:
    program, mark = plant_command(tmp_path)
    inner = foreign.bus / "quarantine/000002.bin"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    git(inner, "commit", "-q", "--allow-empty", "-m", "x")
    set_fsmonitor(inner / ".git", program)
    if is_in_index:
        commit = git(inner, "rev-parse", "HEAD").strip()
        git(foreign.bus, "init", "-q")
        git(foreign.bus, "update-index", "--add", "--cacheinfo", f"160000,{commit},quarantine/000002.bin")
    mark.unlink(missing_ok=True)
    foreign.must("trust", "--yes")

    answer = foreign.run("snapshot")

    assert not mark.exists(), answer
