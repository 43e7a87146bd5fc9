"""Say what a long test has measured, while it runs."""

import sys

import pytest


def tell(capsys: pytest.CaptureFixture[str], words: str) -> None:
    """Write a line to the terminal, whatever pytest keeps for itself."""
    with capsys.disabled():
        sys.stdout.write(f"\n{words}\n")
        sys.stdout.flush()
