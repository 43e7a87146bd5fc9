"""palaver lists: distribution lists."""

from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.cli.opened import opened

SPEC = Spec(
    "lists",
    "Distribution lists: mail to the name of a list goes to each member.",
    words="[list | set NAME MEMBER… | remove NAME]",
    most=-1,
    text="They stand in .palaver/config.toml, under [lists]; this edits them there. @all is everyone.",
    examples=(
        "palaver lists",
        "palaver lists set reviewers bob @qa",
        "palaver send reviewers -m 'Please look'",
    ),
)


def run(context: Context) -> int:
    """List, set or remove."""
    words = context.args.words
    bus = opened(context)
    if words not in ([], ["list"]):
        if words[0] == "set" and len(words) > 2:
            bus.set_list(words[1], words[2:])
        elif words[0] == "remove" and len(words) == 2:
            bus.set_list(words[1], None)
        else:
            raise SPEC.wrong("say list, set NAME MEMBER… or remove NAME")
    lists = bus.lists()
    if context.json:
        context.answer(lists)
        return 0
    for name, members in lists.items():
        context.say(f"{name}: {', '.join(members)}")
    if not lists:
        context.say("No lists; palaver lists set NAME MEMBER…")
    return 0
