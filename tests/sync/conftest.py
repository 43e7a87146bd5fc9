"""What all tests of live files rely on."""

import pytest

from palaver.sync import foreign_file


@pytest.fixture(autouse=True)
def patience_with_who_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a file for quiet only after longer than any machine is slow.

    Else who has just written half a line, and is looked at by a test on a busy machine, has gone away.
    `scene.left_alone` makes a file look older than this.
    """
    monkeypatch.setattr(foreign_file, "QUIET_SECONDS", 45.0)
