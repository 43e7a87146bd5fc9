"""The streams of a command are the same with the daemon as without, whatever is at their other end."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.daemon.caller_pipe import CallerGone, CallerPipe, CommandRequest, CommandResult
from palaver.daemon.command_folder import CommandFolder, find_requests
from palaver.model.message import Message
from tests.cli.launching import is_cold, launch, telling_launcher
from tests.cli.spoken import PALAVER, PALAVER_PY, surroundings
from tests.cli.test_streams import unread
from tests.patience import PATIENCE
from tests.sync.living import Place, eventually, up

MIB = 1 << 20


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Return a bus with a daemon and much to show."""
    place = Place(tmp_path_factory.mktemp("served") / "project")
    place.do("agents", "add", "bob")
    place.bus().send_many([Message(sender="ada", to=["bob"], body="é" * 50_000) for _ in range(50)])
    with up(place.folder):
        yield place


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    return telling_launcher(tmp_path / "programs")


def script(program: str, folder: Path, text: str) -> tuple[int, bytes, bytes]:
    """Run a script in which $P is the program, as ada; return its exit code, output and errors."""
    done = subprocess.run(
        ["bash", "-c", text],
        cwd=folder,
        env=surroundings(PALAVER_AGENT="ada", P=program),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("command", ["rules", "send bob", "inbox --nonsense", "tail -n 1000000 --json"])
@pytest.mark.parametrize(
    "streams",
    [
        "",
        ">&-",
        "2>&-",
        "<&-",
        ">&- 2>&- <&-",
        ">/dev/full",
        "2>/dev/full",
        "| head -1; echo ${PIPESTATUS[0]}",
        "| (exit); echo ${PIPESTATUS[0]}",
        "2>&1 >/dev/null | (exit); echo ${PIPESTATUS[0]}",
        "| (sleep 0.5; cat)",
        "</dev/null",
        "3</dev/null 4</dev/null",
    ],
)
def test_any_streams_give_the_same_answer_with_and_without_a_daemon(
    served: Place, command: str, streams: str
) -> None:
    warm, cold = (
        script(program, served.folder, f'"$P" {command} {streams}') for program in (PALAVER, PALAVER_PY)
    )

    assert warm == cold


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"a word",
        b"a\0b\0c",
        b"\0",
        b"not \xff text",
        b"x" * 4_095,
        b"x" * 4_096,
        b"\xc3\xa9" * 50_000,
        b"x" * MIB + b"\0y",
        b"x" * (10 * MIB),
    ],
    ids=lambda content: f"{len(content)} bytes",
)
def test_any_input_gives_the_same_answer_with_and_without_a_daemon(served: Place, content: bytes) -> None:
    warm, cold = (
        launch(program, served.folder, "send", "bob", "-m", "-", stdin=content)
        for program in (PALAVER, PALAVER_PY)
    )

    assert (warm.returncode, warm.stderr) == (cold.returncode, cold.stderr)
    assert warm.stdout[:6] == cold.stdout[:6]
    if warm.returncode == 0:
        assert served.bodies()[-2:] == [content.decode().removesuffix("\n")] * 2


@pytest.mark.parametrize("content", [b"a diff\n" * 500, b"a\0b\0c", b"x" * 100_000])
def test_the_input_is_handed_to_the_daemon(served: Place, launcher: Path, content: bytes) -> None:
    assert not is_cold(launch(launcher, served.folder, "send", "bob", "-m", "-", stdin=content))


