"""palaver verify, rebuild, doctor, quarantine, snapshot, redact: is all well, and what to do if not."""

from collections.abc import Callable
from pathlib import Path

from tests.cli.spoken import Answer, Shell


def segment(shell: Shell) -> Path:
    [path] = (shell.folder / ".palaver/log").iterdir()
    return path


def flip(path: Path, place: bytes) -> None:
    data = bytearray(path.read_bytes())
    data[data.index(place)] ^= 1
    path.write_bytes(bytes(data))


def test_a_good_log_is_counted(ada: Shell) -> None:
    ada.run("send", "bob", "-m", "hello")

    answer = ada.run("verify")
    verdict = ada.run("verify", "--json").fields

    assert answer.code == 0
    events, size = verdict["events"], segment(ada).stat().st_size
    assert answer.out == f"Good: {events} events in 1 segment, {size} bytes; head {verdict['head']}\n"
    assert (verdict["ok"], verdict["bytes"], verdict["faults"]) == (True, size, [])


def test_a_flipped_bit_is_named_with_its_place(ada: Shell) -> None:
    ada.run("send", "bob", "-m", "hello there")
    flip(segment(ada), b"hello there")

    answer = ada.run("verify")
    verdict = ada.run("verify", "--json")

    assert (answer.code, verdict.code) == (1, 1)
    assert answer.lines[0].startswith("log/000000000001.jsonl:5: ")
    assert answer.lines[-1].startswith("Bad: 1 fault; ")
    assert "1 fault: log/" in ada.run("doctor").out
    assert verdict.fields["ok"] is False


def test_a_damaged_line_costs_only_itself(ada: Shell, bob: Shell) -> None:
    for body in ("first", "second", "third"):
        ada.run("send", "bob", "-m", body)
    flip(segment(ada), b"second")

    ada.run("rebuild")

    assert [line.split()[-1] for line in bob.run("inbox").lines[1:]] == ["first", "third"]
    assert bob.run("quarantine").code == 0


def test_what_is_damaged_is_quarantined_shown_and_tried_again(ada: Shell) -> None:
    ada.run("send", "bob", "-m", "hello there")
    flip(segment(ada), b"hello there")
    ada.run("rebuild")

    [item] = ada.run("quarantine", "--json").rows
    shown = ada.run("quarantine", "show", str(item["id"]))
    still = ada.run("quarantine", "retry", str(item["id"]))
    flip(segment(ada), b"iello there")
    mended = ada.run("quarantine", "retry", str(item["id"]), "--json")

    assert (item["kind"], item["file"]) == ("damaged", "log/000000000001.jsonl")
    assert "iello there" in shown.out
    assert (still.code, still.out) == (1, f"{item['id']}: still cannot be parsed\n")
    assert (mended.code, mended.value) == (0, {item["id"]: True})
    assert ada.run("quarantine").out == "The quarantine is empty\n"
    assert ada.run("inbox", "--as", "bob").lines[1].endswith("hello there")


def test_what_is_not_in_quarantine_is_not_found(inside: Callable[..., Answer]) -> None:
    assert inside("quarantine", "show", "nothing").code == 3
    assert inside("quarantine", "retry", "nothing").code == 3


def test_rebuilding_counts_the_events(ada: Shell) -> None:
    events = ada.run("verify", "--json").fields["events"]

    assert ada.run("rebuild").out == f"Rebuilt: {events} events\n"
    assert ada.run("rebuild", "--json").fields == {"events": events}


def test_a_view_that_is_gone_comes_back_and_says_so(ada: Shell) -> None:
    ada.run("send", "bob", "-m", "hello")
    for path in (ada.folder / ".palaver/view").iterdir():
        path.unlink()

    answer = ada.run("inbox", "--as", "bob")

    assert answer.code == 0
    assert answer.lines[1].endswith("hello")
    assert answer.err == "palaver: the view was rebuilt: it was missing\n"


def test_the_doctor_looks_at_everything_and_is_content(ada: Shell) -> None:
    answer = ada.run("doctor")

    assert answer.code == 0
    assert {line.split()[0] for line in answer.lines} == {"ok"}
    fields = ada.run("doctor", "--json").fields
    assert fields["ok"] is True
    assert isinstance(fields["checks"], list)
    assert len(fields["checks"]) == len(answer.lines)


