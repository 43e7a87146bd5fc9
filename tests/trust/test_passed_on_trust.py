"""What `palaver run` passes on: trust in one bus, for as long as the user trusts it."""

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.daemon.scene import is_alive
from tests.sync.living import eventually
from tests.trust.scene import Project

PALAVER: Final = f'"{Path(sys.executable).with_name("palaver")}"'
# What the user types at another terminal while the program runs.
BY_USER: Final = f"env -u PALAVER_RUN -u PALAVER_TOKEN -u PALAVER_TRUST {PALAVER}"


def run_as_bob(project: Project, *lines: str) -> str:
    """Run a script as bob; return what it printed, with its errors."""
    answer = project.run("run", "--as", "bob", "--", "sh", "-c", "\n".join(["exec 2>&1", *lines]))
    return answer.out


def daemon_of(project: Project) -> int:
    return int(str(project.run("up", "--detach", "--no-web", "--json").fields["process"]))


@pytest.fixture
def started() -> Iterator[list[int]]:
    """Return a list of daemons, which are ended."""
    processes: list[int] = []
    yield processes
    for each in processes:
        if is_alive(each):
            os.kill(each, signal.SIGKILL)


def nested(own: Project) -> Path:
    """Put another bus below the bus, as a checkout in a worktree does."""
    below = own.bus / "worktrees/f/slot0/sub"
    (below / ".palaver").mkdir(mode=0o700, parents=True)
    for name in ("config.toml", "id"):
        shutil.copy(own.bus / name, below / ".palaver")
    shutil.copytree(own.bus / "log", below / ".palaver/log")
    return below


@pytest.mark.parametrize("named", ["--root={below}", "PALAVER_ROOT={below}"])
def test_a_run_trusts_no_bus_below_its_own(own: Project, named: str) -> None:
    where = named.format(below=nested(own))
    command = f"{PALAVER} inbox {where}" if where.startswith("-") else f"{where} {PALAVER} inbox"

    said = run_as_bob(own, f"{PALAVER} inbox && echo fine", command)

    assert "fine" in said
    assert "[untrusted-bus]" in said


def test_the_users_own_variable_means_every_bus_in_a_folder(own: Project) -> None:
    below = nested(own)
    trusting = own.with_env(PALAVER_TRUST=str(own.folder))

    assert trusting.run("inbox", "--as", "bob", "--root", str(below)).code == 0


def test_a_run_loses_a_bus_that_is_no_longer_trusted(own: Project) -> None:
    said = run_as_bob(
        own,
        f"{BY_USER} trust --revoke",
        f"{PALAVER} send ada -m late",
        f"{PALAVER} up -d --no-web",
        f"{BY_USER} trust --yes",
        f"{PALAVER} send ada -m again",
    )

    assert said.count("[untrusted-bus]") == 2, said
    assert "you have revoked your trust in it" in said
    mail = own.run("inbox", "--as", "ada").out
    assert ("late" in mail, "again" in mail) == (False, True)


def test_a_run_loses_a_bus_that_only_a_variable_of_the_user_trusts(own: Project, home: Path) -> None:
    # As in a container: no record says that the bus is trusted.
    shutil.rmtree(home / ".local/state/palaver/bus")
    trusting = own.with_env(PALAVER_TRUST=str(own.folder))

    said = run_as_bob(trusting, f"{BY_USER} trust --revoke", f"{PALAVER} send ada -m late")

    assert "[untrusted-bus]" in said, said


def test_the_users_own_variable_goes_on_working_after_trust_was_revoked(own: Project) -> None:
    trusting = own.with_env(PALAVER_TRUST=str(own.folder))

    revoked = trusting.run("trust", "--revoke")

    assert "Still trusted, because PALAVER_TRUST names it" in revoked.out
    assert trusting.run("send", "bob", "-m", "hello", "--as", "ada").code == 0


@pytest.mark.parametrize("command", [("trust", "--revoke"), ("down",)])
def test_a_daemon_that_still_runs_is_ended_after_trust_was_revoked(
    own: Project, started: list[int], command: tuple[str, ...]
) -> None:
    # A variable of the user's own keeps the daemon: it does not end by itself.
    trusting = own.with_env(PALAVER_TRUST=str(own.folder))
    trusting.must("trust", "--revoke")
    started.append(daemon_of(trusting))

    ended = own.run(*command)

    assert ended.code == 0, ended
    assert not is_alive(started[0])


def test_down_does_not_look_for_a_daemon_of_a_foreign_bus(foreign: Project) -> None:
    assert foreign.run("down").code == 4


def test_a_daemon_that_a_run_has_started_ends_when_trust_is_revoked(own: Project, started: list[int]) -> None:
    run_as_bob(own, f"{PALAVER} up -d --no-web")
    started.append(daemon_of(own))
    own.must("trust", "--revoke")

    eventually(lambda: not is_alive(started[0]))


def test_a_daemon_that_a_run_has_started_runs_the_commands_of_the_user(
    own: Project, started: list[int]
) -> None:
    run_as_bob(own, f"{PALAVER} up -d --no-web")
    started.append(daemon_of(own))

    assert "commands are warm" in own.run("status").out
