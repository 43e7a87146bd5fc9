"""What a program prints that runs as an agent is seen on that agent's page while it runs."""

import subprocess
import sys
from pathlib import Path
from typing import Final

from playwright.sync_api import expect

from tests.patience import PATIENCE
from tests.web.conftest import Opened
from tests.web.place import Place

PALAVER: Final = str(Path(sys.executable).parent / "palaver")
# It goes on when somebody lets it.
PROGRAM: Final = (
    "echo I have begun; while [ ! -e go-on ]; do sleep 0.1; done; "
    "echo The key was ghp_0123456789abcdefghijABCDEFGHIJ; echo over"
)


def test_the_output_of_a_run_is_seen_while_it_runs_and_after(own: Place, opened: Opened) -> None:
    words = [PALAVER, "run", "--as", "scout", "--run", "run_042", "--", "sh", "-c", PROGRAM]
    running = subprocess.Popen(words, cwd=own.folder, stdout=subprocess.DEVNULL)
    page = opened(own, "/agents/scout")
    runs = page.get_by_role("region", name="Runs")

    expect(runs.locator("pre").first).to_contain_text("I have begun", timeout=PATIENCE * 1_000)
    expect(runs).to_contain_text("running")
    (own.folder / "go-on").touch()
    running.wait(timeout=PATIENCE)
    expect(runs).to_contain_text("exit 0", timeout=PATIENCE * 1_000)

    expect(runs.locator("pre").first).to_contain_text("over")
    expect(runs.locator("pre").first).to_be_visible()
    assert "ghp_" not in page.content()

    runs.locator("summary").first.click()
    own.bus.send("lead", "I am through.", sender="scout")
    expect(page.get_by_role("region", name="Last message")).to_contain_text("I am through.")
    expect(runs.locator("pre").first).to_be_hidden()


def test_an_agents_page_names_the_hooks_that_are_installed(own: Place, opened: Opened) -> None:
    page = opened(own, "/agents/scout")
    hooks = page.locator(".fact", has_text="Hooks")
    expect(hooks).to_contain_text("palaver install git")

    subprocess.run(["git", "init", "-q"], cwd=own.folder, check=True)
    subprocess.run([PALAVER, "install", "git"], cwd=own.folder, check=True, stdout=subprocess.DEVNULL)
    page.reload()

    expect(hooks).to_contain_text("prepare-commit-msg, commit-msg")
