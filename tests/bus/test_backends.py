"""Whatever keeps the log, a bus does all of its work on it."""

from pathlib import Path

from palaver import Bus
from palaver.bus.identity import vouch
from palaver.log.file_log import FileLog
from palaver.log.memory_log import MemoryLog
from tests.bus.scene import bodies, bus_in, ids, refused


def test_the_log_is_where_the_test_wants_it(tmp_path: Path, log_backend: str) -> None:
    bus = bus_in(tmp_path, "bob")

    bus.send("bob", "hello")

    assert isinstance(bus.session.log, {"files": FileLog, "memory": MemoryLog}[log_backend])
    assert any(Path(bus.session.root.log).iterdir()) == (log_backend == "files")


def test_all_objects_of_a_bus_share_its_log(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    other = Bus(str(tmp_path), agent="bob")

    bus.send("bob", "one")
    other.send("ada", "two")

    assert (bodies(other, "bob"), bodies(bus, "ada")) == (["one"], ["two"])
    assert bus.session.log.last_seq() == other.session.log.last_seq()


def test_a_redacted_text_is_gone_and_the_log_verifies(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "before")
    seq = bus.send("bob", "open sesame").message.seq
    bus.send("bob", "after")
    assert [each.body for each in bus.search("sesame")] == ["open sesame"]

    bus.redact(seq)

    assert bus.search("sesame") == []
    assert bodies(bus, "bob") == ["before", "", "after"]
    assert b"sesame" not in b"".join(map(bus.session.log.line, range(seq + 3)))
    verdict = bus.verify()
    assert (verdict.good, verdict.redacted) == (True, [(seq, "ada")])
    assert bus.redact(seq).done == [f"{seq} was redacted before"]
    with refused(bus, "not-found"):
        bus.redact(10_000)


def test_a_rebuilt_view_answers_as_before(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    for number in range(20):
        bus.send("bob", f"message {number}")
    bus.ack(ids(bus, "bob")[:5], agent="bob")
    wanted = (ids(bus, "bob"), [each.body for each in bus.search("message")])

    assert bus.rebuild() == bus.session.log.last_seq()

    assert (ids(bus, "bob"), [each.body for each in bus.search("message")]) == wanted


def test_events_are_found_followed_and_paged(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    sent = [bus.send("bob", f"message {number}").message for number in range(7)]

    assert bus.event(sent[2].event_id) == bus.event(str(sent[2].seq))
    assert [each.seq for each in bus.events(event_type="mail.sent", limit=2)] == [sent[5].seq, sent[6].seq]
    assert [each.seq for each in bus.follow(sent[4].seq, timeout=0)] == [sent[5].seq, sent[6].seq]
    page = bus.browse(event_type="mail.*", limit=4)
    assert [each.seq for each in page.events] == [each.seq for each in sent[:2:-1]]
    rest = bus.browse(event_type="mail.*", before=page.older)
    assert [each.seq for each in rest.events] == [each.seq for each in sent[2::-1]]
    assert bus.session.log.size() == sum(len(bus.session.log.line(n)) + 1 for n in range(1, sent[-1].seq + 1))


def test_an_agent_that_is_vouched_for_appends_as_itself(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    vouch(bus.session)

    mine, theirs = bus.send("bob", "proved"), bus.send("ada", "claimed", sender="bob")

    found = [bus.event(str(each.message.seq)).auth for each in (mine, theirs)]
    assert found == ["token", "claimed"]
