"""A dialect's spec: everything that the rest of the program asks of one file protocol.

Each `dialects/<name>/spec.py` holds one `DialectSpec`, a literal that reads like a data sheet. The program
asks a spec for what differs between protocols, never for a protocol's name. Every part has a default, so the
spec of a simple protocol is short: a name, `parse`, `render`, `files` and `recognises`.

Pure: no disk, no clock, no randomness.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import NamedTuple

from palaver.model.board_files import BoardFiles, EventFile, MailFile
from palaver.model.event import text
from palaver.model.message import Message
from palaver.model.mounted_files import LintRule, MisnamedFiles, Mount, Parsed, Source, Watched
from palaver.model.task import STATES, Task


class SettingKind(StrEnum):
    """What values a setting of a mount may have."""

    TEXT = "text"
    #: The name of one agent.
    NAME = "name"
    #: The name of one agent, as the files spell it.
    SPELLED = "spelled"
    #: A list of names of agents.
    NAMES = "names"
    #: A plain file name in the mounted folder.
    FILE = "file"
    #: One of the setting's `choices`.
    CHOICE = "choice"
    #: The offset of a time zone from UTC: `+02:00`.
    ZONE = "zone"
    #: A whole number of seconds.
    SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a mount in the config."""

    name: str
    #: One fragment for the reference and the error texts.
    help: str
    kind: SettingKind = SettingKind.TEXT
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """How a folder that agents already use is recognised as a mount of the dialect."""

    #: Files, or folders with a `/` at the end, that show that the protocol is used, and what to mount then.
    #: Both are relative to the project; the last segment of the first may hold `*`.
    evidence: tuple[tuple[str, str], ...] = ()
    #: Names that users pass when they mean the folder that holds them; a `/` at the end marks a folder.
    entries: tuple[str, ...] = ()
    #: The file in `entries` that needs no `file` setting.
    default_file: str = ""
    #: The folder in the user's home that has one folder for each team; mounts are named after those.
    teams: str = ""
    #: A file of the mounted folder that tells settings, and the function that reads them from its text; it
    #: raises ValueError, with the reason, if the text is not what it should be.
    hints: tuple[str, Callable[[str], dict[str, str]]] | None = None
    #: Whether that file is read again in every pass, because it may appear or change later.
    follows_hints: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Conventions:
    """How the teams of a dialect take, check, hand on and lead work; by default as mail sent by command."""

    #: Claims of tasks that the mount's files name first wait for approval.
    claims_need_approval: bool = False
    #: Every claim is answered in the name of the lead, also one that needs no approval.
    claims_are_answered: bool = False
    #: An agent that works on a task may not claim another one, unless the mount allows parallel tasks.
    one_task_each: bool = False
    #: An approval that names an agent gives the task to it, whether it claimed the task or not.
    approval_assigns: bool = False
    #: A task that is marked as done before it was delivered is reported.
    done_needs_delivery: bool = False
    #: A number that names a task may be written with leading zeros or without.
    pads_numbers: bool = False
    #: What a sentence calls a task.
    called: Callable[[str], str] = str
    #: The fields of a line that moves a task, by act and task, as far as the task tells them.
    move_fields: Callable[[str, Task], Mapping[str, str]] = lambda *_: {}
    #: Whether a name can be that of an agent that the bus does not know yet.
    is_agent_name: Callable[[str], bool] = lambda _: True
    #: Finished work on such tasks waits for a check.
    work_needs_check: bool = False
    #: A handoff passes finished work on; it does not give the task away.
    handoff_is_finished_work: bool = False
    #: A task for an agent that is busy or waiting is refused, not only reported.
    refuses_untimely_tasks: bool = False
    #: Only a task that was given is delivered: a delivery of another one has no effect.
    delivers_given_tasks: bool = False
    #: A task begins when it is given: a line by which an agent takes or moves another one has no effect.
    tasks_are_given: bool = False
    #: Silence is counted in polls of the lead, not in minutes.
    counts_polls: bool = False
    #: The settings of a mount that name two agents who work together and watch each other.
    pair_settings: tuple[str, str] | None = None
    #: A line that moves a task without naming it means the only one that it can mean.
    implies_task: bool = False
    #: The lead sets how freely an agent may act, and is told when a supervised agent takes a task.
    has_autonomy: bool = False
    #: An agent that the lead has asked to stop writes nothing more than its farewell, until it gets new work.
    stop_ends_writing: bool = False
    #: Agents that a text mentions are expected to acknowledge it.
    mentions_need_ack: bool = False
    #: The starts and stops of programs are announced to the mount, by `system`.
    announces_programs: bool = False
    #: The file of each writer, `{}` standing for its name, if a folder has one file per writer. What others
    #: write there has no effect on tasks.
    writer_file: str = ""
    #: The settings of a mount that name its lead, the first that is set counts; and the lead if none is.
    lead_settings: tuple[str, ...] = ()
    default_lead: str = ""
    #: The agent that is told of lines without a known author where nobody leads all work.
    default_caretaker: str = ""
    #: The author of lines that name none. Nobody waits for it.
    anonymous: str = ""
    #: The role by which the whole bus may address the lead.
    lead_role: str = ""

    def pair(self, settings: Mapping[str, object]) -> tuple[str, str] | None:
        """Return the two agents of a mount that works in pairs."""
        one, other = (text(dict(settings), key).lower() for key in self.pair_settings or ("", ""))
        return (one, other) if one and other else None

    def lead(self, settings: Mapping[str, object]) -> str:
        """Return the lead of a mount, as the whole bus calls it; empty if it has none."""
        given = dict(settings)
        named = (text(given, setting).lower() for setting in self.lead_settings)
        return _prefixed(given, next(filter(None, named), self.default_lead))

    def caretaker(self, settings: Mapping[str, object]) -> str:
        """Return the agent that is told of lines without a known author: the lead, or the first of a pair."""
        pair = self.pair(settings)
        found = pair[0] if pair else self.default_caretaker
        return self.lead(settings) or _prefixed(dict(settings), found)


