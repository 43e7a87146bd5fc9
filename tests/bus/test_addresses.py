"""Addresses: whom mail reaches, and that nobody is told of a success that was none."""

import random
import string
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palaver import Bus, Message, Refusal
from tests.agent_names import is_name
from tests.bus.scene import bodies, bus_in, ids, race, refused, stage, written

AGENTS = (
    "bob", "copilot", "emp-copilot-a3f2", "slot1", "slot10", "project-a/workers/slot0",
    "project-a/workers/slot1", "project-a/supervisor", "project-b/workers/slot0", "reviewer-2",
)  # fmt: skip
ROLES = ("project-a", "project-a/workers", "project-b/workers")


def typos(dice: random.Random, count: int) -> Iterator[str]:
    """Yield names that are nearly somebody's, and nobody's."""
    letters = string.ascii_lowercase + string.digits
    found = 0
    while found < count:
        name = dice.choice(AGENTS)
        place = dice.randrange(len(name))
        kind = dice.randrange(6)
        typo = {
            0: name[:place] + name[place + 1 :],
            1: name[:place] + dice.choice(letters) + name[place + 1 :],
            2: name[:place] + name[place] + name[place:],
            3: name[:place] + name[place:][1::-1] + name[place + 2 :],
            4: name + dice.choice(letters),
            5: name.partition("/")[0] + dice.choice(("x", "/x", "0")),
        }[kind]
        typo = typo.upper() if dice.random() < 0.2 else typo
        typo = "@" + typo if dice.random() < 0.2 else typo
        bare = typo.lower().lstrip("@")
        shorts = {each.rpartition("/")[2] for each in AGENTS}
        roles = {each.rpartition("/")[0] for each in AGENTS}
        if is_name(bare) and bare not in {*AGENTS, *shorts, *roles, "ada", "bosun", "crew"}:
            found += 1
            yield typo


@pytest.mark.parametrize("to", ["ghost", "@ghost", ["ghost", "casper"], "crew"])
def test_a_message_that_reaches_nobody_is_refused(tmp_path: Path, to: str | list[str]) -> None:
    bus = bus_in(tmp_path, "host")
    bus.set_list("crew", ["ada"])

    with refused(bus, "unknown-recipient") as caught:
        bus.send(to, "Are you there?")

    assert str(caught.value).startswith("Not delivered to ")
    assert to == "crew" or "did you mean host" in str(caught.value)


