"""Patrol: one round over a large company, compared with reading the same rows."""

import gc
import time
from collections.abc import Callable

from bench.ground import Ground
from bench.measure import Row, in_rounds, milliseconds, ratios, spread, timed
from palaver.api import Bus
from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.writer import draft
from palaver.model.deadlines import PatrolClock
from palaver.model.message import Message
from palaver.supervision.facts_query import read_facts
from palaver.supervision.patrol import patrol
from palaver.supervision.patrol_service import PatrolService

BATCH = 5_000
# So often somebody looks, a hundred seconds apart, until everybody was nudged or reminded.
PASSES = 8
# What a patrol reads of the view, as bare rows.
ROWS = (
    "select agent, seq from activity",
    "select kind, seq, asked, asker, id, task from question",
    "select id, state, holder, owner, giver, checker, seq, fence from task",
    "select since, agent, rule, n, seq from patrol_step",
    "select id, name, handle, role, about, homes from agent",
)


def measure(ground: Ground) -> list[Row]:
    """Return the rows."""
    bus = ground.bus("patrol")
    agents, items = ground.sizes.agents, ground.sizes.items
    _filled(bus, agents, items)
    db = bus.session.view.current()
    [(head,)] = db.execute("select seq from place")
    clock = PatrolClock()
    # Half of everything has been seen for a minute, and half for five: some is due, most is not.
    for ticks, seen in ((0.0, head // 2), (540.0, head), (600.0, head)):
        clock = clock.advance(ticks=ticks, boot="a", head=seen, gap=1e9)
    found: list[int] = []

    def ours() -> None:
        found.append(len(patrol(read_facts(db, bus.session.view.roster(), clock))))

    def bare() -> None:
        for question in ROWS:
            db.execute(question)

    taken = in_rounds(
        {"ours": lambda: timed(ours), "bare": lambda: timed(bare)},
        rounds=ground.sizes.rounds,
        seed=ground.seed,
        label="patrols",
    )
    assert found[0], "nothing was due, so nothing was measured"
    return [
        Row(
            name="patrol",
            what=f"patrol over {agents:,} agents, {items:,} items",
            against="reading the same rows",
            unit="x",
            found=ratios(taken["ours"], taken["bare"]),
            target=6.0,
            at_least=False,
            rounds=ground.sizes.rounds,
            ours=milliseconds(taken["ours"]),
            limit=milliseconds(taken["bare"]),
        ),
        _second(ground, bus, bare),
    ]


def _second(ground: Ground, bus: Bus, bare: Callable[[], None]) -> Row:
    """Return what a whole pass costs when much was done, and nothing is due."""
    ticks = [0.0]
    patrols = PatrolService(bus.session, note=print, ticks=lambda: ticks[0], boot=lambda: "a")
    for _ in range(PASSES):
        ticks[0] += 100.0
        patrols.run_once()

    def ours() -> None:
        assert patrols.run_once(dry=True) is not None

    rounds = max(1, ground.sizes.rounds // 4)
    taken = in_rounds(
        {"ours": lambda: _worked(ours), "bare": lambda: _worked(bare)},
        rounds=rounds,
        seed=ground.seed,
        label="passes",
    )
    return Row(
        name="patrol-second",
        what=f"a whole pass over {ground.sizes.agents:,} agents, {ground.sizes.items:,} items, all reminded",
        against="reading the same rows",
        unit="ms",
        found=spread([1_000 * seconds for seconds in taken["ours"]]),
        target=1_000.0,
        at_least=False,
        rounds=rounds,
        ours=f"{milliseconds(taken['ours'])} ({ratios(taken['ours'], taken['bare']).median:.1f} x)",
        limit=milliseconds(taken["bare"]),
    )


def _worked(work: Callable[[], None]) -> float:
    """Return the seconds of a processor that the work took: it waits for nobody, and others are busy too."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def _filled(bus: Bus, agents: int, items: int) -> None:
    """Register agents, give each a task, and let them ask each other so much."""
    names = [f"f{n // 100}/workers/w{n}" for n in range(agents)]
    drafts = [draft("agent.registered", "ada", {"agent": name}) for name in names]
    for number, name in enumerate(names):
        said = Message(sender="ada", to=[name], act="assign", task=f"t{number}", body="do it")
        drafts.append(mail_sent(said))
        drafts.append(mail_sent(Message(sender=name, to=["ada"], act="ack", task=f"t{number}")))
    for number in range(items):
        asker, asked = names[number % agents], names[(number * 7 + 1) % agents]
        if asker != asked:
            drafts.append(mail_sent(Message(sender=asker, to=[asked], act="ask", body="how?")))
    for start in range(0, len(drafts), BATCH):
        bus.session.log.append(drafts[start : start + BATCH])
    bus.agents()
