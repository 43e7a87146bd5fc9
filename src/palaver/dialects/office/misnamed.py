"""Files among the logs of an office that have a wrong name, as `messages/emp-a1.log`: nobody reads them."""

import re
from typing import Final

from palaver.dialects.office.grammar import BY_FIELD, BY_NAME, GENERAL, HEAD, Desk, Tag, narrowed, tag_name
from palaver.dialects.office.layout import FOLDER, INBOX, log_of, manager_of, plain_name
from palaver.dialects.office.model_names import is_model_name
from palaver.model.clock_text import to_utc
from palaver.model.mounted_files import MisnamedFile, MisnamedFiles, Source
from palaver.model.names import short

CODE: Final = "OFF116"
_COPY: Final = re.compile(r".*(?:~|\.(?:bak|old|orig|save|tmp|swp|gz|[0-9]+)(?:\..*)?)", re.I | re.S)
_NAMED: Final = re.compile(r"(?:employee[-_. ](?P<id>.+?)|(?P<alone>emp[-_].+?))(?:\.(?:log|txt|md))*", re.I)


def find_misnamed(source: Source) -> MisnamedFile | None:
    """Return what is wrong with a file that holds lines of an office, and has the name of no log."""
    folder, _, name = source.path.rpartition("/")
    is_log = log_of(name, source.mount).desk is not Desk.NEITHER
    if is_log or folder.rpartition("/")[2] != FOLDER or _COPY.fullmatch(name):
        return None
    match = _NAMED.fullmatch(name)
    owner = plain_name(match["id"] or match["alone"]) if match else ""
    manager = manager_of(source.mount)
    for line in source.content.decode("utf-8", "replace").split("\n"):
        head = HEAD.match(narrowed(line))
        if head is None or not to_utc((head["time"] or "").strip()):
            continue
        tag = BY_NAME.get(tag_name(head["tag"]))
        names = (_author(tag, head["rest"] or "", manager), owner)
        found = [each for each in names if each and not is_model_name(each)]
        # Other programs write `[<time>] [INFO] <text>`, too.
        if any(names) or tag not in (None, GENERAL[Desk.WORKER]):
            author = next((each for each in found if source.is_known(each)), found[0] if found else "")
            right = INBOX if author == manager else f"employee-{short(author) or '<employeeId>'}.log"
            message = "no file of an office has this name, so nobody reads it"
            return MisnamedFile(author, message, f"write its lines to {FOLDER}/{right} instead")
    return None


def _author(tag: Tag | None, rest: str, manager: str) -> str:
    """Return the author of a line, by its `by:` or its tag."""
    if by := BY_FIELD.search(rest):
        return plain_name(by[1])
    if tag and tag.desk is Desk.MANAGER:
        return manager
    return plain_name(rest.partition("|")[0].strip()) if tag is BY_NAME["HEARTBEAT"] else ""


MISNAMED: Final = MisnamedFiles(code=CODE, folder=FOLDER, find=find_misnamed)
