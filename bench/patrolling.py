"""Patrolling: one look at a large company, beside reading the rows that it looks at."""

from bench.ground import Ground
from bench.measure import Row, in_rounds, milliseconds, ratios, timed
from palaver.bus.api import Bus
from palaver.bus.desk import draft
from palaver.bus.sending import mail_sent
from palaver.model.message import Message
from palaver.model.watch import Watch
from palaver.supervision.facts import gather
from palaver.supervision.patrol import patrol

BATCH = 5_000
# What a patrol reads of the view, as bare rows.
ROWS = (
    "select agent, seq from activity",
    "select kind, seq, asked, asker, id, task from question",
    "select id, state, holder, owner, giver, checker, seq, fence from task",
    "select since, agent, rule, n, seq from vigil_step",
    "select id, name, handle, role, about, homes from agent",
)


def patrolling(ground: Ground) -> list[Row]:
    """Return the row."""
    bus = ground.bus("patrol")
    agents, items = ground.sizes.agents, ground.sizes.items
    _filled(bus, agents, items)
    db = bus.view.current()
    [(head,)] = db.execute("select seq from place")
    watch = Watch()
    # Half of everything has been seen for a minute, and half for five: some is due, most is not.
    watch.look(ticks=0.0, boot="a", head=head // 2, gap=1e9)
    watch.look(ticks=540.0, boot="a", head=head, gap=1e9)
    watch.look(ticks=600.0, boot="a", head=head, gap=1e9)
    found: list[int] = []

    def ours() -> None:
        facts = gather(db, bus.view.roster(), watch)
        found.append(len(patrol(facts, watch.now)))

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
        )
    ]


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
        bus.log.append_plain(drafts[start : start + BATCH])
    bus.agents()
