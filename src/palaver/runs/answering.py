"""A program for each message: what the daemon of a team of two does, without what it loses.

One at a time, the most urgent first, then the oldest. A message is acknowledged when its program has ended
with 0, and not before: whatever happens until then, it comes again. One whose program failed comes again
later, and later still if that fails too; meanwhile the others have their turn.
"""

import os
import signal
import time
from collections import deque
from collections.abc import Callable
from types import FrameType

from palaver.bus.mail import mailbox
from palaver.bus.mail.mailbox import Mail
from palaver.bus.session import Session, draft
from palaver.bus.tasks.consequences import settle
from palaver.log.lock import Lock, describe
from palaver.log.watch import wait_until
from palaver.model.errors import AlreadyRunning, AlreadyTaken, Refusal
from palaver.model.limits import ROWS, WAIT_POLL_SECONDS, WAIT_SECONDS
from palaver.model.message import Message
from palaver.model.names import BUS
from palaver.runs import lines
from palaver.runs.program import Ended
from palaver.runs.settings import Runs
from palaver.runs.traces import file_name

_RETRY_MOST_SECONDS = 600.0


class Rate:
    """At most so many in so long."""

    def __init__(self, many: int, seconds: float) -> None:
        """Take the bound."""
        self._starts: deque[float] = deque(maxlen=many)
        self._seconds = seconds

    def wait(self, now: float) -> float:
        """Return the seconds until there is room for another."""
        if len(self._starts) < (self._starts.maxlen or 1):
            return 0.0
        return max(0.0, self._starts[0] + self._seconds - now)

    def note(self, now: float) -> None:
        """Note that one was started."""
        self._starts.append(now)


class Answering:
    """One agent's inbox, worked off by a program."""

    def __init__(
        self,
        core: Session,
        agent: str,
        configured: Runs,
        *,
        answer: Callable[[Message], Ended],
        note: Callable[[str], None],
    ) -> None:
        """Take the bus, the agent, the bounds, who runs the program for a message, and who hears of it."""
        self._core = core
        self._agent = agent
        self._configured = configured
        self._answer = answer
        self._note = note
        self._rate = Rate(configured.rate, configured.window)
        # When a message whose program failed may come again, and how long it was kept waiting.
        self._later: dict[str, tuple[float, float]] = {}
        self._due = 0.0
        self._ending = False
        self._once = False
        self._limited = False

    def run(self, *, once: bool = False) -> int:
        """Work until somebody ends us; with `once`, until every message had its turn. Return the exit."""
        self._once = once
        lock = self._alone()
        heeded = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        before = {each: signal.signal(each, self._end) for each in heeded}
        code = 0
        tried: set[str] = set()
        try:
            while not self._ending:
                # What comes while we look must wake us.
                end = self._core.log.end()
                mail = self._next(tried if once else set())
                if mail is None:
                    if once:
                        break
                    self._sleep(end)
                    continue
                tried.add(mail.message.id)
                if self._had_room():
                    code = self._turn(mail.message) or code
        finally:
            for each, heed in before.items():
                signal.signal(each, heed)
            lock.release()
        return code if once else 0

    def _turn(self, message: Message) -> int:
        """Run the program for one message; return its exit code."""
        self._rate.note(time.monotonic())
        [mail] = mailbox.read(self._core, self._agent, [message.id])
        fields: dict[str, object] = {
            "recipient": self._agent,
            "stage": "injected",
            "message_ids": [message.id],
        }
        event = draft("mail.delivered", BUS, {**fields, "chars": len(mail.message.body)})
        self._core.log.append([event])
        ended = self._answer(mail.message)
        if ended.asked:
            self._ending = True
        if ended.exit == 0:
            self._later.pop(message.id, None)
            self._acknowledge(message.id)
            return 0
        pause = min(
            _RETRY_MOST_SECONDS, self._later.get(message.id, (0.0, self._configured.retry / 2))[1] * 2
        )
        self._later[message.id] = (time.monotonic() + pause, pause)
        if not self._ending:
            then = "stays in the inbox" if self._once else f"comes again in {pause:g} s"
            self._note(f"{message.id} is not done (exit {ended.exit}); it {then}")
        return ended.exit

    def _acknowledge(self, message_id: str) -> None:
        try:
            mailbox.acknowledge(self._core, self._agent, [message_id])
            settle(self._core)
        except AlreadyTaken as taken:
            self._note(str(taken))
        except Refusal as refused:
            # It comes again: twice is better than never.
            self._note(str(refused))

    def _next(self, passed: set[str]) -> Mail | None:
        """Return the message whose turn it is; where there is none, note when the next one's comes."""
        self._core.sync.catch_up()
        listing = mailbox.list_inbox(self._core, self._agent, scope="open", limit=ROWS)
        now = time.monotonic()
        # A view that is behind does not hold what the log does.
        self._due = now + (WAIT_POLL_SECONDS if listing.behind else WAIT_SECONDS)
        for mail in listing.mail:
            message = mail.message
            if message.id in passed or "acknowledged" in mail.delivery.stages:
                continue
            due = self._later.get(message.id, (0.0, 0.0))[0]
            if due <= now:
                return mail
            self._due = min(self._due, due)
        return None

    def _had_room(self) -> bool:
        """Wait until another may be started; false if we are to end meanwhile."""
        wait = self._rate.wait(time.monotonic())
        if wait and not self._limited:
            words = f"Rate limited — {self._configured.rate} calls in {self._configured.window:g}s"
            self._note(f"{words}; what waits comes later")
            lines.system(self._core, words, agent=self._agent)
        self._limited = bool(wait)
        until = time.monotonic() + wait
        wait_until(lambda: self._ending or time.monotonic() >= until, [], wait)
        return not self._ending

    def _sleep(self, end: str) -> None:
        """Sleep until the log goes on behind a place, or a message may come again."""

        def ready() -> bool:
            self._core.sync.catch_up()
            return self._ending or self._core.log.end() != end

        paths = self._core.wakeups.hang(self._core.view.roster().bells(self._agent))
        wait_until(ready, paths, max(0.0, self._due - time.monotonic()))

    def _end(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._ending = True

    def _alone(self) -> Lock:
        """Return the right to work off this inbox; two who do would start two programs for every message."""
        folder = f"{self._core.root.path}/run"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        lock = Lock(f"{folder}/{file_name(self._agent)}.lock")
        if not lock.acquire(0):
            pid = lock.holder()
            who = describe(pid) if pid else "another process"
            raise AlreadyRunning(
                f"cannot answer the mail of {self._agent}", f"{who} does", f"end it first: kill {pid}"
            )
        return lock