def test_of_many_messages_none_is_sent_if_one_reaches_nobody(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    messages = [Message(sender="ada", to=[to], body="Hello") for to in ("bob", "ghost")]

    for key in ("", "k1"):
        with refused(bus, "unknown-recipient"):
            bus.send_many(messages, key=key)

    assert len(bus.send_many(messages, allow_unknown=True)) == 2


def test_of_five_hundred_typos_none_is_a_plain_success(tmp_path: Path) -> None:
    seed = 7
    bus = bus_in(tmp_path, *AGENTS)
    bus.set_list("crew", ["bob", "copilot"])

    for typo in typos(random.Random(seed), 500):
        sent = bus.send(typo, "Are you there?", allow_unknown=True)

        [(address, why, nearest)] = sent.unknown
        assert address == typo.lower(), (seed, typo)
        assert why, (seed, typo)
        assert set(nearest) <= {*AGENTS, *ROLES, "ada", "crew"}, (seed, typo)
        assert bus.event(sent.message.id).data["undeliverable"] is True, (seed, typo)

    assert [len(ids(bus, agent)) for agent in AGENTS] == [0] * len(AGENTS)


def test_the_nearest_names_are_offered(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, *AGENTS)

    [(_, _, nearest)] = bus.send("copliot", "Hello", allow_unknown=True).unknown

    assert "copilot" in nearest


def test_mail_to_an_unknown_name_is_never_delivered_not_even_when_the_name_is_added(tmp_path: Path) -> None:
    bus = bus_in(tmp_path)

    sent = bus.send("bob", "Too early.", allow_unknown=True)
    bus.add_agent("bob")
    bus.send("bob", "In time.")

    assert bodies(bus, "bob") == ["In time."]
    bus.rebuild()
    assert bodies(bus, "bob") == ["In time."]
    [said] = bus.thread(sent.message.id)
    assert said.message.undeliverable
    assert said.undelivered == [("bob", "no such agent")]


def test_a_message_to_one_who_is_there_and_one_who_is_not_reaches_the_one(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    sent = bus.send(["bob", "ghost"], "Hello")

    assert [address for address, _, _ in sent.unknown] == ["ghost"]
    assert ids(bus, "bob") == [sent.message.id]


def test_mail_to_a_retired_agent_is_undeliverable_and_says_why(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.retire_agent("bob")

    sent = bus.send("bob", "Hello", allow_unknown=True)

    assert [(address, why) for address, why, _ in sent.unknown] == [("bob", "it is retired")]
    assert ids(bus, "bob") == []


def test_a_retired_agent_cannot_speak_until_it_is_added_again(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.retire_agent("bob")

    with refused(bus, "retired"):
        bus.send("ada", "I am still here", sender="bob")

    bus.add_agent("bob")
    bus.send("ada", "I am back", sender="bob")
    assert bodies(bus, "ada") == ["I am back"]


def test_an_ambiguous_name_is_refused_with_the_full_names(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, *AGENTS)

    with refused(bus, "ambiguous-name") as caught:
        bus.send("slot0", "Which one?")

    assert caught.value.exit == 5
    assert "project-a/workers/slot0" in str(caught.value)
    assert "project-b/workers/slot0" in str(caught.value)


def test_matching_is_by_whole_segments(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, *AGENTS)

    bus.send("slot1", "one")
    bus.send("project-a/workers", "all workers of a")

    assert bodies(bus, "slot1") == ["one"]
    assert bodies(bus, "slot10") == []
    assert bodies(bus, "project-a/workers/slot0") == ["all workers of a"]
    assert bodies(bus, "project-a/workers/slot1") == ["all workers of a"]
    assert bodies(bus, "project-a/supervisor") == bodies(bus, "project-b/workers/slot0") == []


def test_mail_reaches_an_agent_by_id_short_name_handle_alias_list_role_and_everyone(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "project-a/supervisor")
    bus.add_agent("bob", handle="@qa", role="reviewer")
    bus.add_agent("carol", role="reviewer")
    bus.set_list("crew", ["bob", "project-a/supervisor"])
    config = Path(bus.root.config)
    config.write_text(config.read_text().replace("[alias]", '[alias]\nboss = "project-a/supervisor"'))

    written_as = [
        "BOB",
        "@bob",
        "qa",
        "@QA",
        "crew",
        "@crew",
        "reviewer",
        "@all",
        "supervisor",
        "boss",
        "@boss",
    ]
    for each in written_as:
        assert bus.send(each, each).unknown == [], each

    assert bodies(bus, "bob") == ["BOB", "@bob", "qa", "@QA", "crew", "@crew", "reviewer", "@all"]
    assert bodies(bus, "carol") == ["reviewer", "@all"]
    assert bodies(bus, "project-a/supervisor") == ["crew", "@crew", "@all", "supervisor", "boss", "@boss"]


def test_everyone_is_all_but_the_sender_and_the_retired(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol", "dave")
    bus.retire_agent("dave")

    bus.send("@all", "Hello everyone", sender="bob")

    assert bodies(bus, "ada") == bodies(bus, "carol") == ["Hello everyone"]
    assert bodies(bus, "bob") == bodies(bus, "dave") == []


@pytest.mark.parametrize("group", ["@all", "crew", "team"])
def test_a_group_of_only_the_sender_reaches_nobody_and_says_so(tmp_path: Path, group: str) -> None:
    bus = bus_in(tmp_path)
    bus.add_agent("ada", role="team")
    bus.set_list("crew", ["ada"])

    sent = bus.send(group, "Is anybody there?", allow_unknown=True)

    assert [(address, why) for address, why, _ in sent.unknown] == [(group, "nobody else is there")]
    assert sent.message.undeliverable
    assert ids(bus, "ada") == []
    [said] = bus.thread(sent.message.id)
    assert said.undelivered == [(group, "nobody else is there")]


def test_a_member_of_a_list_that_does_not_exist_is_named(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    why = "no such agent; it is a member of crew"

    assert bus.set_list("crew", ["bob", "bobb"]) == ["bobb"]
    sent = bus.send("crew", "Is everybody there?")

    assert sent.unknown == [("bobb", why, ["bob"])]
    assert bodies(bus, "bob") == ["Is everybody there?"]
    [said] = bus.thread(sent.message.id)
    assert said.undelivered == [("bobb", why)]


def test_a_member_that_a_list_of_lists_has_lost_is_named_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    bus.set_list("inner", ["carol", "carroll"])
    bus.set_list("crew", ["bob", "inner", "carroll"])

    assert [written for written, _, _ in bus.send("crew", "Hello").unknown] == ["carroll"]


def test_a_list_of_unknown_names_is_not_called_empty(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.set_list("crew", ["bobb"])

    with refused(bus, "unknown-recipient") as caught:
        bus.send("crew", "Is anybody there?")

    why = "it has no member that exists (bobb); did you mean bob?"
    assert str(caught.value) == f"Not delivered to crew: {why}"


def test_a_list_whose_members_have_all_come_by_now_reaches_them_all(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.set_list("crew", ["bob", "carol"])
    bus.send("crew", "Too early")
    bus.add_agent("carol")

    assert bus.send("crew", "In time").unknown == []
    assert bodies(bus, "carol") == ["In time"]


def test_an_agent_may_write_to_itself_by_name(tmp_path: Path) -> None:
    bus = bus_in(tmp_path)

    assert bus.send("ada", "Remember the milk").unknown == []
    assert bodies(bus, "ada") == ["Remember the milk"]


def test_of_a_role_everyone_sees_the_mail_the_first_to_acknowledge_has_it_and_the_rest_are_told(
    tmp_path: Path,
) -> None:
    team = ["team/bob", "team/carol", "team/dave"]
    bus = bus_in(tmp_path, *team)
    message_id = bus.send("team", "Who takes this?").message.id
    assert all(ids(bus, agent) == [message_id] for agent in team)

    assert bus.ack([message_id], agent="team/carol") == [message_id]

    assert all(ids(bus, agent) == [] for agent in team)
    assert [stage(bus, message_id, agent) for agent in team] == ["taken", "acknowledged", "taken"]
    with refused(bus, "already-taken") as caught:
        bus.ack([message_id], agent="team/bob")
    assert caught.value.exit == 5
    assert "team/carol" in str(caught.value)
    assert bus.ack([message_id], agent="team/carol") == []


@pytest.mark.on_disk("other processes use the log")
def test_when_eight_processes_acknowledge_role_mail_at_once_exactly_one_has_it(tmp_path: Path) -> None:
    team = [f"team/slot{n}" for n in range(8)]
    bus = bus_in(tmp_path, *team)
    message_id = bus.send("team", "Who takes this?").message.id

    said = race(
        bus,
        team,
        """
try:
    say(["won", bus.ack(words)])
except Refusal as refused:
    say(["lost", refused.code, refused.exit, refused.why])
""",
        message_id,
    )

    [winner] = [agent for agent, outcome in zip(team, said, strict=True) if outcome == ["won", [message_id]]]
    why = f"it went to team, and {winner} has it"
    assert sorted(map(repr, said))[:-1] == [repr(["lost", "already-taken", 5, why])] * 7
    assert stage(bus, message_id, winner) == "acknowledged"
    assert all(ids(bus, agent) == [] for agent in team)


def test_lists_that_name_each_other_reach_everyone_in_them_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol", "dave")
    bus.set_list("one", ["bob", "two"])
    bus.set_list("two", ["carol", "three"])
    bus.set_list("three", ["dave", "one", "ada"])

    bus.send("one", "Hello")

    assert [bodies(bus, agent) for agent in ("bob", "carol", "dave", "ada")] == [["Hello"]] * 3 + [[]]


def test_a_message_tells_by_which_address_it_came(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.set_list("crew", ["bob", "ada"])
    sent = bus.send("crew", "Hello")

    [mail] = bus.inbox("bob").mail

    assert (mail.delivery.via, sent.message.to) == ("crew", ["crew"])


def test_who_speaks_for_the_first_time_can_be_written_to_from_then_on(tmp_path: Path) -> None:
    bus = bus_in(tmp_path)

    bus.send("ada", "I am new here", sender="eve")
    sent = bus.send("eve", "Welcome")

    assert sent.unknown == []
    assert bodies(bus, "eve") == ["Welcome"]
    assert [agent.sent for agent in bus.agents() if agent.id == "eve"] == [1]


@pytest.mark.parametrize("bad", ["../x", "a b", "", "bоb", "-rf", "a/b/c/d/e", "\u212aim"])
def test_a_bad_name_is_refused_on_every_way_in_and_nothing_is_written(tmp_path: Path, bad: str) -> None:
    bus = bus_in(tmp_path, "bob")
    before = written(bus)
    config = Path(bus.root.config).read_bytes()
    calls: list[Callable[[], object]] = [
        lambda: bus.send(bad, "x"),
        lambda: bus.send(["bob", bad], "x"),
        lambda: bus.send("bob", "x", sender=bad) if bad else bus.add_agent(bad),
        lambda: bus.inbox(bad) if bad else bus.add_agent(bad),
        lambda: bus.add_agent(bad),
        lambda: bus.add_agent("carol", handle=bad) if bad else bus.add_agent(bad),
        lambda: bus.add_agent("carol", role=bad) if bad else bus.add_agent(bad),
        lambda: bus.retire_agent(bad),
        lambda: bus.set_list(bad, ["bob"]),
        lambda: bus.set_list("crew", ["bob", bad]),
        lambda: Bus(str(tmp_path), agent=bad) if bad else bus.add_agent(bad),
    ]

    for call in calls:
        with pytest.raises(Refusal) as caught:
            call()
        assert (caught.value.code, caught.value.exit) == ("bad-name", 2)

    assert written(bus) == before
    assert Path(bus.root.config).read_bytes() == config


def test_the_address_of_a_role_means_its_own_agent_and_those_in_the_role(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "project-a/qa", "project-a/qa/q1", "project-a/qa/q2")

    bus.send("project-a/qa", "Merge daily.")

    for agent in ("project-a/qa", "project-a/qa/q1", "project-a/qa/q2"):
        assert [each.message.body for each in bus.inbox(agent=agent).mail] == ["Merge daily."], agent
