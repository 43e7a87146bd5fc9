"""What the bus hears of a running program: that it started, that it prints, that it does not, that it ended.

Bounded: however much a program prints, the log gets one short event in ten seconds, or two in the time after
which its agent would be woken for its silence, if that is less. What cannot be appended now is told once and
left; the program goes on.
"""

import time
from collections.abc import Callable

from palaver.bus.session import Session, draft
from palaver.model.deadlines import in_force
from palaver.model.errors import Refusal
from palaver.model.event import Draft
from palaver.model.limits import RUN_LINE_BYTES, RUN_OUTPUT_SECONDS
from palaver.model.names import BUS
from palaver.runs.masking import Mask
from palaver.views.agents import runs

_LEAST_SECONDS = 0.1


def ended(start: str, fields: dict[str, object]) -> Draft:
    """Return the event of an end; its key makes it stand once, whoever finds out first."""
    return draft("run.ended", BUS, {**fields, "start": start}, key=f"ended:{start}", caused_by=start)


def pace(settings: str) -> float:
    """Return the seconds from one event of output to the next: whoever writes must not seem silent."""
    return max(_LEAST_SECONDS, min(RUN_OUTPUT_SECONDS, in_force(settings)["nudge"] / 2))


class Reports:
    """What is told of one execution."""

    def __init__(
        self, core: Session, *, run: str, agent: str, mask: Mask, note: Callable[[str], None]
    ) -> None:
        """Take the bus, which run of which agent, what must not be seen, and who hears of trouble."""
        self._core = core
        self._who: dict[str, object] = {"run": run, "agent": agent}
        self._mask = mask
        self._note = note
        self._every = pace(core.view.roster().settings)
        self._told = -self._every
        self._silent_since = time.monotonic()
        self._idle = False
        self._news = False
        self._last = b""
        self._rest = b""
        self._cut = False
        self.bytes = 0
        self.start = ""
        self.seq = 0

    def started(self, fields: dict[str, object]) -> None:
        """Append `run.started`; this one must stand, so a refusal is the caller's."""
        [event] = self._core.log.append([draft("run.started", BUS, {**self._who, **fields})])
        self.start, self.seq = event.event_id, event.seq
        self._silent_since = time.monotonic()

    def heard(self, piece: bytes) -> None:
        """Note what the program has printed."""
        self.bytes += len(piece)
        self._news = True
        self._idle = False
        self._silent_since = time.monotonic()
        # Looked at from its end, because a flood has a million lines, and the last one is wanted.
        text = self._rest + piece if self._rest else piece
        last = text.rfind(b"\n")
        first = text.find(b"\n")
        whole = text[first + 1 : last] if self._cut else text[: max(0, last)]
        if shown := whole.rstrip().rpartition(b"\n")[2]:
            self._last = shown
        # Of a line that is too long nothing is told: its piece could start or end in the middle of a secret.
        self._cut = (last < 0 and self._cut) or len(text) - last > RUN_LINE_BYTES
        self._rest = b"" if self._cut else text[last + 1 :]

    def due(self, idle: float) -> float:
        """Append what is due now; return the seconds until there may be something again."""
        now = time.monotonic()
        if self._news and now - self._told >= self._every:
            self._told, self._news = now, False
            self._append("run.output", {"bytes": self.bytes, "line": self._mask.line(self._last)})
        if not self._idle and now - self._silent_since >= idle:
            self._idle = True
            self._append("run.idle", {"seconds": int(now - self._silent_since)})
        waits = [self._every]
        if self._news:
            waits.append(self._told + self._every - now)
        if not self._idle:
            waits.append(self._silent_since + idle - now)
        return max(0.0, min(waits))

    def is_being_killed(self) -> bool:
        """Tell whether the log says that somebody ends it; he says so before he does."""
        try:
            return runs.is_being_killed(self._core.view.current(), self.start)
        except Refusal as refused:
            self._note(str(refused))
            return False

    def ended(self, fields: dict[str, object]) -> None:
        """Append `run.ended`; where that cannot be done, `palaver runs` finds out that it ended unseen."""
        last = self._last if not self._rest.strip() else self._rest
        every = {**self._who, **fields, "bytes": self.bytes, "line": self._mask.line(last)}
        self._safely(lambda: self._core.log.append([ended(self.start, every)], since=self.seq))

    def _append(self, event_type: str, fields: dict[str, object]) -> None:
        event = draft(event_type, BUS, {**self._who, **fields, "start": self.start}, caused_by=self.start)
        self._safely(lambda: self._core.log.append([event]))

    def _safely(self, append: Callable[[], object]) -> None:
        try:
            append()
        except Refusal as refused:
            self._note(str(refused))
