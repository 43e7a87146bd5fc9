"""A view that another process keeps locked is behind: a pass that relied on it would do everything twice."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palaver.log.lock import Lock
from tests.sync.scene import Scene, append
from tests.sync.spoken import SPEECH


@contextmanager
def view_locked(scene: Scene) -> Iterator[None]:
    """Let another process hold the lock of the view, as one that rebuilds it does."""
    lock = Lock(scene.bus.root.view_lock)
    assert lock.acquire(1)
    try:
        yield
    finally:
        lock.release()


def test_a_pass_whose_view_is_behind_records_no_line_again(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "bus")
    channel = scene.mount("swarm") / SPEECH["swarm"].file
    append(channel, SPEECH["swarm"].says("once"))
    assert scene.take_in()

    with view_locked(scene):
        scene.restart()
        report = scene._sync.once(0.1)
    scene.restart()
    scene.settle()

    assert report is None
    assert Counter(scene.bodies()) == {"once": 1}
