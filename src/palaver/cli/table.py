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
        """Take its name, what it is for, and its module under `cli/` if that is not `commands.<name>`."""
        self.name = name
        self.summary = summary
        self.module = module or f"commands.{name}"

    def load(self) -> Command:
        """Import its module."""
        return cast("Command", import_module(f"palaver.cli.{self.module}"))


_ENTRIES = (
    Entry("init", "Create a bus in this folder"),
    Entry("open", "Open the dashboard in the browser"),
    Entry("send", "Send a message"),
    Entry("inbox", "List an agent's mail"),
    Entry("read", "Read messages, and record it"),
    Entry("ack", "Acknowledge messages"),
    Entry("archive", "Take messages out of the inbox"),
    Entry("reply", "Reply to a message"),
    Entry("wait", "Wait for mail"),
    Entry("thread", "Show a conversation with its delivery states"),
    Entry("search", "Find messages by their words"),
    Entry("tail", "Show the newest events, and follow them"),
    Entry("withdraw", "Withdraw a message before it is read"),
    Entry("resend", "Send a message again, to other recipients"),
    Entry("task", "Open, claim, deliver and accept tasks"),
    Entry("board", "Show all tasks in columns"),
    Entry("prime", "Show what to do now"),
    Entry("continue", "Show what is new, and what to do next", module="commands.next_round"),
    Entry("review", "Send a review"),
    Entry("report-error", "Report an error, and what it blocks", module="commands.report_error"),
    Entry("channel", "Read and write the channel of a swarm", module="channel.channel_command"),
    Entry("waiting", "Show what agents wait for, and who must act"),
    Entry("patrol", "Check every deadline once, and act"),
    Entry("run", "Run a program as an agent"),
    Entry("runs", "Show and kill the runs of agents"),
    Entry("agents", "List, add and retire agents"),
    Entry("lists", "List, set and remove distribution lists"),
    Entry("events", "List, show and export events"),
    Entry("mount", "Add, list and remove mounted folders"),
    Entry("up", "Run the daemon: sync, patrol and dashboard"),
    Entry("sync", "Sync with the mounted files"),
    Entry("status", "Show the sync status of each file"),
    Entry("lint", "Check files of the five protocols"),
    Entry("rules", "Show the rules of lint"),
    Entry("convert", "Convert a file to another dialect"),
    Entry("health", "Run health checks and report them"),
    Entry("stats", "Show how long things took"),
    Entry("install", "Install git hooks that name the run"),
    Entry("uninstall", "Remove the git hooks"),
    Entry("verify", "Check every line and every link of the log"),
    Entry("rebuild", "Rebuild the views from the log"),
    Entry("trust", "Review and accept a bus that you did not create"),
    Entry("doctor", "Check the bus, and say what to fix"),
    Entry("quarantine", "List, show and retry quarantined bytes"),
    Entry("snapshot", "Commit the log to its own git history"),
    Entry("redact", "Remove a secret from the log, permanently"),
)
COMMANDS = {entry.name: entry for entry in _ENTRIES}
# What people of an office say, and the command that it is.
PHRASES = {"继续": ("continue",), "继续检查看板": ("continue", "--manager")}
