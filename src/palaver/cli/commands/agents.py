"""palaver agents: who there is."""

from palaver.api import Bus
from palaver.cli.arguments import Option, Spec
from palaver.cli.context import Context
from palaver.cli.opened import opened
from palaver.cli.show import clipped, safe
from palaver.views.agents.roster import Agent

SPEC = Spec(
    "agents",
    "Who there is; add an agent, or retire one.",
    words="[list | add NAME… | retire NAME…]",
    most=-1,
    options=(
        Option("--handle", "H", help="with add: how others may call it, @H"),
        Option("--role", "R", help="with add: the role whose mail it gets too"),
        Option("--level", "N", help="with add: how senior it is, 1 to 5; tasks may be too difficult for it"),
        Option("--about", "TEXT", help="with add: what it does"),
        Option("--reason", "TEXT", help="with retire: why"),
        Option("--all", help="with list: also the retired"),
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
    bus = opened(context)
    if words[0] == "list" and len(words) == 1:
        return _list(context, bus)
    if words[0] not in ("add", "retire") or len(words) < 2:
        raise SPEC.wrong("say list, add NAME or retire NAME")
    before = {agent.id for agent in bus.agents()}
    changed = [_changed(context, bus, words[0], name) for name in words[1:]]
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


def _changed(context: Context, bus: Bus, verb: str, name: str) -> Agent:
    args = context.args
    if verb == "add":
        return bus.add_agent(
            name,
            handle=args.text("--handle"),
            role=args.text("--role"),
            about=args.text("--about"),
            level=args.number("--level", 0),
        )
    return bus.retire_agent(name, reason=args.text("--reason"))


def _list(context: Context, bus: Bus) -> int:
    agents = bus.agents(retired=context.args.has("--all"))
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
