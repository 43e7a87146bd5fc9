"""What the config of a bus asks of a machine stays inside the project, and is shown before it is accepted."""

import socket

import pytest

from tests.acceptance.project import Project

#: Every table and setting of a config that makes Palaver do something on this machine.
ASKED = """
[lists]
crew = ["bob", "carol"]
[alias]
chief = "carol"
[deadlines]
nudge = 77
[runs]
folder = "traces"
slots = 99
[health]
to = "carol"
[health.checks]
page = { file = "notes.txt", age = 321 }
web = { port = 8099 }
agent = { process = "ssh-agent" }
disk = { command = "df" }
"""
SHOWN = (
    ("crew", "bob, carol"),
    ("chief", "carol"),
    ("nudge", "77"),
    ("folder", "traces"),
    ("slots", "99"),
    ("to", "carol"),
    ("page", "notes.txt"),
    ("web", "8099"),
    ("agent", "ssh-agent"),
    ("health.checks.disk", "ignored"),
)


def configure(project: Project, text: str) -> None:
    """Append to the config of the bus."""
    config = project.root / "config.toml"
    config.write_text(config.read_text() + text)


@pytest.mark.parametrize(("setting", "value"), SHOWN)
def test_trust_shows_whatever_the_config_would_make_palaver_do(
    foreign: Project, setting: str, value: str
) -> None:
    config = foreign.root / "config.toml"
    config.write_text(config.read_text().replace("[lists]", "").replace("[alias]", "") + ASKED)

    shown = foreign.run("trust").out

    assert any(setting in line and value in line for line in shown.splitlines()), shown


def test_trust_shows_policy_that_differs_from_the_default(foreign: Project) -> None:
    config = foreign.root / "config.toml"
    policy = 'unseen = "release"\napproval = true\nlease = 5\nleads = ["bob"]\n'
    config.write_text(config.read_text() + policy)

    shown = foreign.run("trust").out

    for said in ("unseen", "release", "approval", "lease", "leads", "bob"):
        assert said in shown


@pytest.mark.parametrize("file", ["~/.ssh/id_rsa", "../../etc/passwd", "/etc/passwd", "way/id_rsa", ".."])
@pytest.mark.parametrize("exists", [True, False])
def test_a_health_check_of_the_bus_does_not_look_outside_the_project(
    project: Project, file: str, exists: bool
) -> None:
    (project.home / ".ssh").mkdir()
    if exists:
        (project.home / ".ssh/id_rsa").write_text("key")
    (project.folder / "way").symlink_to(project.home / ".ssh")
    configure(project, f'\n[health.checks]\nkey = {{ file = "{file}" }}\n')

    answer = project.run("health", "--dry-run")

    assert answer.code == 2, answer
    assert "outside the project" in answer.err
    assert "[bad-config]" in answer.err
    assert "config.toml:" in answer.err
    assert "No such file" not in answer.text
    assert "s old" not in answer.text


def test_a_health_check_of_the_bus_looks_inside_the_project(project: Project) -> None:
    (project.folder / "notes.txt").touch()
    configure(project, '\n[health.checks]\nnotes = { file = "./sub/../notes.txt" }\n')

    (project.folder / "sub").mkdir()

    assert project.run("health", "--dry-run").code == 0


def test_a_health_check_of_the_user_may_look_anywhere(project: Project) -> None:
    (project.home / "elsewhere").touch()
    own = project.home / "config/palaver/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[health.checks]\nmine = { file = "~/elsewhere" }\n')
    own.chmod(0o600)

    answer = project.run("health", "--dry-run")

    assert answer.code == 0, answer


def test_a_health_check_of_the_bus_connects_to_no_other_machine(project: Project) -> None:
    with socket.create_server(("127.0.0.2", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        configure(project, f'\n[health.checks]\nfar = {{ port = {port}, host = "127.0.0.2" }}\n')

        answer = project.run("health", "--dry-run")

        with pytest.raises(BlockingIOError):
            server.accept()
    assert answer.code == 2, answer
    assert "another machine" in answer.err


def test_trust_names_a_check_that_leads_outside(foreign: Project) -> None:
    configure(foreign, '\n[health.checks]\nkey = { file = "~/.ssh/id_rsa" }\n')

    shown, accepted = foreign.run("trust"), foreign.run("trust", "--yes")

    assert "outside the project" in shown.err
    assert "~/.ssh/id_rsa" in shown.err
    assert (shown.code, accepted.code) == (2, 2), accepted
