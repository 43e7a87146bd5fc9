"""What we wrote and find again in a file: runs of echoes, each of which becomes one event.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.model.limits import RUN_BYTES, RUN_PIECES
from palaver.sync.intake.events import Batch, Place, draft, hashed
from palaver.sync.intake.mount_intake import Intake


class Ground:
    """The file that events are laid over."""

    intake: Intake
    file: str

    def place(self) -> Place:
        """Return the file, and which of its lives this is."""
        raise NotImplementedError

    @property
    def history(self) -> bool:
        """Return True if what is read now was written before the mount was there."""
        raise NotImplementedError

    @property
    def remembers(self) -> bool:
        """Tell whether anything could have stood in the file before."""
        raise NotImplementedError

    def seen(self, sha: str) -> bool:
        """Tell whether a piece stood in the file before it was rewritten, as often as by now."""
        raise NotImplementedError

    def take_carried(self, sha: str) -> int:
        """Return the event of a line that was copied from a replaced file, if a piece is that line."""
        raise NotImplementedError

    def confirmed(self, seqs: list[int]) -> dict[str, object]:
        """Note what stands in the file; return what the log is to know of it."""
        raise NotImplementedError

    def line_of(self, offset: int) -> int:
        """Return the line of a byte."""
        raise NotImplementedError

    def content(self, offset: int, length: int) -> bytes:
        """Return bytes of the file."""
        raise NotImplementedError


class Echoing:
    """The echoes of one chunk of a file."""

    def __init__(self, ground: Ground, batch: Batch) -> None:
        """Take the file, and where the events go."""
        self._ground = ground
        self._intake = ground.intake
        self._batch = batch
        # Echoes: (event, offset, bytes).
        self._echoes: list[tuple[int, int, bytes]] = []

    def echo(self, seq: int, content: bytes, start: int) -> None:
        """Lay the echo of an event."""
        if len(self._echoes) >= RUN_PIECES or sum(len(each) for _, _, each in self._echoes) > RUN_BYTES:
            self._close_echoes()
        self._echoes.append((seq, start, content))

    def close(self) -> None:
        """Lay what waits."""
        self._close_echoes()

    def _close_echoes(self) -> None:
        if not self._echoes:
            return
        content = b"".join(each for _, _, each in self._echoes)
        seqs = [seq for seq, _, _ in self._echoes]
        entry = self._ground.confirmed(seqs)
        entry["shas"] = [hashed(each) for _, _, each in self._echoes]
        src = self._ground.place().src(self._echoes[0][1], len(content), hashed(content))
        self._batch.drafts.append(draft("file.echoed", entry, src))
        self._intake.report.confirmed += len(seqs)
        self._echoes = []
