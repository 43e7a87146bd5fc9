"""The launcher hands a command to the daemon; whatever is unusual, Python does."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.daemon.command_folder import daemon_file
from palaver.model.limits import COMMAND_PIPES
from tests.cli.launching import COLD, is_cold, launch
from tests.cli.spoken import PALAVER, PALAVER_PY, surroundings
from tests.patience import PATIENCE
from tests.sync.living import Place, Up, daemon_answers, eventually, up

# Shells that may be /bin/sh.
SHELLS = {
    "dash": ("dash",),
    "bash": ("bash", "--posix"),
    "busybox": ("busybox", "sh"),
    "under -eu": ("sh", "-eu"),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Return a bus with a daemon, which all tests share that change nothing."""
    place = Place(tmp_path_factory.mktemp("served") / "project")
    place.do("agents", "add", "bob")
    with up(place.folder):
        yield place


# --- what the daemon does ---


@pytest.mark.parametrize(
    "body",
    [
        "plain",
        "two  spaces",
        "two\nlines\n\n",
        "  ",
        "$HOME `x` \"q\" 'q' \\ * ? %s %d",
        "grüße 继续",
        "x" * 100_000,
    ],
)
def test_a_message_arrives_as_it_was_written(served: Place, launcher: Path, body: str) -> None:
    done = launch(launcher, served.folder, "send", "bob", "-m", body)

    if body.strip():
        assert done.stdout.startswith(b"Sent: msg-"), done
        assert served.bodies()[-1] == body
    else:
        assert done.returncode == 2


def test_a_refusal_has_its_text_and_its_exit_code(served: Place, launcher: Path) -> None:
    done = launch(launcher, served.folder, "send", "bob")

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"palaver: ")


def test_the_same_bus_is_found_from_below_from_a_link_and_from_a_worktree(
    served: Place, launcher: Path, tmp_path: Path
) -> None:
    below = served.folder / "a/b"
    below.mkdir(parents=True)
    (tmp_path / "link").symlink_to(below)
    git = ["git", "-C", str(served.folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)

    for folder in (below, tmp_path / "link", tmp_path / "tree"):
        assert launch(launcher, folder, "inbox", "--as", "ada").stdout == b"No messages\n", folder
    assert (
        launch(launcher, Path("/"), "inbox", environment={"PALAVER_ROOT": str(served.folder)}).stdout
        == b"No messages\n"
    )


@pytest.mark.parametrize(
    "name", ["100%", "two\nlines", "  ", "-n", os.fsdecode(b"\xff\xfe"), "/".join(["x" * 100] * 3)]
)
def test_a_bus_in_any_folder_has_fast_commands(tmp_path: Path, launcher: Path, name: str) -> None:
    place = Place(tmp_path / name)

    with up(place.folder):
        assert launch(launcher, place.folder, "inbox").stdout == b"No messages\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_any_shell_can_be_sh(served: Place, launcher: Path, shell: str) -> None:
    command = SHELLS[shell]
    if not shutil.which(command[0]):
        pytest.skip(f"no {command[0]} here")

    done = launch(launcher, served.folder, "inbox", "two  words", shell=command)

    assert (done.returncode, done.stdout) == (2, b""), done
    assert b"two  words" in done.stderr
    assert is_cold(launch(launcher, Path("/"), "inbox", shell=command))


@pytest.mark.parametrize(
    "more",
    [
        {"SHELLOPTS": "errexit:nounset:noglob"},
        {"POSIXLY_CORRECT": "1"},
        {"BASH_ENV": "/dev/full", "ENV": "/dev/full"},
        {"IFS": "aeiou/"},
        {"CDPATH": "/usr:/etc"},
        {"LC_ALL": "xx_XX.UTF-8"},
        {"LANG": "xx_XX.UTF-8"},
        {"BASH_FUNC_read%%": "() { echo surprise; }", "BASH_FUNC_printf%%": "() { echo surprise; }"},
        {"PATH": "/nowhere"},
        {"PWD": "/usr", "OLDPWD": "/etc"},
    ],
)
def test_settings_of_a_shell_have_no_say(served: Place, launcher: Path, more: dict[str, str]) -> None:
    done = launch(launcher, served.folder, "inbox", environment=more)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"No messages\n", b"")


