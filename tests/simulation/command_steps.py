"""What commands do: they send, retry, read, acknowledge and move tasks, with proof or without."""

from functools import partial

from palaver.bus.mail.message_check import SendResult
from palaver.model.event import text
from tests.simulation.agent_steps import speak_by_mail
from tests.simulation.company import BOSS, HOME, PERSON, TASKS, TEAMS
from tests.simulation.ledger import Sent
from tests.simulation.simulation import Outcome, Process, Simulation

_READERS = (PERSON, "ceo", "project-a/workers/slot0", "td", "jim", "emp-a")
_ACTS = ("claim", "approve", "refuse", "deliver", "accept", "rework", "release", "block", "resume", "ack")


def send(sim: Simulation) -> str:
    """Send a message, with a key or without."""
    dice = sim.dice
    token = sim.ledger.token("s")
    to = ["@all"] if dice.random() < 0.05 else dice.sample(tuple(HOME), dice.choice((1, 1, 1, 2)))
    sender = dice.choice((PERSON, BOSS, PERSON, "programmer", "ceo"))
    key = f"key-{token[1:-1]}" if dice.random() < 0.5 else ""
    sent = Sent(token=token, sender=sender, to=to, body=f"{token} hello", key=key)
    sim.ledger.sent[token] = sent
    sim.history.append(f"{sender} sends {token} to {to}{' with a key' if key else ''}")
    _note(sent, sim.operate(lambda process: _send(process, sent)))
    return ""


def retry(sim: Simulation) -> str:
    """Send a message with a key again: its answer was lost, or nobody remembers that it came."""
    keyed = [each for each in sim.ledger.sent.values() if each.key]
    if not keyed:
        return "nobody has anything to send again"
    sent = sim.dice.choice(keyed[-4:])
    sim.history.append(f"{sent.sender} sends {sent.token} again")
    _note(sent, sim.operate(lambda process: _send(process, sent)))
    return ""


def interrupting_send(sim: Simulation) -> None:
    """Send a message in the middle of another operation, by a process of its own."""
    token = sim.ledger.token("s")
    sent = Sent(token=token, sender=PERSON, to=[sim.dice.choice(tuple(HOME))], body=f"{token} meanwhile")
    sent.is_meanwhile = True
    sim.ledger.sent[token] = sent
    sim.history[-1] += f" [meanwhile {token} to {sent.to}]"
    _note(sent, sim._attempt(lambda process: _send(process, sent), is_warm=False, prove=""))


def _send(process: Process, sent: Sent) -> SendResult:
    return process.bus.send(sent.to, sent.body, sender=sent.sender, key=sent.key)


def _note(sent: Sent, outcome: Outcome[SendResult]) -> None:
    if outcome.value is not None:
        message = outcome.value.message
        if sent.is_acknowledged:
            known, told = (sent.message_id, sent.seq), (message.id, message.seq)
            assert known == told, f"{sent.token} was acknowledged as {known}, and then as {told}"
        sent.is_acknowledged, sent.message_id, sent.seq = True, message.id, message.seq
        sent.is_refused = False
    else:
        refused = outcome.refusal is not None and outcome.refusal.code != "sync-failed"
        sent.is_refused = refused and (sent.is_refused or not sent.was_tried)
    sent.was_tried = True


def read(sim: Simulation) -> str:
    """Let an agent read its next mail, or acknowledge some, by command."""
    agent = sim.dice.choice(_READERS)
    sim.history.append(f"{agent} reads")
    if sim.dice.random() < 0.6:
        sim.operate(lambda process: process.bus.read(agent=agent))
    else:
        sim.operate(lambda process: _acknowledge(process, agent))
    return ""


def read_mail(sim: Simulation) -> str:
    """Let an agent read mail in a file that the bus rewrites for it, while others append to that file."""
    agent = sim.dice.choice(TEAMS["vermas"])
    sim.history.append(f"{agent} reads its mail")
    sim.deed = partial(speak_by_mail, sim)
    sim.operate(lambda process: process.bus.read(agent=agent), fate="is interrupted")
    return ""


def _acknowledge(process: Process, agent: str) -> list[str]:
    mail = process.bus.inbox(agent=agent, limit=2).mail
    return process.bus.ack([each.message.id for each in mail], agent=agent) if mail else []


def move(sim: Simulation) -> str:
    """Let an agent move a task by command; sometimes it proves who it is."""
    dice = sim.dice
    team = dice.choice(tuple(TEAMS))
    agent = dice.choice((*TEAMS[team], BOSS))
    task, act = dice.choice(TASKS[team]), dice.choice(_ACTS)
    prove = agent if dice.random() < 0.5 else ""
    sim.history.append(f"{agent} tries to {act} {task}{' with proof' if prove else ''}")
    words = f"{act} it, with words"
    sim.operate(lambda process: process.bus.move(task, act, words, by=agent).effect, prove=prove)
    return ""


def look(sim: Simulation) -> str:
    """Let somebody look at the board and the inbox: no command may fail, and none may lie about mail."""
    sim.history.append("ada looks")
    outcome = sim.operate(lambda process: [text(each.plain(), "id") for each in process.bus.tasks()])
    if outcome.value is not None:
        known = {task for tasks in TASKS.values() for task in tasks}
        assert known <= set(outcome.value), f"the board lacks {known - set(outcome.value)}"
    return ""
