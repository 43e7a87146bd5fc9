"""The commands of `palaver`: name, summary, and why it runs cold, if it does.

Each is a module in `commands/`, imported when needed.
"""

from palaver.cli.context import Caller
from palaver.cli.program import SEVERAL, CommandEntry, Program

_ENTRIES = (
    CommandEntry("init", "Create a bus in this folder", cold="creates a bus"),
    CommandEntry("open", "Open the dashboard in the browser", cold="starts a browser, and serves it"),
    CommandEntry(
        "send", "Send a message", cold="tells what was sent if it is interrupted", cold_words=("--wait",)
    ),
    CommandEntry("inbox", "List an agent's mail"),
    CommandEntry("read", "Read messages, and record it"),
    CommandEntry("ack", "Acknowledge messages"),
    CommandEntry("archive", "Take messages out of the inbox"),
    CommandEntry("reply", "Reply to a message"),
    CommandEntry("wait", "Wait for mail"),
    CommandEntry("thread", "Show a conversation with its delivery states"),
    CommandEntry("search", "Find messages by their words", cold="may have to index the whole log"),
    CommandEntry("tail", "Show the newest events, and follow them"),
    CommandEntry("withdraw", "Withdraw a message before it is read"),
    CommandEntry("resend", "Send a message again, to other recipients"),
    CommandEntry("task", "Open, claim, deliver and accept tasks"),
    CommandEntry("board", "Show all tasks in columns"),
    CommandEntry("prime", "Show what to do now"),
    CommandEntry("continue", "Show what is new, and what to do next", module="office.continue_command"),
    CommandEntry("review", "Send a review"),
    CommandEntry("report-error", "Report an error, and what it blocks", module="commands.report_error"),
    CommandEntry(
        "channel",
        "Read and write the channel of a swarm",
        module="channel.channel_command",
        cold="writes a script",
        cold_words=("init",),
    ),
    CommandEntry("waiting", "Show what agents wait for, and who must act"),
    CommandEntry("patrol", "Check every deadline once, and act", cold="starts programs"),
    CommandEntry("run", "Run a program as an agent", cold="starts a program"),
    CommandEntry("runs", "Show and kill the runs of agents", cold=SEVERAL, cold_words=("kill",)),
    CommandEntry("agents", "List, add and retire agents"),
    CommandEntry("lists", "List, set and remove distribution lists", cold=SEVERAL, cold_words=("remove",)),
    CommandEntry(
        "events", "List, show and export events", cold="reads the whole log", cold_words=("export",)
    ),
    CommandEntry("mount", "Add, list and remove mounted folders", cold=SEVERAL, cold_words=("add", "remove")),
    CommandEntry("up", "Run the daemon: sync, patrol, dashboard, fast commands", cold="is the daemon"),
    CommandEntry("down", "End the daemon", cold="ends the daemon"),
    CommandEntry("sync", "Sync with the mounted files", cold="reads whole files"),
    CommandEntry("status", "Show the daemon, and the sync status of each file"),
    CommandEntry("lint", "Check files of the five protocols", cold="reads whole files"),
    CommandEntry("rules", "Show the rules of lint"),
    CommandEntry("convert", "Convert a file to another dialect", cold="reads whole files"),
    CommandEntry("health", "Run health checks and report them", cold="starts programs"),
    CommandEntry("stats", "Show how long things took", cold="looks at every message"),
    CommandEntry("install", "Install git hooks, or the daemon as a service", cold="writes to a repository"),
    CommandEntry("uninstall", "Remove the git hooks, or the service", cold="writes to a repository"),
    CommandEntry("verify", "Check every line and every link of the log", cold="reads the whole log"),
    CommandEntry("rebuild", "Rebuild the views from the log", cold="reads the whole log"),
    CommandEntry("trust", "Review and accept a bus that you did not create", cold="asks the user"),
    CommandEntry("doctor", "Check the bus, and say what to fix", cold="reads the whole log"),
    CommandEntry(
        "quarantine", "List, show and retry quarantined bytes", cold="parses files", cold_words=("retry",)
    ),
    CommandEntry("snapshot", "Commit the log to its own git history", cold="starts git"),
    CommandEntry("redact", "Remove a secret from the log, permanently", cold="starts git"),
)
COMMANDS = {entry.name: entry for entry in _ENTRIES}
# The words of people in an office, and the commands that they mean.
PHRASES = {"继续": ("continue",), "继续检查看板": ("continue", "--manager")}
_LOOKS = frozenset(
    [
        *("thread", "search", "tail", "board", "waiting", "status", "stats", "events", "verify", "doctor"),
        *("task list", "task show", "runs list", "runs show", "runs tail", "agents list", "lists list"),
        *("mount list", "quarantine list", "quarantine show", "channel read"),
        # These use no bus, another one, or one that is not trusted yet.
        *("init", "lint", "rules", "convert", "install", "uninstall", "trust"),
    ]
)
PALAVER = Program(
    name="palaver",
    about="The message bus for teams of AI agents.",
    commands=COMMANDS,
    looks=_LOOKS,
    foot=""", 130 interrupted
environment: PALAVER_AGENT or AGENT_ID (the agent that acts), PALAVER_ROOT (the folder of the bus)

palaver COMMAND --help explains a command; palaver --version shows the version.""",
)


def dispatch(argv: list[str], caller: Caller) -> int:
    """Run the command that the words name; return its exit code."""
    program, words = program_of(argv)
    return program.run(words, caller)


def program_of(argv: list[str]) -> tuple[Program, list[str]]:
    """Return the program that the first word names, and the words that it gets."""
    first = argv[0] if argv else ""
    if first == "co":
        from palaver.cli.company.co import CO

        return CO, argv[1:]
    if first == "wo":
        from palaver.cli.company.wo import WO

        return WO, argv[1:]
    return PALAVER, [*PHRASES.get(first, argv[:1]), *argv[1:]]
