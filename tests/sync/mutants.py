"""Wrong ways to do it, on purpose: a campaign that finds nothing wrong with them finds nothing at all."""

import time
from collections.abc import Callable
from typing import Final

from palaver.log.lock import Lock
from palaver.sync import echoes, intake, passing, pieces, reading, rendering
from palaver.sync.report import Report


def _nothing() -> None:
    return


def _pause() -> None:
    """Widen the window between two steps, so that a kill finds it soon."""
    time.sleep(0.003)


def _written_then_noted() -> None:
    """Note what was written after writing it, and do not look for it when reading."""
    right = rendering.append

    def append(path: str, renderings: list[echoes.Rendering], report: Report) -> None:
        right(path, renderings, report)
        _pause()
        _STATE["noted"](path, renderings)

    _patch_noting(append)


def _noted_then_written() -> None:
    """Note what will be written before writing it."""
    right = rendering.append

    def append(path: str, renderings: list[echoes.Rendering], report: Report) -> None:
        _STATE["noted"](path, renderings)
        _pause()
        right(path, renderings, report)

    _patch_noting(append)


_STATE: dict[str, Callable[..., None]] = {}


def _patch_noting(append: Callable[..., None]) -> None:
    right = rendering.write

    def write(core, mounted, found, report):  # type: ignore[no-untyped-def]
        def noted(path: str, renderings: list[echoes.Rendering]) -> None:
            file = path.removeprefix(mounted.path + "/")
            done = [each.seq for each in renderings if found.stands(each.seq, file)]
            seqs = [each.seq for each in renderings]
            data: dict[str, object] = {"messages": seqs, "done": done, "mount": mounted.name, "file": file}
            core.log.append_plain([pieces.draft("file.echoed", data)])

        _STATE["noted"] = noted
        right(core, mounted, found, report)

    vars(rendering)["append"] = append
    vars(rendering)["write"] = write


def _read_to_before_taken_in() -> None:
    """Note how far a file was read before the log has what was read."""
    right = intake.Intake.append

    def append(self: intake.Intake, fd: int, batch: pieces.Batch) -> None:
        spans = [each for each in batch.drafts if each.src and each.src.get("len")]
        for each in spans:
            assert each.src is not None
            kept: dict[str, object] = {"shas": [each.src.get("sha", "")]}
            self.core.log.append_plain([pieces.draft("file.kept", kept, dict(each.src))])
        _pause()
        for each in spans:
            assert each.src is not None
            each.src["len"] = 0
        right(self, fd, batch)

    vars(intake)["Intake"].append = append


def _nobody_is_kept_out() -> None:
    """Do passes without the lock."""

    class Open(Lock):
        __slots__ = ()

        def acquire(self, seconds: float) -> bool:
            del seconds
            return True

        def release(self) -> None:
            return

    vars(passing)["Lock"] = Open


def _own_lines_are_foreign() -> None:
    """Take everything in a file for the word of somebody else."""

    def spans(content: bytes, owed: object) -> list[echoes.Span]:
        del owed
        return [echoes.Span(0, len(content), echoes.FOREIGN)] if content else []

    vars(reading)["spans"] = spans


MUTANTS: Final[dict[str, Callable[[], None]]] = {
    "": _nothing,
    "written, then noted": _written_then_noted,
    "noted, then written": _noted_then_written,
    "read to, then taken in": _read_to_before_taken_in,
    "nobody is kept out": _nobody_is_kept_out,
    "own lines are foreign": _own_lines_are_foreign,
}
