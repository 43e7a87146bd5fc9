"""The shell lines of the protocols' own pages, run as they stand on files that the bus is behind.

Only the name of the team and the two variables are filled in: whoever wrote these lines into a prompt years
ago must not notice that Palaver has come.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from palaver import Bus
from palaver.sync.mounts.mount_operations import add_mount
from palaver.wiring import begin
from tests.cli.spoken import Answer, Shell, surroundings
from tests.patience import PATIENCE

TEAM: Final = "t1"
# --- as they stand in the pages ---
SWARM_WRITES: Final = r"""
echo '{"ts":"'$(date -u +%Y-%m-%dT%H:%M:%S.000Z)'","from":"programmer","to":["@qa"],"type":"message","reasoning":"Implementation complete, tests needed.","content":"Auth module ready for testing."}' >> ~/.claude/teams/{team}/channel.jsonl
"""  # noqa: E501 - as it stands
SWARM_LAST: Final = "cat ~/.claude/teams/{team}/channel.jsonl | tail -50"
SWARM_TO: Final = """cat ~/.claude/teams/{team}/channel.jsonl | grep '"@programmer"'"""
SWARM_FROM: Final = """cat ~/.claude/teams/{team}/channel.jsonl | grep '"from":"architect"'"""
SWARM_PRETTY: Final = "cat ~/.claude/teams/{team}/channel.jsonl | jq -s '.[-20:]'"
COLLAB_RIGHT: Final = r"""
TMPFILE=$(mktemp "$INBOX/.msg.XXXXXX")
echo "$MSG" > "$TMPFILE"
mv "$TMPFILE" "$INBOX/msg_$(date +%s%N).txt"
"""
COLLAB_WRONG: Final = 'echo "$MSG" > "$INBOX/message.txt"'
# --- what the pages say in words: the mv is the trigger ---
WATCHER: Final = """inotifywait -m -e moved_to --format %f "$INBOX" """
DAEMON: Final = f"""
{WATCHER} | while read -r name; do cat "$INBOX/$name"; rm "$INBOX/$name"; done
"""
TASK: Final = "[TASK:price-check] Get BTC from CoinGecko"


@pytest.fixture(autouse=True)
def programs() -> None:
    """Refuse to run without what the examples are made of; tools/system-deps.sh brings it."""
    missing = [each for each in ("bash", "jq", "inotifywait", "mktemp") if shutil.which(each) is None]
    assert not missing, f"install {missing}; sh tools/system-deps.sh does"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Return somebody at home, with a swarm team, a collab folder, and a bus that both are mounted in."""
    home = tmp_path / "home"
    inbox = home / "collab" / "inbox"
    inbox.mkdir(parents=True)
    (home / ".claude" / "teams" / TEAM).mkdir(parents=True)
    shell = Shell(folder=home, env=surroundings(HOME=str(home), INBOX=str(inbox), MSG=TASK))
    begin(str(home), "ada")
    bus = Bus(str(home), agent="ada")
    team = str(home / ".claude" / "teams" / TEAM)
    add_mount(bus.session, "swarm", team)
    add_mount(bus.session, "collab", str(inbox), settings={"a": "jim", "b": "clawdy"})
    bus.session.sync.catch_up()
    return shell


def done(shell: Shell, *words: str) -> Answer:
    answer = shell.run(*words)
    assert answer.code == 0, answer
    return answer


