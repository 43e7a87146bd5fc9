"""The fenced blocks of a Markdown page, and what is to be done with each.

    ```console                     commands after `$ `, each followed by its output
    ```python                      a program; it must succeed
    <!-- not run: REASON -->       before a block: it is not executed, and this is why
    <!-- background -->            before a block: in another terminal, stopped at the end of the page
    <!-- daemon -->                the same, but what follows waits until it has printed what is shown
    <!-- new project -->           before a block: in a new folder, with a new home folder
    <!-- console … -->             a block that readers do not see

Nothing else is executed, so every other block says by its language what it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"^( *)(`{3,})(\S*) *$")
_MARK: Final = re.compile(r"^ *<!-- (not run: .+|background|daemon|new project) -->$")
_HIDDEN: Final = re.compile(r"^<!-- console$")
_NOT_RUN: Final = "not run: "


class MalformedPageError(Exception):
    """A page has a block that is not closed, or a mark without a block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What is typed, and what the page says is printed; nothing if the page leaves that out."""

    line: int
    typed: str
    printed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block, with the marks before it."""

    line: int
    language: str
    text: tuple[str, ...]
    marks: tuple[str, ...] = ()

    @property
    def is_run(self) -> bool:
        return not any(mark.startswith(_NOT_RUN) for mark in self.marks)

    @property
    def is_in_background(self) -> bool:
        return not {"background", "daemon"}.isdisjoint(self.marks)

    @property
    def is_daemon(self) -> bool:
        return "daemon" in self.marks

    @property
    def is_new_project(self) -> bool:
        return "new project" in self.marks

    def commands(self) -> list[Command]:
        """Return what is to be executed, in order."""
        if not self.is_run or self.language not in ("console", "python"):
            return []
        if self.language == "python":
            program = "\n".join(("python <<'END'", *self.text, "END"))
            return [Command(line=self.line, typed=program)]
        return self._typed()

    def _typed(self) -> list[Command]:
        found: list[Command] = []
        typed: list[str] = []
        printed: list[str] = []
        start = self.line
        for number, line in enumerate(self.text, start=self.line + 1):
            if typed and typed[-1].endswith("\\") and not printed:
                typed.append(line)
            elif line.startswith("$ "):
                found += _command(start, typed, printed)
                typed, printed, start = [line.removeprefix("$ ")], [], number
            elif typed:
                printed.append(line)
            else:
                raise MalformedPageError(f"line {number}: output before the first command")
        return [*found, *_command(start, typed, printed)]


def _command(line: int, typed: list[str], printed: list[str]) -> Iterator[Command]:
    while printed and not printed[-1]:
        printed.pop()
    if typed:
        yield Command(line=line, typed="\n".join(typed), printed=tuple(printed))


def blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page, in order."""
    lines = page.split("\n")
    marks: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        fence, hidden, mark = _FENCE.match(line), _HIDDEN.match(line), _MARK.match(line)
        if fence or hidden:
            indent, ticks, language = fence.groups() if fence else ("", "-->", "console")
            text = _until(lines, number, indent + ticks)
            stripped = tuple(each.removeprefix(indent) for each in text)
            yield Block(line=number + 1, language=language, text=stripped, marks=tuple(marks))
            marks = []
            number += len(text) + 1
        elif mark:
            marks.append(mark[1])
        elif marks and line.strip():
            raise MalformedPageError(f"line {number + 1}: a mark without a block")
        number += 1


def _until(lines: list[str], start: int, end: str) -> list[str]:
    for number in range(start + 1, len(lines)):
        if lines[number] == end:
            return lines[start + 1 : number]
    raise MalformedPageError(f"line {start + 1}: a block that is not closed")
