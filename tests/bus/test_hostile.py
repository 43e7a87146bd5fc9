"""Whatever a caller says, a bus answers or refuses; it never fails in another way, and goes on working."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from palaver import Bus, Message, Refusal
from palaver.api import OPERATIONS
from palaver.wiring import begin
from tests.bus.scene import bodies, bus_in
from tests.views.dumps import dump, rebuilt

pytestmark = pytest.mark.on_disk("it draws thousands of calls, and none depends on the backend")

WORDS = (
    "", " ", "\0", "\ud800", "a\udfff", "bob", "ada", "@all", "ghost", "team", "msg-", "msg-x", "evt-x", "1",
    "0", "-1", "9" * 30, "9" * 5_000, "٣", "../../etc/passwd", "-rf", "*", "mail.sent", "mail.*", "read",
    "open", "unread", "all", "urgent", "'; drop table message; --", '"', "\x1b[2J", "\u202e", "\u2028",
    "x" * 5_000, "log/000000000001.jsonl:0", "sk-ant-" + "a" * 30, "\ufeff", "con", "%s%n", "$(id)",
    "a/b/c/d/e", "\u212a",
)  # fmt: skip
TEXT = st.text(max_size=30) | st.text(st.characters(), max_size=10) | st.sampled_from(WORDS)
NUMBERS = st.one_of(
    st.integers(-5, 50), st.sampled_from([10**30, -(10**30), 1 << 63, 1 << 64, 10_000, 10_001])
)
SECONDS = st.sampled_from([0.0, 0.0, 0.01, -1.0, math.nan, math.inf, -math.inf, 1e300])
FREE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.just(b"bytes") | st.just({1, 2}),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3) | st.tuples(inner),
    max_leaves=5,
)
META = st.dictionaries(TEXT, FREE, max_size=3)


def calls(draw: st.DataObject) -> dict[str, Callable[[Bus], object]]:
    """Return every method of a bus, with arguments of its types and of somebody's malice."""

    def text() -> str:
        return draw.draw(TEXT)

    def texts() -> list[str]:
        return draw.draw(st.lists(TEXT, max_size=3))

    def meta() -> dict[str, object]:
        return dict(draw.draw(META))

    def message() -> Message:
        return Message(sender=text(), to=texts(), body=text(), act=text() or "inform", meta=meta())

    return {
        "send": lambda bus: bus.send(
            draw.draw(TEXT | st.lists(TEXT, max_size=3)), text(), sender=text(), subject=text(),
            act=text() or "inform", priority=text() or "normal", reasoning=text(), task=text(), run=text(),
            reply_to=text(), files=[meta()], artifacts=texts(), meta=meta(), key=text(),
            allow_secret=draw.draw(st.booleans()),
        ),
        "plain": lambda bus: bus.send("bob", text(), subject=text(), reasoning=text(), meta=meta()),
        "send_many": lambda bus: bus.send_many([message() for _ in range(draw.draw(st.integers(0, 3)))]),
        "reply": lambda bus: bus.reply(text(), text(), sender=text(), act=text() or "answer", key=text()),
        "resend": lambda bus: bus.resend(text(), texts(), sender=text()),
        "withdraw": lambda bus: bus.withdraw(text(), agent=text()),
        "inbox": lambda bus: bus.inbox(text(), scope=text() or "open", limit=draw.draw(NUMBERS)),
        "read": lambda bus: bus.read(texts(), agent=text()),
        "ack": lambda bus: bus.ack(texts(), agent=text()),
        "archive": lambda bus: bus.archive(texts(), agent=text()),
        "wait": lambda bus: bus.wait(agent=text(), timeout=draw.draw(SECONDS), limit=draw.draw(NUMBERS)),
        "wait_for": lambda bus: bus.wait_for(text(), text(), timeout=draw.draw(SECONDS)),
        "thread": lambda bus: bus.thread(text()),
        "search": lambda bus: bus.search(text(), limit=draw.draw(NUMBERS)),
        "event": lambda bus: bus.event(text()),
        "events": lambda bus: bus.events(
            limit=draw.draw(NUMBERS), event_type=text(), actor=text(), after=draw.draw(NUMBERS)
        ),
        "follow": lambda bus: list(bus.follow(draw.draw(NUMBERS), timeout=0)),
        "browse": lambda bus: bus.browse(
            before=draw.draw(NUMBERS), limit=draw.draw(NUMBERS), event_type=text(), actor=text(), words=text()
        ),
        "conversations": lambda bus: bus.conversations(before=draw.draw(NUMBERS), limit=draw.draw(NUMBERS)),
        "exported": lambda bus: list(
            bus.exported(event_type=text(), actor=text(), after=draw.draw(NUMBERS))
        ),
        "picture": lambda bus: bus.picture(only=draw.draw(st.none() | st.sets(TEXT, max_size=3))),
        "touched": lambda bus: bus.touched(bus.session.log.read(0, 50)),
        "cards_changed": lambda bus: bus.cards_changed(bus.session.log.read(0, 50)),
        "board": lambda bus: bus.board(), "life": lambda bus: bus.life(text(), agent=text()),
        "insight": lambda bus: bus.insight(), "size": lambda bus: bus.size(),
        "agents": lambda bus: bus.agents(retired=draw.draw(st.booleans())),
        "add_agent": lambda bus: bus.add_agent(text(), handle=text(), role=text(), about=text()),
        "retire_agent": lambda bus: bus.retire_agent(text(), reason=text()),
        "lists": lambda bus: bus.lists(),
        "set_list": lambda bus: bus.set_list(text(), draw.draw(st.none() | st.lists(TEXT, max_size=3))),
        "verify": lambda bus: bus.verify(), "accept_losses": lambda bus: bus.accept_losses(),
        "rebuild": lambda bus: bus.rebuild(),
        "doctor": lambda bus: [check.plain() for check in bus.doctor()],
        "quarantine": lambda bus: bus.quarantine(everything=draw.draw(st.booleans())),
        "quarantine_count": lambda bus: bus.quarantine_count(),
        "quarantined": lambda bus: bus.quarantined(text()), "retry": lambda bus: bus.retry(text()),
        "redact": lambda bus: bus.redact(draw.draw(NUMBERS), reason=text()),
        "open_task": lambda bus: bus.open_task(
            text(), task=text(), about=text(), needs=texts(), kind=text(), owner=text(), restricted=text(),
            priority=draw.draw(NUMBERS), lease=draw.draw(NUMBERS), by=text(), key=text(),
        ),
        "change_task": lambda bus: bus.change_task(
            text(), title=text(), needs_not=texts(), difficulty=draw.draw(NUMBERS), by=text(), key=text()
        ),
        "move": lambda bus: bus.move(
            text(), text(), text(), by=text(), to=texts(), fence=draw.draw(NUMBERS), lease=draw.draw(NUMBERS),
            finished=draw.draw(st.booleans()), files=[meta()], reasoning=text(), key=text(),
        ),
        "claim": lambda bus: bus.claim(text(), by=text(), lease=draw.draw(NUMBERS), key=text()),
        "deliver": lambda bus: bus.deliver(text(), text(), by=text(), fence=draw.draw(NUMBERS), key=text()),
        "waiting": lambda bus: bus.waiting().plain(),
        "assignment": lambda bus: bus.assignment(agent=text()),
        "assign": lambda bus: bus.assign(text(), text(), by=text(), replace=draw.draw(st.booleans())),
        "clear_assignment": lambda bus: bus.clear_assignment(agent=text(), by=text()),
        "dispatch": lambda bus: bus.dispatch(text(), text(), by=text()),
        "handoff": lambda bus: bus.handoff(text(), to=text(), by=text()),
        "prime": lambda bus: bus.prime(agent=text()).plain(),
        "poll": lambda bus: bus.poll(agent=text(), lead=draw.draw(st.booleans())).plain(),
        "tasks_with": lambda bus: bus.tasks_with(text(), limit=draw.draw(NUMBERS)),
        "task": lambda bus: bus.task(text()), "tried": lambda bus: bus.tried(text()),
        "mounts": lambda bus: bus.mounts(),
        "add_mount": lambda bus: bus.add_mount(text(), text(), name=text(), team=text(), key=text()),
        "remove_mount": lambda bus: bus.remove_mount(text(), key=text()),
        "stats": lambda bus: bus.stats(agent=text(), since=text()),
        "runs": lambda bus: bus.runs(agent=text(), going=draw.draw(st.booleans()), limit=draw.draw(NUMBERS)),
        "run_parts": lambda bus: bus.run_parts(text(), agent=text()),
        "run_output": lambda bus: bus.run_output(text(), agent=text(), limit=draw.draw(NUMBERS)),
        "kill_run": lambda bus: bus.kill_run(text(), agent=text(), reason=text(), key=text()),
        "health": lambda bus: bus.health(to=texts(), by=text(), key=text()),
        "patrol": lambda bus: bus.patrol(dry_run=draw.draw(st.booleans())),
        "sync": lambda bus: bus.sync(), "sync_status": lambda bus: bus.sync_status(),
        "tasks": lambda bus: bus.tasks(states=tuple(texts()), holder=text(), owner=text()),
    }  # fmt: skip


