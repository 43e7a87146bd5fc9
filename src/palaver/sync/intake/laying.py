"""Events laid end to end over the bytes of a file: what follows each other and is of one kind becomes one.

Consecutive lines that nobody can read become one quarantine entry, up to a limit.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

from palaver.model.dialect import Kind, Parsed, Piece
from palaver.model.event import Draft
from palaver.model.finding import Finding
from palaver.model.limits import ENTRY_BYTES, ENTRY_LINES, RUN_BYTES, RUN_PIECES
from palaver.model.message import Message
from palaver.sync.intake.drafting import Drafting
from palaver.sync.intake.echoes import Span
from palaver.sync.intake.echoing import Echoing, Ground
from palaver.sync.intake.events import Batch, draft, hashed
from palaver.sync.intake.notices import notices
from palaver.sync.intake.swift import Swift

_TORN = "torn-rendering"


def begun(ground: Ground) -> tuple[Batch, "Laying"]:
    """Return a batch, and who lays the events of others into it."""
    batch = Batch()
    intake = ground.intake
    drafting = Drafting(intake.mounted, ground.place(), intake.roster, intake.known, batch)
    drafting.history = ground.history
    return batch, Laying(ground, drafting, batch)


class Laying(Echoing):
    """The events of one chunk of a file."""

    def __init__(self, ground: Ground, drafting: Drafting, batch: Batch) -> None:
        """Take the file, who makes events of pieces, and where they go."""
        super().__init__(ground, batch)
        self._drafting = drafting
        # Pieces that the log has already: (offset, length, hash).
        self._kept: list[tuple[int, int, str]] = []
        # Lines that were copied from a replaced file, by offset: the events that took them in there.
        self._carried: dict[int, int] = {}
        # Consecutive pieces that nobody can read, the reason of the first, and the bytes around them.
        self._junk: list[Piece] = []
        self._reason = ("", "")
        self._content = b""
        self._start = 0
        # Lines of a replaced file are copied one by one, and so have an event each.
        self._is_replaced = ground.file.startswith("attic/")
        self._swift = Swift(drafting, ground.place(), batch)
        #: Where what was laid ends.
        self.ending = 0

    def ours(self, span: Span, content: bytes, start: int) -> None:
        """Lay an echo, or a torn rendering."""
        self.ending = start + len(content)
        if span.seq < 0:
            piece = Piece(Kind.QUARANTINED, start, len(content), 0, reason=_TORN)
            self.quarantine(piece, content, "our own writing broke off here; it was written again")
            return
        self._close_junk()
        self._close_kept()
        self.echo(span.seq, content, start)

    def foreign(self, parsed: Parsed, content: bytes, start: int) -> int:
        """Lay the pieces of others; return where they end: before what is pending."""
        self._close_echoes()
        self._content, self._start = content, start
        self._intake.known.look_up(parsed.pieces)
        odd: dict[int, list[Finding]] = {}
        for finding in parsed.findings:
            odd.setdefault(finding.place.offset, []).append(finding)
        whole = [piece for piece in parsed.pieces if piece.kind is not Kind.PENDING]
        said = [piece for piece in whole if piece.kind is not Kind.BLANK]
        kept = self._repeated(said, content, start)
        # Only who says something new here lives here: what stood there before may be ours.
        self._drafting.welcome([piece for piece in said if piece.start not in kept] if kept else said)
        self._lay(said, kept, odd, content, start)
        return whole[-1].start + whole[-1].length if whole else start

    def _lay(
        self, pieces: list[Piece], kept: set[int], odd: dict[int, list[Finding]], content: bytes, start: int
    ) -> None:
        """Lay pieces, the short way as far as it goes."""
        stops = kept.union(odd)
        is_short = not self._intake.dropped.any
        place = 0
        while place < len(pieces):
            piece = pieces[place]
            if piece.kind is Kind.QUARANTINED and piece.start not in kept:
                findings = odd.get(piece.start)
                self._add_junk(piece, findings[0].message if findings else "")
                place += 1
                continue
            if not self._is_refusing:
                self._close_junk()
                before = place
                if is_short and not self._kept:
                    place = self._swift.run(pieces, place, content, start, stops)
                if place > before:
                    continue
            raw = self._bytes(piece.start, piece.start + piece.length)
            if piece.start in kept:
                self._keep(piece, hashed(raw))
            else:
                self._piece(piece, raw, hashed(raw), odd.get(piece.start, []))
            place += 1
        if pieces:
            self.ending = pieces[-1].start + pieces[-1].length

    def _repeated(self, pieces: list[Piece], content: bytes, start: int) -> set[int]:
        """Return where pieces begin that say what the log has already."""
        found: set[int] = set()
        if not self._ground.remembers and self._intake.known.new:
            return found
        for piece in pieces:
            sha = hashed(content[piece.start - start : piece.start + piece.length - start])
            if self._ground.seen(sha):
                found.add(piece.start)
            elif carried := self._ground.take_carried(sha):
                found.add(piece.start)
                self._carried[piece.start] = carried
            elif self._drafting.repeats(piece):
                found.add(piece.start)
                # What was read since then is news all the same.
                self._drafting.mark(piece)
        return found

    def quarantine(self, piece: Piece, raw: bytes, why: str) -> None:
        """Lay bytes that nobody can read, and keep them whole."""
        self.close()
        self._lay_entry(piece.start, raw, (piece.reason, why), [])

    @property
    def _is_refusing(self) -> bool:
        """Return True if the last piece was read but refused: the next one may belong to the same entry."""
        return bool(self._junk and self._junk[-1].values)

    def _add_junk(self, piece: Piece, why: str) -> None:
        """Add a piece that nobody can read to the entry that is open, or open one."""
        if self._junk:
            length = piece.start + piece.length - self._junk[0].start
            if len(self._junk) >= (1 if self._is_replaced else ENTRY_LINES) or length > ENTRY_BYTES:
                self._close_junk()
        if not self._junk:
            self._close_kept()
            self._reason = (piece.reason, why)
        self._junk.append(piece)

    def _close_junk(self, before: int | None = None) -> None:
        """Lay the entry that is open; with `before` in front of the drafts from there on."""
        if not self._junk:
            return
        pieces, self._junk = self._junk, []
        start, end = pieces[0].start, pieces[-1].start + pieces[-1].length
        shas = [hashed(self._bytes(piece.start, piece.start + piece.length)) for piece in pieces[1:]]
        if shas:
            shas.insert(0, hashed(self._bytes(start, start + pieces[0].length)))
        self._lay_entry(start, self._bytes(start, end), self._reason, shas, before)

    def _bytes(self, start: int, end: int) -> bytes:
        return self._content[start - self._start : end - self._start]

    def _lay_entry(
        self, start: int, raw: bytes, reason: tuple[str, str], shas: list[str], before: int | None = None
    ) -> None:
        entry = self._intake.quarantine(self._ground.place(), (start, len(raw)), raw, reason, shas)
        self._batch.drafts.insert(len(self._batch.drafts) if before is None else before, entry)

    def close(self) -> None:
        """Lay what waits."""
        self._close_junk()
        self._close_kept()
        super().close()

    def _piece(self, piece: Piece, raw: bytes, sha: str, findings: list[Finding]) -> None:
        if self._drafting.repeats(piece):
            # By a line of this very chunk.
            self._keep(piece, sha)
            return
        self._close_kept()
        if same := self._intake.dropped.repeated(self._ground.file, piece.values[0], raw):
            self._close_junk()
            src = self._ground.place().src(piece.start, piece.length, sha)
            self._batch.drafts.append(draft("file.kept", {"same_as": same, "shas": [sha]}, src))
            return
        before = len(self._batch.drafts)
        refused = self._drafting.take(piece, raw, sha)
        if refused:
            self._add_junk(piece._replace(kind=Kind.QUARANTINED, reason=refused), "the bus cannot take it")
            return
        caused = self._batch.drafts[before]
        self._close_junk(before)
        for finding in findings:
            self._note(finding, raw, piece, caused)

    def _note(self, finding: Finding, raw: bytes, piece: Piece, caused: Draft) -> None:
        """Let the log know what is odd about a line that was kept; both sides of a misfiled one are told."""
        if not self._drafting.may_note():
            return
        line = self._ground.line_of(piece.start)
        self._batch.drafts.append(self._drafting.found(finding.code, finding.message, raw, finding.fix, line))
        if not self._drafting.history:
            senders = [value.sender for value in piece.values if type(value) is Message]
            told = notices(self._intake.mounted, self._ground.file, finding, caused, senders)
            self._batch.drafts += told

    def _keep(self, piece: Piece, sha: str) -> None:
        self._close_junk()
        if self._kept:
            length = piece.start + piece.length - self._kept[0][0]
            if len(self._kept) >= (1 if self._is_replaced else RUN_PIECES) or length > RUN_BYTES:
                self._close_kept()
        self._kept.append((piece.start, piece.length, sha))

    def _close_kept(self) -> None:
        if not self._kept:
            return
        start = self._kept[0][0]
        length = self._kept[-1][0] + self._kept[-1][1] - start
        # What is read again to see whether it is the same is what stands there, blanks in between too.
        src = self._ground.place().src(start, length, hashed(self._ground.content(start, length)))
        shas = [sha for _, _, sha in self._kept]
        entry: dict[str, object] = {"shas": shas}
        carried = [self._carried[place] for place, _, _ in self._kept if place in self._carried]
        if carried:
            entry["carried"] = carried
            self._intake.report.confirmed += len(carried)
        self._batch.drafts.append(draft("file.kept", entry, src))
        self._kept = []
