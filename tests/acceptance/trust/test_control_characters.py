"""A control character in a message reaches no file of lines: whoever splits lines sees no forged one."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project import Project
from tests.acceptance.teams import COLLAB, mount_team

# Python's splitlines() ends a line at each of them but ESC, which a terminal obeys.
CHARACTERS: Final = {
    "ESC": "\x1b", "VT": "\x0b", "FF": "\x0c", "FS": "\x1c", "CR": "\r", "NEL": "\x85", "LS": "\u2028",
    "PS": "\u2029",
}  # fmt: skip
# File of lines: its mount, and its path there.
FILES: Final = {
    "chat log": ("collab", "chat.log"),
    "message bus": ("runbus", "MESSAGE-BUS.md"),
    "employee log": ("office", "messages/employee-w1.log"),
    "manager inbox": ("office", "messages/manager-inbox.log"),
    "timeline": ("office", "timeline.log"),
    "channel": ("swarm", "channel.jsonl"),
    "mail file": ("vermas", ".work/messages.jsonl"),
}
SETTINGS: Final = {
    "collab": COLLAB,
    "runbus": ("agents=rhea",),
    "office": ("agents=w1", "board=ours"),
    "swarm": (),
    "vermas": ("agents=vera",),
}
RECIPIENTS: Final = ("jim", "rhea", "w1", "qa", "vera")


@pytest.fixture(scope="module")
def files(template: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the files after a message to all, and a reason for a block, with every character."""
    project = Project.copy(template, tmp_path_factory.mktemp("characters"))
    folders = {name: mount_team(project, name, *settings).folder for name, settings in SETTINGS.items()}
    text = "".join(f"{name}:{character}; " for name, character in CHARACTERS.items()).encode()
    project.do("send", *RECIPIENTS, "-m", "-", agent="ada", stdin=text)
    project.do("task", "open", "One", "--id", "one", agent="emp-manager-001")
    project.do("task", "claim", "one", agent="w1")
    project.do("task", "block", "one", "-m", "-", agent="w1", stdin=text)
    project.sync()
    contents = {name: (folders[mount] / path).read_bytes().decode() for name, (mount, path) in FILES.items()}
    for content in contents.values():
        if any(f"{name}:" not in content for name in CHARACTERS):
            raise RuntimeError(f"setup failed: the text is not rendered: {content!r}")
    return contents


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("character", CHARACTERS)
def test_a_control_character_is_escaped_in_every_file_of_lines(
    files: dict[str, str], file: str, character: str
) -> None:
    assert CHARACTERS[character] not in files[file]


@pytest.mark.parametrize("file", FILES)
def test_every_reader_of_lines_sees_the_same_lines(files: dict[str, str], file: str) -> None:
    content = files[file]

    assert content.splitlines() == content.removesuffix("\n").split("\n")


# --- what else the bus writes into files of lines ---

HOSTILE: Final = "a\x1b[2Jb\x0bc\x85d\u2028e\u202ef\u200bg"
HIDDEN: Final = frozenset("\x1b\x0b\x85\u2028\u202e\u200b")
FAMILY: Final = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
LOGS: Final = ("*.log", "*.md", "*.json*", "*.txt")


def contents(folder: Path) -> dict[str, str]:
    """Return the text of all files of a mount that the bus writes."""
    found = {path for pattern in LOGS for path in folder.rglob(pattern) if path.is_file()}
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in found}


@pytest.mark.parametrize("mount", SETTINGS)
def test_the_notice_about_a_wrong_line_holds_no_control_character(project: Project, mount: str) -> None:
    team = mount_team(project, mount, *SETTINGS[mount])
    line = f"[2026-01-25T10:00:00Z] [BOGUS] {HOSTILE}\n---\nmessageId: {HOSTILE}\n---\n"

    project.append(team.write("w1"), *line.split("\n"))
    project.sync()
    project.sync()

    assert project.do("quarantine", "--json").rows != []
    by_bus = "\n".join(project.bus_lines(team.read))
    assert HIDDEN.isdisjoint(by_bus)


def mount_all(project: Project) -> None:
    """Mount a team of each dialect."""
    for name, settings in SETTINGS.items():
        mount_team(project, name, *settings)


def test_names_and_titles_bring_no_control_character_into_a_file(project: Project) -> None:
    mount_all(project)
    (project.folder / HOSTILE).write_text("x")
    project.do("task", "open", HOSTILE, "--id", "one", agent="emp-manager-001")
    project.do("send", *RECIPIENTS, "-m", "look", "--subject", HOSTILE, "--file", HOSTILE, agent="ada")
    project.do("task", "claim", "one", agent="w1")
    project.do("task", "deliver", "one", "-m", HOSTILE, agent="w1")
    project.sync()

    files = {path: text for mount in SETTINGS for path, text in contents(project.folder / mount).items()}

    assert len(files) > len(FILES)
    assert [name for name, text in files.items() if not HIDDEN.isdisjoint(text)] == []
    assert [name for name, text in files.items() if text.splitlines() != text.split("\n")[:-1]] == []


def test_a_message_comes_back_from_every_file_as_it_was_sent(project: Project) -> None:
    mount_all(project)
    text = f"a{''.join(CHARACTERS.values())}{HOSTILE} \\x1b {FAMILY}"
    project.do("send", *RECIPIENTS, "-m", "-", agent="ada", stdin=text.encode())
    project.sync()

    # A worker's log has what it writes, and a timeline is not mail.
    for mount, path in [where for name, where in FILES.items() if name not in ("timeline", "employee log")]:
        other, field = ("vermas", "body") if mount == "swarm" else ("swarm", "content")
        words = [word for setting in SETTINGS[mount] if "=" in setting for word in ("--set", setting)]
        file = str(project.folder / mount / path)
        back = project.run("convert", file, "--from", mount, "--to", other, *words)
        found = [json.loads(line)[field] for line in back.out.split("\n")[:-1]]
        assert set(found) == {text}, (mount, back)


def test_an_emoji_of_several_stays_readable(project: Project) -> None:
    mount_all(project)
    text = f"{FAMILY} \u2764\ufe0f 1\ufe0f\u20e3 \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"

    project.do("send", *RECIPIENTS, "-m", text, agent="ada")
    project.do("task", "open", "One", "--id", "one", agent="emp-manager-001")
    project.do("task", "claim", "one", agent="w1")
    project.do("task", "block", "one", "-m", text, agent="w1")
    project.sync()

    for mount, path in FILES.values():
        assert text in (project.folder / mount / path).read_bytes().decode(), path
