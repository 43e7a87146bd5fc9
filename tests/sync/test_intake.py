"""A file that agents append to, and all that befalls such files: nothing twice, nothing missing."""

import os
import shutil
from pathlib import Path

import pytest

from palaver.model.event import flag, text
from palaver.sync import foreign_file
from palaver.sync.accounts import Account
from tests.sync.scene import Scene, append, left_alone
from tests.sync.spoken import SPEECH, SPEECHES, Speech

every_dialect = pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
# Dialects whose messages have no ids of their own.
without_ids = pytest.mark.parametrize(
    "speech",
    [each for each in SPEECHES if each.dialect not in ("runbus", "vermas")],
    ids=lambda each: each.dialect,
)
# Dialects in which a line is a message by itself.
by_line = pytest.mark.parametrize(
    "speech", [each for each in SPEECHES if each.dialect != "runbus"], ids=lambda each: each.dialect
)


def a_mount(tmp_path: Path, speech: Speech) -> tuple[Scene, Path]:
    """Return a bus with one mount, and the file that agents write to there."""
    scene = Scene(tmp_path / "bus")
    folder = scene.mount(speech.dialect, **speech.settings)
    return scene, folder / speech.file


def is_known(account: Account) -> bool:
    """Return True if the bus has put a file right: then the log had all of its bytes before."""
    return account.mount == "vermas" and account.ours == account.size


def rewritten_by_others(scene: Scene, speech: Speech) -> int:
    """Return how often others rewrote the file; what the bus puts right after that does not count."""
    events = [each for each in scene.events("file.rewritten") if not flag(each.data, "ours")]
    return sum(text(each.src or {}, "file") == speech.file for each in events)


@every_dialect
def test_every_appended_message_is_taken_in_once_and_in_order(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)

    for n in range(5):
        append(file, speech.says(f"one {n}") + speech.says(f"two {n}"))
        scene.settle()
        scene.restart()

    assert scene.bodies() == [f"{word} {n}" for n in range(5) for word in ("one", "two")]
    assert {event.actor for event in scene.mail()} == {speech.sender}


@every_dialect
def test_a_pass_over_files_that_did_not_change_does_nothing(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("hello"))
    scene.settle()
    before = scene.head()

    for _ in range(3):
        scene.restart()
        assert not scene.sync().busy

    assert scene.head() == before


@every_dialect
def test_a_process_that_has_read_a_file_opens_it_again_only_when_it_changes(
    tmp_path: Path, speech: Speech, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("hello"))
    scene.settle()
    # A file that the bus has put right is new, too.
    left_alone(file)
    scene.settle()
    opened: list[str] = []
    right = foreign_file.open_to_read

    def noted(path: str) -> tuple[int, os.stat_result]:
        opened.append(path)
        return right(path)

    monkeypatch.setattr(foreign_file, "open_to_read", noted)

    scene.sync()
    assert str(file) not in opened

    append(file, speech.says("and again"))
    scene.settle()
    assert str(file) in opened
    assert scene.bodies() == ["hello", "and again"]


@every_dialect
def test_a_message_is_taken_in_when_its_last_byte_is_there_and_not_before(
    tmp_path: Path, speech: Speech
) -> None:
    scene, file = a_mount(tmp_path, speech)
    content = speech.says("slowly written")

    for place in range(len(content) - 1):
        append(file, content[place : place + 1])
        if place % 7 == 0 or place > len(content) - 4:
            scene.settle()
            if speech.dialect != "runbus" or place < len(content) - 4:
                assert scene.bodies() == []
                assert scene.account(speech.dialect, speech.file).pending == place + 1
    append(file, content[-1:])
    scene.settle()

    assert scene.bodies() == ["slowly written"]
    assert scene.account(speech.dialect, speech.file).pending == 0


