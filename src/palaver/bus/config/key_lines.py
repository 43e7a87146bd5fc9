"""The line of each key of a TOML file: the parser of Python does not tell it.

A key counts where it is written as a key: not in a comment, a text, or another table.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r'''(?P<text>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')'''
    r"""|(?P<comment>\#[^\n]*)|(?P<end>\n)|(?P<space>[ \t\r]+)|(?P<mark>[\[\]{}=,.])"""
    r"""|(?P<word>[^\s\[\]{}=,.\#"']+)""",
    re.DOTALL,
)
_CLOSED_BY: Final = {"[": "]", "{": "}"}


@dataclass(slots=True)
class KeyLine:
    """A key: its line, and the keys below it."""

    line: int = 0
    below: "dict[str, KeyLine]" = field(default_factory=dict)

    def put(self, keys: Sequence[str], line: int) -> None:
        """Note where a key is written; only its first place counts."""
        found = self
        for key in keys:
            found = found.below.setdefault(key, KeyLine(line))

    def find(self, dotted: str) -> tuple[int, int]:
        """Return how many characters of a dotted key are known, and the line of the last part that is."""
        # A key may contain dots itself.
        for key, each in self.below.items():
            if dotted == key:
                return len(key), each.line
            if dotted.startswith(f"{key}."):
                known, line = each.find(dotted[len(key) + 1 :])
                return len(key) + 1 + known, line or each.line
        return 0, 0


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


@lru_cache(maxsize=1)
def key_lines(text: str) -> KeyLine:
    """Return the lines of all keys of a text that the parser accepts.

    A config with one mistake often has more.
    """
    found = KeyLine()
    reader = _Reader(_tokens(text)[0], found)
    reader.read()
    return found


def open_line(text: str) -> int:
    """Return the line of what is still open at the end of a text: a bracket or a quotation mark."""
    tokens, unread = _tokens(text)
    if unread:
        return unread
    opened: list[int] = []
    for token in tokens:
        if token.text in _CLOSED_BY:
            opened.append(token.line)
        elif token.text in _CLOSED_BY.values() and opened:
            opened.pop()
    return opened[-1] if opened else text.count("\n") + 1


def deep_line(text: str, most: int) -> int:
    """Return the line of the first key with more than so many dots, 0 if there is none."""
    dots = 0
    for token in _tokens(text)[0]:
        dots += token.text == "."
        if dots > most:
            return token.line
        if token.kind == "end" or token.text in ("=", ",", "[", "]", "{", "}"):
            dots = 0
    return 0


def _tokens(text: str) -> tuple[list[_Token], int]:
    """Return what a text consists of, and the line from which on it is nothing known, 0 if there is none."""
    found: list[_Token] = []
    place, line = 0, 1
    while match := _TOKEN.match(text, place):
        kind, piece = match.lastgroup or "", match.group()
        if kind not in ("space", "comment"):
            found.append(_Token(kind, piece, line))
        place, line = match.end(), line + piece.count("\n")
    return found, line if place < len(text) else 0


class _Reader:
    """Goes through the tokens, and notes the keys."""

    def __init__(self, tokens: list[_Token], found: KeyLine) -> None:
        self._tokens = tokens
        self._found = found
        self._place = 0

    def read(self) -> None:
        """Read tables and their keys to the end."""
        table: list[str] = []
        while token := self._next():
            if token.text == "[":
                table = self._key(token)
                self._found.put(table, token.line)
            elif token.kind != "end" and token.text not in ("]", ","):
                self._pair(table, token)

    def _next(self) -> _Token | None:
        self._place += 1
        return self._tokens[self._place - 1] if self._place <= len(self._tokens) else None

    def _peek(self) -> str:
        return self._tokens[self._place].text if self._place < len(self._tokens) else ""

    def _key(self, token: _Token | None) -> list[str]:
        """Read a key up to what follows it."""
        keys: list[str] = []
        while token and token.text not in ("=", "]"):
            if token.kind in ("word", "text"):
                keys.append(_plain(token))
            token = self._next()
        return keys

    def _pair(self, table: list[str], token: _Token) -> None:
        keys = [*table, *self._key(token)]
        self._found.put(keys, token.line)
        self._value(keys)

    def _value(self, keys: list[str]) -> None:
        """Read a value, with the keys that are in it."""
        opening = self._peek()
        if opening not in _CLOSED_BY:
            while self._peek() not in ("", "\n", ",", "]", "}"):
                self._next()
            return
        self._next()
        while (piece := self._peek()) and piece != _CLOSED_BY[opening]:
            if piece in ("\n", ","):
                self._next()
            elif opening == "[":
                self._value(keys)
            elif token := self._next():
                self._pair(keys, token)
        self._next()


def _plain(token: _Token) -> str:
    """Return a key without its quotation marks."""
    return str(tomllib.loads(f"key = {token.text}")["key"]) if token.kind == "text" else token.text
