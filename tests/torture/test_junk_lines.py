"""A million lines of junk: each byte is kept, in few entries, for the work of as many good lines or less."""

import time
from pathlib import Path
from typing import Final

import pytest

from tests.processes.figures import tell
from tests.sync.scene import Scene, check_sum, left_alone
from tests.sync.spoken import SPEECHES, Speech

pytestmark = pytest.mark.torture

LINES: Final = 1_000_000
GOOD: Final = 100_000


def taken_in(scene: Scene, file: Path, lines: list[bytes]) -> float:
    """Let the bus read these lines at the end of a file; return the seconds of a processor that it took."""
    with file.open("ab") as end:
        end.writelines(lines)
    left_alone(file)
    began = time.process_time()
    while scene.sync().unfinished:
        continue
    return time.process_time() - began


@pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
def test_a_million_lines_of_junk_are_kept_in_few_entries(
    tmp_path: Path, speech: Speech, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = Scene(tmp_path / "bus")
    file = scene.mount(speech.dialect, **speech.settings) / speech.file
    good = taken_in(scene, file, [speech.says(f"n{each}") for each in range(GOOD)])
    before = file.stat().st_size

    junk = taken_in(scene, file, [b"\xff junk %d\n" % each for each in range(LINES)])

    items = scene.bus.quarantine()
    assert sum(item.lines for item in items) == LINES
    assert sum(item.length for item in items) == file.stat().st_size - before
    check_sum(scene.account(speech.dialect, speech.file))
    ratio = junk / (good * LINES / GOOD)
    tell(
        capsys,
        f"{speech.dialect}: {LINES:,} lines of junk in {junk:.0f} s, {len(items)} entries; "
        f"{ratio:.2f} x the time of good lines ({GOOD:,} of them measured)",
    )
