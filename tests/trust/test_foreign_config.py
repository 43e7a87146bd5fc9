"""A bus's own config runs no commands and reaches no folder outside its project, even once it is accepted."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.spoken import PALAVER
from tests.trust.scene import Project, write_user_config


def trusted(project: Project, settings: str) -> Project:
    """Return the project with these settings in its config, accepted by the user."""
    project.configure(settings)
    project.must("trust", "--yes")
    return project


# --- commands ---


def test_a_notify_command_of_the_bus_is_not_run(foreign: Project) -> None:
    project = trusted(foreign, '\n[notify]\ncommand = ["touch", "ran"]\n')
    project.must("send", "eve", "-m", "The disk is full.", "--act", "escalate", "--as", "bob")

    patrol = project.run("patrol")

    assert patrol.code == 0
    assert not (project.folder / "ran").exists()
    assert "notify.command is ignored" in project.run("doctor").out


def test_a_health_check_of_the_bus_that_runs_a_command_is_not_run(foreign: Project) -> None:
    project = trusted(
        foreign, '\n[health.checks]\nx = { command = "touch ran" }\nlog = { file = ".palaver/log" }\n'
    )

    answer = project.run("health", "--dry-run")

    assert (answer.code, answer.out) == (0, "[DEPIN-HEALTH] log=file:up\n")
    assert "check 'x' was not run" in answer.err
    assert not (project.folder / "ran").exists()


def test_health_checks_that_only_run_commands_are_nothing_to_check(foreign: Project) -> None:
    project = trusted(foreign, '\n[health.checks]\nx = { command = "touch ran" }\n')

    answer = project.run("health", "--dry-run")

    assert answer.code == 2
    assert "commands belong in your own config" in answer.err
    assert not (project.folder / "ran").exists()


def test_a_worker_command_of_the_bus_is_not_started(foreign: Project) -> None:
    project = trusted(foreign, '\n[runs]\nworker = ["touch", "ran"]\n')
    script = f'export AGENT_ID=ceo; D=$(dirname {PALAVER}); "$D/co" worker spawn project-a 0; "$D/co" status'

    project.shell.sh(script)

    assert not (project.folder / "ran").exists()


def test_commands_of_the_users_own_config_are_run(foreign: Project, home: Path) -> None:
    project = trusted(foreign, "")
    write_user_config(home, '[health.checks]\nx = { command = "touch ran" }\n')

    assert project.run("health", "--dry-run").code == 0
    assert (project.folder / "ran").exists()


def test_the_users_config_can_speak_of_one_bus_only(own: Project, foreign: Project, home: Path) -> None:
    project = trusted(foreign, '\n[health.checks]\nlog = { file = ".palaver/log" }\n')
    named = json.dumps(str(own.folder))
    write_user_config(home, f'[bus.{named}.health.checks]\nx = {{ command = "touch ran" }}\n')

    assert own.run("health", "--dry-run").code == 0
    assert project.run("health", "--dry-run").out == "[DEPIN-HEALTH] log=file:up\n"
    assert (own.folder / "ran").exists()
    assert not (project.folder / "ran").exists()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[notify]\ncommand = "rm -rf x"\n', "a command is a list of words"),
        ('[notify]\ncomand = ["x"]\n', "notify.comand"),
        ("[heath.checks]\n", "heath"),
        ("health = 3\n", "it must be a table"),
        ("[bus]\nx = 3\n", "it must be a table"),
        ('[runs]\nfolder = "relative"\n', "an absolute path"),
        ('[mounts]\nfolders = "~"\n', "a list of paths"),
        ("[health.checks\n", "not TOML"),
        ('[health.checks]\nx = { command = "true", age = 1 }\n', "unknown setting"),
    ],
)
def test_a_mistake_in_the_users_config_is_named(own: Project, home: Path, text: str, named: str) -> None:
    path = write_user_config(home, text)

    answer = own.run("health", "--dry-run")

    assert answer.code == 2
    assert str(path) in answer.err
    assert named in answer.err


def test_a_users_config_that_others_may_write_is_not_used(own: Project, home: Path) -> None:
    write_user_config(home, '[health.checks]\nx = { command = "touch ran" }\n').chmod(0o666)

    answer = own.run("health", "--dry-run")

    assert answer.code == 2
    assert "may write to it" in answer.err
    assert not (own.folder / "ran").exists()


# --- mounts outside the project ---

KEYS = '\n[mounts.keys]\ndialect = "runbus"\npath = "~/.ssh"\nfile = "authorized_keys"\n'


@pytest.mark.parametrize(
    "commands", [["inbox --as bob"], ["sync"], ["send keys -m x --as bob", "inbox --as bob", "sync"]]
)
def test_a_mount_in_the_home_folder_is_not_written(foreign: Project, home: Path, commands: list[str]) -> None:
    (home / ".ssh/authorized_keys").write_text("ssh-ed25519 mine\n")
    project = trusted(foreign, KEYS)

    for words in commands:
        project.run(*words.split())

    assert (home / ".ssh/authorized_keys").read_text() == "ssh-ed25519 mine\n"
    assert [path.name for path in (home / ".ssh").iterdir()] == ["authorized_keys"]


def test_a_mount_that_is_not_used_says_why_and_how_to_allow_it(foreign: Project, home: Path) -> None:
    project = trusted(foreign, KEYS)

    listed, synced = project.run("mount", "list"), project.run("sync")

    assert f"palaver mount add runbus {home}/.ssh/authorized_keys" in listed.out
    assert synced.code == 1
    assert "outside the project" in synced.err
    assert ": :" not in synced.err


def test_what_the_mount_would_do_is_shown_before_it_is_accepted(foreign: Project, home: Path) -> None:
    foreign.configure(KEYS)

    shown = foreign.run("trust", "--yes")

    assert f"runbus at {home}/.ssh, file authorized_keys: not used" in shown.out


def test_adding_the_mount_oneself_allows_just_that(foreign: Project, home: Path) -> None:
    (home / "team").mkdir()
    project = trusted(foreign, '\n[mounts.t1]\ndialect = "swarm"\npath = "~/team"\n')
    project.must("send", "t1", "-m", "hello", "--as", "bob")
    before = list((home / "team").iterdir())

    added = project.run("mount", "add", "swarm", str(home / "team"))
    project.run("sync")

    assert before == []
    assert added.code == 0
    assert "hello" in (home / "team/channel.jsonl").read_text()

    project.configure('\n[mounts.t2]\ndialect = "runbus"\npath = "~/team"\n')
    project.run("send", "t2", "-m", "x", "--as", "bob")
    project.run("sync")
    assert not (home / "team/MESSAGE-BUS.md").exists()


def test_a_mount_outside_that_was_removed_must_be_added_again(own: Project, home: Path) -> None:
    (home / "team").mkdir()
    own.must("mount", "add", "swarm", str(home / "team"), "--name", "t1")
    saved = own.config.read_text()
    own.must("mount", "remove", "t1")
    own.config.write_text(saved)

    assert "not in use" in own.run("mount", "list").out


def test_the_users_config_can_allow_a_folder_for_all_buses(foreign: Project, home: Path) -> None:
    (home / "teams/t1").mkdir(parents=True)
    write_user_config(home, '[mounts]\nfolders = ["~/teams"]\n')
    project = trusted(foreign, '\n[mounts.t1]\ndialect = "swarm"\npath = "~/teams/t1"\n')
    project.must("send", "t1", "-m", "hello", "--as", "bob")

    project.run("sync")

    assert "hello" in (home / "teams/t1/channel.jsonl").read_text()


@pytest.mark.parametrize("path", ["../own", "..", "/etc", "~/../x", "sub/../.."])
def test_a_path_that_leads_out_of_the_project_is_outside(foreign: Project, own: Project, path: str) -> None:
    before = own.content()
    project = trusted(foreign, f'\n[mounts.m]\ndialect = "swarm"\npath = "{path}"\n')
    project.run("send", "m", "-m", "x", "--as", "bob")
    project.run("sync")

    assert "not in use" in project.run("mount", "list").out
    assert own.content() == before


@pytest.mark.parametrize("path", [".git/hooks", ".palaver/log", "sub/.git"])
def test_a_mount_inside_git_or_the_bus_is_never_used(foreign: Project, path: str) -> None:
    (foreign.folder / path).mkdir(parents=True, exist_ok=True)
    (foreign.folder / path / "pre-commit").write_text("#!/bin/sh\n")
    project = trusted(foreign, f'\n[mounts.m]\ndialect = "runbus"\npath = "{path}"\nfile = "pre-commit"\n')
    project.run("send", "m", "-m", "x", "--as", "bob")
    project.run("sync")

    project.config.write_text(project.config.read_text().partition("\n[mounts.m]")[0])
    added = project.run("mount", "add", "runbus", path)

    assert (project.folder / path / "pre-commit").read_text() == "#!/bin/sh\n"
    assert added.code == 2


def test_traces_of_runs_stay_inside_the_project(foreign: Project, home: Path) -> None:
    for folder in ("../out", "/tmp/out", "~/out", ".git/out", "link"):
        foreign.config.write_text(
            foreign.config.read_text().partition("\n[runs]")[0] + f'\n[runs]\nfolder = "{folder}"\n'
        )
        if not (foreign.folder / "link").is_symlink():
            (foreign.folder / "link").symlink_to(home)
            foreign.must("trust", "--yes")

        answer = foreign.run("run", "--as", "bob", "--", "true")

        assert answer.code == 2 or folder == "~/out", answer
    assert list(home.glob("run_*")) == []


# --- names of files ---


@pytest.mark.parametrize("file", ["../x.md", "/etc/x.md", "sub/x.md", "..", ".", ".envrc", ".git"])
def test_a_file_setting_must_be_a_plain_visible_name(own: Project, file: str) -> None:
    (own.folder / "sub").mkdir()
    before = sorted(own.folder.parent.iterdir())
    added = own.run("mount", "add", "runbus", ".", "--set", f"file={file}")
    own.configure(f'\n[mounts.m]\ndialect = "runbus"\npath = "."\nfile = "{file}"\n')
    sent = own.run("send", "m", "-m", "x", "--as", "bob")

    synced = own.run("sync")

    assert added.code == 2
    assert (sent.code, synced.code) != (0, 0)
    assert sorted(own.folder.parent.iterdir()) == before
    assert list((own.folder / "sub").iterdir()) == []
    assert not (own.folder / ".envrc").exists()


# --- what is taken over ---


def test_secrets_and_derived_files_of_a_foreign_bus_are_not_taken_over(foreign: Project) -> None:
    planted = [
        "web.key",
        "web.json",
        "token/0123",
        "view/x.9.db",
        "roster",
        "bell/x",
        "attic/y",
        "watch",
    ]
    for name in planted:
        (foreign.bus / name).parent.mkdir(exist_ok=True)
        (foreign.bus / name).write_text("planted")
    (foreign.bus / ".git/hooks").mkdir(exist_ok=True)
    (foreign.bus / ".git/config").write_text("[core]\n\tfsmonitor = touch ran\n")

    foreign.must("trust", "--yes")
    foreign.must("send", "bob", "-m", "x", "--as", "ada")
    foreign.must("snapshot")

    left = [name for name in planted if (foreign.bus / name).is_file()]
    assert [name for name in left if "planted" in (foreign.bus / name).read_text(errors="replace")] == []
    assert not (foreign.bus / "ran").exists()
    assert (foreign.bus / ".git/HEAD").exists()
    assert foreign.run("inbox", "--as", "bob", "--json").fields["open"] == 2


@pytest.mark.parametrize("kind", ["symlink", "fifo", "hard link"])
def test_a_bus_with_links_in_it_cannot_be_accepted(foreign: Project, home: Path, kind: str) -> None:
    victim = home / "victim"
    victim.write_text("mine")
    place = foreign.bus / "log/000000009999.jsonl"
    if kind == "symlink":
        place.symlink_to(victim)
    elif kind == "fifo":
        os.mkfifo(place)
    else:
        place.hardlink_to(victim)

    answer = foreign.run("trust", "--yes")

    assert answer.code == 4
    assert str(place) in answer.err
    assert foreign.run("inbox", "--as", "bob").code == 4
    assert victim.read_text() == "mine"
