"""palaver doctor: check the bus, and say what to fix."""

from collections.abc import Iterator
from itertools import chain

from palaver.api import Bus
from palaver.bus.admin.doctor import Check
from palaver.bus.session import Session
from palaver.bus.trust import is_trusted
from palaver.cli.arguments import Spec
from palaver.cli.connection import connect_untrusted
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.cli.warmth import find_warmth
from palaver.model.errors import Refusal
from palaver.model.plain import numbered
from palaver.sync.mounts.mount_point import mount_points

SPEC = Spec(
    "doctor",
    "Check the bus: trust, folders, disk, locks, config, log, view, quarantine, secrets, mounts, daemon.",
    text="Exits with 1 if a check is bad. A note is not bad.",
    examples=("palaver doctor", "palaver doctor --json"),
)
_MARKS = {"ok": "ok  ", "note": "note", "bad": "BAD "}


def run(context: Context) -> int:
    """Run the checks, and show each as soon as it is done."""
    checks = []
    session = connect_untrusted(context)
    for check in chain(Bus(session=session).doctor(), _mounts(session), _daemon(context, session)):
        checks.append(check)
        way_out = f"; {safe(check.way_out)}" if check.way_out else ""
        context.say(f"{_MARKS[check.state]}  {check.name:<16} {safe(check.found)}{way_out}")
    is_bad = any(check.state == "bad" for check in checks)
    return context.show({"ok": not is_bad, "checks": checks}, code=1 if is_bad else 0)


def _mounts(session: Session) -> Iterator[Check]:
    """Check whether the mounted folders can be used; a bus that is not trusted has none."""
    if not is_trusted(session.root.path):
        return
    try:
        points = mount_points(session.root.path, session.view.current().roster().mounts)
    except Refusal as refused:
        yield Check("bad", str(refused), name="mounts")
        return
    troubles = [trouble for each in points for trouble in each.troubles()]
    for file, unfit in troubles:
        yield Check("bad", f"{file}: {unfit.why}", unfit.fix, "mounts")
    if not troubles:
        yield Check("ok", numbered(len(points), "mount"), name="mounts")


def _daemon(context: Context, session: Session) -> Iterator[Check]:
    """Check whether commands are warm; a bus that is not trusted has no daemon."""
    if is_trusted(session.root.path):
        warmth = find_warmth(context)
        state = "note" if warmth.process and not warmth.warm else "ok"
        yield Check(state, str(warmth), name="daemon")
