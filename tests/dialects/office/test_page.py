"""The page of the manual names what the code has."""

import re
from pathlib import Path
from typing import Final

import pytest

from palaver.dialects.office.grammar import CODES, TAGS, Tag
from palaver.dialects.office.spec import SPEC
from palaver.model.message import ACTS
from palaver.model.mounted_files import Kind, Mount, Source
from tests.dialects.office.lines import AT, INBOX

PAGE: Final = (Path(__file__).parents[3] / "docs" / "dialects" / "office.md").read_text(encoding="utf-8")
MOUNT: Final = Mount(dialect="office")
SAID: Final = re.findall(r"(?m)^\| ([a-z ]+) \| `(\[.*?)`.*? \| `(\[.*?)` \|$", PAGE)


@pytest.mark.parametrize("tag", TAGS, ids=lambda tag: tag.name)
def test_every_tag_is_on_the_page_with_its_act(tag: Tag) -> None:

    assert re.search(rf"(?m)^\| `{tag.name}` \| .* \| {tag.act}\b.* \|$", PAGE)


def test_every_code_is_on_the_page() -> None:
    codes = {*CODES, *(rule.code for rule in SPEC.rules)}

    assert codes - set(re.findall(r"(?m)^\| (OFF[0-9]{3}) \|", PAGE)) == set()


def test_every_rule_is_on_the_page_under_its_name() -> None:
    assert [rule.name for rule in SPEC.rules if f"| {rule.code} | {rule.name} |" not in PAGE] == []


@pytest.mark.parametrize(("act", "worker", "manager"), SAID, ids=[act for act, _, _ in SAID])
def test_what_the_page_says_of_an_act_is_true(act: str, worker: str, manager: str) -> None:
    for path, line in (("messages/employee-ada.log", worker), (INBOX, manager)):
        content = f"[{AT}] {line}\n".replace("\\|", "|").encode()

        parsed = SPEC.parse(Source(path=path, content=content, mount=MOUNT))

        (message,) = parsed.messages
        assert [piece.kind for piece in parsed.pieces] == [Kind.EVENT]
        assert parsed.findings == ()
        assert message.act == (act if act in ACTS else "decide")
        assert SPEC.render(message, MOUNT, path) == content


def test_the_page_has_examples() -> None:
    assert len(SAID) == 13
