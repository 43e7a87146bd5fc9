"""What a command works with: its arguments, the bus when it asks for it, and how it answers.

A bare module: `palaver inbox` imports it (see docs/adr/0006).
"""

import sys
from _collections_abc import Callable, Iterable

from palaver.bus.root import Root, find
from palaver.cli.arguments import Args, Spec
from palaver.cli.speaker import named, proof, speaker


class Context:
    """One run of one command."""

    __slots__ = ("_root", "after", "args", "auth", "notes")

    def __init__(self, args: Args) -> None:
        """Take the arguments; the bus is found when it is needed."""
        self.args = args
        # How it is known who speaks, once that was asked.
        self.auth = "claimed"
        self._root: Root | None = None
        # What is to be said beside the answer, when the command ends.
        self.notes: Callable[[], list[str]] = list
        # What is still to be done when the answer is out.
        self.after: Callable[[], object] | None = None

    @property
    def root(self) -> Root:
        """Return the place of the bus."""
        if self._root is None:
            self._root = find(self.args.text("--root"), force=self.args.has("--force"))
        return self._root

    def untrusted_root(self) -> Root:
        """Return the place of the bus, also if the user has not accepted it: only to look at it."""
        return find(self.args.text("--root"), force=self.args.has("--force"), untrusted=True)

    @property
    def json(self) -> bool:
        """Tell whether the answer is for a program."""
        return self.args.has("--json")

    def speaker(self) -> str:
        """Return who is speaking, or refuse; also if a token was to prove it and does not."""
        agent = speaker(self.args, self.root)
        self.auth = proof(self.root, agent)
        return agent

    def named(self) -> str:
        """Return who is speaking if anyone said so, else nothing."""
        return named(self.args)

    def say(self, text: str) -> None:
        """Show one line or several to a person."""
        _put(text if text.isprintable() and text.isascii() else _shown(text))

    def answer(self, plain: object) -> None:
        """Give a value to a program: one line of JSON."""
        from palaver.cli.show import json_line

        _put(json_line(plain))

    def show(self, plain: object, lines: Iterable[str]) -> None:
        """Give a value to a program, or lines to a person, whichever was asked for."""
        if self.json:
            self.answer(plain)
            return
        for line in lines:
            self.say(line)

    def note(self, line: str) -> None:
        """Say something beside the answer; where nobody can hear it, the answer still counts."""
        try:
            print(f"palaver: {_shown(line)}", file=sys.stderr)
        except OSError:
            return

    def end(self) -> None:
        """Do what is left to do, and say what happened that nobody asked for."""
        if self.after:
            self.after()
        for note in self.notes():
            self.note(note)

    def flush(self) -> None:
        """Let a reader of a pipe see what was said so far."""
        sys.stdout.flush()


def started(spec: Spec, run: Callable[[Context], int], argv: list[str]) -> int:
    """Run a command from its words."""
    args = spec.parse(argv)
    if args.has("--help"):
        print(spec.help(), end="")
        return 0
    context = Context(args)
    try:
        return run(context)
    finally:
        context.end()


def _put(text: str) -> None:
    try:
        print(text)
    except BrokenPipeError:
        raise
    except OSError as fault:
        from palaver.cli.hot import unwritten

        raise unwritten(fault) from fault


def _shown(text: str) -> str:
    from palaver.cli.show import block

    return block(text)
