"""The keyboard stays where it is while rows of *Needs action* come and go."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from palaver.wiring import begin
from tests.web.conftest import Opened
from tests.web.place import Place

#: The row that has the focus, and what of it.
FOCUS = """() => {
    const row = document.activeElement.closest(".stuck");
    return [row?.querySelector(".stuck-line").innerText ?? "", document.activeElement.innerText];
}"""


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Place]:
    """Return a bus where bob has asked the person three things."""
    folder = tmp_path / "project"
    folder.mkdir()
    begin(str(folder), "you")
    place = Place.at(folder)
    place.bus.add_agent("bob")
    for words in ("first", "second", "third"):
        ask(place, words)
    yield place
    place.server.stop()


def ask(place: Place, words: str, priority: str = "normal") -> str:
    return place.bus.send("you", words, act="ask", sender="bob", priority=priority).message.id


def begun(asked: Place, opened: Opened) -> Page:
    page = opened(asked)
    expect(page.locator(".stuck")).to_have_count(3)
    return page


@pytest.mark.parametrize("control", [".stuck-line", "button"])
def test_a_new_row_leaves_the_focus_where_it_is(asked: Place, opened: Opened, control: str) -> None:
    page = begun(asked, opened)
    page.locator(".stuck", has_text="second").locator(control).first.focus()
    before = page.evaluate(FOCUS)

    ask(asked, "at once", "urgent")
    expect(page.locator(".stuck")).to_have_count(4)

    assert page.evaluate(FOCUS) == before
    page.keyboard.press("j")
    assert page.evaluate(FOCUS)[0] == "third"


def test_when_a_row_is_over_the_next_one_has_the_focus(asked: Place, opened: Opened) -> None:
    page = begun(asked, opened)
    page.locator(".stuck", has_text="second").get_by_role("button").focus()

    question = next(each for each in asked.bus.inbox("you").mail if each.message.body == "second")
    asked.bus.reply(question.message.id, "Yes", sender="you")
    expect(page.locator(".stuck")).to_have_count(2)

    assert page.evaluate(FOCUS) == ["third", "third"]


def test_after_an_answer_by_keyboard_the_next_row_has_the_focus(asked: Place, opened: Opened) -> None:
    page = begun(asked, opened)
    page.locator(".stuck", has_text="first").get_by_role("button").focus()
    page.keyboard.press("Enter")
    page.keyboard.type("Yes")

    page.keyboard.press("Control+Enter")

    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".stuck")).to_have_count(2)
    expect(page.locator(".stuck", has_text="second").locator(":focus")).to_have_count(1)


def test_a_dialog_that_is_closed_gives_the_focus_back(asked: Place, opened: Opened) -> None:
    page = begun(asked, opened)
    page.locator(".stuck", has_text="second").get_by_role("button").focus()
    page.keyboard.press("Enter")
    ask(asked, "meanwhile", "urgent")
    expect(page.locator(".stuck")).to_have_count(4)

    page.keyboard.press("Escape")
    page.keyboard.press("Escape")

    expect(page.locator(".stuck", has_text="second").locator(":focus")).to_have_count(1)
