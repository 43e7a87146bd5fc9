"""Convert a whole file to another dialect, or show one message in every dialect."""

from collections.abc import Mapping
from hashlib import blake2b

from palaver.model.message import Message
from palaver.model.mounted_files import Finding, Mount, Source
from palaver.model.spec import DialectSpec


def convert(
    path: str, content: bytes, source: DialectSpec, target: DialectSpec, settings: Mapping[str, str]
) -> tuple[bytes, list[Finding]]:
    """Return the file in the other dialect, and what was found in it on the way.

    Bytes that are no messages stay behind: the findings name them.
    """
    parsed = source.parse(
        Source(path=path, content=content, mount=Mount(dialect=source.name, settings=settings))
    )
    mount = Mount(dialect=target.name, settings=settings)
    said: list[bytes] = []
    for place, message in enumerate(parsed.messages):
        if not message.id:
            # Without a log to give one, the place in the file does.
            # A path need not be UTF-8; a text always is.
            words = f"{path}:{place}:{message.body}".encode("utf-8", "surrogateescape")
            drawn = blake2b(words, digest_size=6).hexdigest()
            message = message.replace(id=f"msg-{drawn}", event_id=f"evt-{drawn}")
        said.append(target.render(message, mount, target.files(message, mount)[0]))
    return b"".join(said), list(parsed.findings)


def translated(message: Message, dialects: Mapping[str, DialectSpec]) -> list[dict[str, object]]:
    """Return the file and the text of a message in each dialect."""
    told: list[dict[str, object]] = []
    for name, dialect in dialects.items():
        mount = Mount(dialect=name)
        path = dialect.files(message, mount)[0]
        content = dialect.render(message, mount, path)
        told.append({"dialect": name, "file": path, "text": content.decode("utf-8", "backslashreplace")})
    return told
