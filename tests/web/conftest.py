"""One browser and one served bus for all tests of a process; a page of its own for each test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.patience import PATIENCE
from tests.web.place import Place
from tools import browser as finding
from tools import scene as scenes

Opened = Callable[..., Page]
# What is waited for comes at once on a quiet machine; on a busy one it comes all the same.
expect.set_options(timeout=PATIENCE * 1_000)


@pytest.fixture(scope="session")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a bus in the middle of a working day; copy it, do not change it."""
    folder = tmp_path_factory.mktemp("scene") / "project"
    folder.mkdir()
    scenes.make(str(folder), days=2)
    return folder


@pytest.fixture(scope="session")
def place(scene: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Return a served copy of the scene that tests share: they add to it, and count on their own alone."""
    served = Place.serve(scene, tmp_path_factory.mktemp("served") / "project")
    yield served
    served.server.stop()


@pytest.fixture
def own(scene: Path, tmp_path: Path) -> Iterator[Place]:
    """Return a served copy of the scene for one test alone."""
    served = Place.serve(scene, tmp_path / "project")
    yield served
    served.server.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Return a real Chromium; a machine without one fails here, and says what to do."""
    path = finding.find()
    if not path:
        pytest.fail(finding.MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=finding.flags())
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Opened]:
    """Return how to open a page at a place; whatever goes wrong inside one fails the test."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def open_page(place: Place, path: str = "/now", **settings: Any) -> Page:
        settings.setdefault("viewport", {"width": 1280, "height": 860})
        context = chromium.new_context(**settings)
        contexts.append(context)
        context.set_default_timeout(PATIENCE * 1_000)
        page = context.new_page()
        page.on("pageerror", lambda fault: wrong.append(str(fault)))
        # What this page asks for, and nothing else, must stay here; a test may open strangers beside it.
        page.on("request", lambda request: _judged(request.url, place, wrong))
        page.goto(f"{place.origin}{path}#in={place.way_in}")
        page.wait_for_selector("#live.on", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def _judged(url: str, place: Place, wrong: list[str]) -> None:
    if not url.startswith((place.origin, "blob:" + place.origin)):
        wrong.append(f"a request to {url}")
