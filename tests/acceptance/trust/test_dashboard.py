"""On the dashboard no decision is made by accident: none is preselected, no row moves under the pointer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import TimeoutError as NotInTime

from tests.acceptance.project import Project
from tests.acceptance.trust.service import Service
from tests.patience import PATIENCE
from tools import browser as finding

DECISIONS: Final = {"accept", "approve", "refuse", "rework", "decide", "cancel", "assign", "handoff"}
SELECTED: Final = "nodes => nodes.map(node => node.value)"
ROW_AT: Final = "([x, y]) => document.elementFromPoint(x, y)?.closest('li')?.innerText ?? ''"
MOVED: Final = "([x, y, text]) => !document.elementFromPoint(x, y)?.closest('li')?.innerText.includes(text)"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Return a real browser; a machine without one fails here, and says what to do."""
    path = finding.find()
    if not path:
        pytest.fail(finding.MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=finding.flags())
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def service(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(Project.copy(template, tmp_path_factory.mktemp("dashboard")))
    yield service
    service.stop()


@pytest.fixture
def page(chromium: Browser, service: Service) -> Iterator[Page]:
    """Return a page that was let into the dashboard."""
    address = str(service.project.do("open", "--no-browser", "--json").fields["address"])
    context = chromium.new_context(viewport={"width": 1280, "height": 860})
    context.set_default_timeout(PATIENCE * 1_000)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#live.on", state="attached")
    yield page
    context.close()


def say(service: Service, sender: str, act: str, body: str, task: str = "") -> str:
    """Send a message to the person; return its id."""
    return service.say(sender, "ada", act, body, task)[0]


def test_no_decision_is_preselected_in_the_thread_of_a_delivery(service: Service, page: Page) -> None:
    service.call("/api/tasks", {"title": "One", "task": "one", "check": True})
    say(service, "bob", "claim", "mine", "one")
    delivery = say(service, "bob", "deliver", "it is ready", "one")

    page.goto(f"http://127.0.0.1:{service.port}/conversations/{delivery}")
    page.locator("textarea").first.wait_for()

    selected = page.eval_on_selector_all("select, input:checked", SELECTED)
    assert DECISIONS & set(selected) == set()


def test_a_row_does_not_move_under_the_pointer(service: Service, page: Page) -> None:
    say(service, "carol", "ask", "Which colour?")
    button = page.locator("li", has_text="Which colour?").get_by_role("button").first
    button.hover()
    box = button.bounding_box()
    if box is None:
        raise RuntimeError("setup failed: the button is not shown")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    if "Which colour?" not in page.evaluate(ROW_AT, [x, y]):
        raise RuntimeError("setup failed: the pointer is not on the row")

    say(service, "boss", "escalate", "The disk is full")
    page.get_by_text("The disk is full").first.wait_for(state="attached")

    try:
        page.wait_for_function(MOVED, arg=[x, y, "Which colour?"], timeout=3_000)
        moved = True
    except NotInTime:
        moved = False
    assert not moved, page.evaluate(ROW_AT, [x, y])


def test_a_row_that_is_over_stays_in_its_place_until_the_pointer_leaves(service: Service, page: Page) -> None:
    first = say(service, "carol", "ask", "Which font?")
    say(service, "carol", "ask", "Which paper?")
    row = page.locator("li", has_text="Which paper?").get_by_role("button").first
    row.hover()

    service.call(f"/api/messages/{first}/reply", {"body": "This one."})
    over = page.locator("li.over", has_text="Which font?")
    over.wait_for(state="attached")

    assert not over.get_by_role("button").first.is_visible()
    page.mouse.move(0, 0)
    over.wait_for(state="detached")


def test_an_address_preselects_no_decision(service: Service, page: Page) -> None:
    page.goto(f"http://127.0.0.1:{service.port}/speak?act=accept&task=one")
    page.locator("textarea").first.wait_for()

    selected = page.eval_on_selector_all("select, input:checked", SELECTED)
    assert DECISIONS & set(selected) == set()
