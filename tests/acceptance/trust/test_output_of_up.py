"""What `palaver up` prints may end in a log that others read: it has no key and no text of a message."""

from pathlib import Path

import pytest

from tests.acceptance.daemon import wait_until
from tests.acceptance.project import Project
from tests.acceptance.trust.service import Service

# Long enough for a line to be printed, if it is printed.
SECONDS = 3.0


@pytest.fixture
def log(project: Project, tmp_path: Path) -> Path:
    """Return a world-readable file that holds what `palaver up` printed while a message was sent."""
    log = tmp_path / "up.log"
    log.touch(mode=0o644)
    log.chmod(0o644)
    service = Service(project, log)
    try:
        message_id, _ = service.say("ada", "bob", "inform", "for bob alone")
        wait_until(lambda: message_id in log.read_text(), SECONDS)
    finally:
        service.stop()
    return log


def test_the_link_into_the_dashboard_is_not_printed_into_a_file(log: Path) -> None:
    assert "#in=" not in log.read_text()


def test_the_text_of_a_message_is_not_printed_into_a_file(log: Path) -> None:
    assert "for bob alone" not in log.read_text()
