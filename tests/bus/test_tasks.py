"""Work on a bus: who may move a task, what is refused, and what stands in the log without effect."""

from pathlib import Path

import pytest

from palaver import Bus, Refusal
from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.tasks.consequences import settle
from palaver.bus.tasks.leases import running
from palaver.model.message import Message
from tests.bus.scene import bodies, bus_in, race, refused
from tests.views.dumps import dump, rebuilt


@pytest.fixture
def bus(tmp_path: Path) -> Bus:
    return bus_in(tmp_path, "bob", "carol", "qa")


def configured(bus: Bus, policy: str) -> None:
    """Let the config say this of the policy."""
    path = Path(bus.root.config)
    path.write_text(path.read_text(encoding="utf-8") + policy + "\n", encoding="utf-8")


def by_file(
    bus: Bus, sender: str, act: str, task: str, body: str = "", *, to: str = "ada", **more: str
) -> int:
    """Let a line of a file come in: the message as it stands, judged by nobody."""
    message = Message(sender=sender, to=[to], act=act, task=task, body=body, meta=dict(more))
    draft = mail_sent(message)
    draft.src = {"mount": "office", "file": "x.log", "gen": 1, "off": 0, "len": 1, "sha": ""}
    seq = bus.session.log.append([draft])[0].seq
    settle(bus.session)
    return seq


# --- the way of a task ---


def test_a_task_goes_from_open_to_done(bus: Bus) -> None:
    bus.open_task("Write the parser", task="parser")

    states = [
        bus.claim("parser", by="bob").card.task.state,
        bus.deliver("parser", "40 tests green", by="bob").card.task.state,
        bus.move("parser", "accept").card.task.state,
    ]

    assert states == ["working", "delivered", "done"]
    assert bus.task("parser").task.result == "40 tests green"


def test_where_claims_are_approved_the_claim_waits_for_the_owner(bus: Bus) -> None:
    bus.open_task("Pay", task="pay", approval=True)
    bus.claim("pay", by="bob")

    with refused(bus, "illegal-move"):
        bus.deliver("pay", "paid 20", by="bob")
    bus.move("pay", "approve")

    assert bus.task("pay").task.state == "working"


def test_delivered_is_done_where_nobody_checks(bus: Bus) -> None:
    bus.open_task("Look", task="look", check=False)

    assert bus.deliver("look", "nothing there", by="bob").card.task.state == "done"


def test_work_goes_over_quality_assurance_and_back(bus: Bus) -> None:
    bus.open_task("Merge", task="wo-1")
    bus.move("wo-1", "assign", to="bob")
    bus.move("wo-1", "ack", by="bob")
    bus.move("wo-1", "deliver", "branch bob-1", by="bob", to="carol")

    bus.move("wo-1", "ready", by="carol", to="qa")
    again = bus.move("wo-1", "rework", "two tests fail", by="qa")
    bus.deliver("wo-1", "fixed both", by="bob")
    bus.move("wo-1", "ready", to="qa")
    merged = bus.move("wo-1", "accept", by="qa")

    assert again.card.task.state == "rework"
    assert set(again.message.to) >= {"ada", "bob"}
    assert merged.card.task.state == "done"


def test_a_handoff_moves_the_task_and_one_who_does_not_want_it_gives_it_back(bus: Bus) -> None:
    bus.open_task("Long one", task="long")
    bus.claim("long", by="bob")

    handed = bus.move("long", "handoff", "half is done", by="bob", to="carol").card.task
    bus.move("long", "refuse", "I am full", by="carol")
    back = bus.task("long").task

    assert (handed.state, handed.holder) == ("handed", "carol")
    assert (back.state, back.holder) == ("working", "bob")


def test_finished_work_that_is_handed_on_is_checked_and_stays_its_makers(bus: Bus) -> None:
    bus.open_task("Auth", task="auth")
    bus.claim("auth", by="bob")

    task = bus.move("auth", "handoff", "complete", by="bob", to=["qa", "carol"]).card.task

    assert (task.state, task.holder, task.checker) == ("checking", "bob", "qa carol")
    assert bus.move("auth", "accept", by="carol").card.task.state == "done"


