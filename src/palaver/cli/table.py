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

    def __init__(self, name: str, summary: str, module: str = "") -> None:
        """Take its name, what it is for, and its file under `cli/commands/` if that has another name."""
        self.name = name
        self.summary = summary
        self.module = module or name

    def load(self) -> Command:
        """Import its module."""
        return cast("Command", import_module(f"palaver.cli.commands.{self.module}"))


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
    Entry("task", "Work that has a state: open, claim, deliver, accept"),
    Entry("board", "All tasks at a glance"),
    Entry("prime", "What to do now: assignment, work, mail"),
    Entry("continue", "What is new, and what to do next", module="next_round"),
    Entry("review", "Judge a piece of work"),
    Entry("report-error", "Say what went wrong, and what is blocked", module="report_error"),
    Entry("channel", "The shared channel of a swarm"),
    Entry("waiting", "Show what agents wait for, and who must act"),
    Entry("patrol", "Check every deadline once, and act"),
    Entry("run", "Run a program as an agent"),
    Entry("runs", "Show and kill the runs of agents"),
    Entry("agents", "Who there is; add one, retire one"),
    Entry("lists", "Distribution lists; set one, remove one"),
    Entry("events", "List, show and export events"),
    Entry("mount", "Folders of files that agents use: add one, list them, remove one"),
    Entry("up", "Keep the bus and the files in step all the time"),
    Entry("sync", "Take in what stands in the files, and write what is owed to them"),
    Entry("status", "What the bytes of every watched file are, and what is still to be written"),
    Entry("lint", "Judge files of the five protocols"),
    Entry("rules", "The rules that lint judges by"),
    Entry("convert", "Say a file in another dialect"),
    Entry("health", "Run health checks and report them"),
    Entry("stats", "Show how long things took"),
    Entry("install", "Put hooks into a git repository, which add the run to commits"),
    Entry("uninstall", "Take them out again"),
    Entry("verify", "Check every line and every link of the log"),
    Entry("rebuild", "Make the views anew"),
    Entry("trust", "Review and accept a bus that you did not create"),
    Entry("doctor", "Look at everything, and say what to do"),
    Entry("quarantine", "What could not be understood: list, show, retry"),
    Entry("snapshot", "Commit the log into its own small git history"),
    Entry("redact", "Take a secret out of the log for good"),
)
COMMANDS = {entry.name: entry for entry in _ENTRIES}
# What people of an office say, and the command that it is.
PHRASES = {"继续": ("continue",), "继续检查看板": ("continue", "--manager")}
