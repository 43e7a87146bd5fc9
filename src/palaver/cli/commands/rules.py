"""palaver rules: show the rules of lint."""

from typing import NamedTuple

from palaver.cli.arguments import Spec
from palaver.cli.context import Context
from palaver.dialects import specs
from palaver.model.errors import BadArguments, NotFound

SPEC = Spec(
    "rules",
    "List the codes that lint reports: rules, and findings of the parsers. With a CODE or name, explain it.",
    words="[CODE]",
    text="""
The page of a rule says why, with a bad and a good example. A finding of a parser is about the form of a line,
and says itself how to fix it.
""",
    examples=("palaver rules", "palaver rules COL104", "palaver rules one-task-at-a-time"),
)


class Page(NamedTuple):
    """The page of a code."""

    dialect: str
    code: str
    #: `rule`, or `parser` for a finding of the parser itself.
    kind: str
    #: The name of a rule; the one line of a parser's finding.
    name: str
    manual: str


def run(context: Context) -> int:
    """List the codes, or explain one."""
    pages = _pages()
    if context.args.words:
        page = _find(pages, context.args.words[0])
        return context.show(page._asdict(), page.manual)
    fields = ("dialect", "code", "kind", "name")
    return context.show(
        [{name: getattr(page, name) for name in fields} for page in pages],
        (f"{page.code}  {page.dialect:<7} {page.kind:<6}  {page.name}" for page in pages),
    )


def _pages() -> list[Page]:
    """Return all codes, by dialect; a code that has a rule and a parser's line has the page of the rule."""
    found: list[Page] = []
    for dialect in specs().values():
        name = dialect.name
        pages = {
            code: Page(name, code, "parser", line, f"{code}: {line}.\n\nReported by the parser of {name}.")
            for code, line in dialect.codes.items()
        }
        for rule in dialect.rules:
            pages[rule.code] = Page(name, rule.code, "rule", rule.name, rule.manual.strip())
        found += [pages[code] for code in sorted(pages)]
    return found


def _find(pages: list[Page], wanted: str) -> Page:
    found = [page for page in pages if wanted.lower() in (page.code.lower(), page.name.lower())]
    if not found:
        raise NotFound(f"no rule {wanted[:40]}", "", "palaver rules lists them")
    if len(found) > 1:
        codes = " and ".join(page.code for page in found)
        raise BadArguments(f"cannot show {wanted[:40]}", f"{codes} have this name", "use the code")
    return found[0]
