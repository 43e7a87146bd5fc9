"""Runs a program for each message of an agent's inbox, as the daemon of a pair does, but without losing any.

One at a time, the most urgent first, then the oldest. A message is acknowledged only after its program has
exited with 0: whatever happens before, it comes again. A message whose program failed is retried after a
pause that doubles each time; the others have their turn meanwhile.
"""

import os
import signal
import time
from collections import deque
from collections.abc import Callable
from types import FrameType
from typing import NamedTuple

from palaver.bus.mail import mailbox
from palaver.bus.mail.mailbox import Mail
from palaver.bus.session import Session
from palaver.bus.tasks.consequences import settle
from palaver.log.file_watch import wait_until
from palaver.log.lock import Lock, describe
from palaver.model.errors import AlreadyRunning, Refusal
from palaver.model.limits import ROWS, WAIT_POLL_SECONDS, WAIT_SECONDS
from palaver.model.message import Message
from palaver.model.plain import numbered
from palaver.runs.child_program import ProgramEnd
from palaver.runs.held_mail import HeldMail
from palaver.runs.run_config import RunConfig
from palaver.runs.system_lines import write_system_line
from palaver.runs.traces import file_name

_RETRY_MOST_SECONDS = 600.0
_FOR_GOOD = float("inf")
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class RateLimit:
    """At most so many starts in so many seconds."""

    def __init__(self, many: int, seconds: float) -> None:
        """Take the limit."""
        self._starts: deque[float] = deque(maxlen=many)
        self._seconds = seconds

    def wait(self, now: float) -> float:
        """Return the seconds until another start is allowed."""
        if len(self._starts) < (self._starts.maxlen or 1):
            return 0.0
        return max(0.0, self._starts[0] + self._seconds - now)

    def note(self, now: float) -> None:
        """Count a start."""
        self._starts.append(now)


class _Retry(NamedTuple):
    """When a message may be retried, and the pause before that."""

    at: float = 0.0
    pause: float = 0.0


class MailWorker:
    """Works off one agent's inbox with a program."""

    def __init__(
        self,
        core: Session,
        agent: str,
        config: RunConfig,
        *,
        run: str,
        answer: Callable[[Message], ProgramEnd],
        note: Callable[[str], None],
    ) -> None:
        """Take the bus, the agent, the limits, the run, what runs the program, and where to report."""
        self._core = core
        self._agent = agent
        self._config = config
        self._run = run
        self._answer = answer
        self._note = note
        self._rate = RateLimit(config.rate, config.window)
        self._retries: dict[str, _Retry] = {}
        self._held = HeldMail(core, agent, note)
        self._next_due = 0.0
        self._is_ending = False
        self._is_limited = False

    def run(self, *, once: bool = False) -> int:
        """Work until a signal; with `once`, until every message had its turn. Return the exit code."""
        lock = self._lock()
        before = {each: signal.signal(each, self._end) for each in _SIGNALS}
        try:
            return self._drain() if once else self._serve()
        finally:
            for each, handle in before.items():
                signal.signal(each, handle)
            lock.release()

    def _drain(self) -> int:
        """Give every message one turn; return the exit code of the last program that failed."""
        code = 0
        tried: set[str] = set()
        while not self._is_ending and (mail := self._next(tried)) is not None:
            tried.add(mail.message.id)
            if self._wait_for_room():
                code = self._handle(mail.message, then="stays in the inbox") or code
        return code

    def _serve(self) -> int:
        while not self._is_ending:
            # Mail that comes while we look must wake us.
            end = self._core.log.end()
            mail = self._next(set())
            if mail is None:
                self._sleep(end)
            elif self._wait_for_room():
                self._handle(mail.message, then="comes again in {pause:g} s")
        return 0

    def _handle(self, message: Message, *, then: str) -> int:
        """Run the program for one message; return its exit code."""
        if self._held.claim(message, run=self._run) is not None:
            # Others have started programs meanwhile.
            return 0
        self._rate.note(time.monotonic())
        [mail] = mailbox.read(self._core, [message.id], agent=self._agent)
        end = self._answer(mail.message)
        self._is_ending = self._is_ending or end.asked
        if end.exit == 0:
            self._retries.pop(message.id, None)
            self._acknowledge(message.id)
            return 0
        known = self._retries.get(message.id, _Retry(pause=self._config.retry / 2))
        pause = min(_RETRY_MOST_SECONDS, known.pause * 2)
        self._retries[message.id] = _Retry(time.monotonic() + pause, pause)
        if not self._is_ending:
            self._note(f"{message.id} is not done (exit {end.exit}); it {then.format(pause=pause)}")
        return end.exit

    def _acknowledge(self, message_id: str) -> None:
        try:
            mailbox.acknowledge(self._core, [message_id], agent=self._agent)
            settle(self._core)
        except Refusal as refused:
            # Another agent has taken it, or it comes again: twice is better than never.
            self._note(str(refused))

    def _next(self, passed: set[str]) -> Mail | None:
        """Return the next message; if there is none, note when one may be retried."""
        self._core.sync.catch_up()
        listing = mailbox.list_inbox(self._core, self._agent, scope="open", limit=ROWS)
        now = time.monotonic()
        # A view that is behind does not hold everything in the log.
        self._next_due = now + (WAIT_POLL_SECONDS if listing.behind else WAIT_SECONDS)
        for mail in listing.mail:
            message = mail.message
            if message.id in passed or "acknowledged" in mail.delivery.stages:
                continue
            due = self._retries.get(message.id, _Retry()).at
            if due <= now and (due := now + self._hold(message)) <= now:
                return mail
            self._next_due = min(self._next_due, due)
        return None

    def _hold(self, message: Message) -> float:
        """Return the seconds for which a message starts no program."""
        hold = self._held.find(message)
        if hold is None:
            return 0.0
        return hold.seconds or _FOR_GOOD

    def _wait_for_room(self) -> bool:
        """Wait until the rate limit allows another start; return False if we are to end meanwhile."""
        wait = self._rate.wait(time.monotonic())
        if wait and not self._is_limited:
            count, window = numbered(self._config.rate, "program"), f"{self._config.window:g}"
            self._note(f"{count} started in {window} s ([runs] rate); the rest of the mail waits")
            line = f"Rate limited — {self._config.rate} calls in {window}s"
            write_system_line(self._core, line, agent=self._agent)
        self._is_limited = bool(wait)
        until = time.monotonic() + wait
        wait_until(lambda: self._is_ending or time.monotonic() >= until, [], wait)
        return not self._is_ending

    def _sleep(self, end: str) -> None:
        """Sleep until the log grows beyond a place, or a message may be retried."""

        def is_ready() -> bool:
            self._core.sync.catch_up()
            return self._is_ending or self._core.log.end() != end

        paths = self._core.wakeups.hang(self._core.view.roster().bells(self._agent))
        wait_until(is_ready, paths, max(0.0, self._next_due - time.monotonic()))

    def _end(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._is_ending = True

    def _lock(self) -> Lock:
        """Return the lock of this inbox; two workers would start two programs for every message."""
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
