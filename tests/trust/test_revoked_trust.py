"""A daemon and a dashboard serve a bus only as long as a command would use it."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from palaver.bus import trust
from palaver.daemon.background import is_answering
from tests.daemon import scene
from tests.daemon.scene import Project, is_alive
from tests.sync.living import eventually
from tests.web.place import Place

# How a bus stops being one that a command would use, while its daemon runs.
LOST: Final[dict[str, Callable[[Path], object]]] = {
    "the record is removed": lambda bus: trust.withdraw(str(bus)),
    "a link was put into it": lambda bus: (bus / "planted").symlink_to("/etc/passwd"),
    "others may write to it": lambda bus: bus.chmod(0o777),
    "it is removed": shutil.rmtree,
}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with scene.project(tmp_path / "project") as made:
        (made.folder / "team").mkdir()
        made.type("mount", "add", "swarm", "team")
        made.type("up", "--detach", "--no-web")
        process = made.process
        yield made
    if is_alive(process):
        os.kill(process, signal.SIGKILL)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Place]:
    Path(tmp_path / "served").mkdir()
    made = scene.Project(tmp_path / "served/project")
    place = Place.at(made.folder)
    yield place
    place.server.stop()


def test_to_revoke_trust_ends_the_daemon(project: Project) -> None:
    process = project.process

    revoked = project.type("trust", "--revoke")

    assert revoked.code == 0, revoked
    assert not is_alive(process)


@pytest.mark.parametrize("how", LOST)
def test_a_daemon_ends_when_a_command_would_refuse_its_bus(project: Project, how: str) -> None:
    process = project.process

    LOST[how](project.folder / ".palaver")

    eventually(lambda: not is_alive(process))


def test_no_file_is_read_after_trust_was_revoked(project: Project) -> None:
    project.type("trust", "--revoke")
    before = _log(project)

    (project.folder / "team/channel.jsonl").write_text('{"from": "bob", "type": "status", "content": "hi"}\n')

    assert project.type("status").code == 4
    assert _log(project) == before


def test_a_daemon_says_why_it_ended(project: Project) -> None:
    process = project.process

    trust.withdraw(project.root.path)

    eventually(lambda: not is_alive(process))
    assert "[untrusted-bus]" in Path(project.root.up_log).read_text()


def test_a_bus_that_is_accepted_again_has_one_daemon(project: Project) -> None:
    first = project.process
    # As a program does that does not know of the daemon.
    trust.withdraw(project.root.path)

    project.type("trust", "--yes")
    project.type("up", "--detach", "--no-web")

    assert is_answering(project.root)
    assert project.process != first
    assert not is_alive(first)


def test_the_locks_of_a_bus_stay_when_it_is_accepted(project: Project) -> None:
    project.type("trust", "--revoke")
    locks = ("log.lock", "view.lock", "sync.lock", "up.lock", "start.lock")
    before = [Path(project.root.path, each).stat().st_ino for each in locks]

    project.type("trust", "--yes")

    assert [Path(project.root.path, each).stat().st_ino for each in locks] == before


def test_a_daemon_whose_lock_was_removed_ends(project: Project) -> None:
    first = project.process

    Path(project.root.up_lock).unlink()

    eventually(lambda: not is_alive(first))


@pytest.mark.parametrize("path", ["/api/agents", "/api/events", "/api/stream", "/api/export"])
def test_the_dashboard_answers_nothing_after_trust_was_revoked(served: Place, path: str) -> None:
    session = served.session

    trust.withdraw(served.bus.root.path)
    status, answer = served.ask(path, token=session)

    assert (status, answer["error"]["code"]) == (403, "untrusted-bus")


def test_a_dashboard_of_its_own_ends_when_trust_is_revoked(project: Project) -> None:
    project.type("down")
    process = project.start("open", "--no-browser", "--json")
    assert process.stdout is not None
    process.stdout.readline()

    trust.withdraw(project.root.path)
    answer = project.end_of(process)

    assert (answer.code, "untrusted-bus" in answer.out) == (4, True)


def _log(project: Project) -> bytes:
    return b"".join(each.read_bytes() for each in sorted(Path(project.root.log).iterdir()))
