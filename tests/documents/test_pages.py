"""Every console block of every page is executed, in order, in a new project; or it says why not."""

import re
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.documents.blocks import Block, blocks
from tests.documents.terminal import Terminal, WrongDocumentError
from tests.house.repository import ROOT

PAGES: Final = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "dialects").glob("*.md")),
    *sorted((ROOT / "docs" / "adr").glob("*.md")),
]
# What a block that is not executed may be.
LANGUAGES: Final = frozenset({"console", "python", "toml", "json", "markdown", "text", "diff", "mermaid"})
COMMANDS: Final = ("$ ", "palaver ", "co ", "wo ", "make ")
INDENTED_COMMAND: Final = re.compile(r"^ {4,}(?:\$ |palaver |co |wo |make )")
PROGRAMS: Final = Path(sys.executable).parent


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def read(page: Path) -> list[Block]:
    return list(blocks(page.read_text(encoding="utf-8")))


def has_commands(page: Path) -> bool:
    return any(block.commands() for block in read(page))


def follow(page: Path, folder: Path) -> None:
    """Type all commands of a page, in order."""
    terminals = [Terminal(folder / "0", PROGRAMS)]
    try:
        for block in read(page):
            if block.is_new_project:
                terminals.append(Terminal(folder / str(len(terminals)), PROGRAMS))
            for command in block.commands():
                if block.is_in_background:
                    terminals[-1].start(command, until_ready=block.is_daemon)
                else:
                    terminals[-1].type(command)
    finally:
        faults = [fault for terminal in terminals for fault in terminal.close()]
    if faults:
        raise WrongDocumentError("\n\n".join(faults))


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if has_commands(page)], ids=name)
def test_the_commands_of_a_page_do_what_it_shows(page: Path, tmp_path: Path) -> None:
    try:
        follow(page, tmp_path)
    except WrongDocumentError as wrong:
        pytest.fail(f"{name(page)} {wrong}", pytrace=False)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_says_what_it_is(page: Path) -> None:
    unknown = [block.line for block in read(page) if block.language not in LANGUAGES]

    assert unknown == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_are_in_console_blocks(page: Path) -> None:
    others = [block for block in read(page) if block.language not in ("console", "diff")]
    fenced = [block.line for block in others if any(line.startswith(COMMANDS) for line in block.text)]
    lines = enumerate(page.read_text(encoding="utf-8").split("\n"), start=1)
    indented = [number for number, line in lines if INDENTED_COMMAND.match(line)]

    assert fenced + indented == []
