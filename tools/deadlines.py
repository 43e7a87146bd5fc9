"""The reference page of deadlines, from their table."""

from palaver.model.deadlines import DEADLINES

NOTICE = "<!-- Written by tools/docs.py. Change the code, then run: make docs -->"
LEAD = (
    "Every deadline is a key under `[deadlines]` in `.palaver/config.toml`. Seconds are seconds of watched "
    "time ([why](../adr/0020-a-deadline-is-watched-time.md)). The steps, and the agents involved, are "
    "described in [supervision](../supervision.md)."
)


def deadlines_page() -> str:
    """Return the page."""
    rows = [
        f"| `{row.key}` | {row.default:,}{row.unit.value} | {row.what} | {row.whose} | {row.step} |"
        for row in DEADLINES
    ]
    head = ["| key | default | condition | agent | step |", "|---|---|---|---|---|"]
    return "\n\n".join(["# Deadlines", NOTICE, LEAD, "\n".join([*head, *rows])]) + "\n"
