"""Programs that `palaver run` keeps, under a patrol: what the log says, who is told, what is left of them."""

import os
import signal
import time
from pathlib import Path

import pytest

from palaver.model.event import table, text
from palaver.runs import process_table
from tests.runs.programs import STUBBORN, WAITS, alive
from tests.supervision.scene import HASTY, MINUTE, WORKER
from tests.supervision.watched import Watched, until

# A bound on hanging, not on how long it takes.
pytestmark = [pytest.mark.timeout(400), pytest.mark.on_disk("programs of agents are other processes")]

LADDER = ["run.started", "agent.nudged", "run.killing", "run.ended", "agent.killed"]
TERM, KILL = 128 + signal.SIGTERM, 128 + signal.SIGKILL
# Three generations, each deaf to SIGTERM, the last one in a group of its own; up when all of them are.
FAMILY = """exec python3 -c '
import os, signal, time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
ready, told = os.pipe()
if not os.fork():
    if not os.fork():
        os.setpgid(0, 0)
        os.write(told, b".")
        time.sleep(600)
    time.sleep(600)
os.read(ready, 1)
print("up", flush=True)
time.sleep(600)
'"""


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    found = Watched(tmp_path)
    found.scene.give()
    return found


@pytest.fixture
def hasty(tmp_path: Path) -> Watched:
    """Return the same for programs that are deaf: they are not asked for long."""
    found = Watched(tmp_path, kill=HASTY)
    found.scene.give()
    return found


def lost_its_work(watched: Watched) -> None:
    """See that the work is free again, and that who gave it was told why, once."""
    assert watched.task() == ("open", "")
    assert watched.is_told("ceo", f"{WORKER} is out of its work")


def test_a_frozen_program_is_ended_and_the_exit_says_so(watched: Watched) -> None:
    with watched.runs(WAITS) as kept:
        os.kill(kept.pid, signal.SIGSTOP)
        until(lambda: (found := process_table.find_process(kept.pid)) and found.is_frozen)

        watched.scene.later(17 * MINUTE)

        assert kept.code() == TERM
        watched.nothing_left(kept)
        assert watched.story() == LADDER
        assert watched.ended(kept)["reason"] == "killed"
        killed = watched.killed()
        assert (text(killed.data, "how"), killed.data["runs"]) == ("SIGTERM", {kept.run: "SIGTERM"})
        lost_its_work(watched)


def test_a_crashed_program_is_not_killed_and_its_work_is_free_after_a_minute(watched: Watched) -> None:
    with watched.runs(WAITS) as kept:
        os.kill(kept.pid, signal.SIGSEGV)
        assert kept.code() == 128 + signal.SIGSEGV

        steps = watched.scene.later(2 * MINUTE)

        assert watched.scene.rules(steps) == ["told", "release"]
        assert watched.story() == ["run.started", "run.ended"]
        assert watched.ended(kept)["reason"] == "crash"
        lost_its_work(watched)


def test_a_program_that_is_started_again_in_time_keeps_its_work(watched: Watched) -> None:
    with watched.runs(WAITS) as kept:
        os.kill(kept.pid, signal.SIGSEGV)
        kept.code()
        watched.scene.patrol()

    with watched.runs(WAITS):
        assert watched.scene.rules(watched.scene.later(4 * MINUTE)) == []
        assert watched.task() == ("working", WORKER)


def test_a_program_that_is_deaf_to_sigterm_is_made_to_end(hasty: Watched) -> None:
    with hasty.runs(STUBBORN) as kept:
        hasty.scene.later(17 * MINUTE)

        assert kept.code() == KILL
        hasty.nothing_left(kept)
        assert hasty.story() == LADDER
        assert (hasty.ended(kept)["reason"], hasty.ended(kept)["signal"]) == ("killed", signal.SIGKILL)
        assert text(hasty.killed().data, "how") == "SIGKILL"
        lost_its_work(hasty)


def test_a_program_that_forks_is_ended_with_its_grandchildren(hasty: Watched) -> None:
    with hasty.runs(FAMILY) as kept:
        family = [each.pid for each in process_table.session_processes(kept.pid)]
        assert len(family) == 3

        hasty.scene.later(17 * MINUTE)

        assert kept.code() == KILL
        hasty.nothing_left(kept)
        assert [pid for pid in family if alive(pid)] == []
        assert hasty.story() == LADDER
        lost_its_work(hasty)


def test_a_program_whose_keeper_was_killed_is_ended_and_the_patrol_says_how(watched: Watched) -> None:
    with watched.runs(WAITS) as kept:
        kept.keeper.kill()
        assert kept.code() == -signal.SIGKILL

        watched.scene.later(17 * MINUTE)

        watched.nothing_left(kept)
        assert watched.story() == LADDER
        assert (watched.ended(kept)["reason"], watched.ended(kept)["signal"]) == ("killed", signal.SIGTERM)
        lost_its_work(watched)


