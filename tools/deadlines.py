"""The page of deadlines, from the table itself."""

from palaver.model.deadlines import DEADLINES, ROUNDS, TIMES

NOTICE = "<!-- Written by tools/docs.py. Change the code, then run: make docs -->"
LEAD = (
    "Every deadline is a key under `[deadlines]` in `.palaver/config.toml`; here is what it is where nobody "
    "has written one. Seconds are seconds that a patrol has watched "
    "([why](../adr/0020-a-deadline-is-watched-time.md)). "
    "What the steps are, and who is who: [supervision](../supervision.md)."
)


def deadlines_page() -> str:
    """Return the page."""
    rows = [
        f"| `{row.key}` | {row.usual:,}{_UNITS.get(row.unit, ' s')} | {row.what} | {row.whose} | {row.step} |"
        for row in DEADLINES
    ]
    head = ["| key | usual | when so long | whose | what is done |", "|---|---|---|---|---|"]
    return "\n\n".join(["# Deadlines", NOTICE, LEAD, "\n".join([*head, *rows])]) + "\n"


_UNITS = {ROUNDS: " rounds", TIMES: ""}