def test_a_task_that_is_first_heard_of_in_a_message_is_on_the_board(bus: Bus) -> None:
    bus.send("bob", "BTC price", act="assign", task="price-check")

    task = bus.task("price-check").task

    assert (task.state, task.holder, task.owner, task.title) == ("assigned", "bob", "ada", "BTC price")


def test_a_message_that_moves_nothing_is_a_sign_of_life_of_the_holder(bus: Bus) -> None:
    bus.open_task("Long", task="long")
    bus.claim("long", by="bob")
    before = bus.task("long").task

    bus.send("ada", "half way", sender="bob", act="report", task="long")
    after = bus.task("long").task

    assert (after.touched, after.heard) > (before.touched, before.heard)
    assert after.since == before.since


# --- what is refused, and nothing is written ---


def test_a_task_that_somebody_has_is_not_claimed_again(bus: Bus) -> None:
    bus.open_task("One", task="one")
    bus.claim("one", by="bob")

    with refused(bus, "task-taken") as caught:
        bus.claim("one", by="carol")

    assert "bob has it" in str(caught.value)


def test_a_stranger_does_not_accept_work(bus: Bus) -> None:
    bus.open_task("One", task="one")
    bus.claim("one", by="bob")
    bus.deliver("one", "it works", by="bob")

    with refused(bus, "not-permitted"):
        bus.move("one", "accept", by="carol")


@pytest.mark.parametrize("words", ["", "  ", "Done.", "ok", "Finished!"])
def test_a_delivery_says_what_the_result_is(bus: Bus, words: str) -> None:
    bus.open_task("One", task="one")
    bus.claim("one", by="bob")

    with refused(bus, "empty-body"):
        bus.deliver("one", words, by="bob")


def test_a_block_says_why(bus: Bus) -> None:
    bus.open_task("One", task="one")
    bus.claim("one", by="bob")

    with refused(bus, "empty-body"):
        bus.move("one", "block", by="bob")


def test_a_claim_for_nobody_we_know_is_refused_with_the_nearest_id(bus: Bus) -> None:
    bus.open_task("Write the parser", task="parser")

    with refused(bus, "not-found") as caught:
        bus.claim("praser", by="bob")

    assert "did you mean parser?" in str(caught.value)


@pytest.mark.parametrize("task_id", ["two words", "-x", "x" * 200, "a\nb", "\x1b[2J"])
def test_an_id_is_one_word(bus: Bus, task_id: str) -> None:
    with refused(bus, "bad-arguments"):
        bus.open_task("Strange", task=task_id)


def test_an_id_is_used_once(bus: Bus) -> None:
    bus.open_task("One", task="one")

    with refused(bus, "task-taken"):
        bus.open_task("Another", task="ONE")


def test_a_stranger_does_not_change_a_task(bus: Bus) -> None:
    bus.open_task("One", task="one")

    with refused(bus, "not-permitted"):
        bus.change_task("one", title="Mine", by="bob")

    assert bus.change_task("one", title="Better").task.title == "Better"


def test_a_task_for_one_agent_is_claimed_by_that_one_only(bus: Bus) -> None:
    bus.open_task("Secret", task="secret", restricted="carol")

    with refused(bus, "not-permitted"):
        bus.claim("secret", by="bob")

    assert bus.claim("secret", by="carol").effect


def test_a_holder_who_came_back_too_late_is_told_apart_by_the_fence(bus: Bus) -> None:
    bus.open_task("One", task="one")
    first = bus.claim("one", by="bob").card.task.fence
    bus.move("one", "release", by="bob")
    second = bus.claim("one", by="bob").card.task.fence

    with refused(bus, "illegal-move") as caught:
        bus.deliver("one", "all of it", by="bob", fence=first)

    assert second > first
    assert f"fence {first} is no longer valid: the task has changed hands since" in str(caught.value)
    assert bus.deliver("one", "all of it", by="bob", fence=second).effect


# --- what needs what ---


def test_a_task_is_ready_when_all_that_it_needs_is_done(bus: Bus) -> None:
    bus.open_task("Parser", task="parser", check=False)
    bus.open_task("Docs", task="docs", needs=["parser"])

    with refused(bus, "illegal-move"):
        bus.claim("docs", by="carol")
    bus.deliver("parser", "it reads", by="bob")

    assert [card.task.id for card in bus.tasks(ready=True)] == ["docs"]
    assert bodies(bus, "ada")[-1] == "docs is ready: all that it waited for is done."


