"""What work should come to, said again in plain Python: one function an act."""

from dataclasses import dataclass, field

LIVE = ("open", "claimed", "assigned", "working", "blocked", "delivered", "checking", "rework", "handed")
BUSY = ("assigned", "handed", "working", "blocked", "rework", "claimed")


@dataclass
class Job:
    """One task."""

    owner: str
    approval: bool = False
    check: bool = True
    needs: tuple[str, ...] = ()
    state: str = "open"
    holder: str = ""
    giver: str = ""
    checkers: tuple[str, ...] = ()
    #: The agent that passed it on to be checked, as long as nobody else has moved it.
    passer: str = ""

    def checks(self, agent: str) -> bool:
        """Tell whether an agent may check it; nobody checks its own work."""
        return agent in self.checkers and agent != self.holder


@dataclass
class Model:
    """All of them."""

    jobs: dict[str, Job] = field(default_factory=dict)
    #: What waits for each agent.
    given: dict[str, str] = field(default_factory=dict)
    #: What was ever assigned to an agent that still has it, oldest first.
    orders: list[tuple[str, str]] = field(default_factory=list)
    #: Whether the last one only said again what was said: that is no move, and not recorded as one.
    is_said_again: bool = False

    def give(self, agent: str, name: str) -> None:
        """Assign a task to an agent; what it has stays."""
        if agent not in self.given:
            self.given[agent] = name
            self.orders += [] if (agent, name) in self.orders else [(agent, name)]

    def do(self, agent: str, act: str, name: str, to: list[str]) -> bool:
        """Let an agent say something; tell whether it counts."""
        job = self.jobs[name]
        self.is_said_again = False
        done = bool(getattr(self, f"_{act}")(job, agent, to))
        if not done:
            return False
        job.passer = agent if act == "ready" else ""
        self.orders = [(who, task) for who, task in self.orders if task != name or who == job.holder]
        for other in [other for other, task in self.given.items() if task == name]:
            if job.state not in BUSY or other != job.holder:
                del self.given[other]
                self._give_back(other)
        if job.state == "rework":
            self._give_back(job.holder)
        return True

    def _give_back(self, agent: str) -> None:
        """Assign the oldest task again that an agent still has, if it has no assignment."""
        for who, name in self.orders:
            job = self.jobs[name]
            if who == agent and job.holder == agent and job.state in BUSY:
                self.given.setdefault(agent, name)

    def ready(self, job: Job) -> bool:
        return job.state == "open" and all(self.jobs[needed].state == "done" for needed in job.needs)

    def _may_take(self, job: Job) -> bool:
        """Tell whether an agent may take an open one without a claim."""
        return self.ready(job) and not job.approval

    def _claim(self, job: Job, agent: str, _: list[str]) -> bool:
        if job.state == "open":
            if not self.ready(job):
                return False
            job.holder, job.state = agent, "claimed" if job.approval else "working"
            return True
        return self._begin(job, agent, ("assigned", "rework", "handed"))

    def _ack(self, job: Job, agent: str, to: list[str]) -> bool:
        return self._begin(job, agent, ("blocked",)) or self._claim(job, agent, to)

    def _begin(self, job: Job, agent: str, states: tuple[str, ...]) -> bool:
        if job.state not in states or job.holder != agent:
            return False
        job.state = "working"
        return True

    def _assign(self, job: Job, agent: str, to: list[str]) -> bool:
        fits = job.state in ("open", "claimed", "assigned", "working", "blocked", "rework", "handed")
        if agent != job.owner or not fits:
            return False
        if len(to) != 1:
            return job.state == "open"
        job.giver, job.holder, job.state = job.holder or agent, to[0], "assigned"
        return True

    def _approve(self, job: Job, agent: str, to: list[str]) -> bool:
        if job.state != "claimed" or agent != job.owner or (to and job.holder not in to):
            return False
        job.state = "working"
        return True

    def _refuse(self, job: Job, agent: str, to: list[str]) -> bool:
        if job.state == "claimed" and agent == job.owner and (not to or job.holder in to):
            return self._free(job)
        if job.state == "assigned" and agent == job.holder:
            return self._free(job)
        if job.state == "handed" and agent == job.holder:
            job.holder, job.giver, job.state = job.giver, "", "working"
            return True
        return job.state in ("delivered", "checking") and self._rework(job, agent, to)

    def _rework(self, job: Job, agent: str, _: list[str]) -> bool:
        if job.state not in ("delivered", "checking", "done"):
            return False
        if agent != job.owner and not job.checks(agent):
            return False
        job.state = "rework" if job.holder else "open"
        return True

    def _block(self, job: Job, agent: str, _: list[str]) -> bool:
        if job.state == "open" and self._may_take(job):
            job.holder = agent
        elif job.holder != agent or job.state not in ("assigned", "working", "blocked", "rework", "handed"):
            return False
        job.state = "blocked"
        return True

    def _resume(self, job: Job, agent: str, _: list[str]) -> bool:
        if job.state == "cancelled" and agent == job.owner:
            return self._free(job)
        if job.state == "blocked" and agent in (job.owner, job.holder):
            job.state = "working"
            return True
        return self._begin(job, agent, ("rework",))

    def _deliver(self, job: Job, agent: str, to: list[str]) -> bool:
        if job.state == "open":
            if not self._may_take(job):
                return False
            job.holder = agent
        elif job.holder == agent and job.state in ("delivered", "done"):
            return self._say_again(job, to if job.state == "delivered" else [])
        elif job.holder != agent or job.state not in (
            *("assigned", "working", "blocked", "rework", "handed", "checking"),
        ):
            return False
        job.state = "delivered" if job.check or job.state == "checking" else "done"
        if job.state == "delivered":
            job.checkers = tuple(to)
        return True

    def _ready(self, job: Job, agent: str, to: list[str]) -> bool:
        before = job.state in ("delivered", "checking") and (agent == job.owner or job.checks(agent))
        if not before and job.state == "checking" and agent == job.passer:
            return self._say_again(job, to)
        if not before and not (job.state == "done" and agent in (job.owner, job.holder)):
            return False
        job.state, job.checkers = "checking", tuple(to)
        return True

    def _say_again(self, job: Job, to: list[str]) -> bool:
        """Let more agents check what was delivered; nothing else changes."""
        job.checkers = tuple(dict.fromkeys([*job.checkers, *to]))
        self.is_said_again = True
        return False

    def _accept(self, job: Job, agent: str, _: list[str]) -> bool:
        checks = job.state in ("delivered", "checking") and job.checks(agent)
        if job.state not in LIVE or not (agent == job.owner or checks):
            return False
        job.state = "done"
        return True

    def _cancel(self, job: Job, agent: str, _: list[str]) -> bool:
        if job.state not in LIVE or agent != job.owner:
            return False
        job.state = "cancelled"
        return True

    def _handoff(self, job: Job, agent: str, to: list[str]) -> bool:
        if job.state == "delivered" and agent == job.holder:
            job.state, job.checkers = "checking", tuple(to)
            return True
        if job.state == "handed" and (agent, to) == (job.giver, [job.holder]):
            return self._say_again(job, [])
        mine = job.holder == agent and job.state in ("assigned", "working", "blocked", "rework", "done")
        if not mine and not (job.state in ("open", "delivered", "done") and agent == job.owner):
            return False
        if len(to) > 1 and job.state in ("open", "assigned", "working", "blocked", "rework"):
            if job.state == "open" and not self._may_take(job):
                return False
            job.holder, job.state, job.checkers = job.holder or agent, "checking", tuple(to)
            return True
        if len(to) != 1:
            return False
        job.giver, job.holder, job.state = job.holder or agent, to[0], "handed"
        return True

    def _release(self, job: Job, agent: str, _: list[str]) -> bool:
        fits = job.state in ("claimed", "assigned", "working", "blocked", "rework", "handed")
        return fits and agent in (job.holder, job.owner) and self._free(job)

    def _free(self, job: Job) -> bool:
        job.state, job.holder, job.giver, job.checkers = "open", "", "", ()
        return True
