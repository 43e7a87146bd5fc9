"""Find the browser for the tests and the screenshots: an installed Chromium, or Playwright's own.

python tools/browser.py        print its path; exit 1 if there is none
"""

import os
import shutil
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = (
    "no Chromium on this machine, and none could be installed; the tests of the dashboard need one: "
    "apt-get install chromium, or: .venv/bin/python -m playwright install --with-deps chromium"
)


def find() -> str:
    """Return the path of a browser, or nothing."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    # Where Playwright puts its own, whichever build it is.
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    for pattern in (
        "chromium-*/chrome-linux*/chrome",
        "chromium_headless_shell-*/chrome-linux*/headless_shell",
    ):
        for path in sorted(folder.glob(pattern), reverse=True):
            return str(path)
    return ""


def flags() -> list[str]:
    """Return what it must be started with: as root, as in most containers, it has no sandbox to offer."""
    return ["--no-sandbox", "--disable-dev-shm-usage"] if os.geteuid() == 0 else []


if __name__ == "__main__":
    print(find() or MISSING)
    sys.exit(0 if find() else 1)
