"""palaver rules: the manual page of a rule, or what a parser means by a code."""

from typing import NamedTuple

from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.dialects import specs
from palaver.model.errors import BadArguments, NotFound

SPEC = Spec(
    "rules",
    "What lint finds, by code: rules, and what parsers find themselves. With a CODE (or a name) its page.",
    words="[CODE]",
    most=1,
    text="""
The page of a rule says why, and shows a bad and a good example. What a parser finds itself is about the form
of a line: the finding's own way out says the rest.
""",
    examples=("palaver rules", "palaver rules COL104", "palaver rules one-task-at-a-time"),
)


class Page(NamedTuple):
    """What is known about a code."""

    dialect: str
    code: str
    #: `rule`, or `parser`: the parser finds it, whatever rules there are.
    kind: str
    #: The name of a rule; of what a parser finds, the one line.
    name: str
    manual: str


def run(context: Context) -> int:
    """List, or show one."""
    pages = _pages()
    if context.args.words:
        return _show(context, context.args.words[0], pages)
    if context.json:
        fields = ("dialect", "code", "kind", "name")
        context.answer([{name: getattr(page, name) for name in fields} for page in pages])
    else:
        for page in pages:
            context.say(f"{page.code}  {page.dialect:<7} {page.kind:<6}  {page.name}")
    return 0


def _pages() -> list[Page]:
    """Return all codes, by dialect; where a rule and a parser's list name the same one, the rule has it."""
    found: list[Page] = []
    for dialect in specs().values():
        pages = {
            code: Page(
                dialect.name,
                code,
                "parser",
                line,
                f"{code}: {line}.\n\nThe parser of {dialect.name} says so.",
            )
            for code, line in dialect.codes.items()
        }
        for rule in dialect.rules:
            pages[rule.code] = Page(dialect.name, rule.code, "rule", rule.name, rule.manual.strip())
        found += [pages[code] for code in sorted(pages)]
    return found


def _show(context: Context, wanted: str, pages: list[Page]) -> int:
    found = [page for page in pages if wanted.lower() in (page.code.lower(), page.name.lower())]
    if not found:
        raise NotFound(f"there is no rule {wanted[:40]}", "", "palaver rules lists them")
    if len(found) > 1:
        codes = " and ".join(page.code for page in found)
        raise BadArguments(f"cannot show {wanted[:40]}", f"{codes} have this name", "use the code")
    if context.json:
        context.answer(found[0]._asdict())
    else:
        context.say(found[0].manual)
    return 0
