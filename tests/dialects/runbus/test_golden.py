"""Every example of the protocol, as a file, with what it must be read as and written again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from palaver.bus.admin.lint import judged
from palaver.dialects.runbus.spec import SPEC
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Mount, Parsed, Source

CASES: Final = Path(__file__).parent / "cases"
MOUNT: Final = Mount(dialect="runbus")
NAMES: Final = sorted(path.stem for path in CASES.iterdir())


def case(name: str) -> tuple[dict[str, Any], bytes, Parsed]:
    expected: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text("utf-8"))
    content = (CASES / f"{name}.md").read_bytes()
    return expected, content, SPEC.parse(Source(path=expected["path"], content=content, mount=MOUNT))


def again(content: bytes, parsed: Parsed) -> Iterator[bytes]:
    """Yield a file anew: messages as they are rendered, all else as it is."""
    for piece in parsed.pieces:
        if piece.kind is not Kind.EVENT:
            yield content[piece.start : piece.start + piece.length]
        for value in piece.values:
            assert type(value) is Message
            yield SPEC.render(value, MOUNT, "MESSAGE-BUS.md")


def test_every_case_has_both_halves() -> None:
    assert NAMES, "the cases are gone"
    assert all(NAMES.count(name) == 2 for name in NAMES), "a case without its other half"


@pytest.mark.parametrize("name", sorted(set(NAMES)))
def test_an_example_is_read_as_it_is_meant(name: str) -> None:
    expected, _, parsed = case(name)

    found = list(parsed.messages)

    assert [piece.kind for piece in parsed.pieces] == expected["pieces"]
    assert [
        {field: getattr(message, field) for field in wanted}
        for wanted, message in zip(expected["messages"], found, strict=True)
    ] == expected["messages"]
    assert [finding.code for finding in parsed.findings] == expected["findings"]


@pytest.mark.parametrize("name", sorted(set(NAMES)))
def test_an_example_is_judged_as_it_deserves(name: str) -> None:
    expected, content, parsed = case(name)

    codes = {finding.code for finding in judged([(expected["path"], content)], {"runbus": SPEC})}

    assert sorted(codes - {finding.code for finding in parsed.findings}) == expected["rules"]


@pytest.mark.parametrize("name", sorted(set(NAMES)))
def test_an_example_is_written_again_byte_for_byte(name: str) -> None:
    expected, content, parsed = case(name)
    wanted = content if expected["rerender"] is True else expected["rerender"].encode()

    assert b"".join(again(content, parsed)) == wanted
