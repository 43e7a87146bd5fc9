"""A bus that the user has neither created nor accepted: nothing is done with it but looking."""

import os
from pathlib import Path
from typing import Final

import pytest

from palaver.cli.command_table import COMMANDS
from tests.cli.spoken import PALAVER
from tests.cli.test_terminal import at_terminal
from tests.trust.scene import Project, foreign_project, user_at

# These need no bus, or are what one does before accepting it.
ALLOWED: Final = frozenset({"verify", "doctor", "trust", "lint", "rules", "convert", "install", "uninstall"})
# Arguments with which the others would do something.
ARGUMENTS: Final = {
    "send": ["bob", "-m", "x"],
    "read": ["msg-1"],
    "ack": ["msg-1"],
    "archive": ["msg-1"],
    "reply": ["msg-1", "-m", "x"],
    "thread": ["msg-1"],
    "search": ["hello"],
    "withdraw": ["msg-1"],
    "resend": ["msg-1", "bob"],
    "task": ["claim", "t1"],
    "review": ["bob", "--scope", "x", "--severity", "nit", "--recommendation", "x"],
    "report-error": ["bob", "--task", "t1", "-m", "x", "--impact", "x", "--action", "x"],
    "channel": ["read", "--team", "t1"],
    "run": ["--", "touch", "ran"],
    "lists": ["set", "crew", "bob"],
    "mount": ["add", "office", "."],
    "wait": ["--timeout", "0"],
    "redact": ["2"],
}


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - ALLOWED))
def test_every_command_that_would_use_it_is_refused_and_writes_nothing(
    foreign: Project, command: str
) -> None:
    before = foreign.content()

    answer = foreign.run(command, *ARGUMENTS.get(command, []), "--as", "bob")

    assert answer.code == 4, answer
    assert "[untrusted-bus]" in answer.err
    assert "palaver trust" in answer.err
    assert foreign.content() == before


@pytest.mark.parametrize("command", ["verify", "doctor"])
def test_it_can_be_looked_at_and_that_writes_nothing(foreign: Project, command: str) -> None:
    before = foreign.content()

    answer = foreign.run(command)

    assert answer.code == (1 if command == "doctor" else 0)
    assert ("you did not create or accept this bus" in answer.out) == (command == "doctor")
    assert foreign.content() == before


def test_the_python_api_refuses_it_too(foreign: Project) -> None:
    script = "import palaver\ntry:\n    palaver.Bus()\nexcept Exception as no:\n    print(no.code)\n"
    (foreign.folder / "use.py").write_text(script)

    answer = foreign.shell.sh('"$(dirname "$P")/python" use.py')

    assert answer.out == "untrusted-bus\n"


