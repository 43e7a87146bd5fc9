"""A company that is simulated, by a seed: agents that work, freeze, crash, ask and forget, under patrol.

Its clock is the machine's clock as the patrol sees it, which sometimes jumps or begins anew. The model keeps
its own account of who was active when, and of all that waits; the laws are checked against that, not
against what the patrol believes.

The patrol crashes, too: before it writes, and after it wrote some of what it decided. Another one goes on.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from palaver import Bus
from palaver.bus.mail.plain_send import mail_sent
from palaver.bus.writer import draft
from palaver.model.event import Draft, Event, table, text, texts
from palaver.model.message import Message
from palaver.model.task import ENDED, LEASED, STATES, TO_DO, Task
from palaver.supervision.facts import Facts
from palaver.supervision.patrol_service import PatrolService
from palaver.supervision.step import Step
from palaver.supervision.step_events import RunEnds
from palaver.wiring import begin

MINUTE: Final = 60.0
NUDGE: Final = 300.0
KILL: Final = 900.0
GAP: Final = 120.0
#: After so long everything that waits must have been brought up: every deadline, and cooldowns for many.
PATIENCE: Final = 2 * 3_600.0
WAITING: Final = ("assigned", "handed", "blocked", "delivered", "working", "rework")
#: So long a claim counts, by the usual policy; and so long somebody silent may have work to do.
LEASE: Final = 14_400.0
SILENT: Final = 3_600.0
LEADS: Final = ("ceo", "operations", "f/supervisor")


class Crashed(Exception):
    """The patrol is no more."""


class Twice(PatrolService):
    """A patrol, and another one with the same facts that comes a moment later; if it lives so long."""

    dies: Callable[[], bool] = staticmethod(lambda: False)

    def _take(self, facts: Facts, steps: list[Step], head: int) -> list[Step]:
        taken = super()._take(facts, steps, head)
        super()._take(facts, steps, head)
        return taken

    def _append(self, facts: Facts, steps: list[Step], ends: Mapping[str, RunEnds], head: int) -> list[Step]:
        if steps and self.dies():
            # Some of it stands, the rest does not.
            super()._append(facts, steps[: len(steps) // 2], ends, head)
            raise Crashed
        return super()._append(facts, steps, ends, head)


class Worker:
    """One agent, as the model knows it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.run = ""
        self.mood = "good"
        self.active = 0.0
        self.jumps = 0
        self.asked = ""
        # Since when it waits for nobody.
        self.free = 0.0