@by_line
def test_an_end_without_a_newline_waits_for_ever_and_is_whole_with_it(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    # Mail to nobody is put right in the file, for which its last line is ended: see test_marks.py.
    content = (speech.says("first") + speech.says("second")).replace(b"qa/bot", b"operations")
    append(file, content.rstrip(b"\n"))
    left_alone(file)

    scene.settle()
    waiting = scene.bodies()
    append(file, b"\n")
    scene.settle()

    assert waiting == ["first"]
    assert scene.bodies() == ["first", "second"]


@every_dialect
def test_a_torn_line_before_a_whole_one_costs_at_most_itself(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    torn = speech.says("torn")
    append(file, speech.says("first") + torn[: len(torn) // 2] + b"\n" + speech.says("third"))
    left_alone(file)

    scene.settle()

    assert scene.bodies()[0] == "first"
    assert scene.bodies()[-1] == "third"
    account = scene.account(speech.dialect, speech.file)
    assert account.pending == 0
    assert is_known(account) or account.quarantined or len(scene.bodies()) == 3 or speech.dialect == "runbus"
    assert scene.bus.quarantine() or len(scene.bodies()) == 3 or speech.dialect == "runbus"
    assert torn[: len(torn) // 2] + b"\n" in file.read_bytes()


@every_dialect
@pytest.mark.parametrize("ending", ["CRLF", "BOM"])
def test_what_windows_writes_is_read_all_the_same(tmp_path: Path, speech: Speech, ending: str) -> None:
    scene, file = a_mount(tmp_path, speech)
    content = speech.says("one") + speech.says("two")
    content = content.replace(b"\n", b"\r\n") if ending == "CRLF" else b"\xef\xbb\xbf" + content

    append(file, content)
    left_alone(file)
    scene.settle()

    assert scene.bodies() == ["one", "two"]


@every_dialect
def test_bytes_that_are_no_text_are_kept_whole_and_the_rest_is_read(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    rubbish = b"\x00\x00\xff\xfe rubbish \xed\xa0\x80\n"

    append(file, speech.says("one"))
    scene.settle()
    append(file, rubbish)
    append(file, speech.says("two"))
    left_alone(file)
    scene.settle()

    assert scene.bodies() == ["one", "two"]
    kept = b"".join(
        path.read_bytes() for path in Path(scene.bus.root.quarantine).iterdir() if path.suffix == ".bin"
    )
    assert kept.strip() == rubbish.strip()


@every_dialect
def test_saved_by_an_editor_only_new_lines_are_new(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one") + speech.says("two") + speech.says("three"))
    scene.settle()

    saved = file.with_name("saved")
    saved.write_bytes(speech.says("zero") + speech.says("one") + speech.says("three") + speech.says("four"))
    saved.rename(file)
    left_alone(file)
    scene.settle()
    append(file, speech.says("five"))
    scene.settle()

    assert scene.bodies() == ["one", "two", "three", "zero", "four", "five"]
    assert rewritten_by_others(scene, speech) == 1


@without_ids
def test_a_line_that_stands_once_more_after_a_rewrite_is_one_more_message(
    tmp_path: Path, speech: Speech
) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("again") * 2)
    scene.settle()

    saved = file.with_name("saved")
    saved.write_bytes(speech.says("again") * 3)
    saved.rename(file)
    scene.settle()

    assert scene.bodies() == ["again"] * 3


@every_dialect
def test_truncated_and_grown_again_only_new_lines_are_new(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one") + speech.says("two"))
    scene.settle()

    os.truncate(file, 0)
    scene.settle()
    append(file, speech.says("two") + speech.says("three") + speech.says("four"))
    left_alone(file)
    scene.settle()

    assert scene.bodies() == ["one", "two", "three", "four"]


@every_dialect
def test_truncated_and_grown_beyond_its_old_size_between_two_passes(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one") + speech.says("two"))
    scene.settle()

    os.truncate(file, 0)
    append(file, b"".join(speech.says(f"new {n}") for n in range(6)))
    left_alone(file)
    scene.settle()

    assert scene.bodies() == ["one", "two", *(f"new {n}" for n in range(6))]


@every_dialect
def test_rotated_away_the_new_file_is_a_new_life(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one"))
    scene.settle()

    file.rename(file.with_name("old.1"))
    append(file, speech.says("two"))
    left_alone(file)
    scene.settle()

    assert scene.bodies() == ["one", "two"]


@every_dialect
def test_deleted_and_made_again_is_a_new_life_with_the_same_inode_too(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one") + speech.says("two"))
    scene.settle()

    for n in range(5):
        file.unlink()
        append(file, speech.says("two") + speech.says(f"life {n}"))
        left_alone(file)
        scene.settle()

    assert scene.bodies() == ["one", "two", *(f"life {n}" for n in range(5))]


@every_dialect
def test_deleted_for_a_while_and_put_back_repeats_nothing(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one") + speech.says("two"))
    scene.settle()
    away = file.with_name("away")

    file.rename(away)
    scene.settle()
    away.rename(file)
    scene.settle()
    append(file, speech.says("three"))
    scene.settle()

    assert scene.bodies() == ["one", "two", "three"]


@every_dialect
def test_restored_from_a_backup_and_grown_repeats_nothing_and_misses_nothing(
    tmp_path: Path, speech: Speech
) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one") + speech.says("two"))
    scene.settle()
    backup = tmp_path / "backup"
    shutil.copy(file, backup)
    append(file, speech.says("three"))
    scene.settle()

    # In place, so that inode and size say nothing: it is as long as before.
    file.write_bytes(backup.read_bytes() + speech.says("THREE"))
    left_alone(file)
    scene.settle()
    append(file, speech.says("three") + speech.says("four"))
    left_alone(file)
    scene.settle()

    assert scene.bodies() == ["one", "two", "three", "THREE", "four"]


@by_line
def test_an_old_line_that_is_edited_in_place_is_said_and_the_original_stays(
    tmp_path: Path, speech: Speech
) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one") + speech.says("two"))
    scene.settle()

    file.write_bytes(file.read_bytes().replace(b"two", b"TWO"))
    left_alone(file)
    scene.settle()

    assert scene.bodies() == ["one", "two", "TWO"]
    assert rewritten_by_others(scene, speech) == 1


@by_line
def test_sed_in_place_takes_nothing_in_again(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, b"".join(speech.says(f"line {n}") for n in range(20)))
    scene.settle()

    assert os.system(f"sed -i '/line 7/d' '{file}'") == 0  # noqa: S605 - as an agent does it
    scene.settle()
    append(file, speech.says("line 7") + speech.says("line 20"))
    scene.settle()

    # It stood there before, and was gone; whoever writes it again says it again only if it stands more often.
    assert scene.bodies() == [f"line {n}" for n in range(21)]


@every_dialect
def test_lines_by_the_thousand_at_once_are_all_taken_in(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    count = 3_000

    append(file, b"".join(speech.says(f"n{n}") for n in range(count)))
    scene.settle()

    assert scene.bodies() == [f"n{n}" for n in range(count)]


@by_line
def test_an_endless_line_is_put_away_in_pieces_and_what_follows_is_read(
    tmp_path: Path, speech: Speech
) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one"))
    with file.open("ab") as end:
        for _ in range(5):
            end.write(b"x" * (1 << 20))
    scene.settle()
    append(file, b"\n" + speech.says("two"))
    scene.settle()

    assert scene.bodies() == ["one", "two"]
    account = scene.account(speech.dialect, speech.file)
    assert is_known(account) or account.quarantined + account.blank == 5 * (1 << 20) + 1
    assert account.pending == 0
    assert sum(item.length for item in scene.bus.quarantine()) == 5 * (1 << 20) + 1
    assert b"x" * (5 << 20) in file.read_bytes()


@by_line
def test_a_hole_of_nothing_is_put_away_and_what_follows_is_read(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one"))
    os.truncate(file, 64 << 20)
    append(file, b"\n" + speech.says("two"))

    scene.settle()

    assert scene.bodies() == ["one", "two"]
    assert scene.account(speech.dialect, speech.file).pending == 0


@every_dialect
def test_mounting_history_takes_it_all_in_and_a_second_time_adds_nothing(
    tmp_path: Path, speech: Speech
) -> None:
    scene = Scene(tmp_path / "bus")
    folder = scene.folder / speech.dialect
    file = folder / speech.file
    file.parent.mkdir(parents=True)
    file.write_bytes(b"".join(speech.says(f"old {n}") for n in range(50)))
    left_alone(file)

    scene.mount(speech.dialect, **speech.settings)
    first = scene.bodies()
    scene.unmount(speech.dialect)
    scene.sync()
    scene.mount(speech.dialect, **speech.settings)

    assert first == [f"old {n}" for n in range(50)]
    assert scene.bodies() == first


@every_dialect
def test_history_of_another_name_is_told_apart_by_its_ids_alone(tmp_path: Path, speech: Speech) -> None:
    scene, file = a_mount(tmp_path, speech)
    append(file, speech.says("one"))
    scene.settle()

    scene.unmount(speech.dialect)
    append(file, speech.says("while away"))
    left_alone(file)
    scene.mount(speech.dialect, **speech.settings)

    assert scene.bodies() == ["one", "while away"]


def test_a_file_in_the_swarm_that_says_the_same_twice_says_it_twice(tmp_path: Path) -> None:
    speech = SPEECH["swarm"]
    scene, file = a_mount(tmp_path, speech)

    append(file, speech.says("again"))
    scene.settle()
    append(file, speech.says("again"))
    scene.settle()

    assert scene.bodies() == ["again", "again"]


def test_a_long_end_of_nothing_is_read_once_and_counts_as_blank(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    channel = scene.mount("swarm") / "channel.jsonl"
    append(channel, SPEECH["swarm"].says("before") + b"\n" * 300_000)
    scene.settle()
    scene.restart()

    report = scene.settle()
    append(channel, SPEECH["swarm"].says("behind"))
    scene.settle()

    assert report.bytes == 0
    assert scene.bodies("swarm") == ["before", "behind"]
    assert scene.account("swarm", "channel.jsonl").blank == 300_000
