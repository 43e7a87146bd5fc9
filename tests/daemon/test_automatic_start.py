"""With daemon = "auto" a cold command leaves a daemon behind, and never waits or fails because of it."""

from pathlib import Path

import pytest

from palaver.bus import trust
from palaver.bus.config import config_file
from palaver.bus.root import Root
from palaver.cli.automatic_start import start_if_configured
from palaver.model.errors import BadConfig
from palaver.runs.process_table import all_processes
from tests.daemon.scene import Project
from tests.sync.living import eventually


@pytest.fixture
def auto(project: Project) -> Project:
    project.configure('daemon = "auto"')
    return project


def daemons(project: Project) -> list[int]:
    """Return every process that runs, or tries to run, the daemon of the project.

    A child that a daemon has just forked shows the command line of the daemon until it runs its own program.
    """
    words = f"\0up\0--root\0{project.root.path}\0".encode()
    found = {each.pid: each.parent for each in all_processes() if words in _command_line(each.pid)}
    return [process for process, parent in found.items() if parent not in found]


def _command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_cold_command_leaves_a_daemon_behind_that_ends_by_itself(auto: Project) -> None:
    answer = auto.type("send", "bob", "-m", "hello")
    eventually(lambda: auto.daemon)

    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("Sent: ")
    assert auto.daemon
    assert auto.daemon.is_temporary


def test_it_ends_after_the_idle_time_of_the_config(auto: Project) -> None:
    auto.configure("daemon_idle = 1")
    auto.type("inbox")
    eventually(lambda: auto.daemon)

    eventually(lambda: auto.daemon is None)


def test_of_eight_commands_at_once_one_starts_it(auto: Project) -> None:
    answers = [auto.end_of(each) for each in [auto.start("inbox") for _ in range(8)]]
    eventually(lambda: auto.daemon)

    assert [each.code for each in answers] == [0] * 8
    assert daemons(auto) == [auto.process]


def test_without_the_setting_nothing_is_started(project: Project) -> None:
    start_if_configured(project.root, ["inbox"])
    project.configure('daemon = "manual"')
    start_if_configured(project.root, ["inbox"])

    assert (daemons(project), Path(project.root.start_lock).exists()) == ([], False)


@pytest.mark.parametrize("words", [["down"], ["up"], ["install", "service"], ["verify"], ["nonsense"]])
def test_a_command_that_it_would_not_run_does_not_start_it(auto: Project, words: list[str]) -> None:
    start_if_configured(auto.root, words)

    assert (daemons(auto), Path(auto.root.start_lock).exists()) == ([], False)


def test_an_agent_inside_a_run_does_not_start_it(auto: Project) -> None:
    start_if_configured(Root(auto.root.path, {"PALAVER_RUN": "run_001"}), ["inbox"])

    assert (daemons(auto), Path(auto.root.start_lock).exists()) == ([], False)


def test_a_bus_that_is_not_trusted_starts_nothing(auto: Project) -> None:
    trust.withdraw(auto.root.path)

    assert [auto.type(each).code for each in ("inbox", "doctor")] == [4, 1]
    assert (daemons(auto), Path(auto.root.start_lock).exists()) == ([], False)


def test_one_that_failed_is_not_started_again_at_once(auto: Project) -> None:
    Path(auto.root.up_log).write_text("palaver: cannot …\n")

    start_if_configured(auto.root, ["inbox"])

    assert daemons(auto) == []


def test_where_nothing_can_be_written_the_command_works_all_the_same(auto: Project) -> None:
    (auto.folder / ".palaver/start.lock").mkdir()

    answer = auto.type("inbox", XDG_STATE_HOME="/dev/null/state", PALAVER_TRUST=str(auto.folder))

    assert (answer.code, answer.out, answer.err) == (0, "No messages\n", "")


@pytest.mark.parametrize("line", ['daemon = "always"', "daemon = 1", "daemon_idle = 0", 'daemon_idle = "1h"'])
def test_a_mistake_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(BadConfig, match=r"config\.toml:1: cannot use 'daemon"):
        config_file.parse(line.encode(), "config.toml")
