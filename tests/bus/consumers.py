"""Consumers that are killed between reading a message and acknowledging it, and what they saw."""

import random
from collections import Counter
from pathlib import Path
from typing import Final

from palaver import Bus
from palaver.model.event import texts
from tests.bus.scene import bus_in, ids, other

# Lets children of its own consume, one after the other. Each writes what it was given before it goes on.
_DRIVER: Final = """
import signal, time

def consume(seen, done_first):
    mine = Bus(sys.argv[1], agent="bob")
    done = 0
    while True:
        waiting = mine.inbox(limit=1).mail
        if not waiting:
            return
        [mail] = mine.read([waiting[0].message.id])
        os.write(seen, f"{mail.message.id} {mail.delivery.redelivered}\\n".encode())
        if done == done_first:
            os.kill(os.getpid(), signal.SIGKILL)
        mine.ack([mail.message.id])
        done += 1

seen = os.open(words[0], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
for line in sys.stdin:
    how, amount = line.split()
    child = os.fork()
    if not child:
        try:
            consume(seen, int(amount) if how == "messages" else -1)
        finally:
            os._exit(0)
    if how == "seconds":
        time.sleep(float(amount))
        os.kill(child, signal.SIGKILL)
    say(os.WIFSIGNALED(os.waitpid(child, 0)[1]))
"""


class Consumed:
    """What a line of consumers made of some mail."""

    def __init__(self, bus: Bus, sent: list[str], seen: Path) -> None:
        rows = [line.split() for line in seen.read_text().splitlines()]
        self.sent = sent
        self.given = Counter(message_id for message_id, _ in rows)
        # Given again, and not marked as such.
        self.unmarked = [
            message_id
            for place, (message_id, mark) in enumerate(rows)
            if mark == "False" and any(earlier == message_id for earlier, _ in rows[:place])
        ]
        self.left = ids(bus, "bob")
        acknowledged = bus.events(event_type="mail.acknowledged", limit=10_000)
        self.acknowledged = Counter(
            each for event in acknowledged for each in texts(event.data, "message_ids")
        )


def killed_consumers(folder: Path, *, seed: int, kills: int, messages: int) -> Consumed:
    """Let consumers of one inbox die, one after the other, and the last one finish."""
    dice = random.Random(seed)
    bus = bus_in(folder, "bob")
    sent: list[str] = []
    seen = folder / "seen"
    killed = 0
    with other(bus, "bob", _DRIVER, str(seen)) as driver:
        driver.go()
        while killed < kills:
            if len(ids(bus, "bob", "open")) < messages:
                sent.append(bus.send("bob", f"message {len(sent)}").message.id)
            if dice.random() < 0.8:
                driver.tell(f"messages {dice.choice((0, 0, 0, 1, 2))}")
            else:
                driver.tell(f"seconds {dice.uniform(0, 0.01)}")
            killed += driver.heard() is True
        driver.tell("messages -1")
        assert driver.heard() is False
    return Consumed(bus, sent, seen)
