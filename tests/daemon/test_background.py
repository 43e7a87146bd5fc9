"""palaver up -d and palaver down: one daemon, started once, found by its lock, and ended for certain."""

import os
import shutil
import signal
import socket
from pathlib import Path

from palaver.daemon.background import is_answering
from palaver.runs.process_table import read_environment
from tests.cli.spoken import Answer
from tests.daemon.scene import Project, is_alive


def up(project: Project, *words: str, **more: str) -> Answer:
    return project.type("up", "--detach", "--no-web", *words, **more)


def test_in_the_background_it_runs_commands_when_the_command_returns(project: Project) -> None:
    answer = up(project)

    assert answer.code == 0
    assert answer.out.startswith(f"Up: {project.root.path} (process {project.process})")
    assert is_answering(project.root)
    assert os.getsid(project.process) == project.process


def test_a_second_one_reports_the_first(project: Project) -> None:
    up(project)
    first = project.process

    again = up(project)

    assert (again.code, project.process) == (0, first)
    assert again.out.startswith(f"Up already: {project.root.path} (process {first})")


def test_of_many_at_once_one_starts_and_all_report_it(project: Project) -> None:
    started = [project.start("up", "-d", "--no-web") for _ in range(6)]
    answers = [project.end_of(each) for each in started]

    assert [each.code for each in answers] == [0] * 6, answers
    assert all(f"(process {project.process})" in each.out for each in answers), answers
    assert "already" not in Path(project.root.up_log).read_text()


def test_its_options_are_those_of_up(project: Project) -> None:
    up(project, "--idle", "3600")
    assert project.daemon
    assert project.daemon.is_temporary
    project.type("down")

    project.type("up", "-d")
    address = project.type("open", "--no-browser", "--json").fields

    assert address["pid"] == project.process


def test_it_knows_nothing_of_the_agent_and_the_run_that_started_it(project: Project) -> None:
    up(project, PALAVER_RUN="run_001", RUN_ID="run_001", AGENT_ID="bob", PALAVER_ROOT=str(project.folder))

    variables = read_environment(project.process)

    assert "HOME" in variables
    assert [each for each in variables if each.startswith("PALAVER_") or each in ("RUN_ID", "AGENT_ID")] == []


def test_one_that_does_not_start_says_why_and_where_its_log_is(project: Project) -> None:
    view = project.folder / ".palaver/view"
    shutil.rmtree(view)
    view.write_text("in the way")

    refused = up(project)

    assert refused.code == 1
    assert "the daemon did not start: " in refused.err
    assert str(view) in refused.err
    assert f"look at {project.root.up_log} [daemon-failed]" in refused.err
    assert project.daemon is None


def test_without_a_state_folder_it_runs_and_says_that_commands_are_cold(project: Project) -> None:
    answer = up(project, XDG_STATE_HOME="/dev/null/state", PALAVER_TRUST=str(project.folder))

    assert (answer.code, answer.out) == (
        0,
        f"Up: {project.root.path} (process {project.process}); palaver down ends it\n",
    )
    assert "palaver: commands are cold: the daemon left no file in your state folder" in answer.err


def test_what_it_cannot_do_is_reported(project: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        answer = project.type("up", "-d", "--port", port)

    assert answer.code == 0
    assert f"palaver: no dashboard: cannot serve on port {port}" in answer.err


def test_a_mistake_in_its_options_is_refused_before_it_starts(project: Project) -> None:
    assert [up(project, *words).code for words in (["--idle", "x"], ["--port", "0x"])] == [2, 2]
    assert not Path(project.root.up_log).exists()


def test_down_returns_when_it_has_ended(project: Project) -> None:
    up(project)
    process = project.process

    answer = project.type("down")

    assert (answer.code, answer.out) == (0, f"Down: process {process}\n")
    assert not is_alive(process)


def test_down_without_a_daemon_is_no_error(project: Project) -> None:
    assert project.type("down").out == "Not up\n"
    assert project.type("down", "--json").fields == {"process": 0}


def test_down_ends_a_daemon_that_is_stopped(project: Project) -> None:
    up(project)
    os.kill(project.process, signal.SIGSTOP)

    assert project.type("down").code == 0
    assert project.daemon is None


def test_many_that_end_it_at_once_end_nothing_else(project: Project) -> None:
    up(project)
    ending = [project.start("down") for _ in range(6)]
    answers = [project.end_of(each) for each in ending]

    assert [each.code for each in answers] == [0] * 6, answers
    assert project.daemon is None


def test_what_a_killed_daemon_leaves_behind_misleads_nobody(project: Project) -> None:
    up(project)
    killed = project.process
    os.kill(killed, signal.SIGKILL)
    while is_alive(killed):
        pass

    assert project.type("status", "--json").fields["daemon"] == {
        "process": 0, "since": "", "temporary": False, "warm": False, "why": "no daemon runs",
    }  # fmt: skip
    assert project.type("down").out == "Not up\n"
    assert up(project).out.startswith("Up: ")


def test_one_that_would_end_by_itself_makes_room_for_one_that_lasts(project: Project) -> None:
    up(project, "--idle", "3600")
    before = project.process

    up(project)

    assert project.daemon
    assert (project.daemon.is_temporary, is_alive(before)) == (False, False)
    assert up(project, "--idle", "1").out.startswith("Up already")


def test_it_makes_room_for_one_in_the_foreground_too(project: Project) -> None:
    up(project, "--idle", "3600")
    before = project.process

    lasting = project.start("up", "--no-web", "--quiet")
    assert lasting.stdout
    assert lasting.stdout.readline().startswith("Up: ")

    assert (project.process, is_alive(before)) == (lasting.pid, False)
    project.type("down")
    assert project.end_of(lasting).code == 0
