"""The launcher as a process, with a daemon and without: what it answers, and whether Python was started."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests.cli.spoken import PALAVER, surroundings
from tests.patience import PATIENCE

COLD = "started Python"


def telling_launcher(folder: Path) -> Path:
    """Return a copy of the launcher that tells when it would start Python, and what Python would read."""
    folder.mkdir()
    shutil.copy(PALAVER, folder / "palaver")
    python = folder / "palaver-py"
    python.write_text(f'#!/bin/sh\necho "{COLD} $PALAVER_REQUEST"\ncat\nexit 99\n')
    python.chmod(0o755)
    return folder / "palaver"


def launch(
    launcher: Path | str,
    folder: Path,
    *words: str | bytes,
    stdin: bytes = b"",
    shell: tuple[str, ...] = (),
    environment: Mapping[str, str] = MappingProxyType({}),
) -> "subprocess.CompletedProcess[bytes]":
    """Run a launcher to its end, as ada."""
    return subprocess.run(
        [*shell, launcher, *words],
        cwd=folder,
        env=surroundings(PALAVER_AGENT="ada", **environment),
        input=stdin,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


def is_cold(done: "subprocess.CompletedProcess[bytes]") -> bool:
    """Return True if Python was started."""
    return done.stdout.startswith(COLD.encode()) and done.returncode == 99
