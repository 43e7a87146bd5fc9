"""Every example of the protocol, as a file, with what it must be read as."""

import json
from pathlib import Path

import pytest

from palaver.dialects.vermas.spec import SPEC
from palaver.model.mounted_files import Mount, Record, Source

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.stem for path in CASES.iterdir())


@pytest.mark.parametrize("name", sorted(set(NAMES)))
def test_an_example_is_read_as_it_is_meant(name: str) -> None:
    expected = json.loads((CASES / f"{name}.json").read_text("utf-8"))
    (path,) = [path for path in CASES.glob(f"{name}.*") if path.suffix != ".json"]
    content = path.read_bytes()

    parsed = SPEC.parse(Source(path=expected["path"], content=content, mount=Mount(dialect="vermas")))

    found = list(parsed.messages)
    assert [
        {field: getattr(message, field) for field in wanted}
        for wanted, message in zip(expected["messages"], found, strict=True)
    ] == expected["messages"]
    assert [finding.code for finding in parsed.findings] == expected["findings"]
    values = [value for piece in parsed.pieces for value in piece.values]
    if "values" in expected:
        kinds = [value.kind if isinstance(value, Record) else type(value).__name__ for value in values]
        assert kinds == expected["values"]
    if expected["rerender"] and found:
        mount = Mount(dialect="vermas")
        rendered = (SPEC.render(message, mount, SPEC.files(message, mount)[0]) for message in found)
        assert b"".join(rendered) == content


def test_every_case_has_both_halves() -> None:
    assert NAMES, "the cases are gone"
    assert all(NAMES.count(name) == 2 for name in NAMES), "a case without its other half"