def test_a_refusal_for_programs_has_the_code_and_the_way_out(foreign: Project) -> None:
    answer = foreign.run("inbox", "--as", "bob", "--json")

    error = answer.fields["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["exit"]) == ("untrusted-bus", 4)
    assert "palaver trust" in error["way_out"]


def test_once_accepted_it_is_a_bus_like_any_other(foreign: Project) -> None:
    accepted = foreign.run("trust", "--yes")

    assert accepted.code == 0
    assert foreign.run("inbox", "--as", "bob", "--json").fields["open"] == 1
    assert foreign.run("send", "bob", "-m", "from ada", "--as", "ada").code == 0
    assert foreign.run("doctor").code == 0


def test_accepting_asks_at_a_terminal_and_no_is_no(foreign: Project) -> None:
    no, shown = at_terminal(foreign.shell, "trust", answers="n\n")
    nothing, _ = at_terminal(foreign.shell, "trust", answers="\n")

    assert (no, nothing) == (4, 4)
    assert "Trust this bus? [y/N]" in shown
    assert "person" in shown
    assert foreign.run("inbox", "--as", "bob").code == 4

    yes, _ = at_terminal(foreign.shell, "trust", answers="y\n")

    assert yes == 0
    assert foreign.run("inbox", "--as", "bob").code == 0


def spoil(config: Path, how: str) -> None:
    """Make a config unreadable."""
    content = config.read_bytes()
    config.unlink()
    if how == "a folder":
        config.mkdir()
    else:
        config.write_bytes(content + {"no TOML": b"[x\n", "not UTF-8": b"# \xff\n"}.get(how, b""))
    if how == "not readable":
        config.chmod(0)


# The superuser may read a file whatever its mode says, unless it gives that up.
POWERLESS: Final = "setpriv --bounding-set -dac_override,-dac_read_search"
UNREADABLE: Final = ("no TOML", "not UTF-8", "a folder", "not readable")


@pytest.mark.parametrize("how", UNREADABLE)
@pytest.mark.parametrize("is_accepted", [False, True], ids=["foreign", "accepted"])
def test_a_bus_whose_settings_cannot_be_shown_is_not_accepted_and_trust_says_so(
    foreign: Project, how: str, is_accepted: bool
) -> None:
    if is_accepted:
        foreign.must("trust", "--yes")
    spoil(foreign.config, how)
    before = foreign.content()

    for words in ("trust", "trust --yes", "trust --yes --json"):
        answer = foreign.shell.sh(f'{POWERLESS if os.geteuid() == 0 else ""} "$P" {words}')

        assert answer.code == 2, answer
        assert "bad-config" in answer.err + answer.out
        assert "config.toml" in answer.err + answer.out
        assert "rusted: " not in answer.out, answer
    assert foreign.content() == before


def test_a_bus_whose_settings_cannot_be_shown_is_not_asked_about(foreign: Project) -> None:
    spoil(foreign.config, "no TOML")

    code, shown = at_terminal(foreign.shell, "trust", answers="y\n")

    assert code == 2
    assert "Trust this bus?" not in shown


def test_the_settings_of_a_bus_that_is_trusted_are_shown_too(foreign: Project) -> None:
    foreign.must("trust", "--yes")

    shown = foreign.run("trust")

    assert shown.code == 0
    assert "person       eve" in shown.out
    assert "Already trusted" in shown.out


def test_an_empty_config_that_is_accepted_takes_the_place_of_the_settings_in_the_log(
    foreign: Project,
) -> None:
    # They were changed once, so that this is no bus whose only settings are its first ones.
    foreign.must("trust", "--yes")
    foreign.must("lists", "set", "crew", "bob", "--as", "ada")
    foreign.must("trust", "--revoke")
    foreign.config.write_text("")

    accepted = foreign.run("trust", "--yes", "--json")

    assert "eve" not in accepted.out
    [_, *_, applied] = foreign.run("events", "--type", "config.applied", "--json").rows
    assert isinstance(applied["data"], dict)
    assert applied["data"]["person"] == ""


def test_without_a_terminal_accepting_needs_the_option(foreign: Project) -> None:
    answer = foreign.run("trust")

    assert answer.code == 2
    assert "use --yes" in answer.err
    assert foreign.run("inbox", "--as", "bob").code == 4


@pytest.mark.parametrize("variable", ["PALAVER_TOKEN", "PALAVER_RUN"])
def test_an_agent_cannot_accept_a_bus_inside_a_run(foreign: Project, variable: str) -> None:
    answer = foreign.with_env(**{variable: "x"}).run("trust", "--yes")

    assert answer.code == 4
    assert "inside a run" in answer.err
    assert foreign.run("inbox", "--as", "bob").code == 4


def test_an_agent_that_the_bus_starts_cannot_accept_another_one(own: Project, foreign: Project) -> None:
    script = f"cd {foreign.folder} && unset PALAVER_ROOT && {PALAVER} trust --yes; {PALAVER} inbox"
    own.run("run", "--as", "bob", "--", "sh", "-c", script)

    assert foreign.run("inbox", "--as", "bob").code == 4


def test_acceptance_can_be_taken_back(foreign: Project) -> None:
    foreign.must("trust", "--yes")

    assert foreign.run("trust", "--revoke").code == 0
    assert foreign.run("inbox", "--as", "bob").code == 4
    assert "Not trusted, nothing to revoke" in foreign.run("trust", "--revoke").out


def test_accepting_one_bus_accepts_no_other(foreign: Project, tmp_path: Path, home: Path) -> None:
    foreign.must("trust", "--yes")
    other = foreign_project(tmp_path, home, "other")

    assert other.run("inbox", "--as", "bob").code == 4


def test_a_foreign_bus_cannot_borrow_the_id_of_ours(own: Project, foreign: Project) -> None:
    (foreign.bus / "id").write_text((own.bus / "id").read_text())

    answer = foreign.run("inbox", "--as", "bob")

    assert answer.code == 4
    assert "may be a copy" in answer.err


@pytest.mark.parametrize(
    "forged", ["../../../../etc/passwd", "x", "", "A" * 26, "a" * 25, "a" * 27, "\x00" * 26]
)
def test_an_id_that_is_none_is_no_proof(foreign: Project, forged: str) -> None:
    (foreign.bus / "id").write_text(forged)

    assert foreign.run("inbox", "--as", "bob").code == 4


def test_init_does_not_adopt_what_somebody_else_has_left(tmp_path: Path, home: Path) -> None:
    foreign = foreign_project(tmp_path, home)
    foreign.config.unlink()

    answer = foreign.run("init")

    assert answer.code == 4
    assert "[untrusted-bus]" in answer.err


def test_init_finishes_what_an_interrupted_init_has_begun(tmp_path: Path, home: Path) -> None:
    for name in ("log", "view", "bell", "quarantine"):
        (tmp_path / "p/.palaver" / name).mkdir(parents=True)
    (tmp_path / "p/.palaver/config.toml.lock").touch()
    project = user_at(tmp_path / "p", home)

    assert project.run("init").code == 0
    assert project.run("verify").code == 0
