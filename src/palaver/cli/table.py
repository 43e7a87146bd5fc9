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


class CommandEntry:
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
    CommandEntry("init", "Create a bus in this folder"),
    CommandEntry("open", "Open the dashboard in the browser"),
    CommandEntry("send", "Send a message"),
    CommandEntry("inbox", "List an agent's mail"),
    CommandEntry("read", "Read messages, and record it"),
    CommandEntry("ack", "Acknowledge messages"),
    CommandEntry("archive", "Take messages out of the inbox"),
    CommandEntry("reply", "Reply to a message"),
    CommandEntry("wait", "Wait for mail"),
    CommandEntry("thread", "Show a conversation with its delivery states"),
    CommandEntry("search", "Find messages by their words"),
    CommandEntry("tail", "Show the newest events, and follow them"),
    CommandEntry("withdraw", "Withdraw a message before it is read"),
    CommandEntry("resend", "Send a message again, to other recipients"),
    CommandEntry("task", "Open, claim, deliver and accept tasks"),
    CommandEntry("board", "Show all tasks in columns"),
    CommandEntry("prime", "Show what to do now"),
    CommandEntry("continue", "Show what is new, and what to do next", module="office.continue_command"),
    CommandEntry("review", "Send a review"),
    CommandEntry("report-error", "Report an error, and what it blocks", module="commands.report_error"),
    CommandEntry("channel", "Read and write the channel of a swarm", module="channel.channel_command"),
    CommandEntry("waiting", "Show what agents wait for, and who must act"),
    CommandEntry("patrol", "Check every deadline once, and act"),
    CommandEntry("run", "Run a program as an agent"),
    CommandEntry("runs", "Show and kill the runs of agents"),
    CommandEntry("agents", "List, add and retire agents"),
    CommandEntry("lists", "List, set and remove distribution lists"),
    CommandEntry("events", "List, show and export events"),
    CommandEntry("mount", "Add, list and remove mounted folders"),
    CommandEntry("up", "Run the daemon: sync, patrol and dashboard"),
    CommandEntry("sync", "Sync with the mounted files"),
    CommandEntry("status", "Show the sync status of each file"),
    CommandEntry("lint", "Check files of the five protocols"),
    CommandEntry("rules", "Show the rules of lint"),
    CommandEntry("convert", "Convert a file to another dialect"),
    CommandEntry("health", "Run health checks and report them"),
    CommandEntry("stats", "Show how long things took"),
    CommandEntry("install", "Install git hooks that name the run"),
    CommandEntry("uninstall", "Remove the git hooks"),
    CommandEntry("verify", "Check every line and every link of the log"),
    CommandEntry("rebuild", "Rebuild the views from the log"),
    CommandEntry("trust", "Review and accept a bus that you did not create"),
    CommandEntry("doctor", "Check the bus, and say what to fix"),
    CommandEntry("quarantine", "List, show and retry quarantined bytes"),
    CommandEntry("snapshot", "Commit the log to its own git history"),
    CommandEntry("redact", "Remove a secret from the log, permanently"),
)
COMMANDS = {entry.name: entry for entry in _ENTRIES}
# What people of an office say, and the command that it is.
PHRASES = {"继续": ("continue",), "继续检查看板": ("continue", "--manager")}
