"""What runners append that start a program for each message, without their processes."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from palaver import Bus
from palaver.bus.mail.chains import find_chain
from palaver.bus.mail.loop_limit import draft_injected, find_hold
from palaver.bus.mail.mailbox import Mail
from palaver.bus.session import draft
from palaver.model.names import BUS

# What a program does, as an agent.
Program = Callable[[str], None]
# A loop is one long before so many programs.
MOST = 50


class Runners:
    """The runners of several agents; each start takes `pause` seconds, and without one it is now."""

    def __init__(self, bus: Bus, program: Program, pause: float | None = None) -> None:
        self.bus = bus
        self.started: list[str] = []
        self._given: set[tuple[str, str]] = set()
        self._program = program
        self._pause = pause
        self._time = datetime.now(UTC) - timedelta(days=30)

    def work(self, *agents: str) -> int:
        """Let agents start their programs for their messages, until none may be; return how many."""
        while len(self.started) <= MOST * len(agents):
            found = [(agent, mail) for agent in agents if (mail := self._next(agent)) is not None]
            if not found:
                break
            for agent, mail in found:
                self._given.add((agent, mail.message.id))
                if find_hold(self.bus.session, agent, mail.message) is None:
                    self.start(agent, mail)
        return len(self.started)

    def start(self, agent: str, mail: Mail) -> None:
        """Start the program of an agent for a message."""
        session, message = self.bus.session, mail.message
        run, at = {"run": f"run-{agent}", "agent": agent}, ""
        if self._pause is not None:
            self._time += timedelta(seconds=self._pause)
            at = f"{self._time:%Y-%m-%dT%H:%M:%S}.000Z"
        given = draft_injected(agent, message, find_chain(session, message), run=run["run"])
        given.timestamp = at or given.timestamp
        session.log.append([given, draft("run.started", BUS, {**run, "message": message.id}, at=at)])
        self._program(agent)
        session.log.append([draft("run.ended", BUS, {**run, "exit": 0}, at=at)])
        self.started.append(message.id)

    def _next(self, agent: str) -> Mail | None:
        self.bus.session.sync.catch_up()
        for mail in self.bus.inbox(agent, scope="open", limit=10_000).mail:
            if (agent, mail.message.id) in self._given or find_hold(self.bus.session, agent, mail.message):
                continue
            return mail
        return None


def sending(bus: Bus, to: dict[str, str]) -> Program:
    """Return a program that sends one message to the next agent, inside its run."""

    def send(agent: str) -> None:
        program = Bus(bus.session.root.path, agent=agent)
        program.session.sign(agent, {"run": f"run-{agent}", "agent": agent})
        program.send(to[agent], "more")

    return send
