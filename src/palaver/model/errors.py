"""Every refusal, with its exit code.

A refusal says no, and that nothing was written. It says what was asked, why not, and the way out;
`code` never changes, because the reader is often a program. Exit codes: 1 error, 2 bad arguments,
3 not found, 4 not permitted, 5 conflict.
"""


def _printable(text: str) -> str:
    """Return a text that any stream of UTF-8 takes, whatever was asked for."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


class Refusal(Exception):
    """Raised when something is refused; the subclasses say what."""

    code = "refused"
    exit = 1

    def __init__(self, what: str, why: str = "", way_out: str = "") -> None:
        """Say what was asked, why it is refused, and what to do instead."""
        self.what = _printable(what)
        self.why = _printable(why)
        self.way_out = _printable(way_out)
        super().__init__(self.what, self.why, self.way_out)

    def __str__(self) -> str:
        """One line for a person."""
        why = f": {self.why}" if self.why else ""
        return f"{self.what}{why}" + (f"; {self.way_out}" if self.way_out else "")

    def plain(self) -> dict[str, object]:
        """One object for a program."""
        told = {"code": self.code, "exit": self.exit}
        return {**told, "what": self.what, "why": self.why, "way_out": self.way_out}


class BadArguments(Refusal):
    """The command line, or the call, does not say what to do.

    The message names the argument; `palaver COMMAND --help` shows what is possible.
    """

    code = "bad-arguments"
    exit = 2


class WhoSpeaks(Refusal):
    """Nobody said who is speaking, and this is not a terminal.

    Say it with `--as NAME`, or set PALAVER_AGENT (or AGENT_ID) in the agent's environment.
    """

    code = "who-speaks"
    exit = 2


class BadName(Refusal):
    """A name could leave its folder, fool a reader or mean two things.

    Names are segments of `a-z 0-9 . _ -` that start with a letter or digit, joined by `/`.
    """

    code = "bad-name"
    exit = 2


class BadText(Refusal):
    """The text is not Unicode: it has bytes that are not UTF-8, or half of a surrogate pair.

    Send it as UTF-8; a file of other bytes goes by name, with `--file`.
    """

    code = "bad-text"
    exit = 2


class EmptyBody(Refusal):
    """The message says nothing, and its act needs words.

    Give a body with `-m TEXT`, or `-m -` and standard input.
    """

    code = "empty-body"
    exit = 2


class TooLarge(Refusal):
    """More than one record, or one call, may hold.

    Put the text in a file and name it with `--file`.
    """

    code = "too-large"
    exit = 2


class SecretFound(Refusal):
    """The text holds what looks like a key or a token, and every agent could read it.

    Take it out; `--allow-secret` sends it all the same.
    """

    code = "secret"
    exit = 2


class BadConfig(Refusal):
    """`.palaver/config.toml` says something that cannot be.

    The message gives line and reason; the settings in force stay what they were.
    """

    code = "bad-config"
    exit = 2


class NoBus(Refusal):
    """There is no bus here, or above, or in the main worktree.

    Make one with `palaver init`, or name one with `--root` or PALAVER_ROOT.
    """

    code = "no-bus"
    exit = 3


class NotFound(Refusal):
    """Nothing has that id, number or name.

    The message offers the nearest names where there are any.
    """

    code = "not-found"
    exit = 3


class NotYours(Refusal):
    """The mail, or the bus, belongs to somebody else.

    `palaver thread ID` shows a message to anyone without marking it.
    """

    code = "not-yours"
    exit = 4


class BadToken(Refusal):
    """PALAVER_TOKEN is no token of this bus, or its run has ended.

    Unset it, and the name is taken as a claim; `palaver run` gives a program a new one.
    """

    code = "bad-token"
    exit = 4


class Retired(Refusal):
    """The agent was retired and does not speak any more.

    Bring it back with `palaver agents add NAME`.
    """

    code = "retired"
    exit = 4


class UnsafeRoot(Refusal):
    """Other users could change the bus: its folder, or its config, is writable for them.

    Close it with `chmod 700`.
    """

    code = "unsafe-root"
    exit = 4


class Untrusted(Refusal):
    """The bus was not created by this user on this machine, and not accepted either.

    See what it would do, and accept it: `palaver trust`.
    """

    code = "untrusted-bus"
    exit = 4


class AmbiguousName(Refusal):
    """The name fits more than one agent.

    Use one of the full names that the message lists.
    """

    code = "ambiguous-name"
    exit = 5


class KeyConflict(Refusal):
    """The idempotency key was used before, for another message.

    A key belongs to one message for the life of the log: use a new one.
    """

    code = "key-conflict"
    exit = 5


class NotPermitted(Refusal):
    """The task, or the act, is somebody else's to decide.

    The message says whose; ask them, or let `policy.leads` in the config name you.
    """

    code = "not-permitted"
    exit = 4


class IllegalMove(Refusal):
    """The task is in a state in which this act does not count.

    The message lists what counts; `palaver task show ID` tells how it got there.
    """

    code = "illegal-move"
    exit = 5


class TaskTaken(Refusal):
    """Somebody else has the task, or its id.

    The message says who; `palaver task list --ready` shows what is free.
    """

    code = "task-taken"
    exit = 5


class TaskCycle(Refusal):
    """Tasks would wait for each other in a circle, and none of them would ever be ready.

    The message shows the circle; take one of its needs out.
    """

    code = "task-cycle"
    exit = 5


class AnswerFirst(Refusal):
    """Whoever is to get a task waits for an answer from the one who gives it.

    Answer with `palaver reply`; `policy.talk` in the config says whether this is refused.
    """

    code = "answer-first"
    exit = 5


class OneAtATime(Refusal):
    """Whoever is to get a task has one.

    Wait until it is delivered or blocked, or say `--parallel`; `policy.talk` says whether this is refused.
    """

    code = "one-at-a-time"
    exit = 5


class AssignmentTaken(Refusal):
    """An agent has one assignment at a time, and this one has one.

    Wait until it is done, or clear it with `co assignment clear AGENT`.
    """

    code = "assignment-taken"
    exit = 5


class NoFreeWorker(Refusal):
    """Every worker of the factory has something to do, and there is no room for another.

    Wait for one, or dispatch to another factory.
    """

    code = "no-free-worker"
    exit = 5


class AlreadyRead(Refusal):
    """A message can be withdrawn until it is read, and it was read.

    Send a correction with `palaver send`.
    """

    code = "already-read"
    exit = 5


class AlreadyTaken(Refusal):
    """Mail to a role belongs to the first who acknowledges it, and somebody has.

    The message says who; nothing is left to do.
    """

    code = "already-taken"
    exit = 5


class AlreadyMounted(Refusal):
    """The folder is mounted, or the name of the mount is taken.

    Way out: `palaver mount list` shows what is there; use another name, or remove the old mount first.
    """

    code = "already-mounted"
    exit = 5


class AlreadyUp(Refusal):
    """Another process keeps this bus alive already.

    Way out: leave it running, or end it first; the message names its process.
    """

    code = "already-up"
    exit = 5


class LogLocked(Refusal):
    """Another process holds the log and did not let go in five seconds.

    The message names it; let it go on (`kill -CONT`) or end it. The lock ends with the process.
    """

    code = "log-locked"


class StorageFailed(Refusal):
    """The disk said no: full, read-only, forbidden, or out of handles.

    The message gives path and cause; nothing half-written is left, and nothing needs repair.
    """

    code = "storage"


class SyncFailed(Refusal):
    """The disk took the bytes but could not promise to keep them, so nothing was acknowledged.

    Send again with the same `--key`: it will stand once.
    """

    code = "sync-failed"


class PortTaken(Refusal):
    """Another program serves at that port already.

    Name another port with `--port N`, or none, and a free one is taken.
    """

    code = "port-taken"
    exit = 5


class TimedOut(Refusal):
    """What was waited for did not happen in time.

    A message that was sent stays sent; wait again, or look with `palaver thread`.
    """

    code = "timeout"


class ToolMissing(Refusal):
    """A program that this command needs is not on this machine, or it failed.

    The message names it.
    """

    code = "tool-missing"


class AlreadyRunning(Refusal):
    """A program runs as that agent, in that run, already; two of them would be one party with two minds.

    Wait for its end, end it with `palaver runs kill RUN`, or start in a run of its own.
    """

    code = "already-running"
    exit = 5


class InTheWay(Refusal):
    """Something of somebody else's is there, and would be lost: work that is not committed, or a hook.

    The message names the place; commit it, move it, or name another place.
    """

    code = "in-the-way"
    exit = 5
