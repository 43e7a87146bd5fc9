"""The folder of the daemon is for its user alone; what is put there cannot harm the daemon."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from palaver.bus.root import Root
from palaver.daemon.caller_pipe import CallerPipe, CommandRequest, CommandResult
from palaver.daemon.command_folder import CommandFolder, daemon_file
from palaver.model.limits import COMMAND_CLAIM_SECONDS, COMMAND_PIPES
from tests.cli.conversation import Conversation, run
from tests.cli.launching import is_cold, launch, telling_launcher
from tests.cli.test_streams import unread
from tests.patience import PATIENCE
from tests.sync.living import Place, Up, eventually, up

NOBODY: Final = 65534
AS_NOBODY: Final = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")

# Hands a command over: the pipe for commands, the file of the command, its content, the id.
SPEAK: Final = """
import sys
requests, request, content, request_id = sys.argv[1:]
for path, text in ((request, content), (requests, request_id + "\\n")):
    try:
        with open(path, "w") as file:
            file.write(text)
    except PermissionError:
        print("refused")
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    found = Place(tmp_path_factory.mktemp("served") / "project")
    found.do("agents", "add", "bob")
    return found


@pytest.fixture(scope="module")
def daemon(place: Place) -> Iterator[Up]:
    with up(place.folder) as running:
        yield running


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    return telling_launcher(tmp_path / "programs")


def is_served(place: Place) -> bool:
    return run(place.folder, "inbox") == (0, "_out='No messages\n' _err=''\n")


# --- who is heard ---


@needs_root
@pytest.mark.usefixtures("daemon")
def test_another_user_cannot_hand_a_command_over(place: Place) -> None:
    before = place.bodies()
    with Conversation(place.folder) as own:
        own.take(own.fields("inbox"))
        content = own.fields("send", "bob", "-m", "from nobody").decode()
        words = [str(own.requests), str(own.file("request")), content.replace("\0", " "), own.id]
        speak = [*AS_NOBODY, sys.executable, "-c", SPEAK, *words]
        done = subprocess.run(speak, capture_output=True, text=True, timeout=PATIENCE, check=True)

        assert done.stdout == "refused\nrefused\n"
        own.poke()
        assert own.rest().endswith("done 0\n")
    assert place.bodies() == before


@pytest.mark.usefixtures("daemon")
def test_all_of_it_belongs_to_this_user_alone(place: Place) -> None:
    file = Path(daemon_file(str(place.folder / ".palaver")))
    with Conversation(place.folder) as own:
        folder = own.folder

    assert file.stat().st_mode & 0o777 == 0o600
    for each in (file.parent, folder):
        assert each.stat().st_mode & 0o777 == 0o700
        assert each.stat().st_uid == os.geteuid()


@needs_root
@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_belongs_to_another_user_is_not_trusted(place: Place, launcher: Path, what: str) -> None:
    file = Path(daemon_file(str(place.folder / ".palaver")))
    [folder] = file.parent.glob(f"{file.name}.*")
    path = {"file": file, "folder": folder}[what]
    os.chown(path, NOBODY, NOBODY)
    try:
        assert is_cold(launch(launcher, place.folder, "inbox"))
    finally:
        os.chown(path, 0, 0)
    assert not is_cold(launch(launcher, place.folder, "inbox"))


@pytest.mark.usefixtures("daemon")
def test_a_token_does_not_stay_in_a_file(place: Place) -> None:
    with Conversation(place.folder) as own:
        own.hand_over(own.fields("wait", "--timeout", "60").replace(b"\0\0", b"\0PALAVER_RUN=x\0"))

        eventually(lambda: not own.file("request").exists())


# --- what is heard ---


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"inbox",
        b"/\0---\0x\0inbox\0",
        b"/\0--\0x\0--\0inbox\0",
        b"/\0---\0x\0--\0inbox",
        b"x" * 10_000_000,
        b"\0" * 1_000_000,
    ],
    ids=["empty", "one field", "no end", "no arguments", "two streams", "cut", "long", "many"],
)
def test_what_is_not_a_command_is_not_run(place: Place, daemon: Up, content: bytes) -> None:
    with Conversation(place.folder) as stranger:
        stranger.hand_over(content)

        assert stranger.rest() == ""
    assert is_served(place)
    assert "Traceback" not in daemon.err


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize("said", ["hello\n", "\n", "x" * 5_000 + "\n", "00000001\n" * 50, "é\n", "../../x\n"])
def test_what_is_not_an_id_is_not_heard(place: Place, daemon: Up, said: str) -> None:
    with Conversation(place.folder) as stranger, stranger.requests.open("w") as requests:
        requests.write(said)
        requests.flush()
        eventually(lambda: unread(requests.fileno()) == 0)

    assert is_served(place)
    assert "Traceback" not in daemon.err


@pytest.mark.usefixtures("daemon")
def test_a_link_is_not_followed(place: Place, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    with Conversation(place.folder) as own:
        own.take(own.fields("inbox"))
        secret.write_bytes(own.file("request").read_bytes())
        own.file("request").unlink()
        own.file("request").symlink_to(secret)
        own.poke()

        assert own.rest() == ""
    assert is_served(place)


# --- how many are heard ---


@pytest.mark.usefixtures("daemon")
def test_launchers_that_were_killed_do_not_use_up_the_pipes(place: Place, launcher: Path) -> None:
    folder = Conversation(place.folder).folder
    eventually(lambda: len(list(folder.glob("*.reply"))) >= COMMAND_PIPES)
    for _ in range(COMMAND_PIPES):
        with Conversation(place.folder) as killed:
            killed.take(b"")
        os.utime(killed.file("request"), (0, time.time() - 2 * COMMAND_CLAIM_SECONDS))

    eventually(lambda: launch(launcher, place.folder, "inbox").stdout == b"No messages\n")
    eventually(lambda: len(list(folder.glob("*.reply"))) >= COMMAND_PIPES)


def test_more_than_can_be_run_at_once_are_left_to_python(tmp_path: Path, launcher: Path) -> None:
    place = Place(tmp_path / "project")
    with up(place.folder, under=("bash", "-c", 'ulimit -n 80; exec "$@"', "up")):
        waiting = [Conversation(place.folder) for _ in range(40)]
        for each in waiting:
            eventually(lambda: next(waiting[0].folder.glob("*.reply"), None) is not None)
            try:
                each.hand_over(each.fields("wait", "--timeout", "600"))
            except AssertionError:
                break
        done = launch(launcher, place.folder, "inbox")
        assert done.stdout == b"No messages\n" or is_cold(done)
        for each in waiting:
            each.__exit__()

        eventually(lambda: launch(launcher, place.folder, "inbox").stdout == b"No messages\n")


def test_a_daemon_that_gets_no_more_threads_recovers(tmp_path: Path, launcher: Path) -> None:
    place = Place(tmp_path / "project")
    root = Root(str(place.folder / ".palaver"))

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with CommandFolder(root.path, _answer, end_thread=lambda: None, note=print):
        with pytest.MonkeyPatch.context() as system:
            system.setattr(threading.Thread, "start", refuse)
            assert is_cold(launch(launcher, place.folder, "inbox"))

        assert launch(launcher, place.folder, "inbox").stdout == b"answered"


def _answer(_: CommandRequest, __: CallerPipe) -> CommandResult:
    return CommandResult(code=0, out=b"answered", err=b"")
