"""palaver agents: list, add and retire agents."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding, key_for
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.show import clipped, safe
from palaver.views.agents.roster import Agent

_LIST = Binding(Bus.agents, names={"retired": "--all"}, note="with list: ")
_ADD = Binding(Bus.add_agent, own=("agent", "key"), note="with add: ")
_RETIRE = Binding(Bus.retire_agent, own=("agent",))
SPEC = Spec(
    "agents",
    "List, add and retire agents.",
    words="[list | add NAME… | retire NAME…]",
    options=(*_LIST.options, *_ADD.options, *_RETIRE.options),
    text="""
An agent is registered when it first sends something. Add it earlier, so that others can write to it. A name
is project-a/workers/slot0, or just ada. In a team whose lead sets how freely its agents may act, the list
has that level: autonomous, supervised or gated. Mail to a retired agent is undeliverable; its messages stay.
""",
    examples=("palaver agents", "palaver agents add bob --role reviewers", "palaver agents retire bob"),
)


def run(context: Context) -> int:
    """List, add or retire agents."""
    verb, *names = context.args.words or ["list"]
    if verb == "list" and not names:
        found = _LIST.perform(context)
        return context.show(
            [agent.plain() for agent in found],
            _rows(found),
            empty="No agents yet; palaver agents add NAME",
        )
    if verb not in ("add", "retire") or not names:
        raise SPEC.wrong("use list, add NAME or retire NAME")
    known = {agent.id for agent in Bus(session=connect(context)).agents()}
    change = _ADD if verb == "add" else _RETIRE
    changed = []
    for number, each in enumerate(names):
        agent = change.perform(context, agent=each, key=key_for(context, number))
        changed.append((agent, context.before("retired" if verb == "retire" else "added")))
    has_fields = any(map(context.args.has, ("--handle", "--role", "--about", "--level")))

    def outcome(agent: Agent, before: str) -> str:
        if verb == "retire":
            return "Retired"
        if before or agent.id not in known:
            return "Added"
        return "Changed" if has_fields else "Already there"

    plain = [agent.plain() for agent, _ in changed]
    lines = (f"{outcome(agent, before)}: {safe(agent.name)}{before}" for agent, before in changed)
    return context.show(plain, lines)


def _rows(agents: list[Agent]) -> list[str]:
    """Return the agents as a table, whose columns are as wide as the longest name and handle."""
    wide = max((len(safe(agent.name)) for agent in agents), default=0)
    handles = max((len(agent.handle) + 1 for agent in agents), default=0)
    return [_row(agent, max(wide, 28), max(handles, 14)) for agent in agents]


def _row(agent: Agent, wide: int, handles: int) -> str:
    last = agent.at[:16].replace("T", " ") or "no message yet"
    state = " (retired)" if agent.retired else ""
    about = "  ".join(filter(None, (agent.autonomy, clipped(agent.about, 40))))
    return f"{safe(agent.name):<{wide}} {'@' + agent.handle:<{handles}} {last:<17} {about}{state}".rstrip()
