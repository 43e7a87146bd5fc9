"""palaver run: a program under the bus, from its start to its end."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from palaver.model.errors import BadArguments
from palaver.runs.traces import run_name
from tests.cli.spoken import PALAVER, Shell
from tests.patience import PATIENCE
from tests.runs.programs import STUBBORN, WAITS, Runner, alive, until


@pytest.fixture
def runner(bus: Shell) -> Runner:
    return Runner(shell=bus)


def test_what_a_program_prints_comes_through_and_its_exit_code_is_ours(runner: Runner) -> None:
    answer = runner.sh("echo out; echo err >&2; exit 7")

    assert (answer.code, answer.out, answer.err) == (7, "out\n", "err\n")
    assert runner.last()["state"] == "ended"
    assert runner.last()["exit"] == 7


def test_a_program_is_told_where_it_is_and_who(runner: Runner) -> None:
    runner.shell.run("task", "open", "One", "--id", "one", "--as", "ada")
    names = "PALAVER_ROOT PALAVER_AGENT AGENT_ID PALAVER_RUN RUN_ID PALAVER_TASK WORK_ORDER_ID"

    said = runner.sh(
        f"for n in {names}; do eval echo $n=\\$$n; done; echo ${{#PALAVER_TOKEN}}", "--task", "one"
    )

    bus = runner.shell.folder / ".palaver"
    assert said.lines == [
        f"PALAVER_ROOT={bus}",
        *("PALAVER_AGENT=bob", "AGENT_ID=bob", "PALAVER_RUN=run_001", "RUN_ID=run_001"),
        *("PALAVER_TASK=one", "WORK_ORDER_ID=one", "36"),
    ]


def test_a_program_uses_the_bus_without_being_told_how(runner: Runner) -> None:
    runner.shell.run("send", "bob", "-m", "hello", "--as", "ada")

    assert "hello" in Runner(shell=runner.shell.with_env(P=PALAVER)).sh('cd /; "$P" read').out


def test_a_program_gets_its_prompt_with_prime_on_top(runner: Runner) -> None:
    (runner.shell.folder / "prompt.md").write_text("Write the parser.\n")
    runner.shell.run("task", "open", "One", "--id", "one", "--as", "ada")
    runner.shell.run("task", "assign", "one", "bob", "--as", "ada")

    said = runner.sh(
        'cat; cmp - "$PALAVER_PROMPT" </dev/null; cat "$PALAVER_PROMPT"', "--prompt", "prompt.md"
    )

    told, again = said.out[: len(said.out) // 2], said.out[len(said.out) // 2 :]
    assert told == again
    assert told.startswith("Your work:\n")
    assert told.endswith("\n\nWrite the parser.\n")
    assert runner.trace("run_001/prompts/001-bob.md").decode() == told
    [begun] = runner.shell.run("events", "--type", "run.started", "--json").rows
    assert begun["data"]["prompt"] == len(told)  # type: ignore[index]  # a table


def test_a_prompt_may_come_from_standard_input(runner: Runner) -> None:
    said = runner.run("--prompt", "-", "--", "cat", stdin="größer\n".encode())

    assert said.out.endswith("\n\ngrößer\n")


def test_a_program_that_does_not_read_a_long_prompt_is_no_trouble(runner: Runner) -> None:
    said = runner.run("--prompt", "-", "--", "true", stdin=b"x" * 1_000_000)

    assert said.code == 0


def test_the_traces_are_those_of_the_protocol_and_for_the_user_alone(runner: Runner) -> None:
    runner.shell.sh("""$P run --as bob -- printf 'raw \\377 bytes' > /dev/null""")

    folder = runner.shell.folder / "runs/run_001"
    found = {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    assert found == {
        **dict.fromkeys(["agent-logs", "prompts", "artifacts"], 0o700),
        **dict.fromkeys(["run.log", "agent-logs/bob.txt", "prompts/001-bob.md"], 0o600),
        "artifacts/review-packet.md": 0o600,
    }
    assert runner.trace("run_001/agent-logs/bob.txt") == b"raw \xff bytes"
    assert b"raw \xff bytes" in runner.trace("run_001/run.log")
    assert runner.trace("run_001/prompts/001-bob.md") in runner.trace("run_001/run.log")
    assert b"end: exit, exit 0" in runner.trace("run_001/artifacts/review-packet.md")


def test_a_program_has_the_umask_of_who_started_it(runner: Runner) -> None:
    said = runner.shell.sh("umask 027; $P run --as bob -- sh -c umask")

    assert said.out == "0027\n"


def test_git_leaves_traces_alone(runner: Runner) -> None:
    runner.shell.git("init", "-q")
    runner.sh("true")

    assert "runs" not in runner.shell.git("status", "--short", "--untracked-files=all")


def test_a_review_packet_that_an_agent_wrote_is_left_alone(runner: Runner) -> None:
    runner.sh('echo mine > "$PALAVER_RUN_FOLDER/artifacts/review-packet.md"')

    assert runner.trace("run_001/artifacts/review-packet.md") == b"mine\n"


def test_a_review_packet_has_the_commits_of_the_run(runner: Runner) -> None:
    runner.shell.git("init", "-q")
    runner.shell.git("commit", "-q", "--allow-empty", "-m", "before")
    git = "git -c user.name=b -c user.email=b@localhost"

    runner.sh(f"echo x > new; {git} add new; {git} commit -qm 'the parser'; echo y > open")

    packet = runner.trace("run_001/artifacts/review-packet.md").decode()
    assert "the parser" in packet
    assert "new | 1 +" in packet
    assert "?? open" in packet


@pytest.mark.parametrize("agent", ["project-a/workers/slot0", "a.b_c-d", "9"])
def test_odd_names_have_files_of_their_own(runner: Runner, agent: str) -> None:
    runner.sh("echo hi", agent=agent)

    assert runner.trace(f"run_001/agent-logs/{agent.replace('/', '+')}.txt") == b"hi\n"


@pytest.mark.parametrize("run", ["../x", "a/b", "run_000", "-x", ".hidden", "x" * 65, "ü"])
def test_a_name_of_a_run_that_could_leave_its_folder_is_refused(run: str) -> None:
    with pytest.raises(BadArguments):
        run_name(run)


def test_a_name_that_is_refused_leaves_no_folder(runner: Runner) -> None:
    assert runner.sh("true", "--run=../x").code == 2
    assert not (runner.shell.folder / "runs").exists()


def test_a_missing_program_is_refused_and_nothing_is_written(runner: Runner) -> None:
    before = runner.shell.log()

    answer = runner.run("--", "no-such-program")

    assert (answer.code, "[tool-missing]" in answer.err) == (127, True)
    assert runner.shell.log() == before
    assert not (runner.shell.folder / "runs").exists()


def test_a_program_that_cannot_be_executed_is_an_exit_of_126(runner: Runner) -> None:
    broken = runner.shell.folder / "broken"
    broken.write_text("#!/no/such/shell\n")
    broken.chmod(0o755)

    assert runner.run("--", "./broken").code == 127
    broken.write_bytes(b"\x7fELF and nothing more")
    assert runner.run("--", "./broken").code == 126


def test_a_crash_is_told_from_an_exit(runner: Runner) -> None:
    answer = runner.sh("kill -SEGV $$")

    assert answer.code == 128 + signal.SIGSEGV
    assert (runner.last()["state"], runner.last()["signal"]) == ("crashed", signal.SIGSEGV)


def test_two_agents_share_a_run_and_each_has_its_log(runner: Runner) -> None:
    runner.sh("echo one", "--run", "run_shared", agent="bob")
    runner.sh("echo two", "--run", "run_shared", agent="carol")

    assert runner.trace("run_shared/agent-logs/bob.txt") == b"one\n"
    assert runner.trace("run_shared/agent-logs/carol.txt") == b"two\n"
    log = runner.trace("run_shared/run.log")
    assert log.index(b"bob: output\none\n") < log.index(b"carol: output\ntwo\n")


def test_a_program_inside_a_run_of_the_person_starts_others_in_it(runner: Runner) -> None:
    inner = Runner(shell=runner.shell.with_env(P=PALAVER))

    inner.sh('"$P" run --as carol -- sh -c "echo inner"', agent="ada")

    assert runner.trace("run_001/agent-logs/carol.txt") == b"inner\n"


@pytest.mark.parametrize("words", ["run --as carol", "co worker spawn fac"])
def test_a_program_inside_a_run_of_an_agent_starts_no_other_agent(runner: Runner, words: str) -> None:
    inner = Runner(shell=runner.shell.with_env(P=PALAVER))

    said = inner.sh(f'"$P" {words} -- true')

    assert (said.code, "[not-permitted]" in said.err) == (4, True), said
    assert [each["agent"] for each in runner.listed()] == ["bob"]


def test_runs_that_start_at_once_have_numbers_of_their_own(runner: Runner) -> None:
    words = "for n in 1 2 3 4 5 6; do $P run --as a$n -- true & done; wait"
    runner.shell.sh(words)

    assert sorted(str(each["run"]) for each in runner.listed()) == [f"run_{n:03d}" for n in range(1, 7)]


def test_an_agent_runs_once_in_a_run(runner: Runner) -> None:
    with runner.going(WAITS, "--run", "run_x"):
        answer = runner.sh("true", "--run", "run_x")

        assert (answer.code, "[already-running]" in answer.err) == (5, True)
        assert runner.sh("true", "--run", "run_x", agent="carol").code == 0


# --- the end ---


def test_a_signal_that_ends_us_ends_the_program_first(runner: Runner) -> None:
    with runner.going("trap 'echo bye; exit 9' TERM; echo up; while :; do sleep 0.05; done") as keeper:
        keeper.terminate()
        out, _ = keeper.communicate(timeout=PATIENCE)

        assert (keeper.returncode, out) == (9, b"bye\n")
        assert runner.last()["state"] == "killed"


def test_an_interrupt_is_passed_on_and_the_program_decides(runner: Runner) -> None:
    with runner.going("trap 'echo go on' INT; echo up; read x; sleep 0.1; read y; exit 4") as keeper:
        keeper.send_signal(signal.SIGINT)
        keeper.communicate(timeout=PATIENCE)

        assert keeper.returncode == 4


def test_a_program_that_does_not_end_when_asked_is_made_to(runner: Runner) -> None:
    runner.configure("\n[runs]\nkill = 0.3\n")
    with runner.going(STUBBORN) as keeper:
        keeper.terminate()
        keeper.communicate(timeout=PATIENCE)

        assert keeper.returncode == 128 + signal.SIGKILL
        assert runner.events("run.ended")[-1]["made"] is True
        assert not alive(int(str(runner.last()["pid"])))


def test_what_a_program_has_forked_ends_with_it(runner: Runner) -> None:
    runner.configure("\n[runs]\nkill = 0.3\n")

    said = runner.sh(f"sh -c '{STUBBORN.replace(chr(39), chr(34))}' & echo $!; sleep 0.2; exit 5")

    assert said.code == 5
    assert not alive(int(said.lines[0] if said.lines[0] != "up" else said.lines[1]))


def test_a_daemon_that_left_on_purpose_is_left_alone_and_named(runner: Runner) -> None:
    said = runner.sh("setsid sleep 300 </dev/null >/dev/null 2>&1 & echo $!; sleep 0.3")
    pid = int(said.out)
    try:
        assert alive(pid)
        assert runner.events("run.ended")[-1]["left"] == [pid]
        assert f"left running: {pid}" in runner.shell.run("runs", "show", "run_001").out
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_child_that_holds_our_pipe_open_does_not_hold_us(runner: Runner) -> None:
    said = runner.sh("setsid sleep 300 & echo $!; sleep 0.3")
    pid = int(said.out)
    try:
        assert said.code == 0
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_frozen_program_is_seen_and_can_be_killed(runner: Runner) -> None:
    runner.configure("\n[runs]\nkill = 0.3\n")
    with runner.going(WAITS) as keeper:
        pid = int(str(runner.last()["pid"]))
        os.kill(pid, signal.SIGSTOP)
        until(lambda: runner.last()["state"] == "frozen")

        answer = runner.shell.run("runs", "kill", "run_001", "--as", "ada", "--reason", "it hangs")

        assert answer.code == 0
        assert not alive(pid)
        assert keeper.wait(PATIENCE) == 128 + signal.SIGTERM
        assert runner.last()["state"] == "killed"
        assert runner.events("run.killing")[-1]["reason"] == "it hangs"


def test_a_runner_that_is_killed_leaves_no_orphan_unnoticed(runner: Runner) -> None:
    with runner.going(WAITS) as keeper:
        keeper.kill()
        keeper.wait()
        answer = runner.shell.run("runs")

        assert answer.code == 1
        assert "orphaned" in answer.out
        refused = runner.sh("true", "--run", "run_001")
        assert (refused.code, "orphaned" in refused.err) == (5, True)

        runner.configure("\n[runs]\nkill = 0.3\n")
        assert runner.shell.run("runs", "kill", "run_001", "--as", "ada").code == 0
        assert not alive(int(str(runner.last()["pid"])))
        assert runner.last()["state"] == "killed"


def test_an_end_that_nobody_saw_is_noted_once(runner: Runner) -> None:
    with runner.going(WAITS) as keeper:
        keeper.kill()
        keeper.wait()
        os.killpg(int(str(runner.last()["pid"])), signal.SIGKILL)
        until(lambda: runner.last()["state"] == "lost")
        runner.shell.run("runs")

        assert [each["reason"] for each in runner.events("run.ended")] == ["lost"]


def test_a_runner_that_dies_before_its_program_is_in_the_log_leaves_nothing(tmp_path: Path) -> None:
    marker = tmp_path / "began"
    dying = f"""
