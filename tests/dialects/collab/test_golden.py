"""Every example of the protocol, good and bad, as a file: what it is read as, and how it is written again.

A case is a file and a JSON of the same name: where the example comes from and how it became a file
(`made_from`), its path and the settings of its mount, the messages (only the fields that say something), the
codes of all findings by line, and the file as we would write it (`same`: byte for byte).
"""

import json
from pathlib import Path
from typing import Any

import pytest

from palaver.dialects.collab.spec import SPEC
from palaver.dialects.shared.translation import FIELDS
from palaver.model.message import Message
from palaver.model.mounted_files import Kind, Mount, Source

CASES = Path(__file__).parent / "cases"
NAMES = sorted(path.stem for path in CASES.iterdir())
UNSAID = Message(sender="", to=[])


def said(message: Message) -> dict[str, Any]:
    """Return the fields that say something, by their names in FIELDS, and the time."""
    fields = {name: getattr(message, attribute) for name, attribute in FIELDS.items()}
    usual = {name: getattr(UNSAID, attribute) for name, attribute in FIELDS.items()}
    shown = {name: value for name, value in fields.items() if value != usual[name] or name == "act"}
    return {**({"at": message.at} if message.at else {}), **shown}


def seen(source: Source) -> dict[str, Any]:
    """Return all that a case says about its file."""
    parsed = SPEC.parse(source)
    findings = [*parsed.findings]
    for rule in SPEC.rules:
        findings += rule.check(source, parsed, {source.path: parsed})
    findings.sort(key=lambda finding: (finding.place.line, finding.code))
    again = b"".join(SPEC.render(message, source.mount, source.path) for message in parsed.messages)
    return {
        "messages": [said(message) for message in parsed.messages],
        "findings": [f"{finding.place.line}: {finding.code}" for finding in findings],
        "quarantined": [piece.line for piece in parsed.pieces if piece.kind is Kind.QUARANTINED],
        "rendered": "same" if again == source.content else again.decode().splitlines(keepends=True),
    }


@pytest.mark.parametrize("name", sorted(set(NAMES)))
def test_an_example_is_read_and_written_as_it_is_meant(name: str) -> None:
    case = json.loads((CASES / f"{name}.json").read_text("utf-8"))
    (path,) = [path for path in CASES.glob(f"{name}.*") if path.suffix != ".json"]
    mount = Mount(dialect="collab", settings=case["settings"])

    found = seen(Source(path=case["path"], content=path.read_bytes(), mount=mount))

    assert found == {key: case[key] for key in found}
    assert case["made_from"]


def test_every_case_has_both_halves() -> None:
    assert NAMES, "the cases are gone"
    assert {name: NAMES.count(name) for name in NAMES if NAMES.count(name) != 2} == {}
