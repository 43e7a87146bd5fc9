"""The longest names that a bus allows widen no page, and push no button out of sight."""

from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import expect

from palaver.wiring import begin
from tests.web.conftest import Opened
from tests.web.place import Place

LONG: Final = "/".join(["l" * 60] * 3)
TASK: Final = "t" * 128
#: What reaches beyond the window, and the buttons and links of which a part is covered or outside.
WRONG: Final = """() => {
    const wide = document.documentElement.scrollWidth - innerWidth;
    const outside = [...document.querySelectorAll("main button, main .agent-head h1, main .stuck .task")]
        .filter((node) => node.offsetParent && !node.closest(".wall, .sequence"))
        .map((node) => [node.innerText, node.getBoundingClientRect()])
        .filter(([, box]) => box.left < 0 || box.right > innerWidth).map(([words]) => words);
    const title = document.querySelector(".agent-head h1");
    const covered = title && [...document.querySelectorAll(".agent-deeds button")].some((button) => {
        const [one, other] = [title.getBoundingClientRect(), button.getBoundingClientRect()];
        const beside = one.right <= other.left || one.left >= other.right;
        return !beside && one.bottom > other.top && one.top < other.bottom;
    });
    const cut = [...document.querySelectorAll(".stuck .task")]
        .filter((node) => node.innerText.length < 12 && node.scrollWidth > node.clientWidth)
        .map((node) => `${node.innerText} is cut`);
    const wrong = [...outside, ...cut, covered ? "the title is under the buttons" : ""];
    return [wide > 0 ? `${wide} px too wide` : "", ...wrong].filter(Boolean);
}"""


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("long") / "project"
    folder.mkdir()
    begin(str(folder), "you")
    place = Place.at(folder)
    bus = place.bus
    for agent in (LONG, "bob"):
        bus.add_agent(agent)
    asked = bus.send(["you", LONG], "May I?", act="ask", sender="bob", subject="s" * 300, task=TASK)
    bus.reply(asked.message.id, "No.", sender=LONG)
    bus.open_task("w" * 400, task=TASK)
    bus.move(TASK, "assign", to=LONG)
    bus.move(TASK, "block", "b" * 300, by=LONG)
    bus.open_task("Write the report, and " + "then the next one " * 20, task="report", by="bob")
    bus.move("report", "claim", by=LONG)
    bus.move("report", "deliver", "src/report.md", by=LONG, to="you")
    yield place
    place.server.stop()


VIEWS: Final = {
    "now": "/now",
    "agents": "/agents",
    "agent": f"/agents/{LONG}",
    "conversations": "/conversations",
    "chat": "/conversations/{message}",
    "sequence": "/conversations/{message}?view=sequence",
    "board": "/board",
    "task": f"/board?task={TASK}",
    "audit": "/audit",
    "event": "/audit/3",
    "insights": "/insights",
    "files": "/files",
}


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("view", VIEWS)
def test_long_names_widen_no_page_and_hide_no_button(
    long: Place, opened: Opened, view: str, width: int
) -> None:
    asked = next(each for each in long.bus.events(event_type="mail.sent") if each.actor == "bob")
    page = opened(long, VIEWS[view].format(message=asked.data["message_id"]))
    page.set_viewport_size({"width": width, "height": 800})
    expect(page.locator("main > *").first).to_be_visible()

    assert page.evaluate(WRONG) == []
