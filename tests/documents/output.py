"""Compare what a page says is printed with what was printed.

Words that are different in every run match any word of their kind:

    msg-3qyp7yicgs2d            an id; the page's id stands for the real one from then on, in commands too
    http://127.0.0.1:41233      a port, likewise
    alice                       you
    /path/to/project            the folder in which the commands are typed
    2026-11-15T11:43:34.000Z    a time, also as 11-15 08:20
    364d8adc0be398d3…           a hash of 32 digits
    2035 bytes, 3 ms, 2 min     a size, a duration
    process 4711                a process
    …                           anything up to the end of the line, or to what follows; alone, any lines

The number of spaces between words does not matter.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

# The person at the terminal, whose name is that of their user account.
PERSON: Final = "alice"
_NAMES: Final = {
    "id": r"\b(?:msg|evt)-[a-z2-7]{12}\b|\bq-[0-9a-f]{16}\b|\bwo-[a-z0-9]{5}\b",
    "port": r"(?<=127\.0\.0\.1:)\d+",
    "person": rf"\b{PERSON}\b",
}
_VALUES: Final = {
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\b\d\d-\d\d \d\d:\d\d\b|\b\d\d:\d\d:\d\d\b",
    "hash": r"\b[0-9a-f]{32}\b",
    "size": r"\b[\d,]+ bytes\b",
    "process": r"\bprocess \d+\b",
    "duration": r"\b\d+(?:\.\d+)? (?:ms|s|min|h)\b",
}
_KINDS: Final = _NAMES | _VALUES
_VARYING: Final = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS.items()))
_PROJECT: Final = "/path/to/project"


@dataclass(slots=True)
class Reading:
    """What the names on a page stand for in this run."""

    project: Path
    known: dict[str, str] = field(default_factory=dict)

    def real(self, text: str) -> str:
        """Return a command of the page with the names of this run."""
        text = _VARYING.sub(lambda found: self.known.get(found[0], found[0]), text)
        return text.replace(_PROJECT, str(self.project))

    def matches(self, shown: tuple[str, ...], printed: str) -> bool:
        """Say whether the output is what the page shows; if so, learn what its names stand for."""
        names: list[str] = []
        pattern = "".join(self._line(line, names) for line in shown)
        found = re.fullmatch(pattern, _lines(printed))
        if found is None:
            return False
        for name, real in zip(names, found.groups(), strict=True):
            if self.known.setdefault(name, real) != real:
                return False
        return True

    def _line(self, line: str, names: list[str]) -> str:
        if line.strip() == "…":
            return r"(?:.*\n)*?"
        pattern, place = "", 0
        text = _spaced(line)
        for varying in _VARYING.finditer(text):
            pattern += self._plain(text[place : varying.start()]) + self._varying(varying, names)
            place = varying.end()
        return pattern + self._plain(text[place:]) + r"\n"

    def _plain(self, text: str) -> str:
        return ".*".join(re.escape(self.real(part)) for part in text.split("…"))

    def _varying(self, found: re.Match[str], names: list[str]) -> str:
        assert found.lastgroup is not None
        word, pattern = found[0], _KINDS[found.lastgroup]
        if found.lastgroup not in _NAMES:
            return f"(?:{pattern})"
        if word in self.known:
            return re.escape(self.known[word])
        names.append(word)
        return f"({pattern})"


def _lines(text: str) -> str:
    return "".join(f"{_spaced(line)}\n" for line in text.rstrip("\n").split("\n") if text.strip())


def _spaced(line: str) -> str:
    return re.sub(r" +", " ", line.rstrip())
