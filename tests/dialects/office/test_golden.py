"""Every example of the specification, good and bad: what it says, what is found, how it is written again."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from palaver.bus.admin.lint import judged
from palaver.dialects.office.spec import SPEC
from palaver.model.message import Message
from palaver.model.mounted_files import Mount, Source
from tests.dialects.office.lines import kinds

CASES: Final = Path(__file__).parent / "cases"
NAMES: Final = sorted({path.stem for path in CASES.iterdir()})
MOUNT: Final = Mount(dialect="office")
USUAL: Final = Message(sender="", to=[]).plain()


def case(name: str) -> tuple[bytes, dict[str, Any]]:
    expected: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return (CASES / f"{name}.log").read_bytes(), expected


def said(message: Message) -> dict[str, object]:
    """Return what is not as usual in a message, and how we know its sender."""
    plain = message.plain()
    return {key: value for key, value in plain.items() if key == "auth" or value != USUAL[key]}


def test_there_are_cases_and_each_has_both_halves() -> None:
    halves = {name: sorted(path.suffix for path in CASES.glob(f"{name}.*")) for name in NAMES}

    assert halves
    assert {name: found for name, found in halves.items() if found != [".json", ".log"]} == {}


@pytest.mark.parametrize("name", NAMES)
def test_a_case_says_how_it_was_made(name: str) -> None:
    _, expected = case(name)

    assert expected["made_from"].endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_a_case_is_read_as_expected(name: str) -> None:
    content, expected = case(name)

    parsed = SPEC.parse(Source(path=expected["path"], content=content, mount=MOUNT))

    lines = [(piece.line, value) for piece in parsed.pieces for value in piece.values]
    assert kinds(parsed) == expected["pieces"]
    assert [{"line": line, **said(value)} for line, value in lines if isinstance(value, Message)] == expected[
        "messages"
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_case_is_judged_as_expected(name: str) -> None:
    content, expected = case(name)

    findings = judged([(expected["path"], content)], {"office": SPEC}, "office")

    assert [f"{finding.place.line} {finding.code}" for finding in findings] == expected["findings"]


@pytest.mark.parametrize("name", NAMES)
def test_a_case_is_written_again_as_expected(name: str) -> None:
    content, expected = case(name)
    path = expected["path"]
    parsed = SPEC.parse(Source(path=path, content=content, mount=MOUNT))

    written = b"".join(SPEC.render(message, MOUNT, path) for message in parsed.messages)

    if expected["rendered"] == "the same":
        assert written == content
    else:
        assert written.decode().splitlines() == expected["rendered"]


def test_the_seven_templates_of_the_specification_come_out_byte_for_byte() -> None:
    tags = set()
    for name in ("seed_worker_templates", "seed_manager_templates"):
        content, expected = case(name)
        tags |= {line.split(b"] [")[1].split(b"]")[0] for line in content.splitlines()}

        assert expected["rendered"] == "the same"
        assert expected["findings"] == []

    assert tags == {b"CLAIM", b"DELIVERY", b"INFO", b"APPROVAL", b"DONE", b"REPLY", b"REJECT"}