class Company:
    """The simulation."""

    def __init__(self, folder: Path, seed: int, workers: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        begin(str(folder), "ada")
        self.bus = Bus(str(folder), agent="ada")
        self.seed = seed
        self.dice = random.Random(seed)
        self.workers = {name: Worker(name) for name in (f"f/workers/w{n}" for n in range(workers))}
        self.ticks, self.boot, self.awake = 100.0, "boot-0", 0.0
        self.notes: list[str] = []
        self.crashes = 0
        self.jumps = 0
        self._patrolled_anew()
        self.seen = 0
        self.serial = 0
        self.open_questions: dict[str, tuple[float, str]] = {}
        self.broken: list[str] = []
        self.named: dict[str, float] = {}
        # Each task: its state, its holder, the event since which, and our clock then.
        self.since: dict[str, tuple[str, str, int, float]] = {}
        # The last word of the holder about each task: our clock, and how many jumps there were before.
        self.heard: dict[str, tuple[float, int]] = {}
        self.lines: Counter[str] = Counter()
        self.keys: Counter[str] = Counter()
        drafts = [draft("agent.registered", "ada", {"agent": name}) for name in (*LEADS, *self.workers)]
        self.bus.session.log.append(drafts)
        for worker in self.workers.values():
            self._start(worker)

    # --- what happens ---

    def minute(self) -> None:
        """Let one minute pass, with whatever chance brings; then somebody patrols."""
        self._clock()
        drafts: list[Draft] = []
        tasks = self._board()
        held: dict[str, list[str]] = {}
        for task in tasks.values():
            held.setdefault(task.holder, []).append(task.id)
        for worker in self.workers.values():
            drafts += self._live(worker, [tasks[each] for each in held.get(worker.name, [])])
        drafts += self._lead(tasks, held)
        self.bus.session.log.append(drafts)
        try:
            found = self.patrols.run_once()
            assert found is not None, "nobody else is at the view"
        except Crashed:
            self.crashes += 1
            self._patrolled_anew()
        self._hear()

    def _patrolled_anew(self) -> None:
        """Let another process patrol; it knows what is on the disk."""
        self.patrols = Twice(
            self.bus.session,
            note=self.notes.append,
            ticks=lambda: self.ticks,
            boot=lambda: self.boot,
        )
        self.patrols.dies = lambda: self.dice.random() < 0.02

    def _board(self) -> dict[str, Task]:
        """Return the tasks that are not over; note since when each is as it is."""
        live = tuple(state for state in STATES if state not in ENDED)
        found = {card.task.id: card.task for card in self.bus.tasks(states=live)}
        self.since = {name: known for name, known in self.since.items() if name in found}
        self.heard = {name: known for name, known in self.heard.items() if name in found}
        for task in found.values():
            known = self.since.get(task.id)
            if known is None or known[2] != task.seq:
                self.since[task.id] = (task.state, task.holder, task.seq, self.awake)
                self.heard[task.id] = (self.awake, self.jumps)
        return found

    def night(self) -> None:
        """Let the machine sleep until the next morning."""
        self.ticks += 16 * 3_600.0
        self._jumped()

    def _clock(self) -> None:
        self.ticks += MINUTE
        self.awake += MINUTE
        chance = self.dice.random()
        if chance < 0.01:
            self.ticks += self.dice.choice([3_600.0, 30_000.0, 1e7, -5_000.0])
        elif chance < 0.012:
            self.boot, self.ticks = f"boot-{self.serial}", 1.0
        else:
            return
        self._jumped()

    def _jumped(self) -> None:
        self.jumps += 1
        for worker in self.workers.values():
            worker.jumps += 1

    def _live(self, worker: Worker, tasks: list[Task]) -> list[Draft]:
        """Return what a worker does in this minute."""
        dice = self.dice
        if worker.mood == "dead":
            if dice.random() < 0.02:
                self._start(worker)
            return []
        if dice.random() < 0.002:
            worker.mood = dice.choice(["frozen", "dead", "good"])
            if worker.mood == "dead":
                return [self._event("run.ended", worker, exit=0, signal=dice.choice([9, 11]))]
        if worker.mood == "frozen" or dice.random() < 0.55:
            return []
        worker.active, worker.jumps = self.awake, 0
        done = self._work(worker, dice.choice(tasks)) if tasks else None
        return [done or self._event("run.output", worker, bytes=10)]

    def _work(self, worker: Worker, task: Task) -> Draft | None:
        """Return what a worker says of a task, if anything."""
        dice, chance = self.dice, self.dice.random()
        if task.state in ("assigned", "handed") and chance < 0.5:
            return self._said(worker.name, [task.owner or "ceo"], "ack", task.id)
        if task.state in ("working", "rework") and chance < 0.08:
            act = dice.choice(["deliver", "deliver", "block", "handoff"])
            to = [dice.choice(sorted(self.workers))] if act == "handoff" else ["ceo"]
            return self._said(worker.name, to, act, task.id, "words of it")
        if task.state == "blocked" and chance < 0.01:
            return self._said(worker.name, ["ceo"], "resume", task.id)
        to = [dice.choice([*LEADS, *sorted(set(self.workers) - {worker.name})])]
        if worker.asked or chance > 0.97:
            return None
        if chance > 0.95:
            asked = self._said(worker.name, to, "ask", "", "how?")
            worker.asked = text(asked.data, "message_id")
            self.open_questions[worker.asked] = (self.awake, worker.name)
            return asked
        return None

    def _lead(self, tasks: dict[str, Task], held: dict[str, list[str]]) -> list[Draft]:
        """Give work, judge it, answer; sometimes, and some of it never."""
        dice, drafts = self.dice, []
        idle = sorted(name for name in self.workers if not held.get(name))
        if idle and len(tasks) < 2 * len(self.workers) and dice.random() < 0.5:
            self.serial += 1
            drafts.append(self._said("ceo", [dice.choice(idle)], "assign", f"t{self.serial}", "do it"))
        for task in tasks.values():
            if task.state == "delivered" and dice.random() < 0.03:
                drafts.append(self._said("ceo", [task.holder], "accept", task.id))
            elif task.state == "open" and idle and dice.random() < 0.02:
                drafts.append(self._said("ceo", [dice.choice(idle)], "assign", task.id, "yours"))
        drafts += [each for asked in list(self.open_questions) for each in self._answers(asked)]
        drafts.append(self._said("f/supervisor", ["ceo"], "inform", "", "well"))
        return drafts

    def _answers(self, asked: str) -> list[Draft]:
        """Let somebody answer a question, now and then."""
        if self.dice.random() > 0.004:
            return []
        rows = self.bus.session.view.current().execute("select asked from question where id = ?", (asked,))
        asker = self.open_questions[asked][1]
        if not rows:
            return []
        answer = self._said(rows[0][0], [asker], "answer", "", "so")
        answer.data["reply_to"] = asked
        del self.open_questions[asked]
        self.workers[asker].asked, self.workers[asker].free = "", self.awake
        return [answer]

    def _hear(self) -> None:
        """Read what was added to the log; check what it says against the model."""
        for event in self.bus.session.log.read(self.seen, 100_000):
            self.seen = event.seq
            if event.actor != "palaver":
                continue
            self.keys[event.key] += bool(event.key)
            meta = table(event.data, "meta") or event.data
            for line in texts(meta, "steps"):
                self.lines[line] += 1
            if event.event_type == "agent.killed":
                self._killed(event)
            elif event.event_type == "task.lease_ended":
                self._lease_ended(text(event.data, "task"))
            elif event.event_type == "mail.sent":
                self._told(event, text(meta, "rule"))

    def _told(self, event: Event, rule: str) -> None:
        """Note what the bus speaks of; let a nudge arrive."""
        for word in text(event.data, "body").replace(":", " ").replace(",", " ").split():
            self.named[word.strip(".()")] = self.awake
        if rule == "nudge":
            self._nudged(texts(event.data, "to")[0])

    def _nudged(self, name: str) -> None:
        """Let a nudge arrive; half of them are lost."""
        worker = self.workers[name]
        self._silent(worker, NUDGE, "nudged")
        if worker.mood == "good" and self.dice.random() < 0.5:
            self.bus.session.log.append([self._said(name, ["ceo"], "inform", "", "here")])

    def _killed(self, event: Event) -> None:
        worker = self.workers[text(event.data, "agent")]
        self._silent(worker, KILL, "killed")
        worker.mood = "dead"

    def _lease_ended(self, task: str) -> None:
        at, jumps = self.heard[task]
        silent = self.awake - at + GAP * (self.jumps - jumps) + MINUTE
        if silent < LEASE:
            self.broken.append(f"the lease of {task} ended, and it was heard of {silent:.0f} s before")

    def _silent(self, worker: Worker, seconds: float, what: str) -> None:
        """Note it if somebody was not silent, or waits for an answer."""
        silent = self.awake - worker.active + GAP * worker.jumps
        if silent < seconds:
            self.broken.append(f"{worker.name} was {what}, and was active {silent:.0f} s before")
        if worker.asked:
            self.broken.append(f"{worker.name} was {what}, and waits for {worker.asked}")

    # --- the laws ---

    def judged(self) -> list[str]:
        """Return which laws are broken: nothing forgotten, nobody killed who was active, each step once."""
        broken = list(self.broken)
        broken += [f"{key} stands {n} times" for key, n in self.keys.items() if n > 1]
        broken += [f"the step '{line}' was taken {n} times" for line, n in self.lines.items() if n > 1]
        for asked, (at, asker) in self.open_questions.items():
            if self.awake - at > PATIENCE and asked not in self.named:
                broken.append(f"{asker} waits for an answer to {asked}, and nobody heard of it")
        for name, (state, holder, _, at) in self.since.items():
            if state in WAITING and self.awake - at > PATIENCE and self.named.get(name, -1.0) < at:
                broken.append(f"{name} is {state} of {holder}, and nobody heard of it")
            broken += self._kept(name, state, holder, at)
        return broken

    def _kept(self, name: str, state: str, holder: str, at: float) -> list[str]:
        """Return whether somebody silent sits on work: he was woken, then it was taken from him."""
        worker = self.workers.get(holder)
        since = max(at, self.heard[name][0])
        if state in LEASED and self.awake - since > LEASE + PATIENCE:
            return [f"{name} is {state} of {holder}, and its lease does not end"]
        if worker is None or worker.asked or state not in TO_DO:
            return []
        if self.awake - max(at, worker.active, worker.free) > SILENT:
            return [f"{holder} is silent and keeps {name}, which is {state}"]
        return []

    # --- drafts ---

    def _active(self, name: str) -> None:
        worker = self.workers.get(name)
        if worker:
            worker.active, worker.jumps = self.awake, 0

    def _start(self, worker: Worker) -> None:
        self.serial += 1
        worker.run, worker.mood = f"run_{self.serial}", "good"
        worker.active, worker.jumps = self.awake, 0
        self.bus.session.log.append([self._event("run.started", worker, pid=0, pgid=0)])

    def _event(self, event_type: str, worker: Worker, **fields: object) -> Draft:
        return draft(event_type, "palaver", {"run": worker.run, "agent": worker.name, **fields})

    def _said(self, sender: str, to: list[str], act: str, task: str, body: str = "") -> Draft:
        self._active(sender)
        if task in self.since and self.since[task][1] == sender:
            self.heard[task] = (self.awake, self.jumps)
        return mail_sent(Message(sender=sender, to=to, act=act, task=task, body=body))
