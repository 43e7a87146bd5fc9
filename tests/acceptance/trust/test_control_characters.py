"""A control character in a message reaches no file of lines: whoever splits lines sees no forged one."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project_c import Project

# Python's splitlines() ends a line at each of them but ESC, which a terminal obeys.
CHARACTERS: Final = {
    "ESC": "\x1b", "VT": "\x0b", "FF": "\x0c", "FS": "\x1c", "CR": "\r", "NEL": "\x85", "LS": "\u2028",
    "PS": "\u2029",
}  # fmt: skip
# Mount: its dialect, an agent that lives there, its settings, and the file that gets the mail of the agent.
MOUNTS: Final = {
    "collab": ("jim", ("a=jim", "b=clawdy", "person=jeremy"), "chat.log"),
    "runbus": ("rhea", ("agents=rhea",), "MESSAGE-BUS.md"),
    "office": ("emp-manager-001", (), "messages/employee-ada.log"),
    "swarm": ("qa", (), "channel.jsonl"),
    "vermas": ("vera", ("agents=vera",), ".work/messages.jsonl"),
}
ESCAPED_TODAY: Final = ("swarm", "vermas")


@pytest.fixture(scope="module")
def files(template: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the files of all mounts, by name, after a message to each with every character."""
    base = tmp_path_factory.mktemp("characters") / "base"
    shutil.copytree(template, base, symlinks=True)
    project = Project(base)
    folders = {name: project.mount(name, *settings) for name, (_, settings, _) in MOUNTS.items()}
    recipients = [agent for agent, _, _ in MOUNTS.values()]
    body = "".join(f"{name} before{character}after " for name, character in CHARACTERS.items())
    project.prepare("send", *recipients, "-m", "-", agent="ada", stdin=body.encode())
    project.prepare("sync")
    contents = {name: (folders[name] / file).read_bytes().decode() for name, (_, _, file) in MOUNTS.items()}
    for content in contents.values():
        if any(f"{name} before" not in content for name in CHARACTERS):
            raise RuntimeError(f"setup failed: not every message is rendered: {content!r}")
    return contents


def marked(mount: str, character: str) -> tuple[pytest.MarkDecorator, ...]:
    """Mark what fails today: JSON escapes all of them, and two templates escape CR."""
    if mount in ESCAPED_TODAY or (mount, character) in (("collab", "CR"), ("office", "CR")):
        return ()
    reason = "the character is in the file as it was sent"
    return (pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason),)


@pytest.mark.parametrize(
    ("mount", "character"),
    [pytest.param(mount, each, marks=marked(mount, each)) for mount in MOUNTS for each in CHARACTERS],
)
def test_a_control_character_is_escaped_in_every_file_of_lines(
    files: dict[str, str], mount: str, character: str
) -> None:
    content = files[mount]

    assert CHARACTERS[character] not in content


@pytest.mark.parametrize("mount", ESCAPED_TODAY)
def test_every_reader_of_lines_sees_the_same_lines(files: dict[str, str], mount: str) -> None:
    content = files[mount]

    assert content.splitlines() == content.removesuffix("\n").split("\n")
