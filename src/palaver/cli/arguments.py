"""Arguments: one table for each command, which parses them and generates the help.

argparse takes most of the start-up time of Python, so there is one small parser for all commands
(docs/adr/0006). It has what people expect: `--name value`, `--name=value`, `-n value`, `-nvalue`, `--` before
words that start with a dash, and a suggestion for a typo.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _collections_abc import Callable, Iterator

from palaver.model.errors import BadArguments
from palaver.model.limits import WAIT_SECONDS


class Option:
    """One option of a command; without a value it is a switch."""

    __slots__ = ("help", "long", "many", "short", "value")

    def __init__(
        self,
        long: str,
        value: str = "",
        *,
        help: str = "",  # noqa: A002 - as argparse has it
        short: str = "",
        many: bool = False,
    ) -> None:
        """Take its names, the metavariable of its value, and its help text."""
        self.long = long
        self.short = short
        self.value = value
        self.help = help
        self.many = many


# The options of every command.
COMMON = (
    Option("--as", "NAME", help="the agent that acts (PALAVER_AGENT, AGENT_ID; at a terminal, you)"),
    Option("--root", "DIR", help="the folder of the bus (PALAVER_ROOT, or the nearest one upwards)"),
    Option("--json", help="print JSON, see docs/reference/json.md"),
    Option("--force", help="as the superuser, use a bus that belongs to another user"),
    Option("--help", short="-h", help="show this help"),
)
_USAGE_CHARS = 100
# The metavariables of values that may be empty: texts.
_MAY_BE_EMPTY = ("BODY", "TEXT")


class Args:
    """A parsed command line."""

    __slots__ = ("_values", "words")

    def __init__(self) -> None:
        """Start with nothing."""
        self.words: list[str] = []
        self._values: dict[str, list[str]] = {}

    @property
    def request(self) -> dict[str, object]:
        """Return what is asked for: the words and options without those that every command has."""
        common = {"--key", *(option.long for option in COMMON)}
        options = {long: values for long, values in self._values.items() if long not in common}
        return {"words": self.words, **options}

    def put(self, long: str, value: str) -> None:
        """Add a value of an option."""
        self._values.setdefault(long, []).append(value)

    def has(self, long: str) -> bool:
        """Return True if an option was given."""
        return long in self._values

    def text(self, long: str, default: str = "") -> str:
        """Return the value of an option, the last one if it was repeated."""
        return self._values[long][-1] if long in self._values else default

    def texts(self, long: str) -> list[str]:
        """Return all values of an option."""
        return self._values.get(long, [])

    def number(self, long: str, default: int) -> int:
        """Return the value of an option that must be a whole number."""
        value = self.text(long)
        if not value:
            return default
        if not (value.isascii() and value.removeprefix("-").isdecimal()) or len(value) > 18:
            way_out = f"use a number such as {long} {default or 8080}"
            raise BadArguments(f"cannot use {long} {value[:40]}", "it must be a whole number", way_out)
        return int(value)

    def seconds(self, long: str, default: float) -> float:
        """Return the value of an option that is a number of seconds."""
        value = self.text(long)
        if not value:
            return default
        try:
            seconds = float(value)
        except ValueError:
            seconds = -1.0
        if not 0 <= seconds <= WAIT_SECONDS:
            why = f"it must be a number of seconds, at most {WAIT_SECONDS:g}"
            raise BadArguments(f"cannot use {long} {value[:40]}", why, f"use {long} 5")
        return seconds


class Spec:
    """The arguments of one command."""

    __slots__ = (
        "_describe", "examples", "name", "options", "program", "summary", "text", "words",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        summary: str,
        *,
        words: str = "",
        options: tuple[Option, ...] = (),
        text: str = "",
        examples: tuple[str, ...] = (),
        program: str = "palaver",
        describe: Callable[[], tuple[Option, ...]] | None = None,
    ) -> None:
        """Take the name, a summary, the words (`ID TO…`, `[list | add NAME]`), the options, and more text.

        `describe` returns the options with their help texts, if a run must not load those.
        """
        self._describe = describe
        self.program = program
        self.name = name
        self.summary = summary
        self.words = words
        self.options = options
        self.text = text
        self.examples = examples

    def parse(self, argv: list[str]) -> Args:
        """Parse a command line, or refuse it."""
        args = Args()
        rest = iter(argv)
        for word in rest:
            if word == "--":
                args.words += rest
            elif word.startswith("--"):
                name, equals, value = word.partition("=")
                self._put(args, name, value if equals else None, rest)
            elif word.startswith("-") and word != "-":
                self._put(args, word[:2], word[2:] or None, rest)
            else:
                args.words.append(word)
        if not args.has("--help"):
            self._count(args)
        return args

    def usage(self) -> str:
        """Return the usage, in lines that fit a terminal."""
        # The words of another program come after our options.
        place = max(f" {self.words}".find(start) for start in (" -- ", " [-- "))
        own, others = (self.words, "") if place < 0 else (self.words[:place], self.words[place:])
        lines = [f"usage: {self.program} {self.name} {own}".rstrip()]
        indent = " " * (len(f"usage: {self.program} ") + len(self.name))
        parts = [
            f" [{option.short or option.long}{' ' + option.value if option.value else ''}]"
            f"{'…' if option.many else ''}"
            for option in self.options
        ]
        for part in [*parts, *([f" {others.strip()}"] if others else [])]:
            if len(lines[-1]) + len(part) > _USAGE_CHARS:
                lines.append(indent)
            lines[-1] += part
        return "\n".join(lines)

    def help(self) -> str:
        """Return what `--help` shows."""
        lines = [self.usage(), "", self.summary, ""]
        if self.text:
            lines += [self.text.rstrip().lstrip("\n"), ""]
        options = self._describe() if self._describe else self.options
        if options:
            lines += ["options:", *map(_row, options), ""]
        lines += ["every command:", *map(_row, COMMON)]
        if self.examples:
            lines += ["", "examples:", *(f"  {example}" for example in self.examples)]
        return "\n".join(lines) + "\n"

    def _put(self, args: Args, name: str, value: str | None, rest: Iterator[str]) -> None:
        option = self._option(name)
        if option.value:
            value = next(rest, None) if value is None else value
            if value is None:
                raise self.wrong(f"{option.long} needs a value: {option.value}")
            if not value and option.value not in _MAY_BE_EMPTY:
                # Most often a variable that was never set; going on would do something else than was meant.
                raise self.wrong(f"{option.long} needs a value: {option.value} is empty")
        elif value is not None:
            raise self.wrong(f"{name} takes no value")
        args.put(option.long, value or "")

    def _option(self, name: str) -> Option:
        for option in self.options + COMMON:
            if name in (option.long, option.short) and name:
                return option
        from difflib import get_close_matches

        names = [option.long[2:] for option in self.options + COMMON]
        close = get_close_matches(name.lstrip("-"), names, n=1)
        raise self.wrong(f"unknown option {name[:40]}", f"did you mean --{close[0]}?" if close else "")

    def _count(self, args: Args) -> None:
        fewest, most = arity(self.words)
        if len(args.words) < fewest:
            is_choice = " | " in self.words
            missing = (
                f"say which: {self.words.replace(' | ', ' or ')}" if is_choice else f"{self.words} is missing"
            )
            raise self.wrong(missing)
        if most >= 0 and len(args.words) > most:
            raise self.wrong(f"unexpected word {args.words[most][:40]!r}")

    def require(self, args: Args, *options: str) -> None:
        """Refuse a command line that lacks one of these options."""
        for option in options:
            if not args.text(option).strip():
                raise self.wrong(f"{option} is missing")

    def wrong(self, why: str, hint: str = "") -> BadArguments:
        """Return the refusal of a command line."""
        return BadArguments(self.name, why, hint or f"{self.program} {self.name} --help explains it")


def pair(flag: str, text: str) -> tuple[str, str]:
    """Return the name and the value of NAME=VALUE, or refuse it."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise BadArguments(
            f"cannot use {flag} {text[:40]}", "it must be a name and a value", f"use {flag} name=value"
        )
    return name, value


def arity(words: str) -> tuple[int, int]:
    """Return the smallest and the largest number of words that fit a usage, -1 if there is no largest.

    >>> arity("ID TO…"), arity("[list | add NAME]"), arity("git [DIR]")
    ((2, -1), (0, 2), (1, 2))
    """
    is_optional = words.startswith("[") and " | " in words
    fewest, most = [], []
    for alternative in (words[1:-1] if is_optional else words).split(" | "):
        depth = required = total = 0
        for word in alternative.split():
            depth += word.count("[")
            if word.strip("[") != "--":
                total += 1
                required += not depth
            depth -= word.count("]")
        fewest.append(required)
        most.append(total)
    return 0 if is_optional else min(fewest), -1 if "…" in words else max(most)


def _row(option: Option) -> str:
    names = ", ".join(name for name in (option.short, option.long) if name)
    shown = f"  {names} {option.value}".rstrip()
    gap = " " * max(2, 28 - len(shown))
    return f"{shown}{gap}{option.help}{' (may be repeated)' if option.many else ''}"
