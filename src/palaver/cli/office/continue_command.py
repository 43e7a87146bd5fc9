"""palaver continue: what is new, and what to do next."""

from palaver.api import Bus
from palaver.bus.tasks.rounds import Round
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.cli.show import clipped, safe
from palaver.model.message import headline

_ROUND = Binding(Bus.round, names={"lead": "--manager"})
SPEC = Spec(
    "continue",
    "What is new for you, and what to do next; 继续 is the same, and 继续检查看板 with --manager.",
    options=_ROUND.options,
    text="""
A look is a round, and an office counts rounds. For a worker it is a sign of life. A claim that nobody
approved in three rounds is to be let go; who has work and was silent for three rounds of the manager is to
lose it. A look never approves anything: each line names the command that does.
""",
    examples=("palaver continue --as emp-copilot-a3f2", "palaver continue --manager --as manager-001"),
)


def run(context: Context) -> int:
    """Look, and tell."""
    found = _ROUND.perform(context)
    if context.json:
        context.answer(found.plain())
    else:
        context.say(_shown(found))
    return 0


def _shown(found: Round) -> str:
    lines = [f"New mail: {len(found.news)}" if found.news else "No new mail"]
    for mail in found.news:
        message = mail.message
        said = clipped(headline(message), 60)
        lines.append(f"  {message.id}  {clipped(message.sender, 24):<14} {message.act:<8} {said}")
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
