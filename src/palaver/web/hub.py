"""The hub: one thread that follows the log for all listeners.

An event is read, encoded and looked up in the view once, however many listeners there are; all of them get
the same bytes. Updates are sent at once, and then not again for a fifth of a second, so that a burst is one
update. A listener that reconnects names the last event that it got (`Last-Event-ID`), and misses nothing:
events that are not in memory are read from the log. One that is too far behind is told to load everything
again (`resync`).
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
# A listener with more unsent bytes than this is disconnected.
_BACKLOG_BYTES: Final = 4 << 20


def frame(event: Event) -> bytes:
    """Return an event as listeners get it: what a list shows. The rest can be requested by its number."""
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
    """One listener; used on the event loop only."""

    def __init__(self, since: int) -> None:
        """Start with nothing to send; it gets every event after the number `since`."""
        self.since = since
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._woken = asyncio.Event()
        self.gone = False

    def put(self, frames: bytes) -> None:
        """Queue frames; a listener that does not read them is disconnected, and may reconnect."""
        self._waiting.append(frames)
        self._bytes += len(frames)
        if self._bytes > _BACKLOG_BYTES:
            self.gone = True
        self._woken.set()

    def leave(self) -> None:
        """End the listener."""
        self.gone = True
        self._woken.set()

    async def next(self) -> bytes:
        """Return the frames queued since the last call; after a while without any, a keep-alive line."""
        try:
            async with asyncio.timeout(WEB_HEARTBEAT_SECONDS):
                await self._woken.wait()
        except TimeoutError:
            return HEARTBEAT
        self._woken.clear()
        frames = b"".join(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        return frames


class Hub:
    """The listeners of one bus."""

    def __init__(self, bus: Bus, loop: asyncio.AbstractEventLoop) -> None:
        """Take the bus, and the event loop of the listeners."""
        self._bus = bus
        self._loop = loop
        self._listeners: set[Listener] = set()
        self._at_hand: deque[tuple[int, bytes]] = deque(maxlen=WEB_AT_HAND)
        self._stopped = Flag()
        self._sent = bus.session.log.last_seq()
        self._thread = Thread(target=self._follow, name="palaver-web-hub", daemon=True)

    def start(self) -> None:
        """Start to follow the log."""
        self._thread.start()

    def stop(self) -> None:
        """Disconnect all listeners; called on the event loop."""
        self._stopped.set()
        for listener in self._listeners:
            listener.leave()

    def close(self) -> None:
        """Wait for the thread."""
        self._thread.join(2 * _LOOK_SECONDS)

    # --- on the loop ---

    def listen(self) -> Listener | None:
        """Return a new listener, None if there are too many."""
        if len(self._listeners) >= WEB_LISTENERS or self._stopped.is_set():
            return None
        listener = Listener(self._sent)
        self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """Remove a listener."""
        self._listeners.discard(listener)

    async def missed(self, after: int, until: int) -> bytes:
        """Return the events between two numbers, or `resync` if there are too many."""
        if after == until:
            return b""
        if after > until:
            # It was written a moment ago and is sent in the next update, or it never existed.
            last = await self._loop.run_in_executor(None, self._bus.session.log.last_seq)
            return b"" if after <= last else RESYNC
        if until - after > WEB_BEHIND:
            return RESYNC
        if self._at_hand and self._at_hand[0][0] <= after + 1:
            return b"".join(each for seq, each in self._at_hand if after < seq <= until)
        return await self._loop.run_in_executor(None, self._read, after, until)

    def _publish(self, seq: int, frames: list[tuple[int, bytes]], update: bytes) -> None:
        self._sent = seq
        self._at_hand.extend(frames)
        for listener in self._listeners:
            listener.put(update)

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
        after = self._sent
        while not self._stopped.is_set():
            try:
                if not self._bus.session.log.wait(after, _LOOK_SECONDS):
                    continue
                events = self._bus.session.log.read(after, _PAGE)
                update = self._update(events)
            except (OSError, Refusal):
                # The disk has a problem, which requests report. Try again in a moment.
                self._stopped.wait(_LOOK_SECONDS)
                continue
            if not events:
                continue
            after = events[-1].seq
            frames = [(event.seq, frame(event)) for event in events]
            update = b"".join(each for _, each in frames) + update
            if not self._stopped.is_set():
                self._loop.call_soon_threadsafe(self._publish, after, frames, update)
            if len(events) < _PAGE:
                self._stopped.wait(WEB_BREATH_SECONDS)

    def _update(self, events: list[Event]) -> bytes:
        """Return what the events have changed in the overview, for the listeners."""
        if not self._listeners or not events:
            return b""
        picture = self._bus.picture(only=self._bus.touched(events))
        picture["tasks"] = self._bus.cards_changed(events)
        return b"event: now\ndata: %b\n\n" % msgspec.json.encode(picture)
