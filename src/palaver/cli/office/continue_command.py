"""palaver continue: what is new, and what to do next."""

from palaver.api import Bus
from palaver.bus.polls.home_files import only_lead
from palaver.bus.polls.poll import PollResult
from palaver.bus.polls.poll_item import PollItem
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.show import clipped, safe
from palaver.model.message import Message, headline

_POLL = Binding(Bus.poll, names={"lead": "--manager"})
SPEC = Spec(
    "continue",
    "Show what is new, and what to do next. 继续 is the same; 继续检查看板 is the same with --manager.",
    options=_POLL.options,
    text="""
Each call is a poll, and an office counts time in polls. For a worker, a poll is activity. A claim that was
not approved within three polls should be released; a worker that holds work and was idle for three polls of
the manager should lose it. A poll approves nothing: each item names the line to write, or the command to run.
What one poll has shown as new the next one does not repeat. With --manager and without --as, it is the poll
of the manager, if there is only one. In the name of another agent than that of the run, and without proof
under the policy strict, a poll only shows the news: it does not count.
""",
    examples=("palaver continue --as emp-copilot-a3f2", "palaver continue --manager --as manager-001"),
)


def run(context: Context) -> int:
    """Poll, and show the result."""
    if context.args.has("--manager") and not context.named():
        session = connect(context)
        if lead := only_lead(session.view.current().roster()):
            found = _POLL.perform_on(session, context, agent=lead)
            return context.show(found, _text(found))
    found = _POLL.perform(context)
    return context.show(found, _text(found))


def _text(found: PollResult) -> str:
    lines = [f"New mail: {len(found.news)}" if found.news else "No new mail"]
    for mail, line in zip(found.news, found.lines, strict=True):
        lines.append(f"  {safe(line) if line else _mail(mail.message)}")
    part = ""
    for item in found.items:
        if found.lead and item.part != part:
            part = item.part
            lines.append(f"{part.capitalize()}:")
        lines += _item(item, "  " if found.lead else "")
    if not found.items:
        lines.append("Nothing to do")
    return "\n".join(lines)


def _mail(message: Message) -> str:
    """Return mail that the files of the reader do not have, with its whole text."""
    words = message.body if message.body and not message.redacted else headline(message)
    text = "\n    ".join(safe(words).split("\n"))
    return f"{message.id}  {clipped(message.sender, 24):<14} {message.act:<8} {text}"


def _item(item: PollItem, indent: str) -> list[str]:
    """Return an item and what does it: a line of the reader's file, or a command."""
    words = f"{indent}{safe(item.words)}"
    if item.line:
        return [words, f"{indent}  {safe(item.line)}"]
    return [words + (f"   $ {safe(item.command)}" if item.command else "")]
