"""One message in every dialect: what each of them would write for it, and in which file."""

from collections.abc import Mapping

from palaver.model.dialect import Mount
from palaver.model.message import Message
from palaver.model.spec import DialectSpec


def translated(message: Message, dialects: Mapping[str, DialectSpec]) -> list[dict[str, object]]:
    """Return, for each dialect, the file and the text that stands for the message there."""
    told: list[dict[str, object]] = []
    for name, dialect in dialects.items():
        mount = Mount(dialect=name)
        path = dialect.files(message, mount)[0]
        content = dialect.render(message, mount, path)
        told.append({"dialect": name, "file": path, "text": content.decode("utf-8", "backslashreplace")})
    return told
