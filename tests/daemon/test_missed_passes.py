"""If the daemon cannot look at the files, its commands do not pretend that it has."""

import time
from pathlib import Path

from palaver.bus.root import Root
from palaver.log.lock import Lock
from palaver.model.limits import LOCK_SECONDS
from tests.cli.launching import is_cold, launch, telling_launcher
from tests.patience import PATIENCE
from tests.sync.living import Place, eventually, swarm_line, up


def test_while_another_process_syncs_the_files_every_command_says_so(tmp_path: Path) -> None:
    place, launcher = Place(tmp_path / "project"), telling_launcher(tmp_path / "programs")
    channel = place.mount("swarm") / "channel.jsonl"

    def inbox() -> tuple[bytes, bytes]:
        done = launch(launcher, place.folder, "inbox", "--as", "qa")
        assert not is_cold(done)
        return done.stdout, done.stderr

    with up(place.folder):
        other = Lock(Root(str(place.folder / ".palaver")).sync_lock)
        assert other.acquire(PATIENCE)
        channel.write_bytes(swarm_line("hello"))
        # Longer than the daemon waits: it misses a pass.
        end = time.monotonic() + 2 * LOCK_SECONDS + 2
        while time.monotonic() < end:
            assert b"the newest lines may be missing" in inbox()[1]
        other.release()

        eventually(lambda: inbox()[1] == b"")
        assert b"hello" in inbox()[0]
