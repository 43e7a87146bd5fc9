"""palaver doctor: look at everything, and say what to do."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.connection import connect_untrusted
from palaver.cli.context import Context
from palaver.cli.show import safe

SPEC = Spec(
    "doctor",
    "Look at everything: trust, folders, disk, locks, config, log, view, quarantine, addresses, secrets.",
    text="Exit 1 while anything is bad; a note is not.",
    examples=("palaver doctor", "palaver doctor --json"),
)
_MARKS = {"ok": "ok  ", "note": "note", "bad": "BAD "}


def run(context: Context) -> int:
    """Examine."""
    bus = Bus(session=connect_untrusted(context))
    checks = []
    for check in bus.doctor():
        checks.append(check)
        if not context.json:
            way_out = f"; {safe(check.way_out)}" if check.way_out else ""
            context.say(f"{_MARKS[check.state]}  {check.name:<16} {safe(check.found)}{way_out}")
    bad = any(check.state == "bad" for check in checks)
    if context.json:
        context.answer({"ok": not bad, "checks": [check.plain() for check in checks]})
    return 1 if bad else 0