def bash(shell: Shell, script: str) -> str:
    """Run an example and return what it printed."""
    ran = subprocess.run(
        ["bash", "-c", script.replace("{team}", TEAM)],
        cwd=shell.folder,
        env=dict(shell.env),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return ran.stdout


def mail(shell: Shell, agent: str) -> list[dict[str, object]]:
    """Return all that an agent was sent."""
    listing = done(shell, "inbox", "--as", agent, "--json", "--all").fields["messages"]
    assert isinstance(listing, list)
    return listing


def inbox_of(shell: Shell) -> Path:
    return Path(shell.env["INBOX"])


@contextmanager
def watching(shell: Shell, script: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a watcher of the inbox; what is inside begins once it watches."""
    process = subprocess.Popen(
        ["bash", "-c", script],
        env=dict(shell.env),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert process.stdout is not None
    while "established" not in process.stderr.readline():
        assert process.poll() is None
    try:
        yield process
    finally:
        # The shell and what it started are one group of ours.
        subprocess.run(["bash", "-c", f"kill -- -{process.pid}"], check=True)
        process.wait()
        process.stdout.close()
        process.stderr.close()


# --- swarm ---


def test_the_line_that_swarm_agents_echo_is_a_message(shell: Shell) -> None:
    bash(shell, SWARM_WRITES)

    [message] = mail(shell, "qa")
    assert message["from"] == "programmer"
    assert message["to"] == ["qa"]
    assert message["act"] == "inform"
    assert message["body"] == "Auth module ready for testing."
    assert message["reasoning"] == "Implementation complete, tests needed."


def test_the_line_is_left_as_it_was_echoed(shell: Shell) -> None:
    channel = shell.folder / ".claude" / "teams" / TEAM / "channel.jsonl"
    bash(shell, SWARM_WRITES)
    before = channel.read_bytes()

    done(shell, "sync")

    assert channel.read_bytes() == before


def test_tail_shows_the_last_fifty_of_what_we_wrote(shell: Shell) -> None:
    bus = Bus(str(shell.folder), agent="jim")
    for number in range(52):
        bus.send("@programmer", f"number {number}")

    lines = bash(shell, SWARM_LAST).splitlines()

    assert [json.loads(line)["content"] for line in lines] == [f"number {each}" for each in range(2, 52)]


def test_grep_finds_what_we_wrote_to_an_agent(shell: Shell) -> None:
    done(shell, "send", "programmer", "-m", "for you", "--as", "clawdy")
    done(shell, "send", "qa", "-m", "not for you", "--as", "clawdy")
    done(shell, "send", "qa", "programmer", "-m", "for both", "--as", "jim")

    lines = bash(shell, SWARM_TO).splitlines()

    assert [json.loads(line)["content"] for line in lines] == ["for you", "for both"]


def test_grep_finds_what_we_wrote_for_an_agent(shell: Shell) -> None:
    done(shell, "send", "qa", "-m", "The ports are in plan.md", "--as", "architect")
    done(shell, "send", "qa", "-m", "Not from the architect", "--as", "jim")

    [line] = bash(shell, SWARM_FROM).splitlines()

    assert json.loads(line)["content"] == "The ports are in plan.md"


def test_jq_reads_the_last_twenty_of_what_both_wrote(shell: Shell) -> None:
    bus = Bus(str(shell.folder), agent="jim")
    for number in range(12):
        bus.send("@qa", f"number {number}")
        bash(shell, SWARM_WRITES)

    read = json.loads(bash(shell, SWARM_PRETTY))

    assert len(read) == 20
    assert {each["from"] for each in read} == {"jim", "programmer"}
    assert {"ts", "from", "to", "type", "reasoning", "content"} <= set(read[0])


def test_a_line_behind_one_that_nobody_ended_is_neither_lost_nor_glued_to_ours(shell: Shell) -> None:
    bash(shell, SWARM_WRITES.replace("echo", "echo -n"))
    done(shell, "send", "@qa", "-m", "from outside", "--as", "jim")
    bash(shell, "echo >> ~/.claude/teams/{team}/channel.jsonl")
    done(shell, "sync")

    read = json.loads(bash(shell, SWARM_PRETTY))

    assert [each["content"] for each in read] == ["Auth module ready for testing.", "from outside"]
    assert [each["body"] for each in mail(shell, "qa")] == [each["content"] for each in read]


# --- collab ---


def test_what_is_moved_into_the_inbox_is_a_message(shell: Shell) -> None:
    bash(shell, COLLAB_RIGHT)

    [message] = mail(shell, "clawdy")
    assert message["from"] == "jim"
    assert message["act"] == "assign"
    assert message["task"] == "price-check"
    assert message["body"] == "Get BTC from CoinGecko"


def test_what_is_moved_into_the_inbox_stays_there_for_its_watcher(shell: Shell) -> None:
    bash(shell, COLLAB_RIGHT)
    [before] = inbox_of(shell).iterdir()

    done(shell, "sync")

    assert list(inbox_of(shell).iterdir()) == [before]
    assert before.read_text() == TASK + "\n"


def test_what_is_not_moved_is_taken_in_once_nobody_has_touched_it_for_two_seconds(shell: Shell) -> None:
    bash(shell, COLLAB_WRONG)
    written = (inbox_of(shell) / "message.txt").stat().st_mtime
    deadline = time.monotonic() + PATIENCE

    while not mail(shell, "clawdy") and time.monotonic() < deadline:
        time.sleep(0.05)

    [message] = mail(shell, "clawdy")
    assert message["body"] == "Get BTC from CoinGecko"
    [event] = [
        json.loads(line) for line in done(shell, "tail", "--json").lines if '"price-check"' in line
    ]  # fmt: skip
    assert datetime.fromisoformat(event["timestamp"]).timestamp() >= written + 1.99


def test_what_is_not_moved_is_reported(shell: Shell) -> None:
    bash(shell, COLLAB_WRONG)
    deadline = time.monotonic() + PATIENCE

    while not mail(shell, "clawdy") and time.monotonic() < deadline:
        time.sleep(0.05)

    found = done(shell, "status", "--json").fields["findings"]
    assert isinstance(found, list)
    [finding] = found
    assert finding["file"] == "inbox/message.txt"
    assert finding["code"] == "COL112"


def test_a_watcher_of_moves_sees_each_delivery_of_ours_once_and_whole(shell: Shell) -> None:
    with watching(shell, DAEMON) as daemon:
        for number in range(3):
            task = ("--act", "assign", "--task", "count", "--as", "jim")
            done(shell, "send", "clawdy", "-m", f"number {number}", *task)
        assert daemon.stdout is not None
        read = [daemon.stdout.readline() for _ in range(3)]
        done(shell, "sync")
        # It removes a file after it has shown it.
        deadline = time.monotonic() + PATIENCE
        while list(inbox_of(shell).iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)

    assert read == [f"[TASK:count] number {number}\n" for number in range(3)]
    assert list(inbox_of(shell).iterdir()) == []


def test_a_watcher_sees_only_the_names_that_the_protocol_gives(shell: Shell) -> None:
    with watching(shell, WATCHER) as watcher:
        done(shell, "send", "clawdy", "-m", "hello", "--as", "jim")
        bash(shell, COLLAB_RIGHT)
        assert watcher.stdout is not None
        ours, theirs = (watcher.stdout.readline().strip() for _ in range(2))

    for name in (ours, theirs):
        digits = name.removeprefix("msg_").removesuffix(".txt")
        assert digits.isdecimal()
        assert len(digits) == 19


def test_what_a_daemon_takes_out_of_the_inbox_and_logs_is_one_message(shell: Shell) -> None:
    chat = shell.folder / "collab" / "chat.log"
    with watching(shell, DAEMON) as daemon:
        bash(shell, COLLAB_RIGHT)
        done(shell, "sync")
        assert daemon.stdout is not None
        read = daemon.stdout.readline().strip()
        bash(shell, f"echo \"$(date -u '+%F %T') JIM -> CLAWDY: {read}\" >> {chat}")
        bash(shell, f"echo \"$(date -u '+%F %T') CLAWDY -> JIM: [ACK:price-check] On it.\" >> {chat}")

    assert [each["act"] for each in mail(shell, "clawdy")] == ["assign"]
    assert [each["act"] for each in mail(shell, "jim")] == ["ack"]
