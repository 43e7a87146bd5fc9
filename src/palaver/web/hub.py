"""The hub: one thread that follows the log, and everybody who listens to it.

An event is read, put into words and looked up in the view once, however many listen; a listener is handed
the same bytes as all the others. News is told at once, and then not again for a fifth of a second, so that
a burst is one piece of news. Whoever was away says how far he had got (`Last-Event-ID`), and misses
nothing: what is not at hand is read from the log, and who is further behind than it is worth is told to
start anew (`resync`).
"""

import asyncio
from collections import deque
from threading import Event as Flag
from threading import Thread
from typing import Final

import msgspec

from palaver.api import Bus
from palaver.model.errors import Refusal
from palaver.model.event import Event, text, texts
from palaver.model.limits import (
    GIST_CHARS,
    WEB_AT_HAND,
    WEB_BEHIND,
    WEB_BREATH_SECONDS,
    WEB_HEARTBEAT_SECONDS,
    WEB_LISTENERS,
)

HEARTBEAT: Final = b": still here\n\n"
RESYNC: Final = b"event: resync\ndata: {}\n\n"
_PAGE: Final = 500
_LOOK_SECONDS: Final = 1.0
# A listener that has not taken so much is not listening.
_BACKLOG_BYTES: Final = 4 << 20


def frame(event: Event) -> bytes:
    """Return an event as listeners get it: what a list shows; the rest can be asked for by its number."""
    fields = event.plain()
    data = event.data
    slim: dict[str, object] = {
        name: value for name, value in data.items() if type(value) in (str, int, bool) and name != "body"
    }
    slim = {name: value[:GIST_CHARS] if type(value) is str else value for name, value in slim.items()}
    for name in ("to", "message_ids"):
        if name in data:
            slim[name] = texts(data, name)[:_PAGE]
    if "body" in data:
        slim["gist"] = text(data, "body")[:GIST_CHARS].partition("\n")[0]
    fields["data"] = slim
    fields.pop("src", None)
    return b"id: %d\nevent: log\ndata: %b\n\n" % (event.seq, msgspec.json.encode(fields))


class Listener:
    """One who listens; lives on the loop."""

    def __init__(self) -> None:
        """Start with nothing heard."""
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._woken = asyncio.Event()
        self.gone = False

    def tell(self, told: bytes) -> None:
        """Hand it something; whoever does not take it is sent away, and comes back when he listens again."""
        self._waiting.append(told)
        self._bytes += len(told)
        if self._bytes > _BACKLOG_BYTES:
            self.gone = True
        self._woken.set()

    def leave(self) -> None:
        """End it."""
        self.gone = True
        self._woken.set()

    async def heard(self) -> bytes:
        """Return what was told since the last time; when nothing is, after a while, a sign of life."""
        try:
            async with asyncio.timeout(WEB_HEARTBEAT_SECONDS):
                await self._woken.wait()
        except TimeoutError:
            return HEARTBEAT
        self._woken.clear()
        told = b"".join(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return told


class Hub:
    """Everybody who listens to one bus."""

    def __init__(self, bus: Bus, loop: asyncio.AbstractEventLoop) -> None:
        """Take the bus and the loop that the listeners live on."""
        self._bus = bus
        self._loop = loop
        self._listeners: set[Listener] = set()
        self._at_hand: deque[tuple[int, bytes]] = deque(maxlen=WEB_AT_HAND)
        self._stopped = Flag()
        self._told = bus.session.log.last_seq()
        self._thread = Thread(target=self._follow, name="palaver-web-hub", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """Send everybody away; called on the loop."""
        self._stopped.set()
        for listener in self._listeners:
            listener.leave()

    def ended(self) -> None:
        """Wait for the thread."""
        self._thread.join(2 * _LOOK_SECONDS)

    # --- on the loop ---

    def listen(self) -> tuple[Listener, int] | None:
        """Return a new listener, and the number behind which it hears everything; None without room."""
        if len(self._listeners) >= WEB_LISTENERS or self._stopped.is_set():
            return None
        listener = Listener()
        self._listeners.add(listener)
        return listener, self._told

    def leave(self, listener: Listener) -> None:
        """Forget a listener."""
        self._listeners.discard(listener)

    async def missed(self, after: int, until: int) -> bytes:
        """Return what stands between two numbers, or that it is not worth it."""
        if after == until:
            return b""
        if after > until:
            # Either it was written a moment ago, and will be told in the next; or it was never there.
            last = await self._loop.run_in_executor(None, self._bus.session.log.last_seq)
            return b"" if after <= last else RESYNC
        if until - after > WEB_BEHIND:
            return RESYNC
        if self._at_hand and self._at_hand[0][0] <= after + 1:
            return b"".join(told for seq, told in self._at_hand if after < seq <= until)
        return await self._loop.run_in_executor(None, self._read, after, until)

    def _tell(self, seq: int, frames: list[tuple[int, bytes]], told: bytes) -> None:
        self._told = seq
        self._at_hand.extend(frames)
        for listener in self._listeners:
            listener.tell(told)

    # --- in threads ---

    def _read(self, after: int, until: int) -> bytes:
        frames: list[bytes] = []
        while after < until:
            page = self._bus.session.log.read(after, _PAGE)
            if not page:
                break
            frames += [frame(event) for event in page if event.seq <= until]
            after = page[-1].seq
        return b"".join(frames)

    def _follow(self) -> None:
        after = self._told
        while not self._stopped.is_set():
            try:
                if not self._bus.session.log.wait(after, _LOOK_SECONDS):
                    continue
                events = self._bus.session.log.read(after, _PAGE)
                told = self._news(events)
            except (OSError, Refusal):
                # The disk has its troubles; whoever asks is told. Look again in a moment.
                self._stopped.wait(_LOOK_SECONDS)
                continue
            if not events:
                continue
            after = events[-1].seq
            frames = [(event.seq, frame(event)) for event in events]
            words = b"".join(words for _, words in frames) + told
            if not self._stopped.is_set():
                self._loop.call_soon_threadsafe(self._tell, after, frames, words)
            if len(events) < _PAGE:
                self._stopped.wait(WEB_BREATH_SECONDS)

    def _news(self, events: list[Event]) -> bytes:
        """Return what the events have changed in the picture of now, for those who listen."""
        if not self._listeners or not events:
            return b""
        picture = self._bus.picture(only=self._bus.touched(events))
        picture["tasks"] = self._bus.cards_changed(events)
        return b"event: now\ndata: %b\n\n" % msgspec.json.encode(picture)
