"""Generate docs/reference/ from the code, so that the reference is always correct.

    python tools/docs.py            write the pages
    python tools/docs.py --check    exit 1 and name every page that is stale

The upper half is pure: values in, the text of a page out. The lower half knows where the values and the pages
are.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
REFERENCE: Final = Path("docs") / "reference"
NOTICE: Final = "<!-- Written by tools/docs.py. Change the code, then run: make docs -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command, as the page of commands shows it."""

    name: str
    summary: str
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A refusal, as the page of errors shows it."""

    code: str
    exit: int
    when: str
    way_out: str
    #: The status, if only HTTP refuses it.
    status: int = 0

    @property
    def outcome(self) -> str:
        """Return how a command exits, or what HTTP answers."""
        return f"HTTP {self.status}" if self.status else str(self.exit)


class UndocumentedError(Exception):
    """Documentation is missing in the code; the message names the place."""


def commands_page(commands: Sequence[Command], overview: str = "") -> str:
    """Return the page of all commands, in the order of the table, after the output of `palaver --help`."""
    contents = [f"- [`{command.name}`](#{anchor(command.name)}): {command.summary}" for command in commands]
    sections = [f"## {command.name}\n\n{fenced(command.help)}" for command in commands]
    parts = [fenced(overview)] if overview else []
    lead = "The `--help` of every command. Their output with `--json` is described in [json](json.md)."
    return page("Commands", lead, ["\n".join(contents), *parts, *sections])


def errors_page(codes: Iterable[Code]) -> str:
    """Return the page of all refusals, sorted by code."""
    ordered = sorted(codes, key=lambda code: code.code)
    rows = [f"| [`{one.code}`](#{anchor(one.code)}) | {one.outcome} | {cell(one.when)} |" for one in ordered]
    table = "\n".join(["| code | exit | when |", "|---|---|---|", *rows])
    sections = [
        f"## {one.code}\n\n{one.outcome if one.status else f'Exit {one.exit}'}. {one.when}\n\n{one.way_out}"
        for one in ordered
    ]
    lead = (
        "After any of these errors, nothing was written, except after `bug`, and after `storage` for an "
        "answer that could not\nbe shown: look whether it was done before you repeat it. The codes are "
        "stable: programs can rely on them. Where a status is\nin place of the exit code, only the HTTP API "
        "refuses with that code."
    )
    return page("Errors", lead, [table, *sections])


def page(title: str, lead: str, parts: Sequence[str]) -> str:
    """Join the parts of a page, with one blank line between them and a newline at the end."""
    return "\n\n".join([f"# {title}", NOTICE, lead, *(part.strip("\n") for part in parts)]) + "\n"


def anchor(heading: str) -> str:
    """Return the fragment by which Markdown links to `heading`."""
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.replace(" ", "-")


def cell(text: str) -> str:
    """Return `text` so that it stays inside one cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def fenced(text: str) -> str:
    """Return `text` in a fence longer than any run of backticks inside it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.strip(chr(10))}\n{fence}"


def code_of(refusal: type[Exception]) -> Code:
    """Read a refusal's attributes and docstring: its first line says when, the rest says the way out."""
    when, _, rest = inspect.cleandoc(refusal.__doc__ or "").partition("\n")
    code, status = getattr(refusal, "code", None), getattr(refusal, "exit", None)
    name = refusal.__qualname__
    if not isinstance(code, str) or not isinstance(status, int):
        raise UndocumentedError(f"{name}: needs `code: str` and `exit: int`")
    if not when or not rest.strip():
        raise UndocumentedError(f"{name}: the docstring needs one line on when, then the way out")
    return Code(code=code, exit=status, when=when, way_out=rest.strip())


def codes_under(refusal: type[Exception]) -> list[Code]:
    """Return the codes of all descendants of `refusal`; two of them may not share one."""
    found: dict[str, type[Exception]] = {}
    waiting = list(refusal.__subclasses__())
    while waiting:
        child = waiting.pop()
        waiting.extend(child.__subclasses__())
        code = code_of(child).code
        if found.setdefault(code, child) is not child:
            raise UndocumentedError(f"{child.__qualname__}: the code {code} is {found[code].__qualname__}'s")
    return [code_of(child) for child in found.values()]


def stale(root: Path, pages: Mapping[Path, str]) -> list[Path]:
    """Return the pages whose file is missing or differs."""
    return [path for path, text in pages.items() if not is_same(root / path, text)]


def is_same(path: Path, text: str) -> bool:
    """Return True if the content of the file is exactly `text`."""
    return path.is_file() and path.read_bytes() == text.encode()


