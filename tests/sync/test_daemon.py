"""`palaver up`: the bus and the files of its mounts are in step, whatever happens to the process."""

import json
import os
import random
import resource
import shutil
import signal
import time
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from palaver.model.event import text
from tests.cli.spoken import Shell, surroundings
from tests.sync.living import Place, Up, daemon_answers, eventually, read, swarm_line, up
from tests.sync.scene import append, dropped

KILLS: Final = 20
DROPS: Final = 2_000
QUEUE: Final = Path("/proc/sys/fs/inotify/max_queued_events")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "project")


def watched(process: int) -> set[int]:
    """Return the numbers of the folders that a process is told about, as the kernel has them."""
    found: set[int] = set()
    for each in Path(f"/proc/{process}/fdinfo").iterdir():
        # What is open for a moment may be closed by now.
        with suppress(FileNotFoundError):
            lines = [line for line in each.read_text().splitlines() if line.startswith("inotify")]
            found |= {int(line.split("ino:")[1].split()[0], 16) for line in lines}
    return found


def is_said(place: Place, body: str) -> bool:
    return body in place.bodies()


def is_taken(place: Place, count: int) -> bool:
    """Tell whether so many messages are in the log; asked seldom, for it is read whole."""
    time.sleep(0.3)
    return len(place.events("mail.sent")) > count


# --- in step ---


def test_a_line_that_is_appended_is_a_message_without_any_command(place: Place) -> None:
    team = place.mount("swarm")

    with up(place.folder) as daemon:
        append(team / "channel.jsonl", swarm_line("The module is ready."))

        daemon.until(lambda: place.bodies() == ["The module is ready."])


def test_a_message_stands_in_the_file_without_any_other_command(place: Place) -> None:
    team = place.mount("swarm")

    with up(place.folder) as daemon:
        place.send("qa", "Please test it.")

        daemon.until(lambda: "Please test it." in read(team / "channel.jsonl"))
    place.do("sync")
    assert read(team / "channel.jsonl").count("Please test it.") == 1


def test_a_line_for_an_agent_of_another_mount_stands_in_its_file(place: Place) -> None:
    team = place.mount("swarm")
    office = place.mount("office")
    (office / "messages" / "employee-bob.log").write_text("")
    log = office / "messages" / "manager-inbox.log"

    with up(place.folder) as daemon:
        append(team / "channel.jsonl", swarm_line("Bob, look.", to="@bob"))

        daemon.until(lambda: "Bob, look." in read(log))


def test_a_person_sees_one_line_an_event(place: Place) -> None:
    team = place.mount("swarm")

    with up(place.folder) as daemon:
        append(team / "channel.jsonl", swarm_line("A \\u001b[31mred\\u0007 word"))

        daemon.until(lambda: "mail.sent" in daemon.out)
        answer = daemon.end()

    [line] = [line for line in answer.lines if "mail.sent" in line]
    assert "red" not in line, "the output may be a log that others read"


