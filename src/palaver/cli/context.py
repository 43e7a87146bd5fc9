"""What a command works with: its arguments, the bus when it asks for it, and how it answers.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

import sys

from palaver.bus.root import Root, find
from palaver.cli.arguments import Args
from palaver.cli.speaker import named, speaker
from palaver.model.plain import dumps


class Context:
    """One run of one command."""

    __slots__ = ("_root", "args")

    def __init__(self, args: Args) -> None:
        """Take the arguments; the bus is found when it is needed."""
        self.args = args
        self._root: Root | None = None

    @property
    def root(self) -> Root:
        """Return the place of the bus."""
        if self._root is None:
            self._root = find(self.args.text("--root"), force=self.args.has("--force"))
        return self._root

    @property
    def json(self) -> bool:
        """Tell whether the answer is for a program."""
        return self.args.has("--json")

    def speaker(self) -> str:
        """Return who is speaking, or refuse."""
        return speaker(self.args, self.root)

    def named(self) -> str:
        """Return who is speaking if anyone said so, else nothing."""
        return named(self.args)

    def say(self, line: str) -> None:
        """Show a line to a person."""
        print(line)

    def answer(self, plain: object) -> None:
        """Give a value to a program: one line of JSON."""
        print(dumps(plain))

    def note(self, line: str) -> None:
        """Say something beside the answer."""
        print(f"palaver: {line}", file=sys.stderr)

    def flush(self) -> None:
        """Let a reader of a pipe see what was said so far."""
        sys.stdout.flush()
