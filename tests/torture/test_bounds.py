"""A line of a gibibyte, a hundred thousand dropped files and a million events fit into little memory."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from palaver.model.message import Message
from tests.cli.spoken import PALAVER
from tests.processes.figures import tell
from tests.sync.living import Place
from tests.sync.spoken import SPEECH, SPEECHES, Speech

pytestmark = pytest.mark.torture

MEBIBYTE: Final = 1 << 20
GIBIBYTE: Final = 1 << 30
#: What a process of ours may hold, in MiB.
MEMORY: Final = 256
DROPS: Final = 100_000
EVENTS: Final = 1_000_000
# Runs a command and says how much memory it held at most, in KiB.
_MEASURED: Final = """
import os, resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL).returncode
sys.stderr.write("\\n%d" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
raise SystemExit(code)
"""


def held(place: Place, *words: str) -> int:
    """Run a command to a good end; return the MiB of memory that it held at most."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, PALAVER, *words],
        cwd=place.folder,
        env=dict(place.shell.env),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    return int(done.stderr.rpartition("\n")[2]) // 1024


def settings(speech: Speech) -> list[str]:
    """Return the settings of a mount as words of a command."""
    return [word for name, value in speech.settings.items() for word in ("--set", f"{name}={value}")]


@pytest.mark.parametrize("speech", SPEECHES, ids=lambda each: each.dialect)
def test_a_line_of_a_gibibyte_is_quarantined_in_bounded_memory(
    tmp_path: Path, speech: Speech, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path / "project")
    file = place.mount(speech.dialect, "", *settings(speech)) / speech.file
    with file.open("ab") as end:
        for _ in range(GIBIBYTE // MEBIBYTE):
            end.write(b"x" * MEBIBYTE)
        end.write(b"\n" + speech.says("after it"))
    past = time.time() - 60
    os.utime(file, (past, past))
    most = 0

    while not any("after it" in body for body in place.bodies()):
        most = max(most, held(place, "sync"))
    most = max(most, held(place, "status"), held(place, "doctor"))

    assert most < MEMORY
    tell(capsys, f"{speech.dialect}: a line of 1 GiB in {most} MiB of memory")


def test_a_hundred_thousand_dropped_files_are_taken_in_within_bounded_memory(
    memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(memory / "project")
    inbox = place.mount("collab", "", *settings(SPEECH["collab"])) / "inbox"
    for number in range(DROPS):
        (inbox / f"{number}.txt").write_text(f"drop {number}")
    past = time.time() - 60
    for entry in os.scandir(inbox):
        os.utime(entry.path, (past, past))
    most = 0

    while len(place.events("mail.sent")) < DROPS:
        most = max(most, held(place, "sync"))

    assert most < MEMORY
    tell(capsys, f"{DROPS:,} dropped files in {most} MiB of memory")


def test_a_million_events_are_answered_in_bounded_memory(
    memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Place(memory / "project")
    place.do("agents", "add", "bob")
    bus = place.bus()
    for first in range(0, EVENTS, 1_000):
        bus.send_many(
            [Message(sender="ada", to=["bob"], body=f"number {each}") for each in range(first, first + 1_000)]
        )

    first = held(place, "inbox", "--as", "bob")
    again = held(place, "inbox", "--as", "bob")
    verified = held(place, "verify")

    assert max(first, again, verified) < MEMORY
    tell(
        capsys,
        f"{EVENTS:,} events: inbox in {first} MiB while the view is made, {again} MiB after; "
        f"verify in {verified} MiB",
    )