def _prefixed(settings: dict[str, object], agent: str) -> str:
    prefix = text(settings, "prefix").lower()
    return f"{prefix}/{agent}" if prefix and agent else agent


def local_name(settings: Mapping[str, object], agent: str) -> str:
    """Return what an agent is called in a mount with these settings."""
    prefix = text(dict(settings), "prefix").lower()
    return agent.removeprefix(f"{prefix}/") if prefix else agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Statuses:
    """The dialect's words for the states of a task, both ways; by default the words of the bus.

    A dialect that tells fewer states apart uses one word for several, and each word is read as the first of
    them, so a word that was read is written again as it was.
    """

    #: Word → the states that it is written for; the first is the one that it is read as.
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Words that are only read → their states.
    read_only: Mapping[str, str] = field(default_factory=dict)
    #: The word for a task that is open but waits for others; empty if there is none.
    waiting: str = ""

    def word(self, state: str, *, ready: bool = True) -> str:
        """Return the word for a state."""
        if self.waiting and state == "open" and not ready:
            return self.waiting
        return next((word for word, states in self.words.items() if state in states), state)

    def state(self, word: str) -> str:
        """Return the state that a word means; empty if the dialect does not use the word."""
        if not self.words:
            return word if word in STATES else ""
        return self.words[word][0] if word in self.words else self.read_only.get(word, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressing:
    """Whom the lines of a dialect are for."""

    #: An @mention in the text adds a recipient.
    mentions_add_recipients: bool = False
    #: Acts for which a line to everyone is for the agents that it mentions alone: the only way to name one.
    addressed_by_mention: frozenset[str] = frozenset()
    #: The word for everyone means everyone in the mount, not everyone on the bus.
    everyone_is_mount: bool = False
    #: A line without recipients is for the lead of the mount, not for everyone there.
    unaddressed_is_for_lead: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Drops:
    """Messages that are dropped as files into a folder of the mount."""

    #: True if the bus takes a file away once its message is in the log.
    are_emptied: Callable[[Mount], bool] = lambda _: False
    #: The text of the dropped file that a line of a log repeats: by its message, its bytes, the mount and the
    #: log's name. Empty if it repeats none.
    repeated_text: Callable[[Message, bytes, Mount, str], bytes] = lambda *_: b""
    #: Codes of rules about the name of a dropped file; they are reported when the file is read.
    name_codes: frozenset[str] = frozenset()


class Unfinished(NamedTuple):
    """The message at the end of a file whose end is not written yet."""

    #: Its bytes so far.
    content: bytes
    #: The bytes that complete it, if its writer does not come back.
    completion: bytes


def unfinished_line(tail: bytes) -> Unfinished | None:
    """Return the last line of a file if it has no newline."""
    line = tail.rpartition(b"\n")[2]
    return Unfinished(line, b"\n") if line else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Appending:
    """What is written around the messages that are appended to a file."""

    #: What a new file begins with.
    header: bytes = b""
    #: What is written between two messages, and behind a newline in front of the first.
    separator: bytes = b""
    #: The unfinished message at the end of a file, found in the last bytes of it; None if there is none.
    unfinished: Callable[[bytes], Unfinished | None] = unfinished_line


class AskedQuestion(NamedTuple):
    """A question that the author of a line should answer."""

    id: str
    asker: str
    #: The task or topic that it is about.
    topic: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is wrong with one line, and what the bus knows about its author and its tasks.

    The author is told of it in the file that it reads, with the line to write instead.
    """

    #: The code of a finding, or the name of a rule of work such as `result-on-close`.
    rule: str
    mount: Mount
    #: The file that the line is in, relative to the mount.
    file: str
    #: The line as it was written, secrets masked; empty if it was understood and only has no effect.
    text: str = ""
    #: What was understood of it; None if nothing was. Its names are those that are used in the mount.
    message: Message | None = None
    #: The author and the lead, as they are called in the mount.
    author: str = ""
    lead: str = ""
    #: When the bus found the line, as ISO 8601 in UTC: the time of a line that is written instead.
    at: str = ""
    #: A word of the line that is wrong, and the one that was meant, if the bus knows both.
    wrong: str = ""
    meant: str = ""
    #: The task of an id, if the board has it.
    find_task: Callable[[str], Task | None] = field(default=lambda _: None)
    #: The ids of tasks that are closest to a misspelt one.
    find_alike: Callable[[str], Sequence[str]] = field(default=lambda _: ())
    #: The tasks that the author has, the last moved first.
    tasks: tuple[Task, ...] = ()
    #: The questions that the author was asked and has not answered, oldest first.
    questions: tuple[AskedQuestion, ...] = ()
    #: Whether the line moved its task, whatever is wrong with its form.
    has_moved: bool = False
    #: Of a move without effect: the message that would have one now; None if there is none.
    next_move: Message | None = None


def _names_no_author(content: bytes, mount: Mount, file: str) -> str:
    del content, mount, file
    return ""


def _offers_no_line(verdict: Verdict) -> str:
    del verdict
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrections:
    """How a dialect helps the author of a wrong line."""

    #: The name of the author of bytes that could not be read, by the bytes, the mount and the file; empty if
    #: neither of them tells.
    author: Callable[[bytes, Mount, str], str] = field(default=_names_no_author)
    #: The line to write instead, in the form of the dialect; empty if no line would have an effect. A move
    #: that would have one is rendered as any message if the dialect returns nothing for it.
    line: Callable[[Verdict], str] = field(default=_offers_no_line)
    #: A line for other recipients: by its text, and the right name for each wrong one. Empty if it has none.
    readdressed: Callable[[str, Mapping[str, str]], str] = field(default=lambda *_: "")
    #: True if a wrong line has had its whole effect, so that it should not be written again.
    has_counted: Callable[[Verdict], bool] = field(default=lambda verdict: verdict.has_moved)


@dataclass(frozen=True, slots=True, kw_only=True)
class DialectSpec:
    """One file protocol."""

    name: str

    # --- reading and writing ---

    parse: Callable[[Source], Parsed]
    #: The bytes of a message in one file of the mount; the same message gives the same bytes.
    render: Callable[[Message, Mount, str], bytes]
    #: A rendering without the fields that only Palaver reads: the log knows what the bus itself says.
    for_reader: Callable[[bytes], bytes] = lambda content: content
    #: The files, relative to the mount, that a message is written to.
    files: Callable[[Message, Mount], tuple[str, ...]]
    #: How likely a file is of this dialect, by its path and first bytes: 0 no, 1 perhaps, 2 likely, 3 sure.
    recognises: Callable[[str, bytes], int]
    #: The files that are read, in the order in which they are read.
    watched: tuple[Watched, ...] = ()
    #: The files that are not read, because they have a wrong name.
    misnamed: MisnamedFiles = field(default_factory=MisnamedFiles)
    #: The other files of the same mount that a message found in one of them must also be written to. This may
    #: depend on its sender, recipients, tag and auth alone. Without it, everyone in the mount reads the same
    #: file.
    onward: Callable[[Message, Mount, str], tuple[str, ...]] | None = None
    #: The agents of a mount before they write anything, by its settings and the names of its files.
    residents: Callable[[Mount, Iterable[str]], tuple[str, ...]] = lambda *_: ()
    #: The agents that a mount has as soon as it has another one: by the name of that.
    colleagues: Callable[[str], tuple[str, ...]] = lambda _: ()

    #: True if the last message of a file is complete, for a dialect in which a line's end does not end a
    #: message. Without it, a message is complete with its line, or lines.
    is_closed: Callable[[Parsed, bytes], bool] | None = None
    #: Whether agents may only append to its files, so that an edit is reported to the team.
    is_append_only: bool = False
    #: How messages are appended to a file.
    appending: Appending = field(default_factory=Appending)
    #: How files that are dropped into a folder are treated.
    drops: Drops = field(default_factory=Drops)
    #: The files that show the board.
    board_files: BoardFiles = field(default_factory=BoardFiles)
    #: The file that all events of the bus are appended to.
    event_file: EventFile | None = None
    #: The file of all mail of its agents.
    mail_file: MailFile | None = None

    # --- checks ---

    #: What the parser itself reports: code → one line.
    codes: Mapping[str, str] = field(default_factory=dict)
    #: The module that holds its `RULES`; only lint loads it.
    rules_module: str = ""
    #: Codes of findings that the other side must know of, too: the recipients of the line, or the lead.
    shared_codes: frozenset[str] = frozenset()
    #: The author of an unreadable line, and the line to write instead of a wrong one.
    corrections: Corrections = field(default_factory=Corrections)
    #: True if a sender is told by mail that a recipient does not exist.
    bounces: bool = True
    #: Why the bus writes a notice: a sentence for each rule of notices, and under the empty name one for all
    #: others. For a protocol in which every message gives its reason.
    notice_reasons: Mapping[str, str] = field(default_factory=dict)

    # --- mounts and teams ---

    settings: tuple[Setting, ...] = ()
    detection: Detection = field(default_factory=Detection)
    conventions: Conventions = field(default_factory=Conventions)
    statuses: Statuses = field(default_factory=Statuses)
    addressing: Addressing = field(default_factory=Addressing)

    @property
    def rules(self) -> tuple[LintRule, ...]:
        """Return the rules that its files are checked by."""
        if not self.rules_module:
            return ()
        found: tuple[LintRule, ...] = import_module(self.rules_module).RULES
        return found

    def notice_reason(self, rule: str, broken: str) -> str:
        """Return why the bus writes a notice of a rule, about a line that broke another one, if it did."""
        if not self.notice_reasons:
            return ""
        found = next((each.why for each in self.rules if each.name == broken), "") if broken else ""
        return found or self.notice_reasons.get(rule) or self.notice_reasons[""]