def test_python_gets_the_input_that_came_while_the_daemon_ended(place: Place, launcher: Path) -> None:
    with up(place.folder) as daemon:
        sending = subprocess.Popen(
            [launcher, "send", "bob", "-m", "-"],
            cwd=place.folder,
            env=surroundings(PALAVER_AGENT="ada"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        folder = Path(find_requests(str(place.folder / ".palaver"))).parent
        eventually(lambda: list(folder.glob("*.input")))
        daemon.end()
    out, err = sending.communicate(b"all of it", timeout=PATIENCE)

    assert out.split(b"\n", 1)[1] == b"all of it"
    assert err == b""


def test_input_that_cannot_be_handed_over_is_not_sent_in_part(served: Place) -> None:
    before = served.bodies()

    limited = ("bash", "-c", 'ulimit -f 8; exec "$@"', "bash")
    done = launch(PALAVER, served.folder, "send", "bob", "-m", "-", stdin=b"x" * 100_000, shell=limited)

    assert done.returncode == 1, done
    assert done.stderr.startswith(b"palaver: cannot hand over standard input")
    assert done.stderr.endswith(b"[storage]\n")
    assert served.bodies() == before


@pytest.mark.parametrize("content", [b"", b"a diff\n" * 500, b"a\0b\0c", b"x" * 100_000])
def test_python_gets_the_input_that_a_daemon_took_before_it_died(
    place: Place, launcher: Path, content: bytes
) -> None:
    def take(_: CommandRequest, pipe: CallerPipe) -> CommandResult:
        assert pipe.read_input() == content
        raise CallerGone

    root = str(place.folder / ".palaver")
    with CommandFolder(root, take, end_thread=lambda: None, note=print):
        done = launch(launcher, place.folder, "send", "bob", "-m", "-", stdin=content)

    assert done.stdout.split(b"\n", 1)[1] == content
    assert is_cold(done)


def test_the_rest_of_a_file_is_the_input(served: Place, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("first line\nsecond line\n")

    code, _, err = script(
        PALAVER, served.folder, f'{{ read -r _; "$P" send bob -m -; }} <"{tmp_path / "text"}"'
    )

    assert (code, err) == (0, b"")
    assert served.bodies()[-1] == "second line"


def test_a_reader_that_does_not_wait_gets_all_or_an_error(served: Place) -> None:
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    process = subprocess.Popen(
        [PALAVER, "tail", "-n", "1000000", "--json"],
        cwd=served.folder,
        env=surroundings(PALAVER_AGENT="ada"),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    code = process.wait(PATIENCE)
    os.close(ours)

    assert code == 1


def start(program: str, folder: Path, *words: str) -> "subprocess.Popen[bytes]":
    """Start a command that hears interrupts."""
    return subprocess.Popen(
        [program, *words],
        cwd=folder,
        env=surroundings(PALAVER_AGENT="ada"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.parametrize("program", [PALAVER, PALAVER_PY])
def test_an_interrupt_while_input_is_read_is_130_and_nothing_is_sent(served: Place, program: str) -> None:
    before = len(served.bodies())
    process = start(program, served.folder, "send", "bob", "-m", "-")
    assert process.stdin is not None
    process.stdin.write(b"half a bo")
    process.stdin.flush()
    pipe = process.stdin.fileno()
    eventually(lambda: not unread(pipe))

    process.send_signal(signal.SIGINT)

    assert process.communicate(timeout=PATIENCE) == (b"", b"")
    assert process.returncode == 130
    assert len(served.bodies()) == before


@pytest.mark.parametrize("program", [PALAVER, PALAVER_PY])
def test_an_interrupt_of_a_command_that_follows_is_130(served: Place, program: str) -> None:
    process = start(program, served.folder, "tail", "-f", "-n", "1")
    assert process.stdout is not None
    assert process.stdout.readline()

    process.send_signal(signal.SIGINT)

    assert process.communicate(timeout=PATIENCE) == (b"", b"")
    assert process.returncode == 130


def test_a_program_that_is_started_gets_what_its_caller_has(served: Place, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(served.folder)
    exported = "export IFS=: folder=a file=b _here=c locale=d words=e LC_ALL=xx_XX.UTF-8 POSIXLY_CORRECT=1; "
    run = f'cd "{tmp_path}/link" && "$P" run --as bob -- sh -c '
    shown = "'echo $PWD $folder $file $locale $words $LC_ALL $POSIXLY_CORRECT $OLDPWD'"

    warm, cold = (script(program, tmp_path, exported + run + shown) for program in (PALAVER, PALAVER_PY))

    assert warm == cold
    assert b" a b d e xx_XX.UTF-8 1 " in warm[1], warm


def test_python_gets_the_descriptors_of_the_caller(served: Place, launcher: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("from descriptor 3")
    (launcher.parent / "palaver-py").write_text("#!/bin/sh\ncat <&3\n")

    shown = script(str(launcher), served.folder, f'"$P" verify 3<"{tmp_path}/text"')

    assert shown == (0, b"from descriptor 3", b"")


def test_a_folder_that_was_deleted_gives_the_same_answer(served: Place) -> None:
    text = 'mkdir gone && cd gone && rmdir ../gone && "$P" send bob -m hello'
    warm, cold = (script(program, served.folder, text) for program in (PALAVER, PALAVER_PY))

    assert warm[:2] == cold[:2]