def commands() -> list[Command]:
    """Return the commands, from the table of the command line."""
    from palaver.cli.command_table import COMMANDS

    return [
        Command(name=entry.name, summary=entry.summary, help=entry.load().spec.help())
        for entry in COMMANDS.values()
    ]


def company_page() -> str:
    """Return the page of `co` and `wo`."""
    from palaver.cli.company.co import CO
    from palaver.cli.company.wo import WO

    parts = []
    for program in (CO, WO):
        parts.append(f"## {program.name}\n\n{fenced(program.overview())}")
        for name, each in program.commands.items():
            text = fenced(each.load(program.name).spec.help())
            parts.append(f"### {program.name} {name}\n\n{text}")
    lead = "The commands of a VerMAS company. They are installed with `palaver` and use the same bus."
    return page("co and wo", lead, parts)


def config_page() -> str:
    """Return the page of `.palaver/config.toml`, from the docstrings of the modules that read it."""
    from palaver.bus.config import config_file, user_config
    from palaver.bus.config.mount_config import MOUNT_SETTINGS
    from palaver.dialects import specs
    from palaver.runs import run_config

    settings = [("all", each) for each in MOUNT_SETTINGS]
    settings += [(name, each) for name, spec in specs().items() for each in spec.settings]
    rows = [f"| `{each.name}` | {dialect} | {each.help} |" for dialect, each in settings]
    mounts = "\n".join(["| setting | dialect | meaning |", "|---|---|---|", *rows])
    bus, runs, own = (manual(module.__doc__ or "") for module in (config_file, run_config, user_config))
    parts = [
        f"## The file\n\n{bus.example}\n\n{bus.text}",
        f"## `[mounts.NAME]`\n\nWritten by `palaver mount add`; `--set KEY=VALUE` sets these:\n\n{mounts}",
        f"## `[runs]` and `[health]`\n\n{runs.example}\n\n{runs.text}",
        f"## Your own config\n\n{own.example}\n\n{own.text}",
    ]
    return page(".palaver/config.toml", bus.summary, parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manual:
    """A docstring that describes a file: what it is, an example of it, and the explanation."""

    summary: str
    example: str
    text: str


def manual(docstring: str) -> Manual:
    """Take apart a docstring whose example is its first indented part, and is TOML."""
    summary, _, rest = docstring.partition("\n\n")
    lines = rest.split("\n")
    end = next((number for number, line in enumerate(lines) if line and not line.startswith(" ")), len(lines))
    example = dedent("\n".join(lines[:end])).strip()
    if not example:
        raise UndocumentedError(f"no example after {summary!r}")
    what = summary.partition(": ")[2] or summary
    return Manual(
        summary=what[:1].upper() + what[1:],
        example=f"```toml\n{example}\n```",
        text="\n".join(lines[end:]).strip(),
    )


def overview() -> str:
    """Return the output of `palaver --help`."""
    from palaver.cli.command_table import PALAVER

    return PALAVER.overview()


def codes() -> list[Code]:
    """Return all refusals, and the error that reports a bug of ours."""
    from palaver.cli import internal_error
    from palaver.model import errors
    from palaver.web import refusals
    from palaver.web.responses import STATUS

    assert issubclass(internal_error.Bug, errors.Refusal)
    own = {
        each.code for each in vars(refusals).values() if getattr(each, "__module__", "") == refusals.__name__
    }
    return [
        replace(one, status=STATUS.get(one.code, 400)) if one.code in own else one
        for one in codes_under(errors.Refusal)
    ]


def reference() -> dict[Path, str]:
    """Return every generated page by its path in the repository."""
    from tools.acts import acts_page, rules_page
    from tools.deadlines import deadlines_page
    from tools.operations import operations_page
    from tools.power import power_page
    from tools.tasks import tasks_page

    return {
        REFERENCE / "acts.md": acts_page(),
        REFERENCE / "rules.md": rules_page(),
        REFERENCE / "tasks.md": tasks_page(),
        REFERENCE / "power.md": power_page(),
        REFERENCE / "deadlines.md": deadlines_page(),
        REFERENCE / "company.md": company_page(),
        REFERENCE / "config.md": config_page(),
        REFERENCE / "commands.md": commands_page(commands(), overview()),
        REFERENCE / "errors.md": errors_page(codes()),
        REFERENCE / "operations.md": operations_page(),
    }


def main(arguments: Sequence[str]) -> int:
    """Write the stale pages, or with --check only name them."""
    if arguments not in ([], ["--check"]):
        print("usage: tools/docs.py [--check]", file=sys.stderr)
        return 2
    pages = reference()
    outdated = stale(ROOT, pages)
    if arguments:
        for path in outdated:
            print(f"{path} is stale; run: make docs", file=sys.stderr)
        return 1 if outdated else 0
    for path in outdated:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_bytes(pages[path].encode())
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