def test_tasks_that_would_wait_for_each_other_are_refused_and_shown(bus: Bus) -> None:
    bus.open_task("A", task="a")
    bus.open_task("B", task="b", needs=["a"])
    bus.open_task("C", task="c", needs=["b"])

    with refused(bus, "task-cycle") as caught:
        bus.change_task("a", needs=["c"])

    assert "a → c → b → a" in str(caught.value)


def test_a_task_does_not_wait_for_itself(bus: Bus) -> None:
    bus.open_task("A", task="a")

    with refused(bus, "task-cycle"):
        bus.change_task("a", needs=["a"])


def test_a_circle_that_two_close_at_once_is_left_open_by_the_fold(bus: Bus) -> None:
    from palaver.bus.writer import draft

    bus.open_task("A", task="a")
    bus.open_task("B", task="b")
    bus.session.log.append(
        [
            draft("task.changed", "ada", {"task": "a", "needs": ["b"]}),
            draft("task.changed", "ada", {"task": "b", "needs": ["a"]}),
        ]
    )

    assert bus.task("a").waits_for == ["b"]
    assert bus.task("b").waits_for == []
    assert "b → a → b" in bus.tried("b")[-1].why


# --- what comes by file stands, with or without effect ---


def test_a_second_claim_by_file_has_no_effect_and_its_sender_is_told_once_who_was_first(bus: Bus) -> None:
    by_file(bus, "bob", "claim", "004")
    by_file(bus, "carol", "claim", "004")
    settle(bus.session)

    assert bus.task("004").task.holder == "bob"
    assert bus.tried("004")[-1].why == "bob has it"
    assert bodies(bus, "carol") == ["004 is not yours: bob has it."]


def test_a_refusal_for_the_second_does_not_take_the_task_from_the_first(bus: Bus) -> None:
    bus.open_task("T", task="t", approval=True)
    by_file(bus, "bob", "claim", "t")
    by_file(bus, "carol", "claim", "t")
    by_file(bus, "ada", "refuse", "t", "bob was first", to="carol")

    assert (bus.task("t").task.state, bus.task("t").task.holder) == ("claimed", "bob")


def test_a_move_by_file_that_breaks_the_table_is_kept_and_its_sender_is_told(bus: Bus) -> None:
    bus.open_task("T", task="t")
    bus.claim("t", by="bob")
    by_file(bus, "carol", "deliver", "t", "I did it")

    assert bus.task("t").task.state == "working"
    assert "only its holder (bob)" in bodies(bus, "carol")[0]
    assert "carol said 'deliver' about t, and it has no effect" in bodies(bus, "ada")[-1]
    settle(bus.session)
    assert len(bodies(bus, "carol")) == 1, "it is said once"


def test_under_a_strict_policy_an_approval_without_proof_has_no_power(bus: Bus) -> None:
    configured(bus, "")
    path = Path(bus.root.config)
    path.write_text(path.read_text(encoding="utf-8").replace('"open"\n', '"strict"\n'), encoding="utf-8")
    bus.open_task("T", task="t", approval=True)
    bus.claim("t", by="bob")
    by_file(bus, "ada", "approve", "t", to="bob")

    assert bus.task("t").task.state == "claimed"
    with pytest.raises(Refusal) as caught:
        bus.move("t", "approve")
    assert caught.value.exit == 4


def test_nobody_passes_for_the_bus_itself(bus: Bus) -> None:
    bus.open_task("T", task="t", approval=True)
    bus.claim("t", by="bob")
    by_file(bus, "palaver", "approve", "t", to="bob")

    assert bus.task("t").task.state == "claimed"


def test_a_claim_made_with_an_old_board_is_too_late(bus: Bus) -> None:
    bus.open_task("T", task="t")
    bus.claim("t", by="bob")
    bus.move("t", "release", by="bob")
    by_file(bus, "carol", "claim", "t", **{"board-read-at": "2020-01-01T00:00:00Z"})

    assert bus.task("t").task.state == "open"
    assert "the board was read at 2020" in bus.tried("t")[-1].why


# --- what the policy says ---


