"""Damage is found, and costs only the records that it touched."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.log.damage import Patient, flipped, inserted, missing, removed, some_bits, swapped, zeroed


@pytest.mark.slow
def test_a_flipped_bit_is_found_and_costs_only_the_records_it_touches(tmp_path: Path) -> None:
    patient = Patient(tmp_path / "bus", events=10, segment_bytes=1_500)
    seed = 20_260_101

    assert list(flipped(patient, some_bits(patient, seed, 1_000))) == [], f"seed {seed}"


@pytest.mark.parametrize("harm", [zeroed, swapped, removed, inserted, missing])
def test_damage_is_found_and_costs_only_the_records_it_touches(
    tmp_path: Path, harm: Callable[[Patient], Iterator[str]]
) -> None:
    patient = Patient(tmp_path / "bus", events=40, segment_bytes=6_000)

    assert list(harm(patient)) == []
