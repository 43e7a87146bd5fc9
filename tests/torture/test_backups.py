"""A thousand backups that end anywhere: each loads, tells what it has, and goes on."""

import random
import shutil
import time
from pathlib import Path
from typing import Final

import pytest

from tests.laws.drafts import said
from tests.processes.figures import tell
from tests.processes.oracle import Ground

pytestmark = pytest.mark.torture

COPIES: Final = 1_000
EVENTS: Final = 200
SEGMENT_BYTES: Final = 10_000


def cut_off(original: Ground, folder: Path, length: int) -> Ground:
    """Return a copy with the first bytes of a log, segment after segment."""
    copy = Ground(folder, segment_bytes=SEGMENT_BYTES)
    for segment in sorted(original.segments.iterdir()):
        content = segment.read_bytes()[:length]
        if content:
            (copy.segments / segment.name).write_bytes(content)
        length -= len(content)
    return copy


def test_a_copy_that_ends_at_any_byte_loads_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = time.time_ns() % (1 << 30)
    chance = random.Random(seed)
    original = Ground(tmp_path / "original", segment_bytes=SEGMENT_BYTES)
    log = original.open()
    for number in range(EVENTS):
        log.append([said(f"{number}: ä 語 \x1b \u2028 {'x' * chance.randrange(300)}")])
    events = log.read(0, EVENTS)
    content = b"".join(segment.read_bytes() for segment in sorted(original.segments.iterdir()))
    torn = 0

    for number in range(COPIES):
        length = chance.randrange(len(content) + 1)
        whole = content.count(b"\n", 0, length)
        backup = cut_off(original, tmp_path / f"copy{number}", length)

        found = backup.open().read(0, EVENTS)
        backup.open().append([said("goes on")])
        after = backup.open().read(0, EVENTS + 1)

        place = f"seed {seed}, {length} of {len(content)} bytes"
        # Without its newline the last record may be whole all the same.
        assert found in (events[:whole], events[: whole + 1]), place
        assert after[: len(found)] == found, place
        # Before it stands what became of a torn line.
        assert after[-1].data == said("goes on").data, place
        assert backup.verify().faults == [], place
        torn += content[max(0, length - 1) : length] != b"\n"
        shutil.rmtree(backup.folder)

    tell(capsys, f"{COPIES:,} copies of a log, {torn} of them torn: all load, verify and go on")
