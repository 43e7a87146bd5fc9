"""Files that grow, those of a mount together: read, put in the order of their times, and recorded."""

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from palaver.log.clock import iso_second
from palaver.model.limits import FRESH_SECONDS
from palaver.sync.intake.events import Batch
from palaver.sync.intake.file_intake import FileIntake
from palaver.sync.intake.growing_file import GrowingFile
from palaver.sync.intake.merge import in_time_order
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.render.debts import Debt

# Events that are put into the log at once.
_TOGETHER = 2_048


def take_in_logs(intake: Intake, files: Sequence[GrowingFile], owed: Debt) -> None:
    """Bring what is new in these files into the log; a file of which a part is left is cut."""
    # What was dropped into an inbox may be said again here.
    intake.flush()
    batch = Batch([file.opening for file in files if file.opening])
    streams = [FileIntake(intake, file, owed, batch) for file in files]
    fds = [file.fd for file in files]
    fresh = iso_second(int(time.time()) - FRESH_SECONDS)
    with _no_collector():
        for stream, entry in in_time_order(streams, fresh):
            stream.add(entry)
            if len(batch) >= _TOGETHER:
                intake.append(fds, batch.drain())
        for stream in streams:
            stream.close()
        intake.append(fds, batch.drain())


@contextmanager
def _no_collector() -> Iterator[None]:
    """ReadQuota the garbage collector off.

    Next to nothing that is made of entries outlives them, and nothing is part of a cycle: the collector would
    look at all of it again and again, in vain.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
