"""A million lines of each dialect, good ones and broken ones: each byte is in exactly one piece."""

import random
import time
from typing import Final

import pytest

from fuzz.laws import PATHS, SETTINGS, seeds
from palaver.dialects import DIALECTS, specs
from palaver.model.mounted_files import Kind, Mount, Source
from tests.dialects.test_mutations import broken
from tests.processes.figures import tell

pytestmark = pytest.mark.torture

LINES: Final = 1_000_000
#: So many broken files, one after the other, are read as one.
FILES: Final = 200


@pytest.mark.parametrize("name", DIALECTS)
def test_each_byte_of_a_million_lines_is_in_one_piece(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    seed = time.time_ns() % (1 << 30)
    chance = random.Random(seed)
    golden = seeds(name)
    dialect = specs()[name]
    mount = Mount(dialect=name, settings=SETTINGS)
    lines = 0
    pieces = dict.fromkeys(Kind, 0)

    while lines < LINES:
        content = b"\n".join(broken(chance, golden) for _ in range(FILES))
        path = chance.choice(PATHS[name])
        end = 0
        for piece in dialect.parse(Source(path=path, content=content, mount=mount)).pieces:
            assert piece.start == end, (
                f"seed {seed}, after {lines} lines, {path}: a gap or an overlap at {end}"
            )
            assert piece.length > 0, f"seed {seed}, after {lines} lines, {path}: an empty piece at {end}"
            end += piece.length
            pieces[piece.kind] += 1
        assert end == len(content), f"seed {seed}, after {lines} lines, {path}: the end is in no piece"
        lines += content.count(b"\n") + 1

    shown = ", ".join(f"{count:,} {kind.name.lower()}" for kind, count in pieces.items() if count)
    tell(capsys, f"{name}: {lines:,} lines, every byte in one piece: {shown}")
