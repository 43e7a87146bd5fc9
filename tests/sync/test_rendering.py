"""What is sent to somebody stands in the files where he lives, once, and nowhere else."""

import json
import os
import resource
from pathlib import Path

import pytest

from palaver.bus.config import config_store as configured
from palaver.model.event import texts
from tests.cli.spoken import Shell, surroundings
from tests.sync.scene import Scene, append, left_alone
from tests.sync.spoken import AT, SPEECH, SPEECHES, Speech

every_dialect = pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)


def a_bus(tmp_path: Path, *spoken: str) -> tuple[Scene, dict[str, Path]]:
    scene = Scene(tmp_path / "bus")
    wanted = spoken or tuple(each.dialect for each in SPEECHES)
    return scene, {each: scene.mount(each, **SPEECH[each].settings) for each in wanted}


def holds(folder: Path, words: str) -> dict[str, int]:
    """Return how many lines hold words in which files of a mount; the list of all events does not count."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if (
            path.is_file()
            and path.name != "events.jsonl"
            and (count := sum(words.encode() in line for line in path.read_bytes().split(b"\n")))
        ):
            found[path.relative_to(folder).as_posix()] = count
    return found


def swarm_line(sender: str, to: object, content: str) -> bytes:
    fields = {"ts": AT, "from": sender, "to": to, "type": "message", "reasoning": "r", "content": content}
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


# --- where ---


@every_dialect
def test_a_message_to_somebody_stands_once_where_he_lives_and_nowhere_else(
    tmp_path: Path, speech: Speech
) -> None:
    scene, mounts = a_bus(tmp_path)
    append(mounts[speech.dialect] / speech.file, speech.says("I live here"))
    left_alone(mounts[speech.dialect] / speech.file)
    scene.settle()

    scene.bus.send(speech.sender, "for one alone")
    scene.settle()
    scene.restart()
    scene.settle()

    for name, folder in mounts.items():
        found = holds(folder, "for one alone")
        assert list(found.values()) == ([1] if name == speech.dialect else []), (name, found)
    assert scene.bodies().count("for one alone") == 1


@every_dialect
def test_what_was_found_in_a_file_is_not_written_back_into_it(tmp_path: Path, speech: Speech) -> None:
    scene, mounts = a_bus(tmp_path)
    file = mounts[speech.dialect] / speech.file

    append(file, speech.says("only once here"))
    left_alone(file)
    scene.settle()

    assert holds(mounts[speech.dialect], "only once here") == {speech.file: 1}


def test_what_names_nobody_is_for_everyone_of_its_mount_and_does_not_cross(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path)

    append(mounts["swarm"] / "channel.jsonl", swarm_line("architect", None, "to the team"))
    scene.settle()

    assert [name for name, folder in mounts.items() if holds(folder, "to the team")] == ["swarm"]
    [event] = [each for each in scene.mail() if each.data["body"] == "to the team"]
    assert event.data["to"] == ["@swarm"]


def test_all_crosses_every_mount_and_stands_in_each_of_them(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path)

    append(mounts["swarm"] / "channel.jsonl", swarm_line("architect", ["@all"], "to everyone"))
    scene.settle()

    for name, folder in mounts.items():
        found = holds(folder, "to everyone")
        assert found, name
        assert set(found.values()) == {1}, (name, found)
    assert scene.bodies() == ["to everyone"]


def test_a_message_to_two_who_live_in_one_mount_stands_there_once(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm", "collab")

    scene.bus.send(["qa", "architect", "clawdy"], "to three")
    scene.settle()

    assert holds(mounts["swarm"], "to three") == {"channel.jsonl": 1}
    assert set(holds(mounts["collab"], "to three").values()) == {1}


def test_an_agent_who_lives_in_two_mounts_reads_it_in_both(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm", "runbus")
    append(
        mounts["runbus"] / "MESSAGE-BUS.md", SPEECH["runbus"].says("x").replace(b"codex-impl-1", b"architect")
    )
    left_alone(mounts["runbus"] / "MESSAGE-BUS.md")
    scene.settle()

    scene.bus.send("architect", "in both")
    scene.settle()

    assert list(holds(mounts["swarm"], "in both").values()) == [1]
    assert list(holds(mounts["runbus"], "in both").values()) == [1]


def test_mail_to_the_manager_stands_in_the_senders_log_and_to_a_worker_in_the_inbox(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "office", "swarm")
    append(mounts["office"] / "messages/employee-emp-a.log", SPEECH["office"].says("here"))
    scene.settle()

    scene.bus.send("emp-manager-001", "to the manager")
    scene.bus.send("emp-a", "to the worker")
    scene.settle()

    assert holds(mounts["office"], "to the manager") == {"messages/employee-ada.log": 1}
    assert holds(mounts["office"], "to the worker") == {"messages/manager-inbox.log": 1}


def test_the_pen_that_the_bus_holds_for_a_stranger_lets_nobody_live_in_the_office(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "office", "collab")

    append(mounts["collab"] / "chat.log", b"2026-02-11 10:00:00 JIM -> EMP-MANAGER-001: may I?\n")
    scene.settle()
    scene.restart()
    scene.settle()
    scene.bus.send("jim", "an answer")
    scene.settle()

    assert holds(mounts["office"], "may I?") == {"messages/employee-jim.log": 1}
    assert holds(mounts["office"], "an answer") == {}
    assert set(holds(mounts["collab"], "an answer").values()) == {1}


def test_a_misfiled_approval_is_understood_and_both_sides_are_told(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "office")
    log = mounts["office"] / "messages/employee-emp-a.log"
    append(
        log, f"[{AT}] [CLAIM] task-004 | title: Home | by: emp-a | difficulty: 3 | deps-met: yes\n".encode()
    )
    scene.settle()

    append(log, f"[{AT}] [APPROVAL] task-004 approved. emp-a start work.\n".encode())
    scene.settle()

    assert any(code.startswith("OFF10") for code in scene.codes()), scene.codes()
    told = {name for event in scene.notices() for name in texts(event.data, "to")}
    assert {"emp-a", "emp-manager-001"} <= told


@pytest.mark.parametrize("spoken", ["swarm", "collab"])
def test_a_name_that_means_nobody_comes_back_to_the_sender_in_his_own_file(
    tmp_path: Path, spoken: str
) -> None:
    scene, mounts = a_bus(tmp_path)
    line = {
        "swarm": swarm_line("architect", ["@jimm"], "are you there"),
        "collab": b"2026-02-11 10:00:00 JIM -> ARCHITEKT: are you there\n",
    }[spoken]
    meant = {"swarm": "jim", "collab": "architect"}[spoken]

    append(mounts[spoken] / SPEECH[spoken].file, line)
    scene.settle()

    [notice] = scene.notices()
    assert notice.data["to"] == [SPEECH[spoken].sender]
    assert f"did you mean {meant}? write: " in str(notice.data["body"]).lower()
    assert list(holds(mounts[spoken], "reached nobody").values()) == [1]


def test_in_vermas_a_name_that_means_nobody_is_marked_and_not_answered(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "vermas")

    append(mounts["vermas"] / ".work/messages.jsonl", SPEECH["vermas"].says("anybody"))
    scene.settle()

    assert scene.notices() == []
    assert [event.data["undeliverable"] for event in scene.mail()] == [True]


# --- what ---


def test_a_secret_in_a_file_is_masked_in_the_log_and_wherever_it_is_written(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path)
    secret = "ghp_" + "a1B2" * 9

    append(mounts["swarm"] / "channel.jsonl", swarm_line("architect", ["@all"], f"use {secret} now"))
    scene.settle()

    log = b"".join(path.read_bytes() for path in Path(scene.bus.root.log).iterdir())
    assert secret.encode() not in log
    assert scene.codes() == ["secret"]
    for name in ("office", "vermas", "runbus", "collab"):
        assert holds(mounts[name], secret) == {}
        assert holds(mounts[name], "masked")


@every_dialect
def test_a_key_that_is_appended_line_by_line_is_quoted_nowhere(tmp_path: Path, speech: Speech) -> None:
    scene, mounts = a_bus(tmp_path, speech.dialect)
    file = mounts[speech.dialect] / speech.file
    label, body = "PRIVATE KEY", [f"MIIEa1B2c3D4{number}" * 5 for number in range(4)]
    append(file, speech.says("the key"))

    for line in (f"-----BEGIN {label}-----", *body, f"-----END {label}-----", "not a message"):
        append(file, line.encode() + b"\n")
        left_alone(file)
        scene.settle()

    log = b"".join(path.read_bytes() for path in Path(scene.bus.root.log).iterdir())
    assert [line for line in body if line.encode() in log] == []
    assert b"not a message" in log


@every_dialect
def test_history_is_not_written_into_other_mounts_and_is_answered_by_nobody(
    tmp_path: Path, speech: Speech
) -> None:
    scene, mounts = a_bus(tmp_path, *[each.dialect for each in SPEECHES if each is not speech])
    folder = scene.folder / speech.dialect
    (folder / speech.file).parent.mkdir(parents=True)
    (folder / speech.file).write_bytes(
        swarm_line("architect", ["@all"], "long ago")
        if speech.dialect == "swarm"
        else speech.says("long ago")
    )
    left_alone(folder / speech.file)
    before = {name: sorted(path.rglob("*")) for name, path in mounts.items()}

    scene.mount(speech.dialect, **speech.settings)

    assert scene.bodies() == ["long ago"]
    assert scene.notices() == []
    assert [name for name, path in mounts.items() if holds(path, "long ago")] == []
    assert {name: sorted(path.rglob("*")) for name, path in mounts.items()}.keys() == before.keys()


def test_a_withdrawn_message_that_is_written_nowhere_is_written_nowhere(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm")
    channel = mounts["swarm"] / "channel.jsonl"
    append(channel, swarm_line("architect", None, "hello"))
    scene.settle()
    channel.rename(mounts["swarm"] / "away")
    channel.mkdir()
    sent = scene.bus.send("architect", "forget it")

    scene.bus.withdraw(sent.message.id)
    channel.rmdir()
    (mounts["swarm"] / "away").rename(channel)
    scene.settle()

    assert holds(mounts["swarm"], "forget it") == {}


# --- when ---


def test_somebody_in_the_middle_of_a_line_is_not_interrupted(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm")
    channel = mounts["swarm"] / "channel.jsonl"
    line = swarm_line("architect", None, "slowly")
    append(channel, line[:40])

    os.utime(channel)
    scene.bus.send("architect", "wait for me")
    report = scene.sync()
    waiting = channel.read_bytes()
    append(channel, line[40:])
    scene.settle()

    assert waiting == line[:40]
    assert report.unsettled
    assert sorted(scene.bodies()) == ["slowly", "wait for me"]
    assert channel.read_bytes().startswith(line)
    assert holds(mounts["swarm"], "wait for me") == {"channel.jsonl": 1}


def test_a_line_that_nobody_ends_is_ended_for_him_and_costs_only_itself(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm")
    channel = mounts["swarm"] / "channel.jsonl"
    append(channel, swarm_line("architect", None, "broken")[:40])
    left_alone(channel)

    scene.bus.send("architect", "after it")
    scene.settle()

    assert scene.bodies() == ["after it"]
    assert holds(mounts["swarm"], "after it") == {"channel.jsonl": 1}
    assert scene.account("swarm", "channel.jsonl").quarantined == 41


def test_our_own_torn_write_is_put_away_and_written_again(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm")
    channel = mounts["swarm"] / "channel.jsonl"
    scene.bus.send("architect", "all of it")
    # As if whoever wrote it had died in the middle, before anybody confirmed it.
    whole = channel.read_bytes()
    os.truncate(channel, len(whole) - 10)

    scene.settle()

    assert channel.read_bytes() == whole[:-10] + b"\n" + whole
    assert scene.bodies() == ["all of it"]
    assert scene.account("swarm", "channel.jsonl").quarantined == len(whole) - 9


def test_a_write_that_lacks_only_its_newline_is_completed_and_not_repeated(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm")
    file = mounts["swarm"] / "channel.jsonl"
    append(file, swarm_line("architect", None, "I live here"))
    scene.settle()
    scene.bus.send("architect", "almost whole")
    # As if its writer had died one byte early, before anybody confirmed it.
    os.truncate(file, file.stat().st_size - 1)

    scene.settle()

    assert holds(mounts["swarm"], "almost whole") == {"channel.jsonl": 1}
    assert scene.bodies() == ["I live here", "almost whole"]


def test_a_disk_that_is_full_in_the_middle_of_our_line_costs_nothing_but_time(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm")
    channel = mounts["swarm"] / "channel.jsonl"
    append(channel, (b" " * 65_535 + b"\n") * 128)
    scene.settle()
    limit = channel.stat().st_size + 60
    shell = Shell(folder=scene.folder, env=surroundings(PALAVER_AGENT="ada"))

    for _ in range(3):
        full = shell.run(
            "send", "architect", "-m", "all of it",
            before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )  # fmt: skip
        assert full.code == 0, "it is in the log"
    torn = channel.stat().st_size
    scene.restart()
    scene.settle()

    assert torn == limit
    assert scene.bodies() == ["all of it"] * 3
    assert channel.read_bytes().count(b'"content":"all of it"') == 3


def test_a_rendering_glued_to_anothers_bytes_is_written_again(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm")
    channel = mounts["swarm"] / "channel.jsonl"
    scene.bus.send("architect", "all of it")
    whole = channel.read_bytes()
    channel.write_bytes(b"somebody else was here " + whole)

    scene.settle()

    assert channel.read_bytes().count(b"\n" + whole) == 1


@every_dialect
def test_a_view_that_is_lost_changes_nothing(tmp_path: Path, speech: Speech) -> None:
    scene, mounts = a_bus(tmp_path)
    append(mounts[speech.dialect] / speech.file, speech.says("before"))
    left_alone(mounts[speech.dialect] / speech.file)
    scene.settle()
    scene.bus.send("@all", "to everyone")
    scene.settle()
    before = {
        path: path.read_bytes() for folder in mounts.values() for path in folder.rglob("*") if path.is_file()
    }

    scene.bus.rebuild()
    scene.restart()
    scene.settle()

    after = {
        path: path.read_bytes() for folder in mounts.values() for path in folder.rglob("*") if path.is_file()
    }
    assert after == before
    assert scene.bodies() == ["before", "to everyone"]


def test_a_mount_that_is_removed_owes_nothing_when_it_is_back(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm")
    append(mounts["swarm"] / "channel.jsonl", swarm_line("architect", None, "here"))
    scene.settle()
    scene.unmount("swarm")

    scene.bus.send("architect", "while you were away")
    scene.mount("swarm")
    scene.bus.send("architect", "welcome back")
    scene.settle()

    assert holds(mounts["swarm"], "while you were away") == {}
    assert holds(mounts["swarm"], "welcome back") == {"channel.jsonl": 1}


# --- names ---


def test_a_second_team_has_a_prefix_and_its_own_people(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    one, two = scene.mount("swarm", "t1"), scene.mount("swarm", "t2")

    append(one / "channel.jsonl", swarm_line("programmer", ["@qa"], "in one"))
    append(two / "channel.jsonl", swarm_line("programmer", ["@qa"], "in two"))
    scene.settle()
    scene.bus.send("t2/programmer", "only in two")
    scene.bus.send("programmer", "only in one")
    scene.settle()

    told = {str(event.data["body"]): (event.actor, event.data["to"]) for event in scene.mail()}
    assert told["in one"] == ("programmer", ["qa"])
    assert told["in two"] == ("t2/programmer", ["t2/qa"])
    assert (holds(one, "only in one"), holds(two, "only in one")) == ({"channel.jsonl": 1}, {})
    assert (holds(one, "only in two"), holds(two, "only in two")) == ({}, {"channel.jsonl": 1})
    assert b"t2/" not in (two / "channel.jsonl").read_bytes(), "there they are called as always"


def test_a_name_is_looked_for_in_the_senders_mount_first_and_then_everywhere(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    scene.mount("swarm", "t1")
    two = scene.mount("swarm", "t2")
    chat = scene.mount("collab", **SPEECH["collab"].settings)

    append(two / "channel.jsonl", swarm_line("programmer", ["@clawdy"], "to the other side"))
    scene.settle()

    assert set(holds(chat, "to the other side").values()) == {1}


def test_an_alias_joins_two_names_to_one_agent(tmp_path: Path) -> None:
    scene, mounts = a_bus(tmp_path, "swarm", "collab")
    config = Path(scene.bus.root.path) / "config.toml"
    config.write_text(config.read_text().replace("[alias]", '[alias]\njimmy = "jim"'))
    configured.read(scene.bus.root)

    append(mounts["swarm"] / "channel.jsonl", swarm_line("architect", ["@jimmy"], "to jim"))
    scene.settle()

    assert holds(mounts["collab"], "to jim") == {"chat.log": 1}
