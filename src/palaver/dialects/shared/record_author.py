"""The author of a JSON record that cannot be read as a whole."""

import re
from typing import Final

from palaver.model.mounted_files import Mount

_FROM: Final = re.compile(rb'"from"\s*:\s*"([^"\\]+)"')


def author_of_record(content: bytes, mount: Mount, file: str) -> str:
    """Return the name in the field `from` of a line, empty if there is none; the file has no say in it."""
    del mount, file
    found = _FROM.search(content) if content.lstrip().startswith(b"{") else None
    return found[1].decode("utf-8", "replace") if found else ""
