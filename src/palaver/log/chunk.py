"""A chunk: raw lines of the log that are stored together, for those that read all of it or backwards.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _collections_abc import Iterator

from palaver.log.record import decode, is_up_to
from palaver.model.event import Event


class Chunk:
    """The bytes of some consecutive lines; behind the last newline there may be an unfinished one."""

    __slots__ = ("content", "name", "problem", "start")

    def __init__(self, start: int, name: str, content: bytes, problem: str = "") -> None:
        """Take the number of the first line, a name for people, the bytes, and why there are none."""
        self.start = start
        self.name = name
        self.content = content
        self.problem = problem

    def newest_first(self, containing: list[str], before: int = 0) -> Iterator[Event]:
        """Yield the events whose record contains all of these texts, newest first; decode no others."""
        pieces = [each.encode("utf-8", "replace") for each in containing]
        for raw in reversed(self.content.split(b"\n")[:-1]):
            if before and not is_up_to(raw, before - 1):
                continue
            if all(piece in raw for piece in pieces):
                event = decode(raw)
                if event is not None:
                    yield event
