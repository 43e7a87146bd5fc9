"""palaver lists: distribution lists."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context

_LIST = Binding(Bus.lists)
_SET = Binding(Bus.set_list, own=("listed", "members"))
SPEC = Spec(
    "lists",
    "Distribution lists: mail to the name of a list goes to each member.",
    words="[list | set NAME MEMBER… | remove NAME]",
    most=-1,
    options=_SET.options,
    text="They are in .palaver/config.toml, under [lists]; this command edits them there. @all is everyone.",
    examples=(
        "palaver lists",
        "palaver lists set reviewers bob @qa",
        "palaver send reviewers -m 'Please look'",
    ),
)


def run(context: Context) -> int:
    """List, set or remove."""
    words = context.args.words
    if words not in ([], ["list"]):
        if words[0] == "set" and len(words) > 2:
            _SET.perform(context, listed=words[1], members=words[2:])
        elif words[0] == "remove" and len(words) == 2:
            _SET.perform(context, listed=words[1], members=None)
        else:
            raise SPEC.wrong("say list, set NAME MEMBER… or remove NAME")
    lists = _LIST.perform(context)
    if context.json:
        context.answer(lists)
        return 0
    for name, members in lists.items():
        context.say(f"{name}: {', '.join(members)}")
    if not lists:
        context.say("No lists; palaver lists set NAME MEMBER…")
    return 0
