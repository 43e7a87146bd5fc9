"""Wrong ways to do it, on purpose: a campaign that finds nothing wrong with them finds nothing at all."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from palaver.log.lock import Lock
from palaver.model.spec import Appending
from palaver.sync import passes
from palaver.sync.intake import echoes, file_events, growing_file, mount_intake
from palaver.sync.intake.echoes import Rendering
from palaver.sync.render import delivery
from palaver.sync.report import Report


def _nothing() -> None:
    return


def _pause() -> None:
    """Widen the window between two steps, so that a kill finds it soon."""
    time.sleep(0.02)


def _written_then_noted() -> None:
    """Note what was written after writing it, and know again only what was noted."""
    right, found = delivery.append, echoes.Renderings

    def append(path: str, renderings: list[Rendering], appending: Appending, report: Report) -> None:
        right(path, renderings, appending, report)
        _pause()
        _note(renderings)

    def noted(owed: Sequence[Rendering]) -> echoes.Renderings:
        lines = _noted()
        return found([each for each in owed if _line(each) in lines])

    vars(delivery)["append"] = append
    vars(growing_file)["Renderings"] = noted


def _noted_then_written() -> None:
    """Note what will be written before writing it, and write only what was not noted."""
    right = delivery.append

    def append(path: str, renderings: list[Rendering], appending: Appending, report: Report) -> None:
        noted = _noted()
        fresh = [each for each in renderings if _line(each) not in noted]
        _note(fresh)
        _pause()
        if fresh:
            right(path, fresh, appending, report)

    vars(delivery)["append"] = append


def _note(renderings: list[Rendering]) -> None:
    with _notebook().open("ab") as file:
        file.write(b"".join(_line(each) + b"\n" for each in renderings))


def _noted() -> set[bytes]:
    return set(_notebook().read_bytes().split(b"\n")) if _notebook().exists() else set()


def _line(rendering: Rendering) -> bytes:
    return f"{rendering.seq} {rendering.content.hex()}".encode()


def _notebook() -> Path:
    return Path(sys.argv[1]).parent / "noted"


def _read_to_before_taken_in() -> None:
    """Note how far a file was read before the log has what was read."""
    right = mount_intake.MountIntake.flush

    def flush(self: mount_intake.MountIntake, least: int = 1) -> None:
        if len(self.batch.drafts) < least:
            return
        spans = [each for each in self.batch.drafts if each.src and each.src.get("len")]
        for each in spans:
            assert each.src is not None
            kept: dict[str, object] = {"shas": [each.src.get("sha", "")]}
            self.session.log.append([file_events.draft("file.kept", kept, dict(each.src))])
        _pause()
        for each in spans:
            assert each.src is not None
            each.src["len"] = 0
        right(self, least)

    vars(mount_intake)["MountIntake"].flush = flush


def _nobody_is_kept_out() -> None:
    """Do passes without the lock."""

    class Open(Lock):
        __slots__ = ()

        def acquire(self, seconds: float) -> bool:
            del seconds
            return True

        def release(self) -> None:
            return

    vars(passes)["Lock"] = Open


MUTANTS: Final[dict[str, Callable[[], None]]] = {
    "": _nothing,
    "written, then noted": _written_then_noted,
    "noted, then written": _noted_then_written,
    "read to, then taken in": _read_to_before_taken_in,
    "nobody is kept out": _nobody_is_kept_out,
}