def assert_well_spoken(refused: Refusal) -> None:
    assert str(refused).encode()
    assert refused.code
    assert 1 <= refused.exit <= 5


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(draw=st.data())
def test_every_method_answers_or_refuses(
    tmp_path_factory: pytest.TempPathFactory, draw: st.DataObject
) -> None:
    bus = bus_in(tmp_path_factory.mktemp("hostile"), "bob")
    # One that the words above may name.
    bus.open_task("One", task="open")
    possible = calls(draw)

    for name in draw.draw(st.lists(st.sampled_from(sorted(possible)), min_size=10, max_size=25)):
        try:
            possible[name](bus)
        except Refusal as refused:
            assert_well_spoken(refused)

    bus.add_agent("ada")
    bus.add_agent("bob")
    bus.send("bob", "Still here", priority="urgent")
    assert "Still here" in bodies(bus, "bob")
    assert bus.verify().good
    live = dump(bus)
    assert live == rebuilt(bus)


def test_no_method_was_forgotten() -> None:
    # A snapshot has tests of its own: it starts another program.
    assert OPERATIONS.keys() - {"snapshot"} == set(calls(st.data())) - {"plain"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "place", ["\0", "a\0b", "\ud800", "/nowhere/at/all", "x" * 5_000, "/dev/null", "/proc/1/mem"]
)
def test_a_place_that_has_no_bus_is_refused(place: str) -> None:
    with pytest.raises(Refusal) as opened:
        Bus(place)
    with pytest.raises(Refusal) as begun:
        begin(place, "ada")

    assert opened.value.code in ("no-bus", "storage", "bad-arguments", "not-yours")
    assert begun.value.code in ("no-bus", "storage", "bad-arguments", "not-yours")


def test_a_bus_whose_log_folder_is_gone_refuses_and_says_so(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    Path(bus.root.log).rename(tmp_path / "elsewhere")
    bus = Bus(str(tmp_path), agent="ada")

    for call in (lambda: bus.send("bob", "x"), lambda: bus.inbox("bob"), lambda: bus.read(agent="bob")):
        with pytest.raises(Refusal) as refused:
            call()
        assert refused.value.code == "storage"


def test_a_segment_that_is_gone_costs_its_own_mail_and_nothing_else(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    for number in range(6):
        bus.send("bob", f"message {number} " + "x" * 900_000)
    assert len(bodies(bus, "bob")) == 6
    first, second = sorted(Path(bus.root.log).iterdir())
    first.unlink()

    shown = bodies(Bus(str(tmp_path), agent="ada"), "bob")

    assert sum(body.startswith("(its line in the log is damaged)") for body in shown) == len(shown) - 2
    assert shown[-1].startswith("message 5")
    assert second.exists()
    assert not bus.verify().good
