"""A daemon that was started for a while ends when nobody uses it; one that lasts never does."""

import json
import socket
import time

from palaver.daemon.idle_clock import IdleClock
from tests.daemon.scene import Project
from tests.patience import PATIENCE
from tests.sync.living import eventually


def test_it_runs_out_when_nobody_uses_the_daemon() -> None:
    assert IdleClock(0).has_run_out()
    assert not IdleClock(PATIENCE).has_run_out()


def test_it_stands_still_while_a_command_runs() -> None:
    clock = IdleClock(0)

    with clock.used():
        assert not clock.has_run_out()
        with clock.used():
            pass
        assert not clock.has_run_out()
    assert clock.has_run_out()


def test_it_stands_still_while_somebody_watches_the_dashboard() -> None:
    assert not IdleClock(0, is_watched=lambda: True).has_run_out()


def test_without_a_time_it_never_runs_out() -> None:
    assert not IdleClock().has_run_out()
    assert not IdleClock().is_ticking


def test_an_idle_daemon_ends(project: Project) -> None:
    project.type("up", "-d", "--no-web", "--idle", "0.5")

    eventually(lambda: project.daemon is None)


def test_a_daemon_whose_dashboard_is_watched_does_not_end(project: Project) -> None:
    project.type("up", "-d", "--idle", "3")
    daemon = project.process
    port = json.loads((project.folder / ".palaver/web.json").read_text())["port"]

    with socket.create_connection(("127.0.0.1", port)):
        # Longer than the daemon may be idle.
        time.sleep(6)
        assert project.process == daemon

    eventually(lambda: project.daemon is None)


def test_a_daemon_for_which_a_command_waits_does_not_end(project: Project) -> None:
    project.type("up", "-d", "--no-web", "--idle", "3")
    daemon = project.process
    waiting = project.start("wait", "--as", "bob", "--timeout", "6")
    waiting.communicate(timeout=PATIENCE)

    # It has waited for longer than the daemon may be idle.
    assert (waiting.returncode, project.process) == (1, daemon)
    eventually(lambda: project.daemon is None)
