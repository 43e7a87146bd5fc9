"""Dialects: lines a second of a parser, next to the least that anybody must do with the same lines.

For JSON that is `json.loads` of each line; for text, one compiled regular expression that takes the whole
line (or block) apart. Both sides are fed a mebibyte at a time and throw away what they made of it.

    python bench/dialects.py NAME FILE     read a file in chunks; print how many values and the peak of memory
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.ground import Ground
from bench.load_views import peak_megabytes
from bench.measure import Row, in_rounds, per_second, ratios, spread, timed
from bench.scripts import SCRIPTS, Script
from palaver.model.mounted_files import Kind, Mount, Source
from palaver.model.spec import DialectSpec

CHUNK: Final = 1 << 20
MEMORY_MB: Final = 64.0
# A large file has as many of them as a large log has messages.
LINE_BYTES: Final = 100
# What one readable parser reaches, with head room (docs/adr/0031).
TARGETS: Final = {"json.loads": 0.25, "one regular expression": 0.04}


@dataclass(slots=True)
class Feeder:
    """A file that comes in chunks: what is pending at the end of one stands in front of the next."""

    dialect: DialectSpec
    path: str
    start: int = 0
    line: int = 1
    held: bytes = b""

    def feed(self, chunk: bytes, *, last: bool) -> int:
        """Parse what is there now; return how many values it had."""
        content = self.held + chunk
        mount = Mount(dialect=self.dialect.name)
        source = Source(
            path=self.path, content=content, mount=mount, offset=self.start, line=self.line, whole=last
        )
        pieces = self.dialect.parse(source).pieces
        pending = pieces[-1].length if pieces and pieces[-1].kind is Kind.PENDING else 0
        done = len(content) - pending
        self.held = content[done:]
        self.start += done
        self.line += content.count(b"\n", 0, done)
        return sum(len(piece.values) for piece in pieces)


def dialect_rows(ground: Ground, wanted: frozenset[str]) -> list[Row]:
    """Return the rows of the dialects that are wanted."""
    rows = [_row(ground, name, script) for name, script in SCRIPTS.items() if f"parse-{name}" in wanted]
    if "parse-memory" in wanted:
        rows.append(_memory(ground.folder, ground.sizes.messages * LINE_BYTES))
    return rows


def _row(ground: Ground, name: str, script: Script) -> Row:
    lines = ground.sizes.lines // 5
    rounds = max(2, ground.sizes.rounds // 3)
    dialect: DialectSpec = import_module(f"palaver.dialects.{name}.spec").SPEC
    content = b"".join(script.said(place) for place in range(lines))
    read = fed(dialect, script.path, content)
    assert read == lines, f"{name}: {lines} were written, {read} are read"
    bare = _bare(script)
    assert bare(content) == lines, f"{name}: the limit does not read every line"
    taken = in_rounds(
        {
            "ours": lambda: timed(lambda: fed(dialect, script.path, content)),
            "bare": lambda: timed(lambda: bare(content)),
        },
        rounds=rounds,
        seed=ground.seed,
        label=f"parse {name}",
    )
    against = "one regular expression" if script.pattern else "json.loads"
    return Row(
        name=f"parse-{name}",
        what=f"parse {name}, in chunks of 1 MiB",
        against=against,
        unit="x",
        found=ratios(taken["bare"], taken["ours"]),
        target=TARGETS[against],
        at_least=True,
        rounds=rounds,
        ours=per_second(taken["ours"], lines),
        limit=per_second(taken["bare"], lines),
    )


def fed(dialect: DialectSpec, path: str, content: bytes) -> int:
    feeder = Feeder(dialect, path)
    return sum(
        feeder.feed(content[start : start + CHUNK], last=start + CHUNK >= len(content))
        for start in range(0, len(content), CHUNK)
    )


def _bare(script: Script) -> Callable[[bytes], int]:
    """Return what does the least with the same bytes, fed the same way; it counts what it read."""
    if script.pattern is None:
        return lambda content: sum(len([json.loads(line) for line in lines]) for lines in _lines(content))
    if script.blocks:
        blocks = re.compile(script.pattern).finditer
        return lambda content: sum(
            len([match.groups() for match in blocks(part.decode())])
            for part in _parts(content, b"\n---\n", b"---\n")
        )
    whole = re.compile(script.pattern).fullmatch
    return lambda content: sum(
        len([match.groups() for line in lines if (match := whole(line.decode()))])
        for lines in _lines(content)
    )


def _lines(content: bytes) -> Iterator[list[bytes]]:
    for part in _parts(content, b"\n"):
        yield part.removesuffix(b"\n").split(b"\n")


def _parts(content: bytes, end: bytes, begin: bytes = b"") -> Iterator[bytes]:
    """Yield about a mebibyte at a time, cut where one message ends and the next begins."""
    start = 0
    while start < len(content):
        stop = content.rfind(end + begin, start, start + CHUNK) + len(end)
        if start + CHUNK >= len(content):
            stop = len(content)
        yield content[start:stop]
        start = stop


def _memory(folder: Path, size: int) -> Row:
    """Read a large file of each dialect in a process of its own; the row is the one that held the most."""
    peaks: dict[str, float] = {}
    for name, script in SCRIPTS.items():
        path = folder / Path(script.path).name
        _fill(path, script, size)
        command = [sys.executable, __file__, name, str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        peaks[name] = json.loads(done.stdout)["peak_mb"]
        path.unlink()
    worst = max(peaks, key=lambda name: peaks[name])
    return Row(
        name="parse-memory",
        what=f"parse {size / 1e6:,.0f} MB, in chunks of 1 MiB",
        against="the size of the file",
        unit="MB",
        found=spread([peaks[worst]]),
        target=MEMORY_MB,
        at_least=False,
        rounds=1,
        ours=f"{peaks[worst]:.0f} MB ({worst})",
        limit=f"{size / 1e6:,.0f} MB",
    )


def _fill(path: Path, script: Script, size: int) -> None:
    block = b"".join(script.said(place) for place in range(2_000))
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(block)


def main(name: str, path: Path) -> None:
    dialect: DialectSpec = import_module(f"palaver.dialects.{name}.spec").SPEC
    feeder = Feeder(dialect, SCRIPTS[name].path)
    with path.open("rb") as file:
        values = sum(feeder.feed(chunk, last=False) for chunk in _chunks(file)) + feeder.feed(b"", last=True)
    print(json.dumps({"values": values, "peak_mb": peak_megabytes()}))


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
