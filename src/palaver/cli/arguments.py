"""Arguments: one table a command, which parses, explains itself and documents itself.

argparse costs most of a start of Python, and the hot commands would need a second parser beside it;
so there is one small one for all (docs/adr/0006). It knows what people expect: `--name value`,
`--name=value`, `-n value`, `-nvalue`, `--` before what starts with a dash, and a suggestion for a typo.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _collections_abc import Callable, Iterator

from palaver.model.errors import BadArguments
from palaver.model.limits import ROWS, WAIT_SECONDS


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
        """Take its names, the word for its value, and what it does."""
        self.long = long
        self.short = short
        self.value = value
        self.help = help
        self.many = many


# What every command takes.
COMMON = (
    Option("--as", "NAME", help="who speaks; else PALAVER_AGENT, else AGENT_ID, else you, at a terminal"),
    Option("--root", "DIR", help="the folder of the bus; else PALAVER_ROOT, else found from here upwards"),
    Option("--json", help="answer for programs: docs/reference/json.md"),
    Option("--force", help="as root, use a bus that belongs to another user"),
    Option("--help", short="-h", help="show this"),
)
_USAGE_CHARS = 100
# The words for values that may be empty: texts.
_MAY_BE_EMPTY = ("BODY", "TEXT")


class Args:
    """What was given on a command line."""

    __slots__ = ("_values", "words")

    def __init__(self) -> None:
        """Start with nothing."""
        self.words: list[str] = []
        self._values: dict[str, list[str]] = {}

    def put(self, long: str, value: str) -> None:
        """Note a value of an option."""
        self._values.setdefault(long, []).append(value)

    def has(self, long: str) -> bool:
        """Tell whether an option was given."""
        return long in self._values

    def text(self, long: str, default: str = "") -> str:
        """Return the value of an option; the last one given counts."""
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
            raise BadArguments(
                f"cannot use {long} {value[:40]}", "it must be a whole number", f"use {long} 5"
            )
        return int(value)

    def rows(self, long: str, default: int) -> int:
        """Return the value of an option that says how many rows to show."""
        rows = self.number(long, default)
        if not 0 < rows <= ROWS:
            raise BadArguments(
                f"cannot use {long} {rows}", f"it goes from 1 to {ROWS}", f"use {long} {default}"
            )
        return rows

    def seconds(self, long: str, default: float) -> float:
        """Return the value of an option that must be a time in seconds."""
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
        "_describe", "examples", "least", "most", "name", "options", "program", "summary", "text", "words",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        summary: str,
        *,
        words: str = "",
        least: int = 0,
        most: int = 0,
        options: tuple[Option, ...] = (),
        text: str = "",
        examples: tuple[str, ...] = (),
        program: str = "palaver",
        describe: Callable[[], tuple[Option, ...]] | None = None,
    ) -> None:
        """Take the name, a summary, how many words it takes, its options, and more text.

        `describe` returns the options with their help texts, if those must not be loaded for a run.
        """
        self._describe = describe
        self.program = program
        self.name = name
        self.summary = summary
        self.words = words
        self.least = least
        self.most = most
        self.options = options
        self.text = text
        self.examples = examples

    def parse(self, argv: list[str]) -> Args:
        """Return what the command line says, or refuse."""
        args = Args()
        rest = iter(argv)
        for word in rest:
            if word == "--":
                args.words += rest
            elif word.startswith("--"):
                self._long(args, word, rest)
            elif word.startswith("-") and word != "-":
                self._short(args, word, rest)
            else:
                args.words.append(word)
        if not args.has("--help"):
            self._count(args)
        return args

    def usage(self) -> str:
        """Return the shape of the command, in lines that fit a terminal."""
        # The words of another program come after everything that is ours.
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
        """Return all that `--help` shows."""
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

    def _long(self, args: Args, word: str, rest: Iterator[str]) -> None:
        name, equals, value = word.partition("=")
        option = self._option(name)
        if not option.value:
            if equals:
                raise self.wrong(f"{name} takes no value")
            args.put(option.long, "")
        else:
            args.put(option.long, self._checked(option, value if equals else next(rest, None)))

    def _short(self, args: Args, word: str, rest: Iterator[str]) -> None:
        option = self._option(word[:2])
        if not option.value:
            if len(word) > 2:
                raise self.wrong(f"{word[:2]} takes no value")
            args.put(option.long, "")
        else:
            args.put(option.long, self._checked(option, word[2:] or next(rest, None)))

    def _checked(self, option: Option, value: str | None) -> str:
        if value is None:
            raise self.wrong(f"{option.long} wants {option.value}")
        if not value and option.value not in _MAY_BE_EMPTY:
            # Most often a variable that was never set; to go on would mean something else than was meant.
            raise self.wrong(f"{option.long} wants {option.value}, and it is empty")
        return value

    def _option(self, name: str) -> Option:
        for option in self.options + COMMON:
            if name in (option.long, option.short) and name:
                return option
        from difflib import get_close_matches

        names = [option.long[2:] for option in self.options + COMMON]
        close = get_close_matches(name.lstrip("-"), names, n=1)
        raise self.wrong(f"there is no option {name[:40]}", f"did you mean --{close[0]}?" if close else "")

    def _count(self, args: Args) -> None:
        if len(args.words) < self.least:
            raise self.wrong(f"{self.words} is missing")
        if self.most >= 0 and len(args.words) > self.most:
            raise self.wrong(f"{args.words[self.most][:40]!r} is one word too many")

    def wrong(self, why: str, hint: str = "") -> BadArguments:
        """Return the refusal of a command line, with the way out."""
        return BadArguments(self.name, why, hint or f"{self.program} {self.name} --help shows how")


def _row(option: Option) -> str:
    names = ", ".join(name for name in (option.short, option.long) if name)
    shown = f"  {names} {option.value}".rstrip()
    gap = " " * max(2, 28 - len(shown))
    return f"{shown}{gap}{option.help}{' (may be repeated)' if option.many else ''}"
