"""A file protocol with one file, `talk.txt`, and one message a line.

ada > bob, carol: The parser is ready.
"""

import re
from typing import Final

from palaver.dialects.shared.lines import LineEntry, parse_lines
from palaver.dialects.shared.pieces import Problem, Unreadable
from palaver.dialects.shared.trailer import with_trailer, without_trailer
from palaver.dialects.shared.translation import missing_fields, with_fields
from palaver.model.errors import BadName
from palaver.model.message import Message
from palaver.model.mounted_files import Growth, Mount, Parsed, Source, Watched
from palaver.model.names import address, name
from palaver.model.spec import Conventions, Detection, DialectSpec, Setting, SettingKind

FILE: Final = "talk.txt"
_LINE: Final = re.compile(r"(\S+) > (\S+(?:, \S+)*): (.*)", re.DOTALL)
_TOO_LONG: Final = Problem("TOY002", "the line is too long", "write a shorter one")


def parse(source: Source) -> Parsed:
    """Read every line."""
    return parse_lines(source, _read, _TOO_LONG)


def _read(line: bytes) -> LineEntry:
    match = _LINE.fullmatch(line.decode("utf-8", "replace"))
    if match is None:
        raise Unreadable("TOY001", "the line is not a message", "write: sender > recipient: text")
    body, beside = without_trailer(match[3])
    try:
        plain = Message(sender=name(match[1]), to=[address(each) for each in match[2].split(", ")], body=body)
    except BadName as bad:
        raise Unreadable("TOY001", bad.why, bad.way_out) from bad
    return LineEntry((with_fields(plain, beside)[0],), [])


def render(message: Message, mount: Mount, path: str) -> bytes:
    """Return the line of a message; fields that the line has no room for go into its trailer."""
    del mount, path
    bare = Message(sender=message.sender, to=message.to, body=message.body)
    text = with_trailer(message.body, missing_fields(message, bare))
    return f"{message.sender} > {', '.join(message.to)}: {text}\n".encode()


SPEC: Final = DialectSpec(
    name="toy",
    parse=parse,
    render=render,
    files=lambda _message, _mount: (FILE,),
    recognises=lambda path, _: 3 * path.endswith(FILE),
    watched=(Watched("", FILE, Growth.LOG),),
    residents=lambda mount, _: (mount.settings["chair"],) if "chair" in mount.settings else (),
    codes={"TOY001": "the line is not a message", "TOY002": "the line is too long"},
    settings=(Setting("chair", "the agent that leads the talk", SettingKind.NAME),),
    detection=Detection(evidence=((FILE, "."),), entries=(FILE,)),
    conventions=Conventions(claims_need_approval=True, lead_settings=("chair",)),
)
