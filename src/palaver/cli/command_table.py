"""The commands of `palaver`: name and summary. Each is a module in `commands/`, imported when needed."""

from palaver.cli.context import Caller
from palaver.cli.program import CommandEntry, Program

_ENTRIES = (
    CommandEntry("init", "Create a bus in this folder", is_warm=False),
    CommandEntry("open", "Open the dashboard in the browser", is_warm=False),
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
    CommandEntry("patrol", "Check every deadline once, and act", is_warm=False),
    CommandEntry("run", "Run a program as an agent", is_warm=False),
    CommandEntry("runs", "Show and kill the runs of agents", is_warm=False),
    CommandEntry("agents", "List, add and retire agents"),
    CommandEntry("lists", "List, set and remove distribution lists", is_warm=False),
    CommandEntry("events", "List, show and export events", is_warm=False),
    CommandEntry("mount", "Add, list and remove mounted folders", is_warm=False),
    CommandEntry("up", "Run the daemon: sync, patrol, dashboard, fast commands", is_warm=False),
    CommandEntry("down", "End the daemon", is_warm=False),
    CommandEntry("sync", "Sync with the mounted files", is_warm=False),
    CommandEntry("status", "Show the sync status of each file"),
    CommandEntry("lint", "Check files of the five protocols", is_warm=False),
    CommandEntry("rules", "Show the rules of lint"),
    CommandEntry("convert", "Convert a file to another dialect", is_warm=False),
    CommandEntry("health", "Run health checks and report them", is_warm=False),
    CommandEntry("stats", "Show how long things took"),
    CommandEntry("install", "Install git hooks that name the run", is_warm=False),
    CommandEntry("uninstall", "Remove the git hooks", is_warm=False),
    CommandEntry("verify", "Check every line and every link of the log", is_warm=False),
    CommandEntry("rebuild", "Rebuild the views from the log", is_warm=False),
    CommandEntry("trust", "Review and accept a bus that you did not create", is_warm=False),
    CommandEntry("doctor", "Check the bus, and say what to fix", is_warm=False),
    CommandEntry("quarantine", "List, show and retry quarantined bytes", is_warm=False),
    CommandEntry("snapshot", "Commit the log to its own git history", is_warm=False),
    CommandEntry("redact", "Remove a secret from the log, permanently", is_warm=False),
)
COMMANDS = {entry.name: entry for entry in _ENTRIES}
# The words of people in an office, and the commands that they mean.
PHRASES = {"继续": ("continue",), "继续检查看板": ("continue", "--manager")}
PALAVER = Program(
    name="palaver",
    about="The message bus for teams of AI agents.",
    commands=COMMANDS,
    foot=""", 130 interrupted
environment: PALAVER_AGENT or AGENT_ID (the agent that acts), PALAVER_ROOT (the folder of the bus)

palaver COMMAND --help explains a command; palaver --version shows the version.""",
)


def dispatch(argv: list[str], caller: Caller) -> int:
    """Run the command that the words name; return its exit code."""
    return PALAVER.run([*PHRASES.get(argv[0], argv[:1]), *argv[1:]] if argv else [], caller)
