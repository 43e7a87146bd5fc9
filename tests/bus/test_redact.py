"""Redaction: a text leaves every file of the bus, the log still verifies, and says who did it."""

import subprocess
from pathlib import Path

import pytest

from palaver import Bus
from palaver.bus.admin.redact import _kept
from palaver.log import segments
from palaver.log.record import decode, hashed
from palaver.log.redaction import _redacted
from palaver.model.event import Draft
from palaver.views.mail import search
from tests.bus.scene import bodies, bus_in, environment, ids, refused, stage

pytestmark = pytest.mark.on_disk("it looks for the text in every file of the bus")

SECRET = "hunter2-open-sesame"


def everything(bus: Bus) -> bytes:
    """Return every byte under the bus, and of every object of its snapshots."""
    files = [path.read_bytes() for path in Path(bus.root.path).rglob("*") if path.is_file()]
    objects = subprocess.run(
        ["git", "-C", bus.root.path, "cat-file", "--batch-all-objects", "--batch"],
        capture_output=True,
        check=True,
        env=environment(),
    ).stdout
    return b"\n".join([*files, objects])


def bus_with_secret(folder: Path) -> tuple[Bus, int]:
    """Make a bus where a secret is everywhere that it can be; return the number of its event."""
    bus = bus_in(folder, "bob")
    bus.send("bob", "before")
    sent = bus.send(
        "bob", f"the word is {SECRET}", subject=f"about {SECRET}", reasoning=SECRET, artifacts=[SECRET],
        meta={"word": SECRET}, files=[{"path": SECRET}], priority="urgent",
    )  # fmt: skip
    bus.send("bob", "after")
    bus.inbox("bob")
    bus.search(SECRET)
    bus.snapshot("with the secret")
    assert everything(bus).count(SECRET.encode()) >= 4
    return bus, sent.message.seq


def test_a_redacted_text_is_in_no_file_any_more(tmp_path: Path) -> None:
    bus, seq = bus_with_secret(tmp_path)
    size = [path.stat().st_size for path in Path(bus.root.log).iterdir()]

    done = bus.redact(seq, reason="a password").done

    assert SECRET.encode() not in everything(bus)
    assert len(done) == 2
    assert [path.stat().st_size for path in Path(bus.root.log).iterdir()] >= size
    assert bus.search("word") == bus.search(SECRET) == []
    assert bus.search("after") != []


def test_the_log_still_verifies_and_says_who_redacted_what(tmp_path: Path) -> None:
    bus, seq = bus_with_secret(tmp_path)

    bus.redact(seq, reason="a password")
    verdict = bus.verify()

    assert verdict.good
    assert verdict.redacted == [(seq, "ada")]
    [event] = bus.events(event_type="log.redacted")
    assert (event.actor, event.data["seq"], event.data["reason"]) == ("ada", seq, "a password")


def test_a_redacted_message_keeps_its_place_its_reader_and_its_stage(tmp_path: Path) -> None:
    bus, seq = bus_with_secret(tmp_path)
    order = ids(bus, "bob")
    message_id = order[0]
    bus.read([message_id], agent="bob")

    bus.redact(seq)

    assert ids(bus, "bob") == order
    assert bodies(bus, "bob") == ["", "before", "after"]
    [mail] = [mail for mail in bus.inbox("bob").mail if mail.message.id == message_id]
    message = mail.message
    assert (message.redacted, message.sender, message.to, message.priority) == (
        True,
        "ada",
        ["bob"],
        "urgent",
    )
    assert (message.subject, message.reasoning, message.meta, message.files, message.artifacts) == (
        "",
        "",
        {},
        [],
        [],
    )
    assert stage(bus, message_id, "bob") == "read"
    bus.ack([message_id], agent="bob")
    assert bus.reply(message_id, "understood", sender="bob").message.thread == message.thread


@pytest.mark.parametrize("length", range(31))
def test_however_short_a_text_is_it_can_be_redacted(tmp_path: Path, length: int) -> None:
    bus = bus_in(tmp_path, "b", "bob")
    sent = bus.send(["b", "bob"], "z" * length, act="ack" if not length else "inform", sender="b")
    before = bus.event(str(sent.message.seq))

    bus.redact(sent.message.seq)

    after = bus.event(str(sent.message.seq))
    assert (after.event_id, after.actor, after.timestamp) == (before.event_id, "b", before.timestamp)
    assert "body" not in after.data
    assert bus.verify().good
    [mail] = bus.inbox("bob").mail
    assert (mail.message.redacted, mail.message.id, mail.message.sender) == (True, sent.message.id, "b")


@pytest.mark.parametrize("body", ["\u200b" * 9, "é" * 9, "继续" * 4, '"\\' * 9, "🎉"])
def test_whatever_the_text_is_written_with_it_can_be_redacted(tmp_path: Path, body: str) -> None:
    bus = bus_in(tmp_path, "bob")
    seq = bus.send("bob", body).message.seq
    bus.send("bob", "after")

    bus.redact(seq)

    assert bus.verify().good
    assert bodies(bus, "bob") == ["", "after"]


def test_redacting_twice_changes_nothing_more(tmp_path: Path) -> None:
    bus, seq = bus_with_secret(tmp_path)
    bus.redact(seq)
    bus.snapshot("later")
    head = bus.snapshot().commit or subprocess.check_output(["git", "-C", bus.root.path, "rev-parse", "HEAD"])

    assert bus.redact(seq).done == [f"{seq} was redacted before"]

    assert len(bus.events(event_type="log.redacted")) == 1
    assert subprocess.check_output(["git", "-C", bus.root.path, "rev-parse", "HEAD"]) == head