import os
from palaver.runs.child_program import ChildProgram
program = ChildProgram(["touch", {str(marker)!r}], environment=os.environ, umask=0o22, grace=1)
print(program.pid, flush=True)
os.kill(os.getpid(), 9)
"""
    died = subprocess.run([sys.executable, "-c", dying], capture_output=True, check=False, timeout=PATIENCE)

    until(lambda: not alive(int(died.stdout)))
    assert died.returncode == -signal.SIGKILL
    assert not marker.exists()


def test_a_signal_that_comes_while_the_program_is_made_ends_it_before_it_begins(tmp_path: Path) -> None:
    marker = tmp_path / "began"
    hurried = f"""
import os, signal, subprocess
from palaver.runs.child_program import ChildProgram
make = subprocess.Popen
def hurry(*words, **more):
    os.kill(os.getpid(), signal.SIGTERM)
    return make(*words, **more)
subprocess.Popen = hurry
program = ChildProgram(["touch", {str(marker)!r}], environment=os.environ, umask=0o22, grace=30)
os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
program.begin(b"")
ended = program.run(lambda piece: None, lambda: 1.0)
print(ended.exit, ended.reason)
"""
    done = subprocess.run([sys.executable, "-c", hurried], capture_output=True, check=False, timeout=PATIENCE)

    assert (done.stdout, done.stderr) == (b"143 killed\n", b"")
    assert not marker.exists()


# --- what the log gets ---


def test_a_flood_of_output_is_kept_whole_and_the_log_stays_small(runner: Runner) -> None:
    before = len(runner.shell.log())

    answer = runner.shell.sh("$P run --as bob -- sh -c 'yes 0123456789abcde | head -c 20000000' | wc -c")

    assert answer.out.strip() == "20000000"
    assert len(runner.trace("run_001/agent-logs/bob.txt")) == 20_000_000
    assert len(runner.shell.log()) - before < 10_000
    assert runner.last()["bytes"] == 20_000_000


def test_secrets_are_in_the_traces_and_not_in_the_log(runner: Runner) -> None:
    secret, key = "hunter2hunter2", "ghp_" + "a1B2" * 6
    shell = Runner(shell=runner.shell.with_env(MY_PASSWORD=secret))

    shell.sh(f"echo $MY_PASSWORD and {key} and $PALAVER_TOKEN")

    log = runner.shell.log().decode()
    token = runner.trace("run_001/agent-logs/bob.txt").decode().split()[-1]
    assert runner.last()["line"] == "[masked] and [GitHub token masked] and [masked]"
    assert [word for word in (secret, key, token) if word in log] == []


def test_a_line_of_a_private_key_is_not_in_the_log(runner: Runner) -> None:
    body = "MIIEa1B2c3D4" * 5
    begins, ends = (f"-----{word} RSA PRIVATE KEY-----" for word in ("BEGIN", "END"))

    runner.sh(f"echo '{begins}'; echo {body}; sleep 0.3; echo {body}")
    inside = runner.last()["line"]
    runner.sh(f"echo '{begins}'; echo {body}; echo '{ends}'; echo done")

    assert body not in runner.shell.log().decode()
    assert inside == "[private key masked]"
    assert runner.last()["line"] == "done"


def test_a_line_without_an_end_is_not_told_by_its_middle(runner: Runner) -> None:
    runner.sh("printf 'x%.0s' $(seq 70000); printf ' %s\\n' ghp_" + "a1B2" * 6)

    assert "a1B2" not in str(runner.last()["line"])


def test_a_program_that_prints_nothing_is_idle_after_a_while(runner: Runner) -> None:
    runner.configure("\n[runs]\nidle = 0.2\n")
    with runner.going(WAITS):
        until(lambda: runner.events("run.idle"))

        assert runner.last()["state"] == "idle"
        assert len(runner.events("run.idle")) == 1


def test_a_reader_that_went_away_does_not_stop_the_program(runner: Runner) -> None:
    runner.shell.sh("$P run --as bob -- sh -c 'seq 200000; echo end' | head -n 1")

    assert runner.trace("run_001/agent-logs/bob.txt").endswith(b"200000\nend\n")
    assert runner.last()["exit"] == 0


def test_a_reader_that_does_not_read_does_not_keep_us_from_ending(runner: Runner) -> None:
    runner.configure("\n[runs]\nkill = 0.3\n")
    with runner.going("trap '' TERM; echo up; exec yes") as keeper:
        keeper.terminate()

        assert keeper.wait(PATIENCE) == 128 + signal.SIGKILL


def test_the_program_goes_on_when_there_is_no_space_for_its_traces(runner: Runner) -> None:
    limited = "ulimit -f 200; trap '' XFSZ; $P run --as bob -- sh -c 'seq 100000 >&2; echo end'"

    answer = runner.shell.sh(limited)

    assert answer.code == 0
    assert answer.out == "end\n"
    assert "could not be written" in answer.err


def test_no_place_for_traces_is_refused_before_anything_starts(runner: Runner) -> None:
    (runner.shell.folder / "runs").write_text("a file is in the way")

    answer = runner.sh("touch began")

    assert (answer.code, "[storage]" in answer.err) == (1, True)
    assert not Path(runner.shell.folder / "began").exists()


# --- later words ---


def test_mail_is_fed_to_a_program_as_it_comes_and_is_kept(runner: Runner) -> None:
    with runner.going("echo up; sed -u -n '/^secret/q;p'; echo got it", "--feed") as keeper:
        sent = runner.shell.run("send", "bob", "-m", "first\n--- end of message", "--as", "ada").message_id
        until(lambda: len(list((runner.shell.folder / "runs/run_001/prompts").iterdir())) == 2)
        runner.shell.run("send", "bob", "-m", "secret", "--as", "ada")
        out, err = keeper.communicate(timeout=PATIENCE)

        assert (keeper.returncode, err) == (0, b"")
        kept = runner.trace("run_001/prompts/002-bob.md")
        assert kept in out
        assert sent.encode() in kept
        assert b"bob: injected prompts/002-bob.md\n" + kept in runner.trace("run_001/run.log")
        stages = runner.shell.run("thread", sent, "--json").rows[0]["deliveries"]
        assert "injected" in str(stages)
