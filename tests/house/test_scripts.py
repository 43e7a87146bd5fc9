"""The launcher is a script for any sh."""

import subprocess
import sys
from pathlib import Path

from tests.house.repository import ROOT

SHELLCHECK = str(Path(sys.executable).parent / "shellcheck")
LAUNCHER = (ROOT / "scripts/palaver").read_text(encoding="utf-8")


def complaints(shell: str, script: str) -> str:
    command = [SHELLCHECK, f"--shell={shell}", "--format=gcc", "-"]
    return subprocess.run(command, input=script, capture_output=True, text=True, check=False).stdout


def test_a_mistake_in_a_script_is_found() -> None:
    assert "SC2086" in complaints("sh", "cat $1\n")
    assert "SC3030" in complaints("sh", "words=(a b)\n")


def test_the_launcher_has_no_mistakes_in_any_shell() -> None:
    for shell in ("sh", "dash", "bash", "ksh"):
        assert complaints(shell, LAUNCHER) == ""