def test_a_program_sees_one_object_a_line(place: Place) -> None:
    team = place.mount("swarm")

    with up(place.folder, "--json", "--texts") as daemon:
        append(team / "channel.jsonl", swarm_line("one") + swarm_line("two"))
        daemon.until(lambda: "two" in daemon.out)
        answer = daemon.end()

    events = [json.loads(line) for line in answer.lines]
    assert [each["data"]["body"] for each in events if each["event_type"] == "mail.sent"] == ["one", "two"]
    numbers = [each["seq"] for each in events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_quiet_says_nothing_of_events(place: Place) -> None:
    team = place.mount("swarm")

    with up(place.folder, "--quiet") as daemon:
        append(team / "channel.jsonl", swarm_line("one"))
        daemon.until(lambda: place.bodies() == ["one"])
        answer = daemon.end()

    assert "one" not in answer.out


# --- one of them, and its end ---


def test_a_second_one_is_told_who_is_there(place: Place) -> None:
    with up(place.folder) as daemon:
        answer = place.shell.run("up")

        assert answer.code == 5
        assert f"process {daemon.process.pid} (" in answer.err
        assert "[already-up]" in answer.err
        assert daemon.process.poll() is None
        assert daemon.end().code == 0


def test_a_second_one_leaves_the_socket_of_the_first_alone(place: Place) -> None:
    place.do("agents", "add", "bob")
    with up(place.folder, "--json") as daemon:
        place.shell.run("up")

        Shell(folder=place.folder, env=surroundings()).sh("$P send bob -m 'still there' --as ada")

        [event] = place.events("mail.sent")
        assert text(event.data, "body") == "still there"
        assert event.key, "the daemon has sent it, under the id of the request"
        daemon.end()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_it_ends_when_it_is_told_to_and_says_so_where_the_two_talk(place: Place, number: int) -> None:
    chat = place.mount("collab", "pair", "--set", "a=jim", "--set", "b=clawdy") / "chat.log"

    with up(place.folder) as daemon:
        daemon.until(lambda: "palaver is up" in read(chat))
        answer = daemon.end(number)
    place.do("sync")

    assert answer.code == 0
    assert answer.err == ""
    lines = read(chat).splitlines()
    assert [line[20:].partition(" (")[0] for line in lines] == [
        "SYSTEM: palaver is up",
        "SYSTEM: palaver is down",
    ]
    assert not daemon_answers(place.folder)


def test_a_signal_in_the_middle_of_a_long_pass_ends_it_after_the_pass(place: Place) -> None:
    team = place.mount("swarm")
    append(team / "channel.jsonl", b"".join(swarm_line(f"line {each}") for each in range(5_000)))

    daemon = Up(place.folder)
    eventually(lambda: daemon_answers(place.folder), daemon.err)
    answer = daemon.end()
    daemon.close()

    assert answer.code == 0
    place.do("sync")
    assert place.bodies() == [f"line {each}" for each in range(5_000)]


def test_whoever_reads_its_lines_may_go_away(place: Place) -> None:
    team = place.mount("swarm")
    line = swarm_line("again").decode()

    answer = place.shell.sh(
        f"mkfifo lines; $P up --json > lines & p=$!; head -n 1 < lines & while kill -0 $p 2>/dev/null;"
        f" do printf '%s' '{line}' >> {team}/channel.jsonl; sleep 0.05; done; wait"
    )

    assert len(answer.lines) == 1


# --- kills ---


def test_it_may_be_killed_at_any_moment(place: Place) -> None:
    seed = time.time_ns()
    dice = random.Random(seed)
    team = place.mount("swarm")
    office = place.mount("office")
    (office / "messages" / "employee-bob.log").write_text("")
    log = office / "messages" / "manager-inbox.log"
    said: list[str] = []

    for round_ in range(KILLS):
        daemon = Up(place.folder)
        for number in range(3):
            said.append(f"{round_}-{number}")
            append(team / "channel.jsonl", swarm_line(said[-1], to="@bob"))
        if round_ % 4:
            time.sleep(dice.uniform(0, 0.4))
        else:
            daemon.ready(place.folder)
        daemon.kill()
        daemon.close()
    with up(place.folder) as last:
        last.until(lambda: said[-1] in read(log))
        last.end()
    place.do("sync")

    assert Counter(place.bodies()) == Counter(said), f"seed {seed}"
    for body in said:
        assert read(log).count(f" {body} (") == 1, f"seed {seed}: {body}"
    assert place.do("verify").code == 0


# --- the config ---


def test_a_mount_that_is_added_while_it_runs_is_followed(place: Place) -> None:
    with up(place.folder) as daemon:
        team = place.mount("swarm")
        append(team / "channel.jsonl", swarm_line("one"))

        daemon.until(lambda: place.bodies() == ["one"])
        daemon.until(lambda: team.stat().st_ino in watched(daemon.process.pid))


def test_a_mount_that_is_written_into_the_config_by_hand_is_followed(place: Place) -> None:
    config = place.folder / ".palaver/config.toml"
    team = place.folder / "team"
    team.mkdir()
    append(team / "channel.jsonl", swarm_line("before"))

    with up(place.folder) as daemon:
        config.write_text(config.read_text() + '\n[mounts.team]\ndialect = "swarm"\npath = "team"\n')
        daemon.until(lambda: place.bodies() == ["before"])
        append(team / "channel.jsonl", swarm_line("after"))

        daemon.until(lambda: place.bodies() == ["before", "after"])


def test_a_mount_that_is_removed_while_it_runs_is_left_alone(place: Place) -> None:
    team, other = place.mount("swarm", "t1"), place.mount("swarm", "t2")

    with up(place.folder) as daemon:
        place.do("mount", "remove", "t1")
        append(team / "channel.jsonl", swarm_line("nobody listens"))
        append(other / "channel.jsonl", swarm_line("one"))
        daemon.until(lambda: "one" in place.bodies())
        place.send("t2/qa", "two")
        daemon.until(lambda: "two" in read(other / "channel.jsonl"))
        answer = daemon.end()

    assert place.bodies() == ["one", "two"]
    assert answer.err == ""


def test_a_config_that_is_half_written_changes_nothing_and_is_said_once(place: Place) -> None:
    team = place.mount("swarm")
    config = place.folder / ".palaver/config.toml"
    whole = config.read_text()

    with up(place.folder) as daemon:
        config.write_text(whole + "\n[mounts.ha")
        daemon.until(lambda: "not TOML" in daemon.err)
        for body in ("one", "two", "three"):
            append(team / "channel.jsonl", swarm_line(body))
            daemon.until(partial(is_said, place, body))
        assert daemon.err.count("not TOML") == 1, daemon.err
        config.write_text(whole)
        place.send("qa", "it is mended")

        daemon.until(lambda: "it is mended" in read(team / "channel.jsonl"))


def test_an_editor_that_empties_the_config_before_it_writes_it_takes_no_mount_away(place: Place) -> None:
    team = place.mount("swarm")
    config = place.folder / ".palaver/config.toml"
    whole = config.read_text()

    with up(place.folder) as daemon:
        for round_ in range(20):
            config.write_text("")
            append(team / "channel.jsonl", swarm_line(f"{round_}"))
            config.write_text(whole)
        daemon.until(lambda: place.bodies() == [f"{round_}" for round_ in range(20)])
        daemon.end()

    assert len([each for each in place.events("config.applied") if not each.data["mounts"]]) == 1


# --- folders that come and go ---


def test_a_folder_that_appears_later_is_followed_from_then_on(place: Place) -> None:
    team = place.mount("swarm")
    shutil.rmtree(team)

    with up(place.folder) as daemon:
        daemon.until(lambda: "does not exist" in daemon.err)
        team.mkdir()
        append(team / "channel.jsonl", swarm_line("one"))
        daemon.until(lambda: place.bodies() == ["one"])

        daemon.until(lambda: team.stat().st_ino in watched(daemon.process.pid))


def test_a_folder_inside_the_mount_that_appears_later_is_followed_at_once(place: Place) -> None:
    office = place.mount("office")
    shutil.rmtree(office / "messages")

    with up(place.folder) as daemon:
        (office / "messages").mkdir()

        daemon.until(lambda: (office / "messages").stat().st_ino in watched(daemon.process.pid))


def test_a_folder_that_is_deleted_and_made_again_is_followed_again(place: Place) -> None:
    team = place.mount("swarm")

    with up(place.folder) as daemon:
        for body in ("one", "two", "three"):
            append(team / "channel.jsonl", swarm_line(body))
            daemon.until(partial(is_said, place, body))
            shutil.rmtree(team)
            team.mkdir()
            daemon.until(lambda: team.stat().st_ino in watched(daemon.process.pid))
        place.send("qa", "still yours")
        daemon.until(lambda: "still yours" in read(team / "channel.jsonl"))

    assert place.bodies() == ["one", "two", "three", "still yours"]


def test_a_folder_that_is_moved_away_and_replaced_is_followed(place: Place) -> None:
    office = place.mount("office")

    with up(place.folder) as daemon:
        (office / "messages").rename(office / "old")
        (office / "messages").mkdir()

        daemon.until(lambda: (office / "messages").stat().st_ino in watched(daemon.process.pid))


# --- the kernel ---


def test_two_thousand_drops_are_seen_once_each_though_the_kernel_lost_count(memory: Path) -> None:
    place = Place(memory / "project")
    pair = place.mount("collab", "pair", "--set", "a=jim", "--set", "b=clawdy")
    before = QUEUE.read_text()
    if os.geteuid():
        pytest.skip("only root can make the kernel's queue short")
    QUEUE.write_text("16")
    try:
        with up(place.folder, "--quiet") as daemon:
            daemon.process.send_signal(signal.SIGSTOP)
            for number in range(DROPS):
                dropped(
                    pair / "inbox",
                    f"msg_{1_794_784_332_000_000_000 + number}.txt",
                    f"number {number}\n".encode(),
                )
            daemon.process.send_signal(signal.SIGCONT)

            daemon.until(lambda: is_taken(place, DROPS))
            daemon.end()
        assert place.bodies()[1:-1] == [f"number {number}" for number in range(DROPS)]
    finally:
        QUEUE.write_text(before)


@pytest.mark.parametrize("fault", ["EMFILE", "ENOSYS"])
def test_where_the_kernel_gives_no_watch_it_looks_for_itself_and_says_so(place: Place, fault: str) -> None:
    if shutil.which("strace") is None:
        pytest.skip("no strace; sh tools/system-deps.sh brings it")
    team = place.mount("swarm")
    under = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=inotify_init1", "-e")

    with up(place.folder, under=(*under, f"inject=inotify_init1:error={fault}")) as daemon:
        # It says so after its first pass, which may be the one that takes the line in.
        daemon.until(lambda: "the kernel has no more watches" in daemon.err)
        append(team / "channel.jsonl", swarm_line("one"))
        daemon.until(lambda: place.bodies() == ["one"])
        place.send("qa", "two")
        daemon.until(lambda: "two" in read(team / "channel.jsonl"))

        assert daemon.err.count("the kernel has no more watches") == 1


def test_a_daemon_that_can_open_no_more_files_lives_on_and_catches_up(place: Place) -> None:
    team = place.mount("swarm")

    with up(place.folder) as daemon:
        _, most = resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE)
        for number in range(5):
            resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (3, most))
            append(team / "channel.jsonl", swarm_line(f"number {number}"))
            daemon.until(lambda: "Too many open files" in daemon.err)
            # Whatever it is at: the next thing that it does fails.
            time.sleep(0.2)
            resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (most, most))

        daemon.until(lambda: len(place.bodies()) == 5)


def test_where_one_folder_cannot_be_watched_it_is_looked_at_and_said_so(place: Place) -> None:
    if shutil.which("strace") is None:
        pytest.skip("no strace; sh tools/system-deps.sh brings it")
    team = place.mount("swarm")
    under = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=inotify_add_watch", "-e")

    with up(place.folder, under=(*under, "inject=inotify_add_watch:error=ENOSPC")) as daemon:
        append(team / "channel.jsonl", swarm_line("one"))
        daemon.until(lambda: place.bodies() == ["one"])

        daemon.until(lambda: f"{team} cannot be watched" in daemon.err)
