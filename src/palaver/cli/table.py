"""The commands: name, one line, and the module that has the rest, loaded when it is asked for."""

from importlib import import_module
from typing import Protocol, cast

from palaver.cli.arguments import Spec
from palaver.cli.context import Context


class Command(Protocol):
    """What the module of a command has."""

    SPEC: Spec

    @staticmethod
    def run(context: Context) -> int:
        """Do it; return the exit code."""


class Entry:
    """One command."""

    def __init__(self, name: str, summary: str) -> None:
        """Take its name, which is also its file under `cli/commands/`, and what it is for."""
        self.name = name
        self.summary = summary

    def load(self) -> Command:
        """Import its module."""
        return cast("Command", import_module(f"palaver.cli.commands.{self.name}"))


_ENTRIES = (
    Entry("init", "Make a bus in this folder"),
    Entry("open", "Open the dashboard in the browser"),
    Entry("send", "Say something to agents"),
    Entry("inbox", "List an agent's mail"),
    Entry("read", "Read messages whole, and record it"),
    Entry("ack", "Acknowledge messages: they are taken care of"),
    Entry("archive", "Take messages out of the inbox"),
    Entry("reply", "Answer a message"),
    Entry("wait", "Sleep until there is mail"),
    Entry("thread", "Show a conversation and how far each message got"),
    Entry("search", "Find messages by their words"),
    Entry("tail", "Show events as they come"),
    Entry("withdraw", "Take a message back before it is read"),
    Entry("resend", "Say a message again, to somebody else"),
    Entry("agents", "Who there is; add one, retire one"),
    Entry("lists", "Distribution lists; set one, remove one"),
    Entry("events", "List, show and export events"),
    Entry("lint", "Judge files of the five protocols"),
    Entry("rules", "The rules that lint judges by"),
    Entry("convert", "Say a file in another dialect"),
    Entry("verify", "Check every line and every link of the log"),
    Entry("rebuild", "Make the views anew"),
    Entry("doctor", "Look at everything, and say what to do"),
    Entry("quarantine", "What could not be understood: list, show, retry"),
    Entry("snapshot", "Commit the log into its own small git history"),
    Entry("redact", "Take a secret out of the log for good"),
)
COMMANDS = {entry.name: entry for entry in _ENTRIES}
