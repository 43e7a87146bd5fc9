"""Lines that nobody can read: few quarantine entries, every byte accounted for, and work that is linear."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from palaver.bus.admin import quarantine as isolation
from palaver.model.limits import ENTRY_BYTES, ENTRY_LINES, FINDINGS, META_FIELDS, TURN_BYTES
from palaver.sync.intake import quarantine_store
from palaver.views.files.quarantine import QuarantineItem
from tests.cli.spoken import Answer, Shell, surroundings
from tests.sync.living import swarm_line
from tests.sync.scene import Scene, append, left_alone
from tests.sync.spoken import SPEECH, SPEECHES, Speech

every_dialect = pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
JUNK: Final = b"\xff junk "


def a_mount(tmp_path: Path, speech: Speech) -> tuple[Scene, Path]:
    scene = Scene(tmp_path / "bus")
    return scene, scene.mount(speech.dialect, **speech.settings) / speech.file


def junk(count: int, first: int = 0) -> bytes:
    """Return so many lines that no dialect can read, no two of them alike."""
    return b"".join(JUNK + b"%d\n" % each for each in range(first, first + count))


def taken_in(scene: Scene, file: Path, content: bytes) -> None:
    append(file, content)
    left_alone(file)
    scene.settle()


def kept(scene: Scene, item: QuarantineItem) -> bytes:
    """Return all bytes of an entry."""
    return isolation.content(scene.bus.session, item, limit=item.length)


def run(scene: Scene, *words: str) -> Answer:
    return Shell(folder=scene.folder, env=surroundings(PALAVER_AGENT="ada")).run(*words)


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count the calls that open, list or sync files, while the real ones do their work."""
    found: Counter[str] = Counter()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("open", "scandir", "listdir", "fsync", "fdatasync"):
            patch.setattr(os, name, _counting(name, found))
        yield found


def _counting(name: str, found: Counter[str]) -> object:
    real = getattr(os, name)

    def call(*given: object, **named: object) -> object:
        found[name] += 1
        return real(*given, **named)

    return call


# --- entries ---


@every_dialect
def test_consecutive_junk_is_one_entry_that_is_kept_whole(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)

    taken_in(scene, file, junk(300))

    [item] = scene.bus.quarantine()
    assert (item.lines, item.offset, item.length) == (300, 0, len(junk(300)))
    assert kept(scene, item) == junk(300)
    assert scene.account(speech.dialect, speech.file).quarantined == len(junk(300))


@every_dialect
def test_junk_between_messages_is_one_entry_and_the_messages_keep_their_order(
    tmp_path: Path, speech: Speech
) -> None:
    scene, file = a_mount(tmp_path, speech)
    content = b"".join(speech.says(f"n{each}") + junk(2, first=2 * each) for each in range(50))

    taken_in(scene, file, content)

    assert scene.bodies() == [f"n{each}" for each in range(50)]
    [item] = scene.bus.quarantine()
    assert (item.lines, item.places, item.offset) == (100, 50, len(speech.says("n0")))
    assert item.length == len(kept(scene, item)) == len(junk(100))
    assert kept(scene, item) == junk(100)


@every_dialect
def test_many_lines_of_junk_between_messages_are_few_entries_and_one_notice(
    tmp_path: Path, speech: Speech
) -> None:
    scene, file = a_mount(tmp_path, speech)
    content = b"".join(speech.says(f"n{each}") + junk(1, first=each) for each in range(1_000))

    taken_in(scene, file, content)

    items = scene.bus.quarantine()
    assert len(items) <= 2 + 2 * len(content) // TURN_BYTES
    assert b"".join(kept(scene, item) for item in items) == junk(1_000)
    assert sum(item.places for item in items) == 1_000
    assert len({event.caused_by for event in scene.notices()}) <= 1
    assert len(scene.bodies()) == 1_000


@every_dialect
def test_junk_in_front_of_and_behind_our_own_lines_costs_them_nothing(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)

    taken_in(scene, file, speech.says("I live here") + junk(20))
    scene.bus.send(f"@{speech.dialect}", "from elsewhere")
    scene.sync()
    taken_in(scene, file, junk(20, first=20))

    assert [item.lines for item in scene.bus.quarantine()] == [20, 20]
    written = [each.read_bytes() for each in file.parent.iterdir() if each.is_file()]
    # The subject of a message that has none is its first words, so a line may have them twice.
    assert max(sum(b"from elsewhere" in line for line in content.split(b"\n")) for content in written) == 1
    assert sum(each.ours for each in scene.accounts().values()) > 0


