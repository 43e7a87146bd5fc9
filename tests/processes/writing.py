"""What a writer process does: append, and note each acknowledgement where a kill cannot take it back."""

import os
import random
import threading
from pathlib import Path
from typing import Final

import msgspec

from palaver.api import Bus
from palaver.log.file_log import FileLog
from palaver.model.limits import SEGMENT_BYTES
from tests.laws.drafts import said
from tests.processes.mutants import LOGS

# Whoever gets the mail that is sent on a bus.
READER: Final = "reader"
# Most messages are short; the long ones are what a kill tears.
SIZES: Final = (50, 200, 200, 200, 900, 900, 4_000, 20_000)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One writer: where, who, how much."""

    log: str
    lock: str
    name: str
    acks: str
    seed: int
    #: How many to write in each thread; 0 is until it is killed.
    count: int = 0
    threads: int = 1
    sizes: tuple[int, ...] = SIZES
    segment_bytes: int = SEGMENT_BYTES
    #: Which broken log to use, if any.
    mutant: str = ""
    #: Whether each message has a key of its own: its writer's name and its number.
    keyed: bool = False
    #: The bus to send on, with keys, going on behind the last acknowledgement; else the log itself is used.
    bus: str = ""

    def open(self) -> FileLog:
        return LOGS[self.mutant](self.log, lock=self.lock, segment_bytes=self.segment_bytes)


class Ack(msgspec.Struct, frozen=True, array_like=True):
    """What a writer was promised: its name, its own count, and the number and id of the event."""

    name: str
    count: int
    seq: int
    event_id: str


def write(job: Job) -> None:
    """Do the job; every acknowledgement is one line in the job's own file, before the next append."""
    if job.bus:
        _insist(job)
        return
    log = job.open()
    if job.threads == 1:
        _write(job, log, job.name)
        return
    threads = [
        threading.Thread(target=_write, args=(job, log, f"{job.name}.{n}")) for n in range(job.threads)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def acknowledged(file: Path) -> list[Ack]:
    """Return every acknowledgement in a file; a last line that a kill has torn was not one yet."""
    if not file.exists():
        return []
    return [msgspec.json.decode(line, type=Ack) for line in file.read_bytes().split(b"\n")[:-1] if line]


def _insist(job: Job) -> None:
    """Send on the bus; what was not acknowledged when we were killed is said again, with the same key."""
    bus = Bus(job.bus, agent=job.name)
    done = len(acknowledged(Path(job.acks)))
    acks = os.open(job.acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    for count in range(done + 1, job.count + 1):
        sent = bus.send(READER, f"message {count} of {job.name}", key=f"key {count}")
        ack = Ack(job.name, count, sent.message.seq, sent.message.event_id)
        # A newline first: the line before may have been torn.
        os.write(acks, b"\n" + msgspec.json.encode(ack) + b"\n")
    os.close(acks)


def _write(job: Job, log: FileLog, name: str) -> None:
    dice = random.Random(f"{job.seed} {name}")
    acks = os.open(job.acks, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    count = 0
    while not job.count or count < job.count:
        count += 1
        draft = said("x" * dice.choice(job.sizes), by=name, key=f"{name} {count}" if job.keyed else "")
        draft.data["count"] = count
        if job.keyed:
            event = log.append([draft])[0]
            ack = Ack(name, count, event.seq, event.event_id)
        else:
            ack = Ack(name, count, log.append([draft])[0].seq, draft.event_id)
        os.write(acks, msgspec.json.encode(ack) + b"\n")
    os.close(acks)
