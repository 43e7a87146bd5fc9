"""Secrets in mounted files are found with their lines, however long the file is."""

from pathlib import Path

import pytest

from palaver.model.limits import CHUNK_BYTES, SECRET_BYTES
from palaver.sync.held_texts import find_secrets
from tests.sync.scene import Scene

SECRET = b"ghp_" + b"a1B2" * 9
LINE = b"x" * 99 + b"\n"
#: Where a file is cut into pieces, and a little before and after that.
CUTS = [
    cut + shift
    for cut in (CHUNK_BYTES, CHUNK_BYTES - SECRET_BYTES, 2 * CHUNK_BYTES)
    for shift in (-20, 0, 20)
]


def lines_with_secrets(tmp_path: Path, content: bytes) -> list[int]:
    scene = Scene(tmp_path / "bus")
    (scene.mount("swarm") / "channel.jsonl").write_bytes(content)
    return [held.line for held in find_secrets(scene.bus.session)]


@pytest.mark.parametrize("place", CUTS)
def test_a_secret_is_found_once_wherever_the_file_is_cut(tmp_path: Path, place: int) -> None:
    filler = LINE * (3 * CHUNK_BYTES // len(LINE))

    found = lines_with_secrets(tmp_path, filler[:place] + b"\n" + SECRET + b"\n" + filler[place:])

    assert found == [place // len(LINE) + 2]


@pytest.mark.parametrize("place", CUTS)
def test_a_secret_in_an_endless_line_is_found_once(tmp_path: Path, place: int) -> None:
    found = lines_with_secrets(tmp_path, b"-" * place + b" " + SECRET + b" " + b"-" * 3 * CHUNK_BYTES)

    assert found == [1]


def test_secrets_at_the_ends_of_a_long_file_are_found(tmp_path: Path) -> None:
    filler = LINE * (2 * CHUNK_BYTES // len(LINE))

    found = lines_with_secrets(tmp_path, SECRET + b"\n" + filler + SECRET)

    assert found == [1, filler.count(b"\n") + 2]