def test_two_messages_one_behind_the_other_can_both_be_redacted(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    seqs = [bus.send("bob", f"{SECRET} {number}").message.seq for number in range(4)]

    for seq in reversed(seqs[:3]):
        bus.redact(seq)

    assert bus.verify().good
    assert sorted(bus.verify().redacted) == [(seq, "ada") for seq in seqs[:3]]
    assert bodies(bus, "bob") == ["", "", "", f"{SECRET} 3"]


def test_the_newest_message_can_be_redacted_and_another_process_goes_on_writing(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    writer = Bus(str(tmp_path), agent="bob")
    writer.send("ada", "first")
    seq = bus.send("bob", SECRET).message.seq

    bus.redact(seq)
    writer.send("ada", "second")
    bus.send("bob", "third")

    assert bus.verify().good
    assert (bodies(bus, "ada"), bodies(bus, "bob")) == (["first", "second"], ["", "third"])


@pytest.mark.parametrize("kind", ["agent.registered", "config.applied", "mail.read", "log.redacted"])
def test_only_messages_can_be_redacted(tmp_path: Path, kind: str) -> None:
    bus, seq = bus_with_secret(tmp_path)
    bus.read(agent="bob")
    bus.redact(seq)
    [event, *_] = bus.events(event_type=kind)

    with refused(bus, "bad-arguments") as caught:
        bus.redact(event.seq)

    assert kind in str(caught.value)


@pytest.mark.parametrize(
    ("seq", "code"),
    [(0, "not-found"), (10_000, "not-found"), (-1, "bad-arguments"), (10**30, "bad-arguments")],
)
def test_a_number_that_is_not_there_cannot_be_redacted(tmp_path: Path, seq: int, code: str) -> None:
    bus = bus_in(tmp_path, "bob")

    with refused(bus, code):
        bus.redact(seq)


# --- cut off at each of its steps ---


def spare_and_line(bus: Bus, seq: int) -> tuple[str, str, int, bytes, bytes]:
    segment, offset, raw = segments.find_line(bus.root.log, seq)
    event = decode(raw)
    assert event is not None
    spare = f"{bus.root.path}/redact.{seq}"
    return (
        spare,
        segments.path_of(bus.root.log, segment),
        offset,
        raw,
        _redacted(event, _kept(event), len(raw)),
    )


def announce(bus: Bus, seq: int, raw: bytes, fresh: bytes) -> None:
    data: dict[str, object] = {"seq": seq, "was": hashed(raw), "now": hashed(fresh), "reason": ""}
    bus.session.log.append(
        [
            Draft(
                "log.redacted", actor="ada", data=data, event_id="evt-x", timestamp="2026-01-01T00:00:00.000Z"
            )
        ]
    )


STEPS = ("spare kept", "announced", "half written", "written", "view made anew", "index removed")


@pytest.mark.parametrize("step", STEPS)
def test_cut_off_at_any_step_a_redaction_is_finished_by_doing_it_again(tmp_path: Path, step: str) -> None:
    bus, seq = bus_with_secret(tmp_path)
    spare, path, offset, raw, fresh = spare_and_line(bus, seq)
    done = STEPS.index(step)
    Path(spare).write_bytes(fresh)
    if done >= 1:
        announce(bus, seq, raw, fresh)
    if done >= 2:
        with Path(path).open("r+b") as file:
            file.seek(offset)
            file.write(fresh[: len(fresh) // 2] if done == 2 else fresh)
    if done >= 4:
        bus.session.view.rebuild()
    if done >= 5:
        search.remove(bus.root.view)
    if done == 1:
        assert not bus.verify().good
        assert "palaver redact" in str(bus.verify().faults[0])

    again = Bus(str(tmp_path), agent="bob")
    again.redact(seq)

    assert SECRET.encode() not in everything(bus)
    assert bus.verify().good
    assert len(bus.events(event_type="log.redacted")) == 1
    assert bodies(again, "bob") == ["", "before", "after"]
    assert not Path(spare).exists()


def test_a_message_whose_line_is_damaged_is_not_redacted_by_guessing(tmp_path: Path) -> None:
    bus, seq = bus_with_secret(tmp_path)
    _, path, offset, _, _ = spare_and_line(bus, seq)
    with Path(path).open("r+b") as file:
        file.seek(offset + 200)
        file.write(b"#")

    with refused(bus, "not-found"):
        bus.redact(seq)


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"])
def test_inside_a_hook_of_git_the_snapshots_lose_the_text_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    bus, seq = bus_with_secret(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    subprocess.run(["git", "init", "--quiet", str(elsewhere)], check=True, env=environment())
    monkeypatch.setenv(variable, str(elsewhere / ".git" / ("index" if variable == "GIT_INDEX_FILE" else "")))

    bus.redact(seq)
    monkeypatch.delenv(variable)

    assert SECRET.encode() not in everything(bus)


def test_a_history_of_snapshots_that_was_half_removed_is_removed(tmp_path: Path) -> None:
    bus, seq = bus_with_secret(tmp_path)
    Path(bus.root.path, ".git", "HEAD").unlink()

    bus.redact(seq)

    assert SECRET.encode() not in everything(bus)