# --- what Python does ---


def test_a_variable_of_the_caller_is_no_key(place: Place, launcher: Path) -> None:
    done = launch(launcher, place.folder, "inbox", environment={"_request": "abcdefghijkl"})

    assert is_cold(done)
    assert b"abcdefghijkl" not in done.stdout


def test_without_a_daemon_python_is_started(place: Place, launcher: Path) -> None:
    assert is_cold(launch(launcher, place.folder, "inbox"))


@pytest.mark.parametrize(
    "words", [["init"], ["verify"], ["run", "--", "true"], ["doctor"], ["up"], ["nonsense"]]
)
def test_some_commands_always_run_in_the_process_of_the_caller(
    served: Place, launcher: Path, words: list[str]
) -> None:
    assert is_cold(launch(launcher, served.folder, *words))


def test_another_bus_is_not_ours(served: Place, launcher: Path, tmp_path: Path) -> None:
    other = Place(tmp_path / "other")

    assert is_cold(launch(launcher, served.folder, "inbox", "--root", str(other.folder)))
    assert is_cold(launch(launcher, served.folder, "inbox", environment={"PALAVER_ROOT": str(other.folder)}))


@pytest.mark.parametrize(
    "more",
    [
        {"LC_ALL": "de_DE.ISO-8859-1"},
        {"PYTHONIOENCODING": "latin-1"},
        {"HOME": "/"},
        {"HOME": "."},
        {"HOME": ""},
        {"XDG_STATE_HOME": "state"},
        {"PALAVER_ROOT": "nowhere"},
    ],
)
def test_surroundings_that_are_unusual_are_left_to_python(
    served: Place, launcher: Path, more: dict[str, str]
) -> None:
    done = launch(launcher, served.folder, "inbox", environment=more)

    assert done.stdout.startswith(COLD.encode()), done


def test_a_folder_cannot_bring_the_file_of_a_daemon(served: Place, launcher: Path, tmp_path: Path) -> None:
    said = Path(daemon_file(str(served.folder / ".palaver")))
    bus = (served.folder / ".palaver/id").read_text().strip()
    for folder in (tmp_path / "state/palaver/daemon", tmp_path / ".local/state/palaver/daemon"):
        folder.mkdir(parents=True)
        shutil.copy(said, folder / bus)
    shutil.copytree(served.folder / ".palaver", tmp_path / ".palaver")

    assert is_cold(launch(launcher, tmp_path, "inbox", environment={"XDG_STATE_HOME": "state"}))
    assert is_cold(launch(launcher, tmp_path, "inbox", environment={"XDG_STATE_HOME": "", "HOME": "."}))
    (tmp_path / ".palaver/id").write_text(f"../../../{tmp_path}/state/palaver/daemon/{bus}\n")
    assert is_cold(launch(launcher, tmp_path, "inbox"))


def test_a_worktree_of_itself_ends(tmp_path: Path, launcher: Path) -> None:
    (tmp_path / ".git").write_text(f"gitdir: {tmp_path}/.git/worktrees/x\n")

    assert is_cold(launch(launcher, tmp_path, "inbox"))


