"""What a pair tells the author of a wrong line: the line to write instead, ready to be copied."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from shlex import quote
from typing import Final

from palaver.dialects.collab import health_report
from palaver.dialects.collab.act_text import has_tag
from palaver.dialects.collab.grammar import BANNED, HEALTH, STAMP, TAG_WITHOUT_BRACKETS, TAGS, WORDS
from palaver.dialects.collab.layout import CHAT, INBOX, is_inbox
from palaver.dialects.collab.parse import parse
from palaver.dialects.collab.parties import Parties, parties_of
from palaver.dialects.shared.topic import topic_of
from palaver.model.clock_text import wall_clock
from palaver.model.errors import BadName
from palaver.model.message import Message
from palaver.model.mounted_files import Mount, Source
from palaver.model.names import BUS, EVERYONE
from palaver.model.plain import sentence
from palaver.model.spec import Corrections, Verdict
from palaver.model.task import ENDED, TASK_ACTS, canonical_id, says_nothing

#: Sender, receivers and a colon, as agents write them: with other arrows, or without the colon.
_PARTIES: Final = re.compile(
    r"(?:^|[ \]])@?([A-Za-z0-9][\w./-]*)[ \t]*(?:[-=]+>|[→⇒]|(?P<weak>>|[ \t]to[ \t]))[ \t]*"
    r"(?P<to>[^\s:,\[]+(?:[ \t]*,[ \t]*[^\s:,\[]+)*)[ \t]*:?"
)
_QUESTION_MARKS: Final = ("?", "\uff1f")
#: What to write for a text that says nothing, by act.
_WANTED: Final = {"deliver": "<the result, in one line>", "block": "<why, in one line>"}
_NEXT_STEP: Final = "<what you do next, or what you need>"
_MESSAGE: Final = "<message>"
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+")
_TAG: Final = re.compile(r"\[([A-Za-z][A-Za-z_-]*)(?::([^\n]*?))?\](?!\]) ?")
#: Words that agents put into brackets, and the tags that they mean.
_SYNONYMS: Final = {
    **dict.fromkeys(
        ("FINISHED", "COMPLETE", "COMPLETED", "DELIVERED", "FIXED", "RESULT", "RESOLVED"), "DONE"
    ),
    **dict.fromkeys(("FAIL", "FAILED", "ERROR", "STUCK", "PROBLEM"), "BLOCKED"),
    **dict.fromkeys(("TODO", "REQUEST", "ASSIGN", "JOB"), "TASK"),
    **dict.fromkeys(("ASK", "Q"), "QUESTION"),
    **dict.fromkeys(("REPLY", "A"), "ANSWER"),
    **dict.fromkeys(("ACCEPTED", "START", "STARTED", "CLAIM", "ROGER"), "ACK"),
    **dict.fromkeys(("CANCEL", "CANCELLED", "DROP"), "SKIP"),
    **dict.fromkeys(("RESUME", "AGAIN"), "RETRY"),
}
_FILE_NAME: Final = "COL112"
#: Loaded when a line is wrong: most lines are not.
RULES_MODULE: Final = "palaver.dialects.collab.rules"
#: Lines that no line can replace: a conflict marker, one in the name of the bus, and one that is there twice.
_WITHOUT_LINE: Final = frozenset(["COL005", "bad-name", "repeated-line"])


def _author(content: bytes, mount: Mount, file: str) -> str:
    parties = parties_of(mount)
    if is_inbox(file):
        return parties.dropper
    found = _parties_in(content.decode("utf-8", "replace"), parties)
    try:
        name = parties.address(found[1]) if found else ""
    except BadName:
        return ""
    return "" if name in (EVERYONE, BUS) else name


def _has_counted(verdict: Verdict) -> bool:
    """Return True if a line moved its task, or was read as the line says that is to be written instead.

    A file that was read has counted, too. The second of two tags has had no effect.
    """
    if verdict.rule == _FILE_NAME or (verdict.has_moved and verdict.rule != "nested-tags"):
        return True
    message = verdict.message
    if message is None or is_inbox(verdict.file) or (message.task and message.act in TASK_ACTS):
        return False
    said = parse(Source(path=CHAT, content=f"{_line(verdict)}\n".encode(), mount=verdict.mount))
    return any(_meaning(each, verdict) == _meaning(message, verdict) for each in said.messages)


def _meaning(message: Message, verdict: Verdict) -> tuple[object, ...]:
    return (message.sender, _receivers(message, verdict), message.act, message.task, message.body.split())


def _line(verdict: Verdict) -> str:
    text = "" if verdict.rule in _WITHOUT_LINE else _text(verdict)
    if not text:
        return ""
    if is_inbox(verdict.file):
        return _drop(verdict.text if verdict.rule == _FILE_NAME else text)
    parties = parties_of(verdict.mount)
    sender, receivers = _names(verdict, parties)
    head = f"{wall_clock(verdict.at, parties.zone)} {sender} -> {receivers}: "
    return head + _corrected(verdict, head, text)


def _corrected(verdict: Verdict, head: str, text: str) -> str:
    """Return a text without what else is wrong with it: a line may break several rules."""
    is_answer = verdict.message is not None and bool(verdict.message.reply_to)
    for rule in import_module(RULES_MODULE).RULES:
        correct = _CORRECTED.get(rule.name)
        if correct is None or rule.needs_context or (is_answer and rule.spares_answers):
            continue
        source = Source(path=CHAT, content=f"{head}{text}\n".encode(), mount=verdict.mount)
        parsed = parse(source)
        message = next(parsed.messages, None)
        if message is not None and any(rule.check(source, parsed, {})):
            text = _without_banned(correct(replace(verdict, text=head + text, message=message), text))
    return text


def _drop(text: str) -> str:
    """Return the command that puts a message into the inbox as the protocol wants it."""
    said = quote(text) if text and "\n" not in text else '"$MSG"'
    temporary = f"TMPFILE=$(mktemp {INBOX}/.msg.XXXXXX)"
    return f'{temporary}; echo {said} > "$TMPFILE"; mv "$TMPFILE" {INBOX}/msg_$(date +%s%N).txt'


# ---------------------------------------------------------------- names


def _names(verdict: Verdict, parties: Parties) -> tuple[str, str]:
    """Return sender and receivers as the line should name them."""
    message, found = verdict.message, _parties_in(verdict.text, parties)
    if message is None and found is None:
        # Nothing tells who wrote it.
        return "SENDER", "RECEIVER"
    if message is None:
        return parties.written(verdict.author), _readable(
            found["to"] if found else "", verdict.author, parties
        )
    to = _receivers(message, verdict)
    sender = _party(verdict, to, parties) if verdict.rule == "unknown-sender" else verdict.author
    return parties.written(sender), ",".join(map(parties.written, to))


def _receivers(message: Message, verdict: Verdict) -> list[str]:
    """Return the receivers of a message; the whole mount is everyone in it."""
    return [EVERYONE if each == f"@{verdict.mount.name}" else each for each in message.to]


def _parties_in(text: str, parties: Parties) -> re.Match[str] | None:
    """Return sender and receivers of a line; `>` and "to" are arrows only between names of the mount."""
    for found in _PARTIES.finditer(text):
        if not found["weak"] or (parties.knows(found[1]) and parties.knows(found["to"])):
            return found
    return None


def _readable(written: str, author: str, parties: Parties) -> str:
    """Return receivers that could not be read: those that are names, or else the other agent."""
    words = [word.strip() for word in written.split(",")]
    if 0 < len(words) <= len(parties.words) and all(map(parties.knows, words)):
        return ",".join(parties.written(parties.address(word)) for word in words)
    return parties.written(parties.a if author == parties.b else parties.b)


def _party(verdict: Verdict, to: list[str], parties: Parties) -> str:
    """Return the party that an unknown sender is: the one whose name is close, or the one not written to."""
    known = [parties.a, parties.b, parties.person, *sorted(parties.others)]
    close = get_close_matches(verdict.author, known, n=1)
    return next(iter(close), parties.b if to == [parties.a] else parties.a)


# ---------------------------------------------------------------- texts


def _text(verdict: Verdict) -> str:
    """Return the text to write, with its tag; empty if no text would do."""
    if verdict.rule == "no-effect":
        return _known_task(verdict)
    written = _written(verdict)
    correct = _CORRECTED.get(verdict.rule)
    text = correct(verdict, written) if correct else written
    return _without_banned(text) if text else ""


def _written(verdict: Verdict) -> str:
    """Return what was written behind the names, in one line."""
    message = verdict.message
    if not verdict.text and message is not None:
        tag = f"[{WORDS[message.act]}:{message.task}] " if message.act in WORDS and message.task else ""
        return tag + " ".join(message.body.split())
    words = STAMP.sub("", verdict.text.replace("\0", "").lstrip("\ufeff \t"), count=1)
    found = _parties_in(words if message is None else words.partition(":")[0], parties_of(verdict.mount))
    if found:
        words = words[found.end() :].removeprefix(":")
    elif message is not None and not has_tag(words):
        words = re.sub(rf"\A{re.escape(message.sender)}[ \t]*:", "", words, flags=re.IGNORECASE)
    return " ".join(words.split()) or _MESSAGE


def _known_task(verdict: Verdict) -> str:
    """Return a line about the task that was meant, or what can be said about one that nobody gave."""
    message, move = verdict.message, verdict.next_move
    if message is None or verdict.find_task(canonical_id(message.task)) is not None:
        return ""
    if move is not None:
        # One with another tag, or for others, is rendered as any message.
        is_tagged = move.act in WORDS and move.to == message.to
        return f"[{WORDS[move.act]}:{move.task}] {' '.join(move.body.split())}" if is_tagged else ""
    text, act, name = " ".join(message.body.split()), message.act, message.task
    how = f"This task was never given. To give it, write [TASK:{name}] and what to do."
    said = {
        "deliver": text,
        "ack": f"[STATUS:{name}] {how}",
        "block": f"[STATUS:{name}] {sentence(text)} {how}",
        "resume": f"[TASK:{name}] {text}",
    }
    return said.get(act, "")


def _tag_request(verdict: Verdict, written: str) -> str:
    del verdict
    word = "QUESTION" if written.endswith(_QUESTION_MARKS) else "TASK"
    return f"[{word}:{topic_of(written)}] {written}"


def _tag_promise(verdict: Verdict, written: str) -> str:
    """Return a promise as the acknowledgement of the task that it is about, or as a status."""
    waiting = [task.id for task in verdict.tasks if task.state in ("assigned", "handed")]
    if waiting:
        return f"[ACK:{waiting[0]}] {written}"
    return f"[STATUS:{verdict.tasks[0].id if verdict.tasks else 'update'}] {written}"


def _answer(verdict: Verdict, written: str) -> str:
    """Return the answer to the question that comes first."""
    del written
    to = verdict.message.to if verdict.message is not None else ()
    topic = next((each.topic for each in verdict.questions if each.asker in to), "")
    return f"[ANSWER:{topic}] <your answer>" if topic else "[ANSWER] <your answer>"


def _explain(verdict: Verdict, written: str) -> str:
    """Return a result or a reason in one line; empty if neither would change anything now."""
    message = verdict.message
    if message is None or not says_nothing(message.act, message.body):
        return written
    task = verdict.find_task(canonical_id(message.task))
    if verdict.text and not verdict.has_moved and (task is None or task.state in ENDED):
        return ""
    return f"[{WORDS[message.act]}:{message.task}] {_WANTED[message.act]}"


def _readdress(line: str, right: Mapping[str, str]) -> str:
    """Return a line with other receivers."""
    found = _PARTIES.search(line)
    if found is None or "\n" in line:
        return ""
    words = [word.strip() for word in found["to"].split(",")]
    names = [right[word.lower()].upper() if word.lower() in right else word for word in words]
    return f"{line[: found.start('to')]}{','.join(names)}{line[found.end('to') :]}"


def _run_in_parallel(verdict: Verdict, written: str) -> str:
    del verdict
    tag = _TAG.match(written)
    return f"{tag[0].rstrip()} In parallel: {written[tag.end() :]}" if tag else written


def _split_tags(verdict: Verdict, written: str) -> str:
    """Return the second of two tags with its text, or a tag without the brackets in its name."""
    message = verdict.message
    if message is not None and has_tag(message.body):
        return " ".join(message.body.split())
    head, _, rest = written.partition("] ")
    word, _, name = head.lstrip("[").partition(":")
    return f"[{word}:{name.strip('[] ').replace('[', '').replace(']', '')}] {rest}"


def _name_tag(verdict: Verdict, written: str) -> str:
    """Return a text with the tag that its brackets mean, and the task that it is about."""
    tag = _TAG.match(written) or TAG_WITHOUT_BRACKETS.match(written)
    if tag is None:
        return written
    text = written[tag.end() :]
    word = _SYNONYMS.get(tag[1].upper(), tag[1].upper())
    word = next(iter(get_close_matches(word, TAGS, n=1)), "STATUS")
    about_own = word not in ("TASK", "HANDOFF", "QUESTION")
    name = (tag[2] or "").strip() or (verdict.tasks[0].id if about_own and verdict.tasks else topic_of(text))
    if word == "DONE" and verdict.find_task(canonical_id(name)) is None:
        word, name = ("DONE", verdict.tasks[0].id) if verdict.tasks else ("STATUS", name)
    if says_nothing(TAGS[word], text):
        text = _WANTED[TAGS[word]]
    return f"[{word}:{name}] {text}"


def _health(verdict: Verdict, written: str) -> str:
    del verdict
    nodes = health_report.write(health_report.read(written))
    return f"[{HEALTH}] {nodes or 'name=how:state'}"


def _without_banned(text: str) -> str:
    """Return a text without the sentences that have a banned phrase."""
    tag = _TAG.match(text)
    head = tag[0] if tag else ""
    sentences = [each for each in _SENTENCE.split(text[len(head) :]) if not BANNED.search(each)]
    return head + (" ".join(sentences).rstrip("; ") or (_NEXT_STEP if text[len(head) :] else ""))


#: Rules about the text of a line, and how it is written.
_CORRECTED: Final[dict[str, Callable[[Verdict, str], str]]] = {
    "untagged-request": _tag_request,
    "untagged-promise": _tag_promise,
    "answer-before-asking": _answer,
    "one-task-at-a-time": _run_in_parallel,
    "result-on-close": _explain,
    "reason-on-block": _explain,
    "nested-tags": _split_tags,
    "unknown-tag": _name_tag,
    "health-pairs": _health,
}

CORRECTIONS: Final = Corrections(author=_author, line=_line, readdressed=_readdress, has_counted=_has_counted)
