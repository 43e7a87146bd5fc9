"""The API under twenty thousand requests: good ones, and ones that break every rule of its document."""

import os
from pathlib import Path
from typing import Final

import pytest

from tests.web.cases import stumbles
from tests.web.place import Place
from tools import scene

REQUESTS: Final = int(os.environ.get("PALAVER_REQUESTS", "20000"))
OPERATIONS: Final = 26


@pytest.mark.torture
def test_twenty_thousand_requests_make_it_stumble_nowhere(tmp_path: Path) -> None:
    seed = int.from_bytes(os.urandom(4))
    scene.make(str(tmp_path), days=1)
    place = Place.at(tmp_path)
    try:
        count, wrong = stumbles(place, examples=REQUESTS // OPERATIONS + 1, seed=seed)
        verdict = place.bus.verify()
    finally:
        place.server.stop()

    assert wrong == [], f"seed {seed}"
    assert count >= REQUESTS * 0.9
    assert verdict.good
