"""A log that has lost its end, or whose history was rewritten, does not verify.

The checksums and links inside the log cannot show either, so what was synced is also known outside the log:
in the state folder of the user, in the position of the view, and in the snapshots.
"""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project import Answer, Project
from tests.acceptance.trust.records import change_as_redaction, cut_last_lines, rewrite, segments
from tests.processes.faults import strace

# Records 1 to 3 are made by the setup; then there are four messages.
LAST: Final = 7
FIRST_CUT: Final = 6
REWRITTEN: Final = 5

# Choice: a snapshot of such a log may still be made, as long as the loss is named.
COMMANDS: Final = (("verify", {1}), ("doctor", {1}), ("snapshot", {0, 1}))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of a project with seven records: four are messages to bob, who has listed his mail."""
    base = tmp_path_factory.mktemp("anchors") / "base"
    project = Project.create(base, "ada")
    project.do("agents", "add", "bob", agent="ada")
    for number in range(4, LAST + 1):
        project.do("send", "bob", "-m", f"message {number}", agent="ada")
    project.do("inbox", agent="bob")
    verdict = json.loads(project.do("verify", "--json").out)
    if verdict["last_seq"] != LAST:
        raise RuntimeError(f"setup failed: {verdict}")
    return shutil.copytree(base, base.with_name("kept"), symlinks=True)


@pytest.fixture
def written(kept: Path) -> Project:
    """Return the project as it was, where it was: an anchor may know its path."""
    base = kept.with_name("base")
    shutil.rmtree(base)
    return Project.copy(kept, base)


def cut(project: Project) -> None:
    cut_last_lines(project, LAST - FIRST_CUT + 1)


def cut_off(project: Project, size: int) -> None:
    """Leave so many bytes of the first record that is cut; without so many of its end, if less than 0."""
    [segment] = segments(project)
    lines = segment.read_bytes().splitlines(keepends=True)[:FIRST_CUT]
    segment.write_bytes(b"".join([*lines[:-1], lines[-1][:size]]))


def rewrite_history(project: Project) -> None:
    rewrite(project, b"message 5", b"message X")


def names(result: Answer, number: int) -> bool:
    """Tell whether an output names a record."""
    return re.search(rf"\b0*{number}\b", result.text) is not None


def remove_last_segment(project: Project) -> int:
    """Fill the first segment, and remove the second; return the first record that was in it."""
    for _ in range(6):
        project.do("send", "bob", "-m", "-", agent="ada", stdin=b"x" * 800_000)
    project.do("inbox", agent="bob")
    *others, last = segments(project)
    if not others:
        raise RuntimeError(f"setup failed: {last} is the only segment")
    last.unlink()
    return int(last.stem)


def test_an_untouched_log_verifies(written: Project) -> None:
    verified, examined = written.run("verify"), written.run("doctor")

    assert (verified.code, examined.code) == (0, 0), (verified, examined)


def test_a_changed_record_whose_links_were_not_recomputed_is_named(written: Project) -> None:
    [segment] = segments(written)
    segment.write_bytes(segment.read_bytes().replace(b"message 5", b"message X"))

    verified = written.run("verify")

    assert verified.code == 1, verified
    assert names(verified, REWRITTEN), verified


@pytest.mark.parametrize(("command", "code"), COMMANDS)
def test_a_log_that_lost_its_last_lines_is_named_with_the_first_missing_number(
    written: Project, command: str, code: set[int]
) -> None:
    cut(written)

    told = written.run(command)

    assert names(told, FIRST_CUT), told
    assert told.code in code, told


def test_a_log_that_lost_its_last_segment_is_named_with_the_first_missing_number(written: Project) -> None:
    first_missing = remove_last_segment(written)

    verified = written.run("verify")

    assert verified.code == 1, verified
    assert names(verified, first_missing), verified


# An anchor knows the head of its time. So the rewritten record, or one behind it up to the end, is named.
@pytest.mark.parametrize(("command", "code"), COMMANDS)
def test_a_log_whose_history_was_rewritten_is_named(written: Project, command: str, code: set[int]) -> None:
    rewrite_history(written)

    told = written.run(command)

    assert any(names(told, number) for number in range(REWRITTEN, LAST + 1)), told
    assert told.code in code, told


def remove_state_folder(project: Project) -> None:
    shutil.rmtree(project.home)
    project.home.mkdir()


def remove_views(project: Project) -> None:
    for path in (project.root / "view").iterdir():
        path.unlink()


@pytest.mark.parametrize("damage", [cut, rewrite_history])
@pytest.mark.parametrize("anchor", ["state folder", "view", "snapshot"])
def test_each_anchor_alone_shows_the_damage(
    written: Project, anchor: str, damage: Callable[[Project], None]
) -> None:
    if anchor == "snapshot":
        written.do("snapshot")
    if anchor != "state folder":
        remove_state_folder(written)
    if anchor != "view":
        remove_views(written)
    damage(written)

    verified = written.run("verify")

    assert verified.code == 1, verified
    assert any(names(verified, number) for number in range(REWRITTEN, LAST + 1)), verified


def test_using_a_log_that_lost_its_end_does_not_hide_the_loss(written: Project) -> None:
    remove_state_folder(written)
    cut(written)
    written.run("inbox", agent="bob")
    written.run("send", "bob", "-m", "the first after the loss", agent="ada")
    written.run("rebuild")

    verified = written.run("verify")

    assert verified.code == 1, verified
    assert names(verified, FIRST_CUT), verified


@pytest.mark.parametrize("command", ["verify", "doctor"])
@pytest.mark.parametrize("size", [20, 1, -20])
@pytest.mark.parametrize("is_read", [True, False], ids=["read-between", "not-read-between"])
def test_a_log_that_was_cut_off_in_a_record_is_named_also_after_others_were_written(
    written: Project, command: str, size: int, is_read: bool
) -> None:
    cut_off(written, size)
    if is_read:
        written.do("inbox", agent="bob")
    for number in range(4):
        written.do("send", "bob", "-m", f"after the loss {number}", agent="ada")
    written.do("inbox", agent="bob")

    told = written.run(command)

    assert told.code == 1, told
    assert f"records {FIRST_CUT} to {LAST} are missing" in told.out, told


def test_the_end_of_a_record_that_was_filled_with_zeros_is_named_also_after_others_were_written(
    written: Project,
) -> None:
    [segment] = segments(written)
    content = segment.read_bytes()
    segment.write_bytes(content[:-60] + bytes(60))
    written.do("send", "bob", "-m", "after the loss", agent="ada")

    verified = written.run("verify")

    assert verified.code == 1, verified
    assert f"record {LAST} is missing" in verified.out, verified


def test_a_log_that_was_cut_off_in_a_record_is_accepted_once(written: Project) -> None:
    cut_off(written, 20)
    written.do("send", "bob", "-m", "after the loss", agent="ada")

    accepted, verified = written.run("verify", "--accept", agent="ada"), written.run("verify")

    assert (accepted.code, verified.code) == (0, 0), (accepted, verified)
    assert f"records {FIRST_CUT} to {LAST} were lost; ada accepted it" in verified.out


def restore_backup(project: Project) -> None:
    """Put the project back to a copy that was made two messages ago."""
    backup = project.folder / "backup"
    shutil.copytree(project.root, backup, symlinks=True)
    for number in (LAST + 1, LAST + 2):
        project.do("send", "bob", "-m", f"message {number}", agent="ada")
    project.do("inbox", agent="bob")
    shutil.rmtree(project.root)
    shutil.copytree(backup, project.root, symlinks=True)


def test_a_restored_backup_is_named_with_the_first_missing_number(written: Project) -> None:
    restore_backup(written)

    verified = written.run("verify")

    assert verified.code == 1, verified
    assert names(verified, LAST + 1), verified


def test_a_restored_backup_is_accepted_once_and_verifies_from_then_on(written: Project) -> None:
    restore_backup(written)

    accepted = written.run("verify", "--accept", agent="ada")

    assert accepted.code == 0, accepted
    verified = written.run("verify")
    assert verified.code == 0, verified


def test_half_a_record_that_a_power_cut_left_is_no_alarm(written: Project) -> None:
    [segment] = segments(written)
    whole = segment.read_bytes()
    segment.write_bytes(whole + whole.splitlines()[-1][:40])
    written.do("send", "bob", "-m", "after the power cut", agent="ada")

    verified = written.run("verify")

    assert verified.code == 0, verified


def test_a_record_that_was_lost_before_it_was_acknowledged_is_no_alarm(written: Project) -> None:
    [segment] = segments(written)
    synced = segment.read_bytes()
    killed = written.run(
        "send", "bob", "-m", "never synced", agent="ada", under=strace("fdatasync:signal=SIGKILL:when=1")
    )
    if killed.code == 0 or b"never synced" not in segment.read_bytes():
        raise RuntimeError(f"setup failed: the sender was not killed before the sync: {killed}")
    segment.write_bytes(synced)

    verified = written.run("verify")

    assert verified.code == 0, verified


def test_a_state_folder_that_cannot_be_written_is_a_note(written: Project) -> None:
    remove_state_folder(written)
    (written.home / "file").touch()
    # Not even root makes a folder below a file.
    homeless = {"HOME": f"{written.home}/file", "XDG_STATE_HOME": f"{written.home}/file/state"}

    sent = written.run("send", "bob", "-m", "hello", agent="ada", env=homeless)
    verified, examined = (written.run(command, env=homeless) for command in ("verify", "doctor"))

    assert (sent.code, verified.code, examined.code) == (0, 0, 0), (sent, verified, examined)
    assert f"{written.home}/file" in verified.text + examined.text


def test_a_script_tells_verify_which_head_it_expects(written: Project) -> None:
    head = str(written.do("verify", "--json").fields["head"])

    met = written.run("verify", "--expect", head)
    cut(written)
    missed = written.run("verify", "--expect", head)

    assert (met.code, missed.code) == (0, 1), (met, missed)


def test_a_head_that_was_kept_is_found_in_a_log_that_has_grown(written: Project) -> None:
    head = str(written.do("verify", "--json").fields["head"])
    written.do("send", "bob", "-m", "one more", agent="ada")

    met, odd = written.run("verify", "--expect", head), written.run("verify", "--expect", "seven")

    assert met.code == 0, met
    assert odd.code == 2, odd


def test_an_accepted_loss_is_on_record(written: Project) -> None:
    restore_backup(written)

    written.do("verify", "--accept", agent="ada")

    [event] = written.events("log.accepted")
    data = event["data"]
    assert isinstance(data, dict)
    assert (event["actor"], data["first"], data["last"]) == ("ada", LAST + 1, LAST + 2)
    verified = written.run("verify")
    assert f"records {LAST + 1} to {LAST + 2} were lost; ada accepted it" in verified.out


def test_a_loss_after_an_accepted_one_is_named(written: Project) -> None:
    restore_backup(written)
    written.do("verify", "--accept", agent="ada")
    cut_last_lines(written, 1)

    verified = written.run("verify")

    assert verified.code == 1, verified
    assert names(verified, LAST + 1), verified


def test_an_accepted_loss_is_no_loss_to_the_next_snapshot(written: Project) -> None:
    written.do("snapshot")
    cut(written)

    refused = written.run("snapshot")
    written.do("verify", "--accept", agent="ada")
    taken = written.run("snapshot")

    assert refused.code == 1, refused
    assert "history-lost" in refused.err
    assert taken.code == 0, taken
    assert written.run("verify").code == 0


def test_an_agent_in_a_run_cannot_accept_a_loss(written: Project) -> None:
    cut(written)

    refused = written.run("verify", "--accept", agent="ada", env={"PALAVER_RUN": "r1"})

    assert refused.code == 4, refused
    assert written.run("verify").code == 1


# The newest message is the head that every anchor knows.
@pytest.mark.parametrize("number", [REWRITTEN, LAST])
def test_a_redacted_message_is_no_alarm(written: Project, number: int) -> None:
    written.do("snapshot")
    written.do("redact", str(number), agent="ada")
    written.do("inbox", agent="bob")

    verified, examined, taken = (written.run(command) for command in ("verify", "doctor", "snapshot"))

    assert (verified.code, examined.code, taken.code) == (0, 0, 0), (verified, examined, taken)


def test_a_history_that_was_rewritten_after_a_redaction_is_named(written: Project) -> None:
    written.do("redact", "4", agent="ada")
    written.do("verify")
    rewrite_history(written)

    verified = written.run("verify")

    assert verified.code == 1, verified


@pytest.mark.parametrize(
    "data",
    [{"body": "message X"}, {"body": "message X", "redacted": True}, {"act": "approve", "task": "t1"}],
    ids=["text", "text-of-a-redacted-message", "act"],
)
def test_a_record_that_was_changed_in_the_form_of_a_redaction_is_named(
    written: Project, data: dict[str, object]
) -> None:
    change_as_redaction(written, REWRITTEN, data)

    verified, examined = written.run("verify"), written.run("doctor")

    assert (verified.code, examined.code) == (1, 1), (verified, examined)
    assert names(verified, REWRITTEN), verified


def test_every_redaction_is_shown(written: Project) -> None:
    written.do("redact", str(REWRITTEN), agent="ada")

    assert f"record {REWRITTEN} was redacted by ada" in written.do("verify").out


def test_a_bus_that_was_moved_keeps_its_anchors(written: Project) -> None:
    moved = written.folder.with_name("moved")
    written.folder.rename(moved)
    written.folder, written.root = moved, moved / ".palaver"
    here = {"PALAVER_TRUST": str(moved)}
    remove_views(written)

    untouched = written.run("verify", env=here)
    cut(written)
    shortened = written.run("verify", env=here)

    assert untouched.code == 0, untouched
    assert shortened.code == 1, shortened
    assert names(shortened, FIRST_CUT), shortened


def test_a_copy_of_a_bus_goes_its_own_way(written: Project) -> None:
    copy = Project(written.folder.parent / "copied")
    shutil.copytree(written.root, copy.root)
    home = {name: written.env[name] for name in ("HOME", "XDG_STATE_HOME")}
    copy.env.update(home)
    for number in (LAST + 1, LAST + 2):
        written.do("send", "bob", "-m", f"message {number}", agent="ada")
    written.do("inbox", agent="bob")
    copy.do("send", "bob", "-m", "another message", agent="ada")
    copy.do("inbox", agent="bob")

    original, copied = written.run("verify"), copy.run("verify")

    assert (original.code, copied.code) == (0, 0), (original, copied)


def test_a_key_that_is_gone_is_a_note(written: Project) -> None:
    (written.home / "state" / "palaver" / "key").unlink()
    written.do("send", "bob", "-m", "with another key", agent="ada")
    written.do("inbox", agent="bob")

    verified = written.run("verify")

    assert verified.code == 0, verified
    assert "note: " in verified.out
    assert "not made with your key" in verified.out


def test_an_anchor_that_was_edited_is_a_note(written: Project) -> None:
    [anchors] = (each for each in (written.home / "state/palaver/anchor").iterdir() if each.name[0] != ".")
    anchors.write_bytes(anchors.read_bytes().replace(b"7 ", b"9 ", 1))

    verified = written.run("verify")

    assert verified.code == 0, verified
    assert "not made with your key" in verified.out


def test_a_read_that_notices_the_loss_still_answers(written: Project) -> None:
    cut(written)

    listed = written.run("inbox", agent="bob")

    assert listed.code == 0, listed
    assert "message 5" in listed.out
    assert "message 6" not in listed.out


def test_a_lost_end_that_was_put_back_is_no_loss(written: Project) -> None:
    [segment] = segments(written)
    whole = segment.read_bytes()
    cut(written)
    written.run("inbox", agent="bob")
    if written.run("verify").code != 1:
        raise RuntimeError("setup failed: the loss was not named")
    segment.write_bytes(whole)

    verified = written.run("verify")

    assert verified.code == 0, verified
    assert written.run("doctor").code == 0
