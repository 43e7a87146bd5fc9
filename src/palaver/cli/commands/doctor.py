"""palaver doctor: check the bus, and say what to fix."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.connection import connect_untrusted
from palaver.cli.context import Context
from palaver.cli.show import safe

SPEC = Spec(
    "doctor",
    "Check the bus: trust, folders, disk, locks, config, log, view, quarantine, addresses, secrets.",
    text="Exits with 1 if a check is bad. A note is not bad.",
    examples=("palaver doctor", "palaver doctor --json"),
)
_MARKS = {"ok": "ok  ", "note": "note", "bad": "BAD "}


def run(context: Context) -> int:
    """Run the checks, and show each as soon as it is done."""
    checks = []
    for check in Bus(session=connect_untrusted(context)).doctor():
        checks.append(check)
        way_out = f"; {safe(check.way_out)}" if check.way_out else ""
        context.say(f"{_MARKS[check.state]}  {check.name:<16} {safe(check.found)}{way_out}")
    is_bad = any(check.state == "bad" for check in checks)
    return context.show({"ok": not is_bad, "checks": checks}, code=1 if is_bad else 0)
