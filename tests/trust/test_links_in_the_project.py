"""Symbolic links and git settings that come with a project lead no write out of it, and run no command."""

import hashlib
import os
from pathlib import Path
from typing import Final

import pytest

from tests.cli.spoken import Answer
from tests.runs.programs import until
from tests.trust.scene import Project, user_at

COLLAB: Final = '\n[mounts.c]\ndialect = "collab"\npath = "c"\ninbox = "ours"\na = "ada"\nb = "bob"\n'
REVIEW: Final = ("review", "bob", "--scope", "x", "--severity", "nit", "--recommendation", "mend")


def content_of(home: Path) -> dict[str, str]:
    """Return every file of the home folder with its digest, except Palaver's own records."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in home.rglob("*")
        if path.is_file() and ".local/state/palaver" not in str(path)
    }


def start_run(project: Project) -> Answer:
    return project.run("run", "--as", "bob", "--run", "run_007", "--", "/bin/echo", "hello")


def send_review(project: Project) -> Answer:
    return project.run(*REVIEW, "--run", "run_007", "--as", "ada")


def plant_link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def plant_commands(project: Project, folder: Path) -> Path:
    """Let the git config of a project name programs that leave a mark; return the mark."""
    mark = folder / "command-was-run"
    program = folder / "hooks/planted"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    (program.parent / "post-index-change").symlink_to(program)
    project.shell.git("init", "-q")
    project.shell.git("commit", "-q", "--allow-empty", "-m", "first")
    with (project.folder / ".git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {program}\n\thooksPath = {program.parent}\n")
    return mark


# --- the inbox of a mount ---


@pytest.fixture
def inbox(foreign: Project) -> Path:
    """Return an inbox that the bus empties, with one message in it."""
    folder = foreign.folder / "c/inbox"
    folder.mkdir(parents=True)
    (foreign.folder / "c/chat.log").touch()
    (folder / "planted.sh").write_text("touch ran\n")
    os.utime(folder / "planted.sh", (0, 0))
    foreign.configure(COLLAB)
    foreign.must("trust", "--yes")
    return folder


def test_a_linked_folder_of_taken_messages_receives_no_files(
    foreign: Project, inbox: Path, home: Path
) -> None:
    plant_link(inbox / ".taken", home / ".ssh")

    synced = foreign.run("sync")

    assert content_of(home) == {}
    assert (inbox / "planted.sh").read_text() == "touch ran\n"
    assert synced.code == 1
    assert f"{inbox}/.taken is a symbolic link" in synced.err


def test_a_file_in_place_of_the_folder_of_taken_messages_is_reported(foreign: Project, inbox: Path) -> None:
    (inbox / ".taken").write_text("in the way\n")

    synced = foreign.run("sync")

    assert (inbox / "planted.sh").exists()
    assert synced.code == 1
    assert "Not a directory" in synced.err


def test_taken_messages_never_replace_each_other(foreign: Project, inbox: Path) -> None:
    (inbox / ".taken").mkdir()
    (inbox / ".taken/planted.sh").write_text("earlier\n")

    foreign.must("sync")

    assert (inbox / ".taken/planted.sh").read_text() == "earlier\n"
    assert (inbox / ".taken/planted.sh~2").read_text() == "touch ran\n"


# --- traces of runs ---


@pytest.mark.parametrize("part", ["", "/agent-logs", "/prompts", "/artifacts"])
def test_a_linked_trace_folder_is_refused_by_name(foreign: Project, home: Path, part: str) -> None:
    plant_link(foreign.folder / f"runs/run_007{part}", home / ".ssh")
    foreign.must("trust", "--yes")

    refused = start_run(foreign)

    assert content_of(home) == {}
    assert refused.code == 1
    assert f"{foreign.folder}/runs/run_007{part} is a symbolic link" in refused.err


@pytest.mark.parametrize("part", ["run.log", "agent-logs/bob.txt"])
def test_a_linked_trace_file_is_refused_by_name(foreign: Project, home: Path, part: str) -> None:
    (home / ".bashrc").write_text("# mine\n")
    plant_link(foreign.folder / "runs/run_007" / part, home / ".bashrc")
    foreign.must("trust", "--yes")

    refused = start_run(foreign)

    assert (home / ".bashrc").read_text() == "# mine\n"
    assert refused.code == 1
    assert f"{foreign.folder}/runs/run_007/{part} is a symbolic link" in refused.err


@pytest.mark.parametrize("part", ["run.log", "agent-logs/bob.txt"])
def test_a_fifo_in_place_of_a_trace_file_is_refused(foreign: Project, part: str) -> None:
    path = foreign.folder / "runs/run_007" / part
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    foreign.must("trust", "--yes")

    refused = start_run(foreign)

    assert refused.code == 1
    assert "[storage]" in refused.err


def test_a_folder_that_the_program_replaces_by_a_link_receives_no_packet(own: Project, home: Path) -> None:
    script = f'rmdir "$PALAVER_RUN_FOLDER/artifacts" && ln -s {home}/.ssh "$PALAVER_RUN_FOLDER/artifacts"'

    own.must("run", "--as", "bob", "--run", "run_007", "--", "/bin/sh", "-c", script)

    assert list((home / ".ssh").iterdir()) == []


@pytest.mark.parametrize(
    "part", ["", "/run_007", "/run_007/artifacts", "/run_007/artifacts/review-packet.md"]
)
def test_a_review_is_refused_where_its_packet_is_behind_a_link(
    foreign: Project, home: Path, part: str
) -> None:
    (home / ".ssh/run_007").mkdir()
    plant_link(foreign.folder / f"runs{part}", home / ".ssh")
    foreign.must("trust", "--yes")

    refused = send_review(foreign)

    assert content_of(home) == {}
    assert refused.code == 1
    assert f"{foreign.folder}/runs{part} is a symbolic link" in refused.err
    assert "Scope: x" not in foreign.run("read", "--as", "bob").out


def test_runs_dir_may_be_a_link_of_the_user(own: Project, tmp_path: Path) -> None:
    (tmp_path / "elsewhere/run_007").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    reviewed = send_review(own.with_env(RUNS_DIR=str(tmp_path / "link")))

    assert reviewed.code == 0
    assert "Scope: x" in (tmp_path / "elsewhere/run_007/artifacts/review-packet.md").read_text()


@pytest.mark.parametrize("folder", [".git/hooks", ".palaver/log"])
def test_a_reserved_trace_folder_is_refused_with_the_true_reason(foreign: Project, folder: str) -> None:
    foreign.configure(f'\n[runs]\nfolder = "{folder}"\n')
    foreign.must("trust", "--yes")

    refused = start_run(foreign)

    assert refused.code == 2
    assert "traces cannot be stored in .git or .palaver" in refused.err
    assert "outside the project" not in refused.err


# --- git ---


def test_the_git_config_of_the_project_runs_no_command_around_a_run(foreign: Project, tmp_path: Path) -> None:
    mark = plant_commands(foreign, tmp_path)
    foreign.must("trust", "--yes")

    foreign.must("run", "--as", "bob", "--", "/bin/true")

    assert not mark.exists()


def test_looking_for_a_used_worktree_runs_no_command_of_the_git_config(own: Project, tmp_path: Path) -> None:
    own.shell.git("init", "-q")
    own.shell.git("commit", "-q", "--allow-empty", "-m", "first")
    own.must("task", "open", "T", "--id", "t1", "--as", "ada")
    own.shell.sh('"$(dirname "$P")/co" factory add fac --as ada')
    own.shell.sh('"$(dirname "$P")/co" dispatch t1 fac --worktree --as ada -- /bin/true')
    until(lambda: own.run("runs", "--json").rows[-1]["state"] == "ended")
    [worktree] = (own.bus / "worktrees/fac").iterdir()
    (worktree / "unsaved").touch()
    mark = plant_commands(own, tmp_path)

    refused = own.shell.sh('"$(dirname "$P")/co" worker spawn fac 0 --worktree --as ada -- /bin/true')

    assert "[in-the-way]" in refused.err
    assert not mark.exists()


# --- init ---


@pytest.fixture
def unpacked(tmp_path: Path, home: Path) -> Project:
    """Return a project without a bus, which may contain anything."""
    project = user_at(tmp_path / "unpacked", home)
    project.folder.mkdir()
    return project


def make_team_files(folder: Path) -> None:
    for each in ("inbox", "messages", "work"):
        (folder / each).mkdir(parents=True)
    for name in ("chat.log", "channel.jsonl", "MESSAGE-BUS.md", "messages/manager-inbox.log"):
        (folder / name).touch()


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("collab", "."),
        ("collab/inbox", "inbox"),
        ("chat.log", "chat.log"),
        ("channel.jsonl", "channel.jsonl"),
        ("MESSAGE-BUS.md", "MESSAGE-BUS.md"),
        ("runs", "."),
        ("messages", "messages"),
        (".work", "work"),
    ],
)
def test_init_mounts_nothing_that_leads_outside_the_project(
    unpacked: Project, home: Path, link: str, target: str
) -> None:
    make_team_files(home / "team")
    plant_link(unpacked.folder / link, home / "team" / target)
    before = content_of(home)

    made = unpacked.must("init", "--yes", "--person", "ada")
    unpacked.must("agents", "add", "b", "--as", "ada")
    unpacked.must("send", "b", "-m", "hello", "--as", "ada")

    assert "MountPoint" not in made.out
    assert content_of(home) == before


def test_init_mounts_a_link_that_stays_inside_the_project(unpacked: Project) -> None:
    (unpacked.folder / "docs/collab/inbox").mkdir(parents=True)
    plant_link(unpacked.folder / "collab", Path("docs/collab"))

    made = unpacked.must("init", "--yes", "--person", "ada")

    assert "Mounted: collab" in made.out


def test_init_mounts_nothing_inside_the_git_folder(unpacked: Project) -> None:
    unpacked.shell.git("init", "-q")
    (unpacked.folder / ".git/collab/inbox").mkdir(parents=True)
    plant_link(unpacked.folder / "collab", Path(".git/collab"))

    made = unpacked.must("init", "--yes", "--person", "ada")

    assert "MountPoint" not in made.out


@pytest.mark.parametrize("link", [".git/info/exclude", ".git/info"])
def test_init_does_not_write_through_a_linked_exclude_file(unpacked: Project, home: Path, link: str) -> None:
    (home / ".bashrc").write_text("# mine\n")
    unpacked.shell.git("init", "-q", "--template=")
    plant_link(unpacked.folder / link, home / ".bashrc" if link.endswith("exclude") else home / ".ssh")

    made = unpacked.must("init", "--person", "ada", "--json")

    assert content_of(home) == {".bashrc": hashlib.sha256(b"# mine\n").hexdigest()}
    assert made.fields["ignored_by_outer_repository"] is False


def test_init_adds_its_line_to_an_exclude_file_in_any_encoding(unpacked: Project) -> None:
    unpacked.shell.git("init", "-q", "--template=")
    exclude = unpacked.folder / ".git/info/exclude"
    exclude.parent.mkdir()
    exclude.write_bytes(b"gr\xf6sse")

    unpacked.must("init", "--person", "ada")
    unpacked.must("init", "--person", "ada")

    assert exclude.read_bytes() == b"gr\xf6sse\n.palaver/\n"


# --- the script of a channel ---


def test_a_linked_scripts_folder_is_refused_and_nothing_is_made(foreign: Project, home: Path) -> None:
    plant_link(foreign.folder / "scripts", home / ".ssh")
    foreign.must("trust", "--yes")

    refused = foreign.run("channel", "init", "--team", "t1", "--as", "bob")

    assert content_of(home) == {}
    assert refused.code == 1
    assert f"{foreign.folder}/scripts is a symbolic link" in refused.err
    assert not (home / ".claude").exists()