def test_a_program_whose_keeper_is_frozen_is_ended_and_the_runner_sees_it(watched: Watched) -> None:
    with watched.runs(WAITS) as kept:
        kept.keeper.send_signal(signal.SIGSTOP)
        until(lambda: (found := process_table.find_process(kept.keeper.pid)) and found.is_frozen)

        watched.scene.later(17 * MINUTE)

        assert kept.code() == TERM
        assert watched.story() == LADDER
        assert watched.ended(kept)["reason"] == "killed"
        lost_its_work(watched)


def test_an_end_that_nobody_saw_is_found_by_the_patrol(watched: Watched) -> None:
    with watched.runs(WAITS) as kept:
        kept.keeper.kill()
        kept.code()
        os.killpg(kept.pid, signal.SIGKILL)
        watched.nothing_left(kept)

        steps = watched.scene.later(2 * MINUTE)

        assert watched.scene.rules(steps) == ["told", "release"]
        assert watched.ended(kept)["reason"] == "lost"
        assert watched.is_told("ceo", "is gone, and nobody saw its end")
        lost_its_work(watched)


# --- not to be killed ---


def heard_again(watched: Watched) -> None:
    """Wait until the log tells of more output."""
    heard = len(watched.scene.events("run.output"))
    until(lambda: len(watched.scene.events("run.output")) > heard)


def test_a_flood_of_output_is_activity_and_the_log_does_not_grow_with_it(tmp_path: Path) -> None:
    watched = Watched(tmp_path, "[deadlines]\ngrace = 0\nnudge = 2\nkill = 6\nstall = 1000\nescalate = 1000")
    watched.scene.give()
    flood = (
        "echo up; while [ ! -e enough ]; do head -c 65536 /dev/zero | tr '\\0' x; echo; done; exec sleep 300"
    )
    began = time.monotonic()
    with watched.runs(flood) as kept:
        for _ in range(5):
            heard_again(watched)
            assert watched.scene.rules(watched.scene.later(1.5)) == []
        printed = tmp_path / "runs" / kept.run / "agent-logs" / "f+workers+slot0.txt"
        until(lambda: printed.stat().st_size > 2_000_000)
        heard = len(watched.scene.events("run.output"))
        took = time.monotonic() - began
        (tmp_path / "enough").touch()

        # Two in the time after which it would be woken, and the first one at once.
        assert heard <= took + 1
        logged = sum(path.stat().st_size for path in Path(watched.scene.bus.root.log).iterdir())
        assert logged < 20_000 + 1_000 * heard
        assert watched.task() == ("working", WORKER)


def test_a_program_that_waits_for_an_answer_is_left_alone_and_goes_on(watched: Watched) -> None:
    script = """
        $P read >/dev/null; $P send ceo --act ask -m "Which port?" >asked; echo up
        $P wait --timeout 3600 >/dev/null; $P read >/dev/null; $P task deliver t1 -m "branch x" >/dev/null
    """
    with watched.runs(script) as kept:
        steps = watched.scene.later(45 * MINUTE)

        assert [step for step in steps if step.rule in ("nudge", "kill", "release")] == []
        assert kept.is_alive()
        asked = (watched.folder / "asked").read_text().split()[1]
        watched.scene.bus.reply(asked, "8080", sender="ceo")
        assert kept.code() == 0, kept.out.read_text()
        assert watched.task()[0] == "delivered"
        assert watched.story() == ["run.started", "run.ended"]


def test_a_program_that_waits_for_nobody_is_woken_by_the_nudge(watched: Watched) -> None:
    script = """
        $P read >/dev/null; echo up
        $P wait --timeout 3600 >/dev/null; $P read >/dev/null; echo awake; exec sleep 300
    """
    with watched.runs(script) as kept:
        assert watched.scene.rules(watched.scene.later(4.5 * MINUTE)) == []
        assert not kept.has_said("awake")
        assert watched.scene.rules(watched.scene.later(1 * MINUTE)) == ["nudge"]
        until(lambda: kept.has_said("awake"))
        until(lambda: len(watched.since(0, "run.output", WORKER)) == 2)

        assert [step for step in watched.scene.later(4 * MINUTE) if step.rule != "withdraw"] == []
        assert kept.is_alive()
        assert watched.task() == ("working", WORKER)


# --- more than one ---


