"""Root uses the bus of another user only as that user: the owner is never locked out."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance.project import Answer, Project
from tests.probes.use.other_user import OTHER, under


@pytest.fixture
def owned(memory: Path) -> Project:
    """Return a project of another user, with mail."""
    words = under(OTHER)
    for folder in (memory, memory / "project", memory / "home"):
        folder.mkdir(exist_ok=True)
        os.chown(folder, OTHER, OTHER)
        folder.chmod(0o755)
    project = Project(memory)
    del project.env["PALAVER_TRUST"]
    for command in (
        ["init", "--person", "ada"],
        ["agents", "add", "bob", "--as", "ada"],
        ["send", "bob", "-m", "hello", "--as", "ada"],
        ["search", "hello"],
        ["snapshot"],
    ):
        if (answer := project.run(*command, under=words)).code:
            raise RuntimeError(f"setup failed: {command}: {answer}")
    return project


#: The environment of root as sudo leaves it: the home folder of root, and no others.
def root_runs(project: Project, *words: str, env: dict[str, str] | None = None) -> Answer:
    """Run a command as root, in an environment of root's."""
    home = project.folder.parent / "root"
    home.mkdir(exist_ok=True)
    own = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "XDG_CONFIG_HOME": str(home / "config")}
    return project.run(*words, under=under(0), env={**own, **(env or {})})


def works_for_its_owner(project: Project) -> bool:
    """Tell whether the owner can use every part of the bus."""
    commands = (
        ["send", "bob", "-m", "again", "--as", "ada"],
        ["inbox", "--as", "bob"],
        ["search", "again"],
        ["run", "--as", "bob", "--", "/bin/true"],
        ["snapshot"],
        ["verify"],
        ["doctor"],
    )
    answers = [project.run(*words, under=under(OTHER)) for words in commands]
    return [answer for answer in answers if answer.code] == []


def owners(project: Project) -> set[int]:
    """Return who owns anything below the folder of the owner."""
    return {
        path.lstat().st_uid
        for folder in (project.folder, project.home)
        for path in (folder, *folder.rglob("*"))
    }


def content(project: Project) -> dict[str, bytes]:
    """Return every file of the bus."""
    return {str(path): path.read_bytes() for path in project.root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("words", [["trust", "--yes"], ["trust", "--yes", "--force"]])
def test_root_does_not_accept_a_bus_for_its_owner(owned: Project, words: list[str]) -> None:
    before = content(owned)

    refused = root_runs(owned, *words)

    assert refused.code == 4, refused
    assert "as that user" in refused.err
    assert content(owned) == before
    assert works_for_its_owner(owned)


@pytest.mark.parametrize(
    "words",
    [
        ["send", "bob", "-m", "x", "--as", "ada"],
        ["inbox", "--as", "bob"],
        ["snapshot"],
        ["redact", "4", "--as", "ada"],
        ["run", "--as", "bob", "--", "/bin/true"],
        ["init"],
        ["up", "-d", "--no-web"],
    ],
    ids=lambda words: words[0],
)
def test_what_root_does_with_force_leaves_the_bus_to_its_owner(owned: Project, words: list[str]) -> None:
    # The owner's records are where root does not know them.
    named = {"PALAVER_TRUST": str(owned.folder)}

    forced = (
        root_runs(owned, *words, "--force", env=named)
        if words[0] != "run"
        else root_runs(owned, "run", "--force", *words[1:], env=named)
    )
    root_runs(owned, "down", "--force", env=named)

    assert forced.code == 0, forced
    assert owners(owned) == {OTHER}
    assert works_for_its_owner(owned)


def test_a_command_that_root_runs_with_force_has_the_rights_of_the_owner(owned: Project) -> None:
    mark = owned.folder / "mark"

    root_runs(
        owned,
        "run",
        "--force",
        "--as",
        "bob",
        "--",
        "touch",
        str(mark),
        env={"PALAVER_TRUST": str(owned.folder)},
    )

    assert mark.stat().st_uid == OTHER


def test_root_without_force_is_refused_with_the_way_out(owned: Project) -> None:
    refused = root_runs(owned, "inbox", "--as", "bob")

    assert refused.code == 4, refused
    assert "[not-yours]" in refused.err
    assert "as that user" in refused.err


def closed_to_others(project: Project) -> None:
    project.folder.parent.chmod(0o700)
    os.chown(project.folder.parent, 0, 0)


@pytest.mark.parametrize("close", [closed_to_others])
def test_where_the_owner_cannot_go_root_is_told_why(owned: Project, close: Callable[[Project], None]) -> None:
    close(owned)

    refused = root_runs(owned, "inbox", "--as", "bob", "--force")

    assert refused.code == 4, refused
    assert "that user cannot read" in refused.err
