"""One bus wherever you stand: subfolders, worktrees, submodules; and a repository that does not notice it."""

import shutil
from pathlib import Path

import pytest

from tests.cli.spoken import Shell


@pytest.fixture
def repository(nowhere: Shell) -> Shell:
    """Return ada, in a repository with one commit, two branches, and a bus."""
    shell = nowhere.with_env(PALAVER_AGENT="ada")
    shell.git("init", "-q", "-b", "main")
    (shell.folder / "src/deep").mkdir(parents=True)
    (shell.folder / "src/deep/code.py").write_text("one = 1\n")
    shell.git("add", ".")
    shell.git("commit", "-q", "-m", "first")
    shell.git("branch", "other")
    assert shell.run("init", "--person", "ada").code == 0
    return shell


def bus_of(shell: Shell) -> str:
    """Return the bus that a command uses where somebody stands: what `init` finds is what all find."""
    used = str(shell.run("init", "--json").fields["root"])
    answer = shell.run("send", "ada", "-m", used)
    assert answer.code == 0, answer
    log = b"".join(path.read_bytes() for path in sorted(Path(used, "log").iterdir()))
    assert answer.message_id.encode() in log
    return used


def buses(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.rglob(".palaver/config.toml"))


def test_every_subfolder_has_the_bus_above_it(repository: Shell) -> None:
    home = f"{repository.folder}/.palaver"

    assert bus_of(repository.at(repository.folder / "src")) == home
    assert bus_of(repository.at(repository.folder / "src/deep")) == home
    assert buses(repository.folder) == [Path(home)]


@pytest.mark.parametrize("inside", [".palaver", ".palaver/log", ".palaver/view"])
def test_inside_the_bus_it_is_the_same_bus(repository: Shell, inside: str) -> None:
    assert bus_of(repository.at(repository.folder / inside)) == f"{repository.folder}/.palaver"
    assert buses(repository.folder) == [repository.folder / ".palaver"]


def test_without_a_repository_subfolders_have_the_bus_above_them(bus: Shell) -> None:
    (bus.folder / "a/b").mkdir(parents=True)
    sent = bus.run("send", "bob", "-m", "hello", "--as", "ada")

    answer = bus.at(bus.folder / "a/b").run("inbox", "--as", "bob")

    assert sent.message_id in answer.out


def test_without_a_repository_a_subfolder_may_have_a_bus_of_its_own(bus: Shell) -> None:
    (bus.folder / "a/b").mkdir(parents=True)
    inner = bus.at(bus.folder / "a")

    assert inner.run("init", "--json").fields["root"] == f"{bus.folder}/a/.palaver"
    assert inner.at(bus.folder / "a/b").run("agents", "--json").rows != bus.run("agents", "--json").rows


def test_a_linked_worktree_has_the_bus_of_the_main_one(repository: Shell, tmp_path: Path) -> None:
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "other")
    linked = repository.at(tmp_path / "linked")

    assert bus_of(linked) == f"{repository.folder}/.palaver"
    assert bus_of(linked.at(tmp_path / "linked/src/deep")) == f"{repository.folder}/.palaver"
    assert buses(tmp_path / "linked") == []


def test_a_worktree_inside_the_main_one_has_its_bus(repository: Shell) -> None:
    repository.git("worktree", "add", "-q", "trees/linked", "other")

    assert bus_of(repository.at(repository.folder / "trees/linked/src")) == f"{repository.folder}/.palaver"


def test_a_stray_bus_in_a_linked_worktree_is_never_used(repository: Shell, tmp_path: Path) -> None:
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "other")
    linked = repository.at(tmp_path / "linked")
    shutil.copytree(repository.folder / ".palaver", tmp_path / "linked/.palaver")
    shutil.copytree(repository.folder / ".palaver", tmp_path / "linked/src/.palaver")
    home = f"{repository.folder}/.palaver"

    for inside in ("", "src", "src/deep", ".palaver", ".palaver/log", "src/.palaver"):
        assert bus_of(linked.at(tmp_path / "linked" / inside)) == home, inside


def test_init_in_a_linked_worktree_makes_the_bus_in_the_main_one(repository: Shell, tmp_path: Path) -> None:
    shutil.rmtree(repository.folder / ".palaver")
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "other")
    (tmp_path / "linked/only/here").mkdir(parents=True)

    made = repository.at(tmp_path / "linked/only/here").run("init", "--json").fields["root"]

    assert made == f"{repository.folder}/.palaver"
    assert buses(tmp_path) == [repository.folder / ".palaver"]


