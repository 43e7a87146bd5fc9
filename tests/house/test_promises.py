"""The table of promises: every long test proves one, every proof exists, and the page has every row."""

import re
from pathlib import Path
from typing import Final

from tests.house.repository import ROOT, text
from tools.promises import PAGE, ROWS, Outcome, figures, outcomes, with_outcomes

PROOFS: Final = sorted({proof for row in ROWS.values() for proof in row.proofs})


def test_every_proof_is_a_command_or_tests_that_exist() -> None:
    for proof in PROOFS:
        path, _, name = proof.partition("::")
        if not path.startswith("tests/"):
            assert path == "make simulate"
            continue
        assert (ROOT / path).exists(), proof
        assert not name or f"\ndef {name}(" in text(path), proof


def test_every_long_test_proves_a_promise() -> None:
    files = sorted((ROOT / "tests/torture").glob("test_*.py"))
    missing = [
        f"tests/torture/{path.name}::{name}"
        for path in files
        for name in re.findall(r"(?m)^def (test_\w+)", path.read_text(encoding="utf-8"))
        if not {f"tests/torture/{path.name}", f"tests/torture/{path.name}::{name}"} & {*PROOFS}
    ]

    assert missing == []


def test_no_proof_is_a_part_of_another() -> None:
    parts = [
        proof
        for proof in PROOFS
        for other in PROOFS
        if proof != other and Path(other) in Path(proof.replace("::", "/")).parents
    ]

    assert parts == []


def test_the_page_has_every_row_as_it_is_in_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert with_outcomes(page, outcomes(page)) == page
    assert set(re.findall(r"(?m)^\| ([A-Z]\d+) \|", page)) == {*ROWS}


def test_what_was_seen_is_written_into_its_row_and_read_again() -> None:
    page = PAGE.read_text(encoding="utf-8")
    seen = {"P2": Outcome(figures=figures(["P2: 500 cuts | 0 lost"] * 5, 8), date="2026-01-01, 0a1b2c3d")}

    written = with_outcomes(page, outcomes(page) | seen)

    assert outcomes(written) == outcomes(page) | seen
    cut = "P2: 500 cuts / 0 lost"
    assert f"| {cut}; {cut}; {cut}; and 2 more lines; 8 tests passed |" in written
