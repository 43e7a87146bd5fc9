"""Say what a long test has measured, while it runs, and keep it for the page of promises."""

import os
import sys
from pathlib import Path

import pytest


def tell(capsys: pytest.CaptureFixture[str], words: str) -> None:
    """Write a line to the terminal, whatever pytest keeps for itself."""
    keep(words)
    with capsys.disabled():
        sys.stdout.write(f"\n{words}\n")
        sys.stdout.flush()


def keep(words: str) -> None:
    """Add a line to the file that `make torture` reads, if it is what runs."""
    if path := os.environ.get("PALAVER_FIGURES"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{words}\n")
