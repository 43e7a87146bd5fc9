"""A command works for its caller: in the caller's folder, with its environment, on its streams."""

import io
import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from palaver.cli.context import Caller
from palaver.cli.hot import execute
from tests.cli.spoken import Answer, Shell, polite


class Client:
    """A process that lets another one run its commands."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self._environment = environment

    def __call__(self, *words: str, stdin: bytes = b"") -> Answer:
        given = self.folder.parent / "stdin"
        given.write_bytes(stdin)
        output, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with io.FileIO(given) as source:
            caller = Caller(
                folder=str(self.folder),
                environment=self._environment,
                umask=0o022,
                input=source,
                output=output,
                errors=errors,
                open_output=lambda: os.open(os.devnull, os.O_WRONLY),
            )
            code = execute(list(words), caller)
        return polite(Answer(code=code, out=_content(output), err=_content(errors)))


def _content(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@pytest.fixture
def ada(bus: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Client:
    """Return ada, in her project; the process that runs her commands is elsewhere, and somebody else's."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("PALAVER_AGENT", "somebody-else")
    monkeypatch.setenv("PALAVER_ROOT", str(elsewhere))
    monkeypatch.setenv("PALAVER_TOKEN", "of-another-run")
    return Client(bus.folder, {"PALAVER_AGENT": "ada"})


def test_the_bus_the_agent_and_the_input_are_those_of_the_caller(
    ada: Client, capfd: pytest.CaptureFixture[str]
) -> None:
    sent = ada("send", "bob", "-m", "-", stdin=b"from a pipe\n")

    [found] = json.loads(ada("inbox", "--as", "bob", "--json").out)["messages"]
    assert (found["id"], found["from"], found["body"]) == (sent.message_id, "ada", "from a pipe")
    assert capfd.readouterr() == ("", "")


def test_paths_are_relative_to_the_folder_of_the_caller(ada: Client) -> None:
    (ada.folder / "notes.txt").write_text("notes")
    (ada.folder / "log").mkdir()
    (ada.folder / "log/MESSAGE-BUS.md").write_text("")
    ada("send", "bob", "-m", "see", "--file", "notes.txt")

    [found] = json.loads(ada("inbox", "--as", "bob", "--json").out)["messages"]
    assert found["files"][0]["path"] == "notes.txt"
    assert ada("lint", "log").out == "Good: 1 file\n"
    assert ada("stats", "--svg", "chart.svg").code == 0
    assert (ada.folder / "chart.svg").exists()
    assert json.loads(ada("doctor", "--root", ".", "--json").out)["ok"]


def test_a_refusal_is_told_on_the_streams_of_the_caller(
    ada: Client, capfd: pytest.CaptureFixture[str]
) -> None:
    refused, for_a_program = ada("thread", "msg-none"), ada("thread", "msg-none", "--json")

    assert (refused.code, refused.out) == (3, "")
    assert refused.err.startswith("palaver: ")
    assert for_a_program.fields["error"]
    assert capfd.readouterr() == ("", "")