def test_an_entry_has_at_most_so_many_lines_and_bytes(tmp_path: Path) -> None:
    scene, file = a_mount(tmp_path, SPEECH["swarm"])
    short, long = (
        b"x\n" * (2 * ENTRY_LINES + 10),
        junk(ENTRY_BYTES // 1_000).replace(b"\n", b"y" * 3_000 + b"\n"),
    )

    taken_in(scene, file, short + long)

    items = scene.bus.quarantine()
    assert sum(item.lines for item in items) == (short + long).count(b"\n")
    assert max(item.lines for item in items) == ENTRY_LINES
    assert max(item.length for item in items) <= ENTRY_BYTES
    # Lines that are unreadable for another reason are another entry.
    assert len(items) <= 10
    assert b"".join(kept(scene, item) for item in items) == short + long


#: Three lines that a swarm cannot read, each for another reason.
THREE_KINDS: Final = b'junk\n{"a":1,"a":2}\n{"from":"td"}\n'


def test_junk_that_alternates_between_reasons_is_an_entry_for_each_and_one_for_the_rest(
    tmp_path: Path,
) -> None:
    scene, file = a_mount(tmp_path, SPEECH["swarm"])

    taken_in(scene, file, THREE_KINDS * 300)

    items = scene.bus.quarantine()
    assert [item.lines for item in items] == [1, 1, 1, 897]
    assert [item.reason.partition(":")[0] for item in items] == ["SWA002", "SWA006", "SWA007", "mixed-junk"]
    assert b"".join(kept(scene, item) for item in items) == THREE_KINDS * 300
    assert scene.account("swarm", "channel.jsonl").quarantined == len(THREE_KINDS * 300)
    # The author of the lines is told once of each reason.
    assert len(scene.notices()) == 3


def test_junk_that_alternates_between_reasons_takes_few_events(tmp_path: Path) -> None:
    scene, file = a_mount(tmp_path, SPEECH["swarm"])
    messages = b"".join(SPEECH["swarm"].says(f"{each}") + THREE_KINDS for each in range(20))

    taken_in(scene, file, THREE_KINDS * 2_000 + messages)

    events = scene.events("file.quarantined")
    assert len(events) <= 10 + 20
    assert len(scene.bus.quarantine()) <= 8
    assert scene.bodies() == [f"{each}" for each in range(20)]


def test_lines_that_are_read_but_refused_are_one_entry_too(tmp_path: Path) -> None:
    scene, file = a_mount(tmp_path, SPEECH["swarm"])
    more = "".join(f',"x{each}":"y"' for each in range(2 * META_FIELDS))
    lines = [swarm_line(f"{each}").replace(b"}\n", more.encode() + b"}\n") for each in range(5)]

    taken_in(scene, file, swarm_line("before") + b"".join(lines) + swarm_line("after"))

    assert scene.bodies() == ["before", "after"]
    [item] = scene.bus.quarantine()
    assert kept(scene, item) == b"".join(lines)


@every_dialect
def test_junk_that_stood_there_before_a_rewrite_is_no_new_junk(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    taken_in(scene, file, speech.says("one") + junk(30))

    saved = file.with_name("saved")
    saved.write_bytes(speech.says("zero") + speech.says("one") + junk(30) + junk(3, first=30))
    saved.rename(file)
    left_alone(file)
    scene.settle()

    assert sorted(scene.bodies()) == ["one", "zero"]
    assert [item.lines for item in scene.bus.quarantine()] == [30, 3]


# --- what it costs ---


@every_dialect
def test_ten_times_the_junk_opens_and_syncs_no_more_files(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    taken_in(scene, file, junk(1))
    calls = []

    for count in (100, 1_000):
        append(file, junk(count))
        left_alone(file)
        with counted() as found:
            scene.sync()
        calls.append(found)

    assert calls[1] <= calls[0]


def test_junk_between_messages_opens_and_syncs_no_more_files_either(tmp_path: Path) -> None:
    speech = SPEECH["swarm"]
    scene, file = a_mount(tmp_path, speech)
    taken_in(scene, file, speech.says("I live here") + junk(1))
    calls = []

    for count in (100, 1_000):
        append(file, b"".join(speech.says(f"{count} {each}") + junk(1, first=each) for each in range(count)))
        left_alone(file)
        with counted() as found:
            scene.sync()
        calls.append(found)

    assert calls[1] <= calls[0]


def test_what_many_odd_lines_are_told_is_bounded(tmp_path: Path) -> None:
    scene, file = a_mount(tmp_path, SPEECH["swarm"])
    count = 4 * FINDINGS

    taken_in(scene, file, b"".join(swarm_line(f"{each}", to=f"nobody{each}") for each in range(count)))
    taken_in(scene, file, b"".join(swarm_line(f"ghp_{'a' * 36} {each}") for each in range(count)))

    assert len(scene.bodies()) == 2 * count
    assert 0 < len(scene.notices()) <= FINDINGS
    assert 0 < len(scene.codes()) <= 2 * FINDINGS


# --- the limit of what is kept ---


def test_beyond_its_limit_the_quarantine_counts_bytes_and_says_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, file = a_mount(tmp_path, SPEECH["swarm"])
    monkeypatch.setattr(quarantine_store, "QUARANTINE_BYTES", 100)

    taken_in(scene, file, junk(3))
    taken_in(scene, file, junk(100))
    first, second = scene.bus.quarantine()

    assert kept(scene, first) == junk(3)
    assert scene.account("swarm", "channel.jsonl").quarantined == len(junk(3) + junk(100))
    answer = run(scene, "quarantine", "show", second.id)
    assert answer.code == 3
    assert f"look at byte {second.offset} of channel.jsonl" in answer.err


# --- retry ---


@pytest.fixture
def chat(tmp_path: Path) -> tuple[Scene, list[bytes]]:
    """Return a chat log with junk in it that was mounted as something else, and now is what it is."""
    scene = Scene(tmp_path / "bus")
    file = scene.mount("runbus", "talk", file="chat.log") / "chat.log"
    # A line without words cannot be read in a chat log either.
    empty = [b"2026-01-01 10:00:0%d JIM -> CLAWDY:\n" % each for each in range(2, 5)]
    lines = [
        b"2026-01-01 10:00:00 JIM -> CLAWDY: hello\n", b"".join(empty[:2]),
        b"2026-01-01 10:00:01 CLAWDY -> JIM: fine\n", empty[2],
    ]  # fmt: skip
    taken_in(scene, file, b"".join(lines))
    make_it_a_chat(scene)
    return scene, lines


def make_it_a_chat(scene: Scene) -> None:
    config = scene.folder / ".palaver/config.toml"
    said = config.read_text().replace('dialect = "runbus"', 'dialect = "collab"')
    config.write_text(said.replace('file = "chat.log"', 'a = "jim"\nb = "clawdy"'))
    scene.restart()
    scene.settle()


def test_a_retry_takes_in_what_is_understood_and_quarantines_the_rest_again(
    chat: tuple[Scene, list[bytes]],
) -> None:
    scene, lines = chat
    [item] = scene.bus.quarantine()

    answer = run(scene, "quarantine", "retry", item.id)
    scene.settle()

    assert answer.code == 1
    assert "parsed in part" in answer.out
    assert scene.bodies() == ["hello", "fine"]
    [rest] = scene.bus.quarantine()
    assert kept(scene, rest) == lines[1] + lines[3]
    assert (rest.lines, rest.places, rest.offset) == (3, 2, len(lines[0]))
    account = scene.account("talk", "chat.log")
    assert (account.quarantined, account.events) == (len(lines[1] + lines[3]), len(lines[0] + lines[2]))


def test_a_second_retry_takes_nothing_in_twice(chat: tuple[Scene, list[bytes]]) -> None:
    scene, _ = chat
    [item] = scene.bus.quarantine()
    run(scene, "quarantine", "retry", item.id)
    rest = [each.id for each in scene.bus.quarantine()]
    scene.settle()
    before, accounts = scene.head(), scene.accounts()

    answer = run(scene, "quarantine", "retry", item.id, *rest)
    scene.restart()
    scene.settle()

    assert answer.out.count("still cannot be parsed") == 1
    assert scene.head() == before
    assert scene.accounts() == accounts
    assert scene.bodies() == ["hello", "fine"]


def test_a_retry_takes_in_each_line_of_an_entry_in_several_places(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    file = scene.mount("runbus", "talk", file="chat.log") / "chat.log"
    said = [b"2026-01-01 10:00:0%d JIM -> CLAWDY: n%d\n" % (each, each) for each in range(3)]
    taken_in(scene, file, b"".join(line + SPEECH["runbus"].says(f"block {n}") for n, line in enumerate(said)))
    make_it_a_chat(scene)
    [item] = scene.bus.quarantine()
    assert (item.places, kept(scene, item)) == (3, b"".join(said))

    answer = run(scene, "quarantine", "retry", item.id)
    scene.settle()

    assert answer.code == 0
    assert scene.bodies()[-3:] == ["n0", "n1", "n2"]
    assert scene.bus.quarantine() == []
    assert scene.account("talk", "chat.log").quarantined == 0


def test_an_entry_in_several_places_survives_a_retry_and_a_rebuild(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    file = scene.mount("swarm") / "channel.jsonl"
    wrong = [swarm_line(f"{each}").replace(b'"message"', b'"chatter"') for each in range(3)]
    taken_in(scene, file, b"".join(line + swarm_line(f"good {each}") for each, line in enumerate(wrong)))
    [item] = scene.bus.quarantine()

    first = run(scene, "quarantine", "retry", item.id)
    shown = run(scene, "quarantine", "show", item.id)

    assert first.code == 1
    assert "still cannot be parsed" in first.out
    assert "3 lines" in shown.out
    assert "in 3 places" in shown.out
    assert scene.bus.quarantine() == [item]
    # The entry survives the view: all of it is in the log.
    run(scene, "rebuild")
    scene.restart()
    assert scene.bus.quarantine() == [item]
    assert kept(scene, item) == b"".join(wrong)


# --- for people ---


def test_the_list_and_the_entry_show_how_many_lines_and_bytes_there_are(tmp_path: Path) -> None:
    scene, file = a_mount(tmp_path, SPEECH["swarm"])
    taken_in(scene, file, junk(2_000))
    [item] = scene.bus.quarantine()

    listed = run(scene, "quarantine", "list")
    shown = run(scene, "quarantine", "show", item.id)

    assert f"{item.id}  file  2000 lines, {item.length} bytes" in listed.out
    assert "junk 0" in shown.out
    assert "bytes more" in shown.out
    assert len(shown.out) < 20_000