def test_the_doctor_says_what_is_bad_and_the_way_out(ada: Shell) -> None:
    ada.run("send", "bob", "-m", "hello there")
    flip(segment(ada), b"hello there")
    (ada.folder / ".palaver/log").chmod(0o755)

    answer = ada.run("doctor")

    bad = [line for line in answer.lines if line.startswith("BAD")]
    assert answer.code == 1
    assert any("folders" in line and "chmod 700" in line for line in bad)
    assert any(" log " in line and "palaver verify shows all" in line for line in bad)


def test_a_note_of_the_doctor_is_no_illness(ada: Shell) -> None:
    ada.run("send", "zoe", "-m", "hello", "--allow-unknown")

    answer = ada.run("doctor")

    assert answer.code == 0
    [note] = [line for line in answer.lines if line.startswith("note  addresses        1 message ")]
    resent = note.rpartition("; ")[2].replace("NAME", "bob").split()[1:]
    assert ada.run(*resent).code == 0


def test_a_snapshot_is_a_commit_of_the_log(ada: Shell) -> None:
    first = ada.run("snapshot", "-m", "before the release")
    nothing = ada.run("snapshot")
    ada.run("send", "bob", "-m", "hello")
    second = ada.run("snapshot", "--json")

    own = ada.at(ada.folder / ".palaver")
    assert first.out.startswith("Snapshot: ")
    assert nothing.out == "Nothing has changed since the last snapshot\n"
    assert own.git("log", "--format=%s").splitlines() == ["snapshot", "before the release"]
    assert str(second.fields["commit"]) in own.git("log", "--format=%h")
    assert own.git("show", f"HEAD:log/{segment(ada).name}").encode() == ada.log()


def test_a_snapshot_of_nothing_new_is_null_for_a_program(ada: Shell) -> None:
    ada.run("snapshot")

    assert ada.run("snapshot", "--json").fields == {"commit": None, "faults": 0}


def test_redacting_takes_the_words_out_of_log_view_search_and_snapshots(ada: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "the hidden treasure", "--json").fields
    ada.run("search", "treasure")
    ada.run("snapshot")

    answer = ada.run("redact", str(sent["seq"]), "--reason", "private")

    assert answer.code == 0
    assert answer.lines[0] == f"Redacted: {sent['seq']}"
    assert ada.run("search", "treasure").out == "No messages\n"
    assert ada.run("inbox", "--as", "bob").lines[1].endswith("(redacted)")
    assert ada.run("read", "--as", "bob").out.endswith("\n\n(redacted)\n")
    assert ada.at(ada.folder / ".palaver").git("log", "--all", "-p", "-S", "treasure") == ""
    verdict = ada.run("verify")
    assert verdict.code == 0
    assert verdict.lines[0] == f"record {sent['seq']} was redacted by ada"
    left = [
        path
        for path in (ada.folder / ".palaver").rglob("*")
        if path.is_file() and b"treasure" in path.read_bytes()
    ]
    assert left == []


def test_a_message_is_redacted_by_its_id(ada: Shell) -> None:
    sent = ada.run("send", "bob", "-m", "the hidden treasure", "--json").fields

    answer = ada.run("redact", str(sent["id"]), "--json")

    assert (answer.code, answer.fields["redacted"]) == (0, sent["seq"])
    assert ada.run("read", "--as", "bob").out.endswith("\n\n(redacted)\n")


def test_redacting_twice_is_no_error(ada: Shell) -> None:
    seq = str(ada.run("send", "bob", "-m", "the hidden treasure", "--json").fields["seq"])
    ada.run("redact", seq)

    again = ada.run("redact", seq, "--json")

    assert again.code == 0
    assert again.fields == {
        "redacted": int(seq),
        "done": [f"{seq} was redacted before"],
        "held": [],
        "rewritten": [],
    }


def test_only_what_was_said_can_be_redacted(inside: Callable[..., Answer]) -> None:
    assert inside("redact", "1").code == 2
    assert inside("redact", "999").code == 3
    assert inside("redact", "msg-x").code == 3
    assert inside("redact", "-1").code == 2
    assert inside("redact", "0").code == 3


def test_the_doctor_names_a_way_out_once(ada: Shell) -> None:
    view = ada.folder / ".palaver/view"
    for each in view.iterdir():
        each.unlink()
    view.rmdir()
    view.write_text("in the way")

    [line] = [each for each in ada.run("doctor").lines if each.startswith("BAD   view ")]

    assert line.endswith("Not a directory; fix it and try again")