def test_the_worktrees_of_a_bare_repository_share_the_bus_beside_it(
    repository: Shell, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    repository.git("clone", "-q", "--bare", str(repository.folder), str(project / "bare.git"))
    bare = repository.at(project / "bare.git")
    bare.git("worktree", "add", "-q", str(project / "one"), "main")
    bare.git("worktree", "add", "-q", str(tmp_path / "far/two"), "other")

    used = {bus_of(repository.at(folder)) for folder in (project / "one/src", tmp_path / "far/two")}

    assert used == {f"{project}/.palaver"}


def test_a_submodule_has_the_bus_of_the_repository_around_it(repository: Shell, tmp_path: Path) -> None:
    library = repository.at(tmp_path / "library")
    library.folder.mkdir()
    library.git("init", "-q", "-b", "main")
    library.git("commit", "-q", "--allow-empty", "-m", "first")
    repository.git("submodule", "--quiet", "add", str(library.folder), "vendor/library")
    repository.git("commit", "-q", "-m", "with a library")
    repository.git("worktree", "add", "-q", "-b", "third", str(tmp_path / "linked"))
    repository.at(tmp_path / "linked").git("submodule", "--quiet", "update", "--init")
    home = f"{repository.folder}/.palaver"

    assert bus_of(repository.at(repository.folder / "vendor/library")) == home
    assert bus_of(repository.at(tmp_path / "linked/vendor/library")) == home


def test_a_worktree_of_a_submodule_has_the_bus_of_the_repository_around_it(
    repository: Shell, tmp_path: Path
) -> None:
    library = repository.at(tmp_path / "library")
    library.folder.mkdir()
    library.git("init", "-q", "-b", "main")
    library.git("commit", "-q", "--allow-empty", "-m", "first")
    repository.git("submodule", "--quiet", "add", str(library.folder), "vendor/library")
    inner = repository.at(repository.folder / "vendor/library")
    inner.git("worktree", "add", "-q", "-b", "aside", str(tmp_path / "aside"))

    assert bus_of(repository.at(tmp_path / "aside")) == f"{repository.folder}/.palaver"


def test_a_repository_inside_a_worktree_may_have_its_own_bus_and_else_has_the_main_one(
    repository: Shell, tmp_path: Path
) -> None:
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "other")
    shutil.copytree(repository.folder / ".palaver", tmp_path / "linked/.palaver")
    nested = repository.at(tmp_path / "linked/nested")
    nested.folder.mkdir()
    nested.git("init", "-q")
    home = f"{repository.folder}/.palaver"

    before = nested.run("send", "ada", "-m", "hello")
    made = nested.run("init", "--json").fields["root"]

    assert before.message_id.encode() in repository.log()
    assert str(home) != made == f"{nested.folder}/.palaver"


def test_a_gitdir_that_leads_nowhere_is_just_a_folder(bus: Shell) -> None:
    broken = bus.folder / "broken"
    broken.mkdir()
    for said in ("", "gitdir:", "gitdir: /nonexistent", "gitdir: \0", "\xff\xfe"):
        (broken / ".git").write_bytes(said.encode("latin-1"))
        assert bus.at(broken).run("agents").code == 0, said


def test_a_root_that_is_named_wins_over_where_we_stand(repository: Shell, bus: Shell) -> None:
    named = bus.folder
    shell = repository.with_env(PALAVER_ROOT=str(named))

    assert shell.run("init", "--json").fields["root"] == f"{named}/.palaver"
    assert shell.run("init", "--json", "--root", ".").fields["root"] == f"{repository.folder}/.palaver"
    assert (
        repository.run("init", "--json", "--root", f"{named}/.palaver").fields["root"] == f"{named}/.palaver"
    )
    assert [agent["id"] for agent in shell.run("agents", "--json").rows] == ["ada", "bob", "carol"]


# --- the surrounding repository does not notice ---


def test_the_repository_around_stays_clean(repository: Shell) -> None:
    repository.run("send", "ada", "-m", "hello")
    repository.run("inbox")
    repository.run("snapshot")

    assert repository.git("status", "--porcelain", "--untracked-files=all") == ""
    assert repository.git("add", "--all", ".") == ""
    assert repository.git("diff", "--cached", "--name-only") == ""


def test_no_tracked_file_is_touched_to_hide_the_bus(repository: Shell) -> None:
    (repository.folder / ".gitignore").write_text("*.pyc\n")
    repository.run("init")

    assert (repository.folder / ".gitignore").read_text() == "*.pyc\n"
    assert (repository.folder / ".git/info/exclude").read_text().splitlines().count(".palaver/") == 1


def test_hiding_keeps_what_people_wrote_in_the_exclude_file(nowhere: Shell) -> None:
    nowhere.git("init", "-q")
    exclude = nowhere.folder / ".git/info/exclude"
    exclude.write_text("*.tmp")

    nowhere.run("init")

    assert exclude.read_text() == "*.tmp\n.palaver/\n"


def test_the_variables_of_a_git_hook_do_not_hide_the_wrong_repository(nowhere: Shell, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    nowhere.at(tmp_path / "other").git("init", "-q")
    nowhere.git("init", "-q")
    hook = nowhere.with_env(GIT_DIR=str(tmp_path / "other/.git"), GIT_WORK_TREE=str(tmp_path / "other"))

    hook.run("init")
    hook.run("snapshot")

    assert ".palaver/" in (nowhere.folder / ".git/info/exclude").read_text()
    assert ".palaver/" not in (tmp_path / "other/.git/info/exclude").read_text()
    assert nowhere.git("status", "--porcelain") == ""


RECKLESS = [
    "clean -fdx",
    "clean -fdxq",
    "stash -u",
    "stash -a",
    "checkout -q other",
    "checkout -qf other",
    "switch -q other",
    "reset -q --hard",
    "rm -rq --cached .",
]


@pytest.mark.parametrize("command", RECKLESS)
def test_what_git_does_to_the_repository_leaves_the_bus_alone(repository: Shell, command: str) -> None:
    repository.run("send", "ada", "-m", "hello")
    (repository.folder / "src/deep/code.py").write_text("one = 2\n")
    (repository.folder / "untracked").write_text("x")
    if command.startswith(("checkout -q other", "switch")):
        repository.git("stash", "-u")
    before = repository.log()

    repository.git(*command.split())

    assert repository.log() == before
    assert repository.run("inbox").lines[1].endswith("hello")
    assert repository.run("verify").code == 0


def test_switching_branches_while_agents_write_loses_nothing(repository: Shell) -> None:
    sent = []
    for turn in range(6):
        repository.git("checkout", "-q", "other" if turn % 2 else "main")
        sent.append(repository.run("send", "ada", "-m", f"turn {turn}").message_id)

    messages = repository.run("inbox", "--json").fields["messages"]
    assert isinstance(messages, list)
    assert [message["id"] for message in messages] == sent
