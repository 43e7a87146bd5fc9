"""What the model knows: which lines agents wrote, and what commands were promised."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tests.simulation.company import Line

TOKEN: Final = re.compile(r"<[fs][0-9]+-[0-9]+>")


@dataclass(slots=True)
class Said:
    """A line that an agent wrote."""

    line: Line
    #: Whether the product must do what the kind of the line says. Not if the line was spoilt or taken away
    #: before the product had read it: then it may.
    must: bool = True


@dataclass(slots=True)
class Sent:
    """A message that was sent by a command."""

    token: str
    sender: str
    to: list[str]
    body: str
    key: str = ""
    #: Whether the command returned, and the id that it returned.
    is_acknowledged: bool = False
    message_id: str = ""
    seq: int = 0
    #: Whether the first command was refused, and none was tried since: then nothing may be in the log.
    is_refused: bool = False
    was_tried: bool = False
    #: Whether it was sent in the middle of another operation.
    is_meanwhile: bool = False


@dataclass(slots=True)
class Ledger:
    """The account of one simulation."""

    said: dict[str, Said] = field(default_factory=dict)
    sent: dict[str, Sent] = field(default_factory=dict)
    #: Tokens in lines of which different programs wrote parts: the log may have them in several messages.
    blurred: set[str] = field(default_factory=set)
    #: Tokens that were taken out of a file by an agent: (file, token).
    removed: set[tuple[str, str]] = field(default_factory=set)
    #: Files that an agent has edited: the order of their lines means nothing.
    edited: set[str] = field(default_factory=set)
    _count: int = 0

    def token(self, letter: str) -> str:
        """Return a word that was never used: `f` for lines of files, `s` for messages that were sent."""
        self._count += 1
        return f"<{letter}0-{self._count}>"

    def note_line(self, line: Line, before: bytes) -> Said:
        """Note a line that is about to be appended to its file, which has some content.

        Somebody may be in the middle of another line there: then what comes of both is anybody's guess.
        """
        end = b"---\n" if line.file.endswith(".md") else b"\n"
        is_whole = not before or before.endswith((end, b"-->\n"))
        said = self.said[line.token] = Said(line, must=is_whole)
        if not is_whole:
            begun = before[before.rfind(b"messageId:" if end == b"---\n" else b"\n") :]
            self.blur([*TOKEN.findall(begun.decode("utf-8", "replace")), line.token])
        return said

    def note_content(self, file: str, before: str, after: str, recorded: str) -> None:
        """Note that the content of a file is another one; `recorded` is what the log has."""
        for said in self.said.values():
            if said.line.file == file and said.line.content.decode() not in after:
                said.must = said.must and said.line.token in recorded
                self.removed.add((file, said.line.token))
        left = Counter(after.split("\n"))
        for line in before.split("\n"):
            left[line] -= 1
            if left[line] < 0:
                self.removed.update((file, token) for token in TOKEN.findall(line))

    def note_late_lines(self, before: str, after: str, recorded: str) -> None:
        """Note that lines are gone which agents wrote into files that had been replaced."""
        for token in set(TOKEN.findall(before)) - set(TOKEN.findall(after)):
            if token in self.said and token not in recorded:
                self.said[token].must = False
                self.removed.add((self.said[token].line.file, token))

    def blur_end(self, content: str) -> None:
        """Note that a file ends in the middle of a line: what it is, or what it belongs to, may change."""
        if not content.endswith("\n"):
            self.blur(TOKEN.findall("\n".join(content.split("\n")[-2:])))

    def blur(self, tokens: Iterable[str]) -> None:
        self.blurred.update(tokens)
        for each in self.said.values():
            each.must &= each.line.token not in self.blurred
