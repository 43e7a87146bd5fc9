"""Every link from one of our pages to another leads somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.house.repository import kept_files, place

PAGES: Final = [path for path in kept_files() if path.suffix == ".md"]
LINK: Final = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE: Final = re.compile(r"(?ms)^( *)(`{3,})[^\n]*\n.*?^\1\2 *$")
HEADING: Final = re.compile(r"(?m)^#{1,6} (.+)$")


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    found: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.add(anchor)
    return found


def broken(page: Path) -> Iterator[str]:
    text = re.sub(r"`[^`\n]+`", "", FENCE.sub("", page.read_text(encoding="utf-8")))
    for link in LINK.findall(text):
        target, _, anchor = link.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        file = (page.parent / target).resolve() if target else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert list(broken(page)) == []
