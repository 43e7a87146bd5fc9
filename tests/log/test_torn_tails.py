"""A torn tail costs at most the record that was not acknowledged, wherever it was torn."""

from pathlib import Path

import pytest

from tests.log.cuts import APPENDS, Specimen, complaints


@pytest.mark.parametrize("last", [1, 2, 6])
def test_a_cut_costs_only_the_record_that_was_cut(tmp_path: Path, last: int) -> None:
    specimen = Specimen(tmp_path / "specimen", last)
    edge = len(specimen.last) - 40

    wrong = [
        complaint
        for length in specimen.cuts()
        if length >= edge or length % 5 == 0
        for complaint in complaints(specimen, tmp_path / str(length), length, APPENDS[length % len(APPENDS)])
    ]

    assert wrong == []


@pytest.mark.parametrize("mutant", ["cutting", "careless"])
def test_a_log_that_treats_its_tail_wrongly_is_caught(tmp_path: Path, mutant: str) -> None:
    specimen = Specimen(tmp_path / "specimen")
    length = specimen.cuts()[-20]

    found = list(complaints(specimen, tmp_path / "cut", length, APPENDS[0], mutant))

    assert found != []
