"""`make demo`: five shell scripts, five protocols, one piece of work."""

import subprocess
import sys

from tests.house.repository import ROOT
from tests.patience import PATIENCE


def test_the_demo_ends_by_itself_with_the_log_verified_and_nothing_owed() -> None:
    ran = subprocess.run(
        [sys.executable, "demo/demo.py", "45"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    assert "\nGood: " in ran.stdout
    assert "\nDashboard: http://127.0.0.1:" in f"\n{ran.stdout}"
    # The terminal's colours are for terminals.
    assert "\033" not in ran.stdout


def test_the_agents_of_the_demo_know_nothing_of_palaver() -> None:
    scripts = sorted((ROOT / "demo" / "agents").iterdir())

    assert len(scripts) == 5
    for script in scripts:
        assert "palaver" not in script.read_text().lower()