def test_without_a_place_for_its_file_the_daemon_runs_all_the_same(
    launcher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    place = Place(tmp_path / "project")
    (tmp_path / "state/palaver/daemon").write_text("in the way")
    running = Up(place.folder)
    try:
        running.until(lambda: running.out.startswith("Up: "))
        done = launch(launcher, place.folder, "inbox")
        answer = running.end()
    finally:
        running.close()

    assert "commands stay cold: cannot write" in answer.err
    assert is_cold(done)


def test_a_daemon_that_does_not_answer_is_left_alone(place: Place, launcher: Path, daemon: Up) -> None:
    os.kill(daemon.process.pid, signal.SIGSTOP)

    assert is_cold(launch(launcher, place.folder, "inbox"))


def test_a_daemon_that_goes_on_is_used_again(place: Place, launcher: Path, daemon: Up) -> None:
    os.kill(daemon.process.pid, signal.SIGSTOP)
    eventually(lambda: not daemon_answers(place.folder))
    assert is_cold(launch(launcher, place.folder, "inbox"))
    os.kill(daemon.process.pid, signal.SIGCONT)

    eventually(lambda: launch(launcher, place.folder, "inbox").stdout == b"No messages\n")


def test_a_daemon_that_goes_on_does_nothing_that_its_caller_has_given_up(place: Place, daemon: Up) -> None:
    """Each caller got its answer from Python; what the daemon would do now is not what it was told."""
    place.do("agents", "add", "carol")
    place.do("task", "open", "Work", "--id", "t1", "--as", "ada")
    place.do("task", "claim", "t1", "--as", "carol")
    os.kill(daemon.process.pid, signal.SIGSTOP)
    handed_over = [
        subprocess.Popen([PALAVER, *words], cwd=place.folder, env=surroundings(PALAVER_AGENT="bob"))
        for words in (("task", "claim", "t1"), ("lists", "set", "devs", "ada"))
    ]
    assert [each.wait(PATIENCE) for each in handed_over] == [5, 0]
    for words in (("task", "release", "t1", "--as", "carol"), ("lists", "set", "devs", "bob")):
        assert launch(PALAVER_PY, place.folder, *words).returncode == 0
    os.kill(daemon.process.pid, signal.SIGCONT)
    eventually(lambda: daemon_answers(place.folder))

    # The daemon takes what was handed over in the order in which it came.
    assert b'"state":"open"' in launch(PALAVER, place.folder, "task", "show", "t1", "--json").stdout
    assert b"bob" in launch(PALAVER, place.folder, "lists").stdout


def test_a_daemon_that_died_is_not_missed(place: Place, launcher: Path, daemon: Up) -> None:
    file = Path(daemon_file(str(place.folder / ".palaver")))
    daemon.kill()

    # Each takes one of the pipes that the daemon has left.
    for _ in range(COMMAND_PIPES + 1):
        done = launch(launcher, place.folder, "inbox")
        assert is_cold(done)
        assert done.stderr == b""
    with up(place.folder):
        assert launch(launcher, place.folder, "inbox").stdout == b"No messages\n"
        # Nothing is left of the one that died.
        assert len(list(file.parent.glob(f"{file.name}.*"))) == 1


def test_a_daemon_that_ends_leaves_nothing(place: Place, launcher: Path) -> None:
    file = Path(daemon_file(str(place.folder / ".palaver")))
    with up(place.folder) as running:
        assert launch(launcher, place.folder, "inbox").stdout == b"No messages\n"
        running.end()

    assert list(file.parent.glob(f"{file.name}*")) == []


def test_an_output_of_any_characters_is_the_same_with_and_without_a_daemon(served: Place) -> None:
    body = "".join(map(chr, [*range(1, 0x800), *range(0x2000, 0x2100), *range(0x1F300, 0x1F400)]))
    sent = launch(PALAVER, served.folder, "send", "bob", "-m", body, "--json")
    assert sent.returncode == 0, sent
    message = json.loads(sent.stdout)["id"]

    for words in (["read", message, "--peek"], ["read", message, "--peek", "--json"]):
        warm = launch(PALAVER, served.folder, *words, "--as", "bob")
        cold = launch(PALAVER_PY, served.folder, *words, "--as", "bob")
        assert (warm.returncode, warm.stdout, warm.stderr) == (cold.returncode, cold.stdout, cold.stderr)
        assert warm.returncode == 0
