"""palaver rules: the manual page of a rule."""

from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.model.dialect import Rule
from palaver.model.errors import NotFound
from palaver.wiring import dialects

SPEC = Spec(
    "rules",
    "The rules that lint judges by; with a CODE (or a name) its manual page: why, a bad and a good example.",
    words="[CODE]",
    most=1,
    examples=("palaver rules", "palaver rules COL004"),
)


def run(context: Context) -> int:
    """List, or show one."""
    rules = [(name, rule) for name, dialect in dialects().items() for rule in dialect.rules]
    if context.args.words:
        return _show(context, context.args.words[0], [rule for _, rule in rules])
    if context.json:
        context.answer([{"dialect": name, "code": rule.code, "name": rule.name} for name, rule in rules])
    else:
        for name, rule in rules:
            context.say(f"{rule.code}  {name:<7} {rule.name}")
    return 0


def _show(context: Context, wanted: str, rules: list[Rule]) -> int:
    for rule in rules:
        if wanted.lower() in (rule.code.lower(), rule.name):
            if context.json:
                context.answer({"code": rule.code, "name": rule.name, "manual": rule.manual.strip()})
            else:
                context.say(rule.manual.strip())
            return 0
    raise NotFound(f"there is no rule {wanted[:40]}", "", "palaver rules lists them")
