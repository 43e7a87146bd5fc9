"""palaver lists: distribution lists."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.connection import connect
from palaver.cli.context import Context

_LIST = Binding(Bus.lists)
_SET = Binding(Bus.set_list, own=("listed", "members"))
SPEC = Spec(
    "lists",
    "List, set and remove distribution lists. Mail to the name of a list goes to each member.",
    words="[list | set NAME MEMBER… | remove NAME]",
    options=_SET.options,
    text="""\
They are in .palaver/config.toml, under [lists]; this command edits them there. @all is everyone.
A member that is no agent yet is named when the list is set, and when mail is sent to it.
""",
    examples=(
        "palaver lists",
        "palaver lists set reviewers bob @qa",
        "palaver send reviewers -m 'Please look'",
    ),
)


def run(context: Context) -> int:
    """List, set or remove."""
    session = connect(context)
    match context.args.words or ["list"]:
        case ["list"]:
            pass
        case ["set", name, first, *others]:
            _SET.perform_on(session, context, listed=name, members=[first, *others])
        case ["remove", name]:
            _SET.perform_on(session, context, listed=name, members=None)
        case _:
            raise SPEC.wrong("use list, set NAME MEMBER… or remove NAME")
    lists = _LIST.perform_on(session, context)
    lines = (f"{name}: {', '.join(members)}" for name, members in lists.items())
    return context.show(lists, lines, empty="No lists; palaver lists set NAME MEMBER…")
