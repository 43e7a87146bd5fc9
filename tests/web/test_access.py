"""Everybody can use it: names, roles, contrast, in both colours, judged by axe."""

import json
from typing import Any, Final

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it has no types
from playwright.sync_api import Page, expect

from tests.web.conftest import Opened
from tests.web.place import Place

PATHS: Final = (
    "/now",
    "/board",
    "/conversations",
    "/agents",
    "/agents/lead",
    "/insights",
    "/audit/5",
    "/quarantine",
    "/speak",
    "/api",
)
#: All rules in light; in dark, those that are about colours.
RULES: Final[dict[str, dict[str, object]]] = {
    "light": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]},
    "dark": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}


def faults(page: Page, scheme: str) -> list[str]:
    """Return what axe finds wrong, with the place."""
    # Nothing is judged while it moves.
    page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")
    found: dict[str, Any] = (
        Axe().run(page, options={"runOnly": RULES[scheme], "resultTypes": ["violations"]}).response
    )
    return [
        json.dumps([each["id"], node["target"], node.get("failureSummary", "")[:300]])
        for each in found["violations"]
        for node in each["nodes"]
    ]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_in_any_view(place: Place, opened: Opened, scheme: str) -> None:
    page = opened(place, color_scheme=scheme)
    wrong = {}

    for path in PATHS:
        page.goto(place.origin + path)
        page.wait_for_selector("main h1, main h2", state="attached")
        wrong[path] = faults(page, scheme)
    thread = place.bus.search("printf", limit=1)[0].id
    for view in ("", "?view=sequence"):
        page.goto(f"{place.origin}/conversations/{thread}{view}")
        page.wait_for_selector(".thread")
        wrong[f"thread{view}"] = faults(page, scheme)
    for key, name in (("w", "Write"), ("?", "Keyboard"), ("Control+k", "Search or jump to")):
        page.goto(place.origin + "/now")
        page.wait_for_selector(".card")
        page.keyboard.press(key)
        expect(page.get_by_role("dialog", name=name)).to_be_visible()
        wrong[name] = faults(page, scheme)

    assert {path: found for path, found in wrong.items() if found} == {}


def test_a_screen_reader_hears_of_new_words_and_of_the_connection(place: Place, opened: Opened) -> None:
    page = opened(place)

    place.bus.send("lead", "heard by ear", sender="scout")

    expect(page.locator("#said[aria-live=polite]")).to_have_text("scout: heard by ear")
    expect(page.get_by_role("status").filter(has_text="Live")).to_have_count(1)


def test_a_view_that_opens_gets_the_focus(place: Place, opened: Opened) -> None:
    page = opened(place)

    page.get_by_role("link", name="Audit").click()

    expect(page.get_by_role("heading", name="Audit")).to_be_focused()
