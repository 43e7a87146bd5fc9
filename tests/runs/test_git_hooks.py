"""palaver install git: inside a run, a commit says which run it was; and uninstall leaves nothing."""

import stat
import subprocess
from pathlib import Path

import pytest

from palaver.model.errors import NotFound
from palaver.runs.repository import git_hooks
from tests.cli.spoken import Shell
from tests.patience import PATIENCE

WHO = ("-c", "user.name=ada", "-c", "user.email=ada@localhost")


@pytest.fixture
def repository(bus: Shell) -> Shell:
    bus.git("init", "-q", "--template=")
    return bus


def commit(shell: Shell, message: str, *words: str) -> "subprocess.CompletedProcess[str]":
    command = ["git", *WHO, "commit", "-q", "--allow-empty", "-m", message, *words]
    env = {**shell.env}
    return subprocess.run(
        command, cwd=shell.folder, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def last(shell: Shell) -> str:
    return shell.git("log", "-1", "--format=%B").strip()


def hooks(shell: Shell) -> dict[str, tuple[bytes, int]]:
    folder = shell.folder / ".git/hooks"
    found = sorted(folder.iterdir()) if folder.exists() else []
    return {each.name: (each.read_bytes(), stat.S_IMODE(each.lstat().st_mode)) for each in found}


def test_a_commit_inside_a_run_gets_the_run_and_one_outside_does_not(repository: Shell) -> None:
    installed = repository.run("install", "git")

    assert "Installed: prepare-commit-msg, commit-msg" in installed.out
    commit(repository, "outside")
    assert last(repository) == "outside"
    commit(repository.with_env(PALAVER_RUN="run_007"), "inside")
    assert last(repository) == "inside\n\nrunId: run_007"
    commit(repository.with_env(RUN_ID="run_008"), "by the other name")
    assert last(repository) == "by the other name\n\nrunId: run_008"


def test_a_run_that_stands_in_the_message_is_not_added_again(repository: Shell) -> None:
    git_hooks.install(str(repository.folder))
    inside = repository.with_env(PALAVER_RUN="run_007")

    commit(inside, "parser (run_007)")
    assert last(inside) == "parser (run_007)"
    commit(inside, "not that of run_0071")
    assert last(inside).endswith("runId: run_007")


def test_a_message_without_its_run_is_refused_with_the_way_out(repository: Shell) -> None:
    git_hooks.install(str(repository.folder))
    erasing = repository.with_env(PALAVER_RUN="run_007", GIT_EDITOR="sed -i /runId/d")

    done = commit(erasing, "x", "--edit")

    assert done.returncode == 1
    assert "add a line: runId: run_007" in done.stderr


def test_a_commit_from_a_program_of_a_run_has_it(repository: Shell) -> None:
    git_hooks.install(str(repository.folder))
    git = " ".join(("git", *WHO))

    repository.run("run", "--as", "bob", "--", "sh", "-c", f"{git} commit -q --allow-empty -m work")

    assert last(repository) == "work\n\nrunId: run_001"


def test_hooks_that_are_there_go_on_working_and_decide_first(repository: Shell) -> None:
    folder = repository.folder / ".git/hooks"
    folder.mkdir(exist_ok=True)
    (folder / "commit-msg").write_text('#!/bin/sh\ngrep -q forbidden "$1" && exit 9\necho seen >> seen\n')
    (folder / "commit-msg").chmod(0o755)
    git_hooks.install(str(repository.folder))
    inside = repository.with_env(PALAVER_RUN="run_007")

    assert commit(inside, "forbidden").returncode != 0
    assert commit(inside, "fine").returncode == 0
    assert (repository.folder / "seen").read_text() == "seen\n"
    assert last(inside).endswith("runId: run_007")


def test_a_hook_that_git_would_pass_over_is_passed_over(repository: Shell) -> None:
    folder = repository.folder / ".git/hooks"
    folder.mkdir(exist_ok=True)
    (folder / "commit-msg").write_text("#!/bin/sh\nexit 9\n")
    (folder / "commit-msg").chmod(0o644)
    git_hooks.install(str(repository.folder))

    assert commit(repository, "fine").returncode == 0


@pytest.mark.parametrize("times", [1, 2])
def test_uninstall_leaves_everything_as_it_was(repository: Shell, times: int) -> None:
    folder = repository.folder / ".git/hooks"
    folder.mkdir(exist_ok=True)
    (folder / "commit-msg").write_text("#!/bin/sh\n:\n")
    (folder / "commit-msg").chmod(0o751)
    (folder / "prepare-commit-msg").symlink_to("../../elsewhere")
    (folder / "prepare-commit-msg").resolve().write_text("#!/bin/sh\n:\n")
    before = hooks(repository)

    for _ in range(times):
        git_hooks.install(str(repository.folder))
    assert hooks(repository) != before
    git_hooks.uninstall(str(repository.folder))

    assert hooks(repository) == before
    assert (folder / "prepare-commit-msg").is_symlink()
    with pytest.raises(NotFound):
        git_hooks.uninstall(str(repository.folder))


def test_a_folder_that_was_made_for_them_goes_with_them(repository: Shell) -> None:
    folder = repository.folder / ".git/hooks"
    assert not folder.exists()

    git_hooks.install(str(repository.folder))
    git_hooks.uninstall(str(repository.folder))

    assert not folder.exists()


def test_a_hook_that_somebody_put_in_our_place_is_left_alone(repository: Shell) -> None:
    repository.run("install", "git")
    (repository.folder / ".git/hooks/commit-msg").write_text("#!/bin/sh\n# husky\n")

    answer = repository.run("uninstall", "git")

    assert "Left alone, because it is not ours: commit-msg" in answer.out
    assert list(hooks(repository)) == ["commit-msg"]


def test_hooks_of_a_linked_worktree_are_those_of_the_repository(repository: Shell, tmp_path: Path) -> None:
    commit(repository, "first")
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = repository.at(tmp_path / "linked")

    git_hooks.install(str(linked.folder))

    commit(linked.with_env(PALAVER_RUN="run_007"), "inside")
    assert last(linked).endswith("runId: run_007")


def test_hooks_that_other_repositories_use_are_refused(repository: Shell, tmp_path: Path) -> None:
    shared = tmp_path / "shared-hooks"
    shared.mkdir()
    repository.git("config", "core.hooksPath", str(shared))

    answer = repository.run("install", "git")

    assert (answer.code, "[in-the-way]" in answer.err) == (5, True)
    assert list(shared.iterdir()) == []


def test_mistakes_are_named(repository: Shell, nowhere: Shell) -> None:
    assert repository.run("install", "hg").code == 2
    assert repository.run("uninstall", "hg").code == 2
    assert nowhere.run("install", "git").code == 3
