"""Every operation can be reached, is documented, refuses what is out of bounds, and obeys its key."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from palaver import Bus, Message, Refusal
from palaver.api import OPERATIONS
from palaver.bus.operations.operation import Answer
from palaver.bus.operations.request import RequestField
from palaver.bus.session import Session
from palaver.model.errors import BadArguments, BadName, TooLarge
from palaver.web.routes import CALLS, NOT_OFFERED
from tests.bus.scene import bus_in, written

REFERENCE: Final = Path(__file__).parents[2] / "docs" / "reference" / "operations.md"
#: What a value out of bounds is refused with.
CODES: Final = (BadArguments.code, BadName.code, TooLarge.code)
FIELDS: Final = [(name, field) for name, each in OPERATIONS.items() for field in each.fields.values()]


@pytest.fixture
def bus(tmp_path: Path) -> Bus:
    bus = bus_in(tmp_path, "bob")
    bus.send("ada", "A question", sender="bob")
    bus.open_task("One", task="one")
    return bus


def test_every_operation_is_a_method_of_the_bus(bus: Bus) -> None:
    assert all(callable(getattr(bus, name)) for name in OPERATIONS)


def test_an_operation_has_the_name_of_its_method() -> None:
    assert {name: each.name for name, each in OPERATIONS.items()} == {name: name for name in OPERATIONS}


def test_every_operation_is_offered_over_http_or_says_why_not() -> None:
    offered = {call.operation for call in CALLS}

    assert OPERATIONS.keys() - offered - NOT_OFFERED.keys() == set()
    assert NOT_OFFERED.keys() <= OPERATIONS.keys()


def test_every_operation_and_every_field_is_documented() -> None:
    page = REFERENCE.read_text(encoding="utf-8")

    for name, each in OPERATIONS.items():
        assert f"## {name}\n" in page
        assert each.summary in page
    assert [f"{name}.{field.name}" for name, field in FIELDS if not field.description] == []


def out_of_bounds(field: RequestField) -> list[object]:
    """Return values just outside the bounds of a field."""
    schema = field.schema
    wrong: list[object] = []
    if isinstance(low := schema.get("minimum"), int | float):
        wrong.append(type(low)(low - 1))
    if isinstance(high := schema.get("maximum"), int | float):
        wrong.append(type(high)(high + 1))
    if isinstance(longest := schema.get("maxLength"), int):
        wrong.append("x" * (longest + 1))
    if isinstance(most := schema.get("maxItems"), int):
        wrong.append(["x"] * (most + 1))
    return [*wrong, "no such choice"] if field.choices else wrong


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_is_out_of_bounds_is_refused_with_a_stable_code(bus: Bus, name: str) -> None:
    operation = OPERATIONS[name]
    before = written(bus)
    good: dict[str, object] = {"string": "one", "integer": 1, "number": 0.0, "array": [], "object": {}}
    required = {each.name: good[each.kind] for each in operation.fields.values() if each.is_required}

    for field in operation.fields.values():
        for value in out_of_bounds(field):
            with pytest.raises(Refusal) as refused:
                operation.perform(bus.session, {**required, field.name: value})
            assert refused.value.code in CODES, field.name
    assert written(bus) == before


def test_an_unknown_field_is_refused(bus: Bus) -> None:
    with pytest.raises(BadArguments, match="colour"):
        OPERATIONS["inbox"].perform(bus.session, {"colour": "red"})


#: Each write, done with a key, by whom.
WRITES: Final[dict[str, Callable[[Bus], object]]] = {
    "send": lambda bus: bus.send("bob", "Hello", key="k").message.id,
    "send_many": lambda bus: [each.message.id for each in bus.send_many([_message()], key="k")],
    "reply": lambda bus: bus.reply(_asked(bus), "Yes", key="k").message.id,
    "resend": lambda bus: bus.resend(_asked(bus), ["bob"], key="k").message.id,
    "withdraw": lambda bus: bus.withdraw(_said(bus), key="k"),
    "read": lambda bus: [each.message.id for each in bus.read(key="k")],
    "ack": lambda bus: bus.ack([_asked(bus)], key="k"),
    "archive": lambda bus: bus.archive([_asked(bus)], key="k"),
    "open_task": lambda bus: bus.open_task("Two", key="k").task.id,
    "change_task": lambda bus: bus.change_task("one", title="First", key="k").task.title,
    "move": lambda bus: bus.move("one", "claim", key="k").message.id,
    "claim": lambda bus: bus.claim("one", key="k").message.id,
    "deliver": lambda bus: bus.deliver("one", "src/one.py is done", key="k").message.id,
    "assign": lambda bus: bus.assign("bob", "work_order:one", key="k").line,
    "clear_assignment": lambda bus: bus.clear_assignment(agent="bob", key="k"),
    "dispatch": lambda bus: bus.dispatch("one", "plant", key="k").agent,
    "handoff": lambda bus: bus.handoff("Go on at step 3", key="k").id,
    "prime": lambda bus: bus.prime(key="k").next,
    "poll": lambda bus: len(bus.poll(key="k").items),
    "add_agent": lambda bus: bus.add_agent("carol", key="k").id,
    "retire_agent": lambda bus: bus.retire_agent("bob", key="k").retired,
    "set_list": lambda bus: bus.set_list("crew", ["bob"], key="k"),
    "add_mount": lambda bus: bus.add_mount("office", str(Path(bus.root.path).parent), key="k").name,
    "remove_mount": lambda bus: bus.remove_mount("office", key="k"),
    "redact": lambda bus: bool(bus.redact(bus.event(_asked(bus)).seq, key="k")),
}
#: Writes that other tests repeat: they need a damaged file, or another program.
ELSEWHERE: Final = frozenset({"retry", "snapshot", "kill_run", "health", "accept_losses"})
#: The same operation with the same key, and another request. `prime` has no other one.
OTHERS: Final[dict[str, Callable[[Bus], object]]] = {
    "send": lambda bus: bus.send("bob", "Goodbye", key="k"),
    "send_many": lambda bus: bus.send_many([_message("Another one")], key="k"),
    "reply": lambda bus: bus.reply(_asked(bus), "No", key="k"),
    "resend": lambda bus: bus.resend(_asked(bus), ["carol"], key="k", allow_unknown=True),
    "withdraw": lambda bus: bus.withdraw(_asked(bus), key="k"),
    "read": lambda bus: bus.read([_asked(bus)], key="k"),
    "ack": lambda bus: bus.ack([_asked(bus), _said(bus)], key="k"),
    "archive": lambda bus: bus.archive([_asked(bus), _said(bus)], key="k"),
    "open_task": lambda bus: bus.open_task("Three", key="k"),
    "change_task": lambda bus: bus.change_task("one", title="Second", key="k"),
    "move": lambda bus: bus.move("one", "release", key="k"),
    "claim": lambda bus: bus.claim("one", lease=60, key="k"),
    "deliver": lambda bus: bus.deliver("one", "src/two.py is done", key="k"),
    "assign": lambda bus: bus.assign("ada", "work_order:one", key="k"),
    "clear_assignment": lambda bus: bus.clear_assignment(agent="ada", key="k"),
    "dispatch": lambda bus: bus.dispatch("two", "plant", key="k"),
    "handoff": lambda bus: bus.handoff("Go on at step 4", key="k"),
    "poll": lambda bus: bus.poll(lead=True, key="k"),
    "add_agent": lambda bus: bus.add_agent("dora", key="k"),
    "retire_agent": lambda bus: bus.retire_agent("ada", key="k"),
    "set_list": lambda bus: bus.set_list("crew", ["ada"], key="k"),
    "add_mount": lambda bus: bus.add_mount("swarm", str(Path(bus.root.path).parent), key="k"),
    "remove_mount": lambda bus: bus.remove_mount("swarm", key="k"),
    "redact": lambda bus: bus.redact(1, key="k"),
}
#: The writes of which no test here does the work: what is asked for is enough to refuse its key.
UNDONE: Final[dict[str, Callable[[Bus], object]]] = {
    "retry": lambda bus: bus.retry("000001", key="k"),
    "snapshot": lambda bus: bus.snapshot("a message", key="k"),
    "kill_run": lambda bus: bus.kill_run("run-1", key="k"),
    "health": lambda bus: bus.health(key="k"),
    "accept_losses": lambda bus: bus.accept_losses(key="k"),
}


def _prepare(bus: Bus, name: str) -> None:
    """Do what the first request of a write needs."""
    if name == "clear_assignment":
        bus.assign("bob", "work_order:one")
    if name == "dispatch":
        bus.add_agent("plant/workers/slot0")
    if name == "remove_mount":
        bus.add_mount("office", str(Path(bus.root.path).parent))


def _message(body: str = "One of many") -> Message:
    return Message(sender="ada", to=["bob"], body=body)


def _asked(bus: Bus) -> str:
    return bus.inbox(scope="all").mail[0].message.id


def _said(bus: Bus) -> str:
    return bus.send("bob", "For the withdrawal", key="said").message.id


def test_every_write_takes_a_key_and_is_tried() -> None:
    keyed = {name for name, each in OPERATIONS.items() if "key" in each.fields}
    writing = {name for name, each in OPERATIONS.items() if each.access.writes}

    assert writing <= keyed
    assert keyed == WRITES.keys() | ELSEWHERE


@pytest.mark.parametrize("name", WRITES)
def test_the_same_key_again_gives_the_first_result_and_writes_nothing(bus: Bus, name: str) -> None:
    _prepare(bus, name)
    first = WRITES[name](bus)
    # A new mount is taken in by whatever comes next.
    bus.agents()
    before = written(bus)

    again = WRITES[name](bus)

    assert again == first
    assert written(bus) == before


@pytest.mark.parametrize("name", WRITES)
def test_a_repetition_is_known_as_one(bus: Bus, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _prepare(bus, name)
    operation, known = OPERATIONS[name], []
    perform = operation.answer

    def answer(session: Session, given: dict[str, object]) -> Answer[object]:
        found = perform(session, given)
        known.append(found.is_repeat)
        return found

    monkeypatch.setattr(operation, "answer", answer)
    WRITES[name](bus)
    WRITES[name](bus)

    # Each message of `send_many` has a key of its own, and says itself whether it is new.
    assert known == [False, name != "send_many"]


def test_every_write_that_takes_a_key_is_tried_with_another_request() -> None:
    assert WRITES.keys() == OTHERS.keys() | {"prime"}
    assert UNDONE.keys() == ELSEWHERE


@pytest.mark.parametrize("name", OTHERS)
def test_the_same_key_with_another_request_is_refused(bus: Bus, name: str) -> None:
    _prepare(bus, name)
    _said(bus)
    WRITES[name](bus)
    bus.agents()
    before = written(bus)

    with pytest.raises(Refusal) as refused:
        OTHERS[name](bus)

    assert (refused.value.code, refused.value.exit) == ("key-conflict", 5)
    assert refused.value.why
    assert refused.value.way_out
    assert written(bus) == before


@pytest.mark.parametrize("name", [*WRITES, *UNDONE])
def test_a_key_of_another_operation_is_refused_by_every_operation(bus: Bus, name: str) -> None:
    _prepare(bus, name)
    if name == "send_many":
        # Its messages have the key with their number.
        bus.open_task("Taken", key="k/0")
    else:
        bus.set_list("taken", ["bob"], key="k")
    _said(bus)
    before = written(bus)

    with pytest.raises(Refusal) as refused:
        {**WRITES, **UNDONE}[name](bus)

    assert refused.value.code == "key-conflict"
    assert written(bus) == before


def test_a_list_that_was_changed_since_is_left_alone_by_a_repeated_key(bus: Bus) -> None:
    bus.set_list("crew", ["bob"], key="k")
    bus.set_list("crew", ["ada"])

    bus.set_list("crew", ["bob"], key="k")

    assert bus.lists()["crew"] == ["ada"]


def test_a_key_of_another_operation_is_a_conflict(bus: Bus) -> None:
    bus.open_task("Two", key="k")

    with pytest.raises(Refusal) as refused:
        bus.ack([_asked(bus)], key="k")

    assert refused.value.code == "key-conflict"


def test_a_key_of_one_operation_is_no_key_of_another(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.set_list("team", ["bob"], key="k1")

    with pytest.raises(Refusal) as refused:
        bus.redact(1, key="k1")

    assert refused.value.code == "key-conflict"
    assert "set_list" in str(refused.value)