def test_with_an_automatic_manager_workers_never_wait(bus: Bus) -> None:
    configured(bus, 'manager = "auto"')
    bus.open_task("Parser", task="parser", approval=True)
    bus.open_task("Docs", task="docs", needs=["parser"], approval=True)

    claimed = bus.claim("parser", by="bob").card.task.state
    done = bus.deliver("parser", "it reads", by="bob").card.task.state

    assert (claimed, done) == ("working", "done")
    assert bodies(bus, "carol") == ["docs is ready: all that it waited for is done."]


def test_one_at_a_time_is_a_policy(bus: Bus) -> None:
    configured(bus, "parallel = false")
    bus.open_task("A", task="a")
    bus.open_task("B", task="b")
    bus.claim("a", by="bob")

    with refused(bus, "illegal-move") as caught:
        bus.claim("b", by="bob")

    assert "bob has task a" in str(caught.value)


# --- leases: how time ends them is in tests/supervision/test_leases.py ---


def test_a_sign_of_life_that_came_first_keeps_the_claim(bus: Bus) -> None:
    bus.open_task("T", task="t")
    bus.claim("t", by="bob")
    [stale] = running(bus.session.view.current()).values()
    bus.send("ada", "still here", sender="bob", act="report", task="t")
    bus.session.log.append([stale.draft_due("lease")])

    assert bus.task("t").task.holder == "bob"


def test_a_claim_that_ended_is_open_and_its_holder_is_told_once(bus: Bus) -> None:
    bus.open_task("T", task="t")
    bus.claim("t", by="bob")
    [lease] = running(bus.session.view.current()).values()
    bus.session.log.append([lease.draft_due("lease")])
    bus.session.log.append([lease.draft_due("lease")])
    settle(bus.session)
    settle(bus.session)

    assert bus.claim("t", by="carol").effect
    assert bodies(bus, "bob") == ["Your claim of t has ended: nothing was heard of it for too long."]


# --- races ---

CLAIM = """
moved = None
try:
    moved = bus.claim("t")
    say([moved.effect, moved.card.task.holder])
except Refusal as refused:
    say([False, str(refused)])
"""


@pytest.mark.on_disk("other processes use the log")
def test_of_many_claims_at_once_one_wins_and_the_others_are_told_who(bus: Bus) -> None:
    agents = [f"w{number}" for number in range(6)]
    for agent in agents:
        bus.add_agent(agent)
    bus.open_task("T", task="t")

    said = race(bus, agents, CLAIM)

    won = [agent for agent, answer in zip(agents, said, strict=True) if answer == [True, agent]]
    assert len(won) == 1
    assert bus.task("t").task.holder == won[0]
    assert all(won[0] in str(answer) for answer in said)


def test_a_claim_with_the_same_key_counts_once(bus: Bus) -> None:
    bus.open_task("T", task="t")

    first = bus.claim("t", by="bob", key="k1")
    again = bus.claim("t", by="bob", key="k1")

    assert first.effect
    assert again.effect
    assert first.message.id == again.message.id


def test_a_board_that_is_made_anew_is_the_same(bus: Bus) -> None:
    test_with_an_automatic_manager_workers_never_wait(bus)
    by_file(bus, "carol", "claim", "docs")
    by_file(bus, "bob", "claim", "docs")
    bus.tasks()

    before = dump(bus)

    assert rebuilt(bus) == before


def test_who_directs_a_swarm_with_a_prefix_leads_there_by_his_whole_name(bus: Bus) -> None:
    folder = Path(bus.root.path).parent / "team"
    folder.mkdir()
    (folder / "channel.jsonl").touch()
    mount = f'[mounts.team]\ndialect = "swarm"\npath = "{folder}"\nprefix = "t2"\nagents = ["dev", "td"]'
    configured(bus, f"\n{mount}")
    bus.add_agent("td")
    bus.open_task("Theirs", task="theirs", by="ada")
    bus.claim("theirs", by="t2/dev")
    # The director is told of the claim: let the channel have it, and the log the confirmation.
    for _ in range(2):
        bus.session.sync.catch_up()

    with refused(bus, "not-permitted"):
        bus.move("theirs", "release", by="td")

    assert bus.move("theirs", "release", by="t2/td").effect
