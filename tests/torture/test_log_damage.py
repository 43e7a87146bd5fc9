"""Every cut and every kind of damage, at every place."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.log.cuts import APPENDS, Specimen, complaints
from tests.log.damage import Patient, all_bits, flipped, inserted, missing, removed, swapped, zeroed
from tests.processes.figures import tell

pytestmark = pytest.mark.torture


@pytest.mark.parametrize("last", [1, 2, 3, 4, 6])
def test_a_cut_at_every_byte_of_the_last_three_records_costs_only_what_was_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], last: int
) -> None:
    specimen = Specimen(tmp_path / "specimen", last)

    wrong = [
        complaint
        for length in specimen.cuts()
        for append in APPENDS
        for complaint in complaints(specimen, tmp_path / f"{length}{append.__name__}", length, append)
    ]

    assert wrong == []
    tell(
        capsys,
        f"P3: {len(specimen.cuts())} cuts, {last} records in the last segment, "
        f"x {len(APPENDS)} appends: 0 complaints",
    )


def test_every_flipped_bit_of_a_small_log_is_found_and_contained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    patient = Patient(tmp_path / "bus", events=12, segment_bytes=1_500)
    began = time.monotonic()
    bits = all_bits(patient)

    assert list(flipped(patient, bits)) == []
    tell(
        capsys,
        f"P15: {len(bits)} bits of {len(patient.events)} records flipped: all found, "
        f"all others served, {time.monotonic() - began:.0f} s",
    )


@pytest.mark.parametrize("harm", [zeroed, swapped, removed, inserted, missing])
def test_damage_of_a_larger_log_is_found_and_contained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], harm: Callable[[Patient], Iterator[str]]
) -> None:
    patient = Patient(tmp_path / "bus", events=120, segment_bytes=15_000)

    assert list(harm(patient)) == []
    tell(
        capsys,
        f"P15: {harm.__name__} at every place of {len(patient.events)} records: all found, all others served",
    )
