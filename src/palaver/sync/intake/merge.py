"""The order of entries across the files of one mount: by their own times, as they were written.

Within a file the order of its bytes always holds (docs/adr/0030). A file whose quota ends before its last
byte is *cut*. Entries of other files after the cut may be later than the rest of the cut file, so they wait
for the next pass. Only fresh entries do not wait: a conversation must not stop because of a backlog.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heapreplace
from typing import Protocol, TypeVar

from palaver.sync.intake.file_entries import FileEntry


class Stream(Protocol):
    """The entries of one file; their times never go back."""

    @property
    def is_cut(self) -> bool:
        """Return True if a part of the file is left to the next pass."""
        ...

    def cut(self) -> None:
        """Leave the rest of the file to the next pass."""
        ...

    def entries(self) -> Iterator[FileEntry]:
        """Yield the entries, in the order of their bytes."""
        ...


S = TypeVar("S", bound=Stream)


def in_time_order(files: Sequence[S], fresh: str) -> Iterator[tuple[S, FileEntry]]:
    """Yield the entries of all files, earliest first; entries from the time `fresh` on wait for no cut.

    Only the first entry of each file is held, so a file is read block by block, as the merge reaches it.
    Entries of equal times come in the order of the files.
    """
    streams = [file.entries() for file in files]
    heads: list[tuple[str, int, FileEntry]] = []
    for place, stream in enumerate(streams):
        if (entry := next(stream, None)) is not None:
            heads.append((entry.time, place, entry))
    heapify(heads)
    is_any_cut = any(file.is_cut for file in files)
    while heads:
        time, place, entry = heads[0]
        if is_any_cut and time < fresh:
            files[place].cut()
            heappop(heads)
            continue
        yield files[place], entry
        if (following := next(streams[place], None)) is None:
            heappop(heads)
            is_any_cut = is_any_cut or files[place].is_cut
        else:
            heapreplace(heads, (following.time, place, following))
