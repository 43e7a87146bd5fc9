"""palaver continue: what is new, and what to do next."""

from palaver.api import Bus
from palaver.bus.tasks.poll import PollResult
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.show import clipped, safe
from palaver.model.message import headline

_POLL = Binding(Bus.poll, names={"lead": "--manager"})
SPEC = Spec(
    "continue",
    "Show what is new, and what to do next. 继续 is the same; 继续检查看板 is the same with --manager.",
    options=_POLL.options,
    text="""
Each call is a poll, and an office counts time in polls. For a worker, a poll is activity. A claim that was
not approved within three polls should be released; a worker that holds work and was idle for three polls of
the manager should lose it. A poll approves nothing: each line names the command that does.
""",
    examples=("palaver continue --as emp-copilot-a3f2", "palaver continue --manager --as manager-001"),
)


def run(context: Context) -> int:
    """Poll, and show the result."""
    found = _POLL.perform(context)
    return context.show(found, _text(found))


def _text(found: PollResult) -> str:
    lines = [f"New mail: {len(found.news)}" if found.news else "No new mail"]
    for mail in found.news:
        message = mail.message
        text = clipped(headline(message), 60)
        lines.append(f"  {message.id}  {clipped(message.sender, 24):<14} {message.act:<8} {text}")
    part = ""
    for item in found.items:
        if found.lead and item.part != part:
            part = item.part
            lines.append(f"{part.capitalize()}:")
        indent = "  " if found.lead else ""
        lines.append(f"{indent}{safe(item.words)}" + (f"   $ {safe(item.command)}" if item.command else ""))
    if not found.items:
        lines.append("Nothing to do")
    return "\n".join(lines)
