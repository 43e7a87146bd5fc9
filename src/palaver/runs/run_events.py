"""The events of a running program: that it started, that it prints, that it is idle, that it ended.

Bounded: however much a program prints, the log gets one short event in ten seconds, or two within the
deadline after which its agent would be nudged, if that is less. What cannot be appended is noted and skipped;
the program goes on.
"""

import time
from collections.abc import Callable

from palaver.bus.session import Session, draft
from palaver.model.deadlines import in_force
from palaver.model.errors import Refusal
from palaver.model.event import Draft
from palaver.model.limits import RUN_LINE_BYTES, RUN_OUTPUT_SECONDS
from palaver.model.names import BUS
from palaver.runs.output_mask import OutputMask
from palaver.views.agents import runs

_INTERVAL_LEAST_SECONDS = 0.1
# How a key in armour begins and ends; none is longer.
_KEY_BEGINS, _KEY_ENDS = b"-----BEGIN ", b"-----END "
_KEY_BYTES = 1 << 14


def draft_run_ended(start: str, fields: dict[str, object]) -> Draft:
    """Return the event of an end; its key makes sure that it is logged once."""
    return draft("run.ended", BUS, {**fields, "start": start}, key=f"ended:{start}", caused_by=start)


class LastLine:
    """The last line of a program's output."""

    def __init__(self) -> None:
        """Start without output."""
        self._last = b""
        self._rest = b""
        self._is_cut = False
        #: What was printed since the first line of a key in armour, until its last line.
        self.key = b""

    def feed(self, piece: bytes) -> None:
        """Take the next piece of output."""
        if self.key or _KEY_BEGINS in piece:
            self.key = (self.key + piece)[-_KEY_BYTES:]
            if self.key.rfind(_KEY_ENDS) > self.key.rfind(_KEY_BEGINS):
                self.key = b""
        # Searched from its end, because a flood has a million lines and only the last one counts.
        text = self._rest + piece if self._rest else piece
        last = text.rfind(b"\n")
        first = text.find(b"\n")
        whole = text[first + 1 : last] if self._is_cut else text[: max(0, last)]
        if line := whole.rstrip().rpartition(b"\n")[2]:
            self._last = line
        # A line that is too long is dropped: its pieces could start or end in the middle of a secret.
        self._is_cut = (last < 0 and self._is_cut) or len(text) - last > RUN_LINE_BYTES
        self._rest = b"" if self._is_cut else text[last + 1 :]

    @property
    def complete(self) -> bytes:
        """Return the last complete line."""
        return self._last

    @property
    def final(self) -> bytes:
        """Return the last line when no more output comes; it need not end in a line feed."""
        return self._rest if self._rest.strip() else self._last


class RunEvents:
    """Appends the events of one execution."""

    def __init__(
        self, core: Session, *, run: str, agent: str, mask: OutputMask, note: Callable[[str], None]
    ) -> None:
        """Take the bus, the run and its agent, the mask for secrets, and where to report faults."""
        self._core = core
        self._who: dict[str, object] = {"run": run, "agent": agent}
        self._mask = mask
        self._note = note
        nudge = in_force(core.view.settings())["nudge"]
        # A program that prints must not seem silent.
        self._interval = max(_INTERVAL_LEAST_SECONDS, min(RUN_OUTPUT_SECONDS, nudge / 2))
        self._reported_at = -self._interval
        self._silent_since = time.monotonic()
        self._is_idle = False
        self._has_output = False
        self._line = LastLine()
        self._bytes = 0
        self._start = ""
        self._seq = 0

    def record_start(self, fields: dict[str, object]) -> None:
        """Append `run.started`; a program must not begin without it, so a refusal is raised."""
        [event] = self._core.log.append([draft("run.started", BUS, {**self._who, **fields})])
        self._start, self._seq = event.event_id, event.seq
        self._silent_since = time.monotonic()

    def take_output(self, piece: bytes) -> None:
        """Take what the program has printed."""
        self._bytes += len(piece)
        self._has_output = True
        self._is_idle = False
        self._silent_since = time.monotonic()
        self._line.feed(piece)

    def append_due(self, idle: float) -> float:
        """Append what is due now; return the seconds until something may be due again."""
        now = time.monotonic()
        if self._has_output and now - self._reported_at >= self._interval:
            self._reported_at, self._has_output = now, False
            line = self._mask.mask_line(self._line.complete, self._line.key)
            self._append("run.output", {"bytes": self._bytes, "line": line})
        if not self._is_idle and now - self._silent_since >= idle:
            self._is_idle = True
            self._append("run.idle", {"seconds": int(now - self._silent_since)})
        waits = [self._interval]
        if self._has_output:
            waits.append(self._reported_at + self._interval - now)
        if not self._is_idle:
            waits.append(self._silent_since + idle - now)
        return max(0.0, min(waits))

    def is_being_killed(self) -> bool:
        """Return True if the log says that the run is being killed; that is logged before it is done."""
        try:
            return runs.is_being_killed(self._core.view.current(), self._start)
        except Refusal as refused:
            self._note(str(refused))
            return False

    def record_end(self, fields: dict[str, object]) -> None:
        """Append `run.ended`; if that is impossible, `palaver runs` finds out later that the run is lost."""
        line = self._mask.mask_line(self._line.final, self._line.key)
        event = draft_run_ended(self._start, {**self._who, **fields, "bytes": self._bytes, "line": line})
        self._try(lambda: self._core.log.append([event], since=self._seq))

    def _append(self, event_type: str, fields: dict[str, object]) -> None:
        event = draft(event_type, BUS, {**self._who, **fields, "start": self._start}, caused_by=self._start)
        self._try(lambda: self._core.log.append([event]))

    def _try(self, append: Callable[[], object]) -> None:
        try:
            append()
        except Refusal as refused:
            self._note(str(refused))