def test_an_agent_is_as_active_as_all_of_its_runs_together(watched: Watched) -> None:
    speaking = "echo up; while [ ! -e go ]; do sleep 0.05; done; echo on; exec sleep 300"
    with watched.runs(speaking), watched.runs(WAITS) as second:
        watched.scene.later(4 * MINUTE)
        (watched.folder / "go").touch()
        # The older of the two says something: a sign of life of the agent.
        until(lambda: len(watched.since(second.started.seq, "run.output", WORKER)) == 2)

        assert watched.scene.rules(watched.scene.later(4 * MINUTE)) == []


def test_an_agent_of_which_one_run_crashed_and_another_goes_on_keeps_its_work(watched: Watched) -> None:
    with watched.runs(WAITS) as first, watched.runs(WAITS) as second:
        os.kill(second.pid, signal.SIGSEGV)
        assert second.code() == 128 + signal.SIGSEGV

        assert watched.scene.rules(watched.scene.later(4 * MINUTE)) == []
        assert first.is_alive()
        assert watched.task() == ("working", WORKER)


def test_a_kill_ends_all_runs_of_an_agent(hasty: Watched) -> None:
    with hasty.runs(WAITS) as first, hasty.runs(STUBBORN) as second:
        hasty.scene.later(17 * MINUTE)

        # Both have as little time, so the first may have been asked or made.
        assert first.code() in (TERM, KILL)
        assert second.code() == KILL
        hasty.nothing_left(first, second)
        killed = hasty.killed()
        assert sorted(table(killed.data, "runs")) == [first.run, second.run]
        assert table(killed.data, "runs")[second.run] == "SIGKILL"
        assert text(killed.data, "how") == "SIGKILL"
        assert [hasty.ended(each)["reason"] for each in (first, second)] == ["killed", "killed"]
        lost_its_work(hasty)


def test_of_two_agents_in_one_run_only_the_silent_one_is_ended(watched: Watched) -> None:
    shared = ("--run", "run_x")
    with watched.runs(WAITS, *shared) as silent, watched.runs(WAITS, *shared, agent="qa") as other:
        watched.scene.later(17 * MINUTE)

        assert silent.code() == TERM
        assert other.is_alive()
        assert (silent.run, other.run) == ("run_x", "run_x")
        assert watched.story() == LADDER
        assert watched.story("qa") == ["run.started"]
        lost_its_work(watched)
        other.keeper.terminate()
        assert other.code() == TERM


def test_a_program_for_each_message_is_ended_and_its_runner_starts_another(watched: Watched) -> None:
    watched.scene.configure("[deadlines]\ngrace = 0")
    config = Path(watched.scene.bus.root.config)
    config.write_text(config.read_text() + "retry = 0\n")
    watched.scene.bus.send(WORKER, "Do it.", sender="ceo")
    script = "echo up; [ -e once ] && exit 0; touch once; exec sleep 300"
    with watched.runs(script, "--on-message") as kept:
        watched.scene.later(17 * MINUTE)

        # The message was not done, so it comes again; and who keeps the inbox is still there.
        until(lambda: watched.scene.events("mail.acknowledged"))
        assert kept.keeper.poll() is None
        ends = [each.data for each in watched.scene.events("run.ended")]
        until(lambda: len(watched.scene.events("run.ended")) > 1)
        assert [each["reason"] for each in ends][:1] == ["killed"]
        lost_its_work(watched)
        kept.keeper.terminate()
        assert kept.code() == 0, kept.out.read_text()


def test_who_patrols_does_not_end_himself(watched: Watched) -> None:
    watched.scene.configure("[deadlines]\ngrace = 0\nnudge = 0\nkill = 0")
    script = "$P patrol >/dev/null; $P patrol >/dev/null; $P patrol >/dev/null; echo up; exec sleep 300"
    with watched.runs(script) as kept:
        assert kept.is_alive()
        assert watched.scene.events("agent.killed") == []
        assert watched.scene.events("agent.nudged")


def test_one_of_two_whom_the_watchdog_has_ended_keeps_its_task(tmp_path: Path) -> None:
    watched = Watched(tmp_path, "[deadlines]\ngrace = 0")
    folder = tmp_path / "pair"
    folder.mkdir()
    watched.shell.run(
        "mount", "add", "collab", str(folder), "--name", "pair", "--set", "a=jim", "--set", "b=clawdy"
    )
    watched.scene.give(worker="clawdy")
    with watched.runs(WAITS, agent="clawdy") as kept:
        watched.scene.later(17 * MINUTE)
        assert kept.code() == TERM

        assert [step.rule for step in watched.scene.later(5 * MINUTE) if step.agent == "clawdy"] == []
        assert watched.story("clawdy") == LADDER
        assert watched.task() == ("working", "clawdy")
