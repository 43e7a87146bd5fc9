"""Every refusal, with its exit code.

A refusal means that nothing was written. It says what was asked, why it is refused, and what to do instead;
`code` never changes, because the reader is often a program. Exit codes: 1 error, 2 bad arguments,
3 not found, 4 not permitted, 5 conflict. The docstrings are the reference page.
"""


def _printable(text: str) -> str:
    """Return a text that can be encoded as UTF-8, whatever was asked for."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


class Refusal(Exception):
    """Raised when a request is refused; the subclasses say why."""

    code = "refused"
    exit = 1

    def __init_subclass__(cls, *, code: str, exit: int = 1) -> None:  # noqa: A002 - the name of the attribute
        """Take the code and the exit code of a kind of refusal."""
        cls.code = code
        cls.exit = exit

    def __init__(self, what: str, why: str = "", way_out: str = "") -> None:
        """Take what was asked, why it is refused, and what to do instead."""
        self.what = _printable(what)
        self.why = _printable(why)
        self.way_out = _printable(way_out)
        super().__init__(self.what, self.why, self.way_out)

    def __str__(self) -> str:
        """Return one line for people."""
        why = f": {self.why}" if self.why else ""
        return f"{self.what}{why}" + (f"; {self.way_out}" if self.way_out else "")

    def plain(self) -> dict[str, object]:
        """Return the fields for programs."""
        codes = {"code": self.code, "exit": self.exit}
        return {**codes, "what": self.what, "why": self.why, "way_out": self.way_out}


class BadArguments(Refusal, code="bad-arguments", exit=2):
    """The command line, or the call, is incomplete or contradictory.

    The message names the argument; `palaver COMMAND --help` lists all of them.
    """


class WhoSpeaks(Refusal, code="who-speaks", exit=2):
    """The agent that speaks is unknown, and this is not a terminal.

    Pass `--as NAME`, or set PALAVER_AGENT (or AGENT_ID) in the agent's environment.
    """


class BadName(Refusal, code="bad-name", exit=2):
    """A name is not valid: it could leave its folder, deceive a reader or be ambiguous.

    Names are segments of `a-z 0-9 . _ -` that start with a letter or digit, joined by `/`.
    """


class BadText(Refusal, code="bad-text", exit=2):
    """The text is not valid Unicode: it has bytes that are not UTF-8, or half of a surrogate pair.

    Send it as UTF-8; name a file with other bytes with `--file`.
    """


class EmptyBody(Refusal, code="empty-body", exit=2):
    """The message has no body, and its act needs one.

    Pass it with `-m TEXT`, or `-m -` and standard input.
    """


class TooLarge(Refusal, code="too-large", exit=2):
    """The request is larger than a record, or a call, can be.

    Put the text in a file and name it with `--file`.
    """


class SecretFound(Refusal, code="secret", exit=2):
    """A field contains what looks like a key, a token or a password, and every agent could read it.

    Take it out. Commands that send a text have `--allow-secret`, which sends it anyway.
    """


class BadConfig(Refusal, code="bad-config", exit=2):
    """`.palaver/config.toml` is not valid.

    The message gives line and reason; the current settings stay in force.
    """


class NoBus(Refusal, code="no-bus", exit=3):
    """There is no bus in this folder, above it, or in the main worktree.

    Create one with `palaver init`, or name one with `--root` or PALAVER_ROOT.
    """


class NotFound(Refusal, code="not-found", exit=3):
    """Nothing has that id, number or name.

    The message suggests similar names if there are any.
    """


class UnknownRecipient(Refusal, code="unknown-recipient", exit=3):
    """The message would reach no agent: no such name, a retired agent, or a group with nobody else in it.

    Nothing was sent. The message suggests similar names; `--allow-unknown` (`allow_unknown`) stores it for an
    agent that comes later.
    """


class NotYours(Refusal, code="not-yours", exit=4):
    """The mail, or the bus, belongs to another agent or user.

    `palaver thread ID` shows a message to anyone without marking it.
    """


class BadToken(Refusal, code="bad-token", exit=4):
    """PALAVER_TOKEN is not a token of this bus, or its run has ended.

    Unset it to speak without proof of identity; `palaver run` gives a program a new one.
    """


class Retired(Refusal, code="retired", exit=4):
    """The agent is retired and can no longer speak.

    Bring it back with `palaver agents add NAME`.
    """


class UnsafeRoot(Refusal, code="unsafe-root", exit=4):
    """The bus is not safe to use: others may write to it, or it has a link or a special file in it.

    The message names the file. Restrict it with `chmod 700`, or remove it.
    """


class Untrusted(Refusal, code="untrusted-bus", exit=4):
    """The bus was not created by this user on this machine, and is not trusted.

    Review what it would do, and trust it: `palaver trust`.
    """


class AmbiguousName(Refusal, code="ambiguous-name", exit=5):
    """The name matches more than one agent.

    Use one of the full names that the message lists.
    """


class KeyConflict(Refusal, code="key-conflict", exit=5):
    """The idempotency key was already used for another request.

    A key belongs to one request forever: use a new one.
    """


class NotPermitted(Refusal, code="not-permitted", exit=4):
    """Another agent decides about the task or the act.

    The message names it; ask it, or add yourself to `policy.leads` in the config.
    """


class IllegalMove(Refusal, code="illegal-move", exit=5):
    """The act is not possible in the current state of the task.

    The message lists the possible acts; `palaver task show ID` shows the history of the task.
    """


class TaskTaken(Refusal, code="task-taken", exit=5):
    """Another agent holds the task, or another task has the id.

    The message names it; `palaver task list --ready` lists open tasks.
    """


class TaskCycle(Refusal, code="task-cycle", exit=5):
    """Tasks would depend on each other in a cycle, and none of them would ever be ready.

    The message shows the cycle; remove one of the dependencies.
    """


class AnswerFirst(Refusal, code="answer-first", exit=5):
    """The agent that should get the task waits for an answer from the agent that gives it.

    Answer with `palaver reply`; `policy.talk` in the config controls this check.
    """


class OneAtATime(Refusal, code="one-at-a-time", exit=5):
    """The agent that should get the task already has one.

    Wait until that is delivered or blocked, or pass `--parallel`; `policy.talk` controls this check.
    """


class AssignmentTaken(Refusal, code="assignment-taken", exit=5):
    """The agent already has an assignment, and can have only one at a time.

    Wait until it is done, or clear it with `co assignment clear AGENT`.
    """


class NoFreeWorker(Refusal, code="no-free-worker", exit=5):
    """All workers of the factory are busy, and it cannot have more of them.

    Wait for one, or dispatch to another factory.
    """


class AlreadyRead(Refusal, code="already-read", exit=5):
    """A message can only be withdrawn before it is read.

    Send a correction with `palaver send`.
    """


class AlreadyTaken(Refusal, code="already-taken", exit=5):
    """Mail to a role belongs to the first agent that acknowledges it, and another one did.

    The message names it; you need not do anything.
    """


class AlreadyMounted(Refusal, code="already-mounted", exit=5):
    """The folder is already mounted, or the name of the mount is taken.

    `palaver mount list` lists the mounts; use another name, or remove the old mount first.
    """


class AlreadyUp(Refusal, code="already-up", exit=5):
    """The daemon of this bus is already running.

    Leave it running, or stop it first; the message names its process.
    """


class DaemonFailed(Refusal, code="daemon-failed"):
    """The daemon did not start, or did not end.

    The message says why; `.palaver/up.log` has what the daemon printed.
    """


class LogLocked(Refusal, code="log-locked"):
    """Another process has locked the log for more than five seconds.

    The message names it; continue it (`kill -CONT`) or end it. The lock ends with the process.
    """


class StorageFailed(Refusal, code="storage"):
    """A file cannot be written or read: disk full or read-only, access denied, or too many open files.

    The message gives path and cause; nothing is half-written, and nothing needs repair.
    """


class SyncFailed(Refusal, code="sync-failed"):
    """The disk accepted the bytes but could not sync them, so nothing was acknowledged.

    Send again with the same `--key`: the message is stored once.
    """


class HistoryLost(Refusal, code="history-lost"):
    """The log no longer has records that it had: its end is gone, or its history was rewritten.

    `palaver verify` names the first one. Put the records back, or accept the log as it is with
    `palaver verify --accept`.
    """


class PortTaken(Refusal, code="port-taken", exit=5):
    """Another program already uses that port.

    Pass another port with `--port N`, or none to use a free one.
    """


class TimedOut(Refusal, code="timeout"):
    """The timeout expired.

    A message that was sent stays sent; wait again, or look with `palaver thread`.
    """


class ToolMissing(Refusal, code="tool-missing"):
    """A program that this command needs is not installed, or it failed.

    The message names it.
    """


class AlreadyRunning(Refusal, code="already-running", exit=5):
    """A program already runs as that agent in that run.

    Wait for its end, kill it with `palaver runs kill RUN`, or start in another run.
    """


class InTheWay(Refusal, code="in-the-way", exit=5):
    """Something would be overwritten: uncommitted work, or a hook.

    The message names it; commit it, move it, or choose another place.
    """
