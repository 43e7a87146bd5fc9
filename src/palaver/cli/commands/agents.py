"""palaver agents: who there is."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.connection import bus_of
from palaver.cli.context import Context
from palaver.cli.show import clipped, safe

_LIST = Binding(Bus.agents, names={"retired": "--all"}, note="with list: ")
_ADD = Binding(Bus.add_agent, own=("agent", "key"), note="with add: ")
_RETIRE = Binding(Bus.retire_agent, own=("agent",))
SPEC = Spec(
    "agents",
    "Who there is; add an agent, or retire one.",
    words="[list | add NAME… | retire NAME…]",
    most=-1,
    options=(
        *_LIST.options,
        *_ADD.options,
        *_RETIRE.options,
    ),
    text="""
Whoever speaks is known from then on; adding an agent first lets others write to it before that. A name
is project-a/workers/slot0, or just ada. Mail to a retired agent is undeliverable; what it said stays.
""",
    examples=("palaver agents", "palaver agents add bob --role reviewers", "palaver agents retire bob"),
)


def run(context: Context) -> int:
    """List, add or retire."""
    words = context.args.words or ["list"]
    if words == ["list"]:
        return _list(context)
    if words[0] not in ("add", "retire") or len(words) < 2:
        raise SPEC.wrong("say list, add NAME or retire NAME")
    before = {agent.id for agent in bus_of(context).agents()}
    change = _ADD if words[0] == "add" else _RETIRE
    changed = [change.perform(context, agent=name, key=_key(context, name)) for name in words[1:]]
    if context.json:
        context.answer([agent.plain() for agent in changed])
    else:
        for agent in changed:
            done = "Retired" if words[0] == "retire" else _added(context, known=agent.id in before)
            context.say(f"{done}: {safe(agent.name)}")
    return 0


def _added(context: Context, *, known: bool) -> str:
    if not known:
        return "Added"
    told = any(context.args.has(option) for option in ("--handle", "--role", "--about", "--level"))
    return "Changed" if told else "There already"


def _key(context: Context, name: str) -> str:
    """Return the key of one agent: a key given for several is a key for each."""
    key = context.args.text("--key")
    return f"{key}/{name}" if key and len(context.args.words) > 2 else key


def _list(context: Context) -> int:
    agents = _LIST.perform(context)
    if context.json:
        context.answer([agent.plain() for agent in agents])
        return 0
    for agent in agents:
        last = agent.at[:16].replace("T", " ") or "has not spoken"
        state = " (retired)" if agent.retired else ""
        line = f"{safe(agent.name):<28} {'@' + agent.handle:<14} {last:<17} {clipped(agent.about, 40)}"
        context.say((line + state).rstrip())
    if not agents:
        context.say("Nobody yet; palaver agents add NAME")
    return 0
