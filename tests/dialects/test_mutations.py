"""Golden files with broken bytes keep every law of fuzz/laws.py: `make fuzz` in brief, and repeatable."""

import random
from typing import Final

import pytest

from fuzz.laws import PATHS, hold, seeds
from palaver.dialects import DIALECTS, specs

# As many files as there are turns, in so many tests that processors share them.
TURNS: Final = 75
SEEDS: Final = range(4)
BYTES: Final = b'\n\r\t\x00\x0b\x1b\x85\xff\xc2\xe2-[]{}():|>@"\\,.# aT09Z'
KNOWN: Final = specs()


def broken(chance: random.Random, found: list[bytes]) -> bytes:
    """Return one file, or two of them glued, with some bytes changed, cut, doubled or taken from another."""
    content = bytearray(chance.choice(found)[:4_096])
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randint(0, len(content))
        to = min(len(content), at + chance.choice((1, 1, 2, 8, 64)))
        match chance.randrange(6):
            case 0:
                content[at:to] = bytes(chance.choices(BYTES, k=to - at))
            case 1:
                content[at:at] = bytes(chance.choices(BYTES, k=chance.randint(1, 3)))
            case 2:
                del content[at:to]
            case 3:
                content[at:at] = content[at:to]
            case 4:
                other = chance.choice(found)
                start = chance.randint(0, len(other))
                content[at:to] = other[start : start + 64]
            case _:
                del content[at:]
                content += chance.choice(found)[:2_048]
    return bytes(content)


def test_every_dialect_has_its_files_and_its_seeds() -> None:
    assert tuple(PATHS) == tuple(DIALECTS)
    assert all(seeds(name) for name in PATHS)


@pytest.mark.parametrize("name", DIALECTS)
def test_golden_files_as_they_are_keep_every_law(name: str) -> None:
    for content in seeds(name):
        hold(KNOWN[name], content)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", DIALECTS)
def test_golden_files_with_broken_bytes_keep_every_law(name: str, seed: int) -> None:
    chance = random.Random(seed)
    found = seeds(name)

    for turn in range(TURNS):
        content = broken(chance, found)
        try:
            hold(KNOWN[name], content)
        except Exception as fault:
            raise AssertionError(f"{name}, seed {seed}, turn {turn}: {content!r}") from fault
