"""Take the screenshots of the documents: a working day on a real bus, in a real browser.

python tools/screenshots.py            those that the documents show, into docs/images/
python tools/screenshots.py FOLDER     all of them, into a folder
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from palaver.web.server import Server
from tools import browser as finding
from tools import scene

ROOT = Path(__file__).resolve().parent.parent
SIZE = (1280, 800)
PHONE = (390, 844)
Step = Callable[[Page], object]


def nothing(_: Page) -> None:
    """Leave the page as it opens."""


def thread(page: Page) -> None:
    """Open a conversation."""
    page.locator(".talk", has_text="Torn tail after CRLF").click()
    page.wait_for_selector(".said")


def sequence(page: Page) -> None:
    """Open a conversation as a sequence."""
    page.locator(".talk", has_text="Release 0.2").click()
    page.wait_for_selector(".said")
    page.keyboard.press("s")
    page.wait_for_selector(".seq-arrow")


def charts(page: Page) -> None:
    """Wait for the charts."""
    page.wait_for_function(
        "[...document.images].filter((each) => each.className === 'chart').every((each) => each.naturalWidth)"
    )


def life(page: Page) -> None:
    """Wait for the life of a task."""
    page.wait_for_selector(".life")


# Name, address, colours, size, what to do first.
SHOTS: tuple[tuple[str, str, str, tuple[int, int], Step], ...] = (
    ("now", "/now", "light", SIZE, nothing),
    ("now-dark", "/now", "dark", SIZE, nothing),
    ("now-phone", "/now", "light", PHONE, nothing),
    ("board", "/board", "light", SIZE, nothing),
    ("board-dark", "/board", "dark", SIZE, nothing),
    ("board-phone", "/board", "light", PHONE, nothing),
    ("task", "/board?task=intake", "light", SIZE, life),
    ("task-dark", "/board?task=intake", "dark", SIZE, life),
    ("conversation", "/conversations", "light", SIZE, thread),
    ("sequence-dark", "/conversations", "dark", SIZE, sequence),
    ("agent", "/agents/lead?scope=all", "light", SIZE, nothing),
    ("insights", "/insights", "light", SIZE, charts),
    ("insights-dark", "/insights", "dark", SIZE, charts),
    ("audit", "/audit", "light", SIZE, nothing),
    ("files", "/files", "light", SIZE, nothing),
)


SHOWN = frozenset({"now", "board", "task-dark", "conversation", "sequence-dark", "insights"})


def take(browser: Browser, server: Server, folder: Path, wanted: frozenset[str]) -> None:
    """Take the pictures."""
    for name, path, colours, (width, height), step in SHOTS:
        if name not in wanted:
            continue
        context = browser.new_context(
            color_scheme="dark" if colours == "dark" else "light", viewport={"width": width, "height": height}
        )
        page = context.new_page()
        origin, _, way = server.address.partition("/#")
        page.goto(f"{origin}{path}#{way}")
        page.wait_for_selector("#live.on", state="attached")
        page.wait_for_selector("main h1", state="attached")
        step(page)
        page.wait_for_timeout(400)
        page.screenshot(path=folder / f"{name}.png")
        context.close()
        print(f"{name}.png {(folder / f'{name}.png').stat().st_size // 1000} kB")


def main() -> None:
    """Make the day, serve it, take the pictures."""
    folder, wanted = ROOT / "docs" / "images", SHOWN
    if len(sys.argv) > 1:
        folder, wanted = Path(sys.argv[1]), frozenset(shot[0] for shot in SHOTS)
    folder.mkdir(parents=True, exist_ok=True)
    path = finding.find()
    if not path:
        raise SystemExit(finding.MISSING)
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_STATE_HOME"] = f"{place}/.state"
        project = Path(place) / "acme"
        project.mkdir()
        scene.make(str(project))
        server = Server(str(project))
        server.start()
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=path, args=finding.flags())
                take(browser, server, folder, wanted)
                browser.close()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
