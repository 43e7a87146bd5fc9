"""What can still be told of a line that is no record: its author is told the record that it was to be.

{"from": "qa", "to": ["@td"], "content": "He said "no".     unescaped quotes, unfinished
{'from': 'qa', 'content': 'Ready'}                           the quotes of another language
I am done                                                    only the content
"""

import re
from typing import Final

from palaver.dialects.swarm.grammar import SIX
from palaver.model.plain import loads
from palaver.model.strict_json import NotAnObject, loads_object

_KEY: Final = re.compile(rf"""(?:^|[{{,])\s*(["']?)({"|".join(SIX)})\1\s*:\s*""")
_HANDLE: Final = re.compile(r"[\w./@-]+")


def salvage(text: str) -> dict[str, object]:
    """Return the fields of a line, as far as they can be told apart."""
    try:
        return loads_object(text.encode())
    except NotAnObject:
        pass
    if text[:1] not in ("{", '"'):
        return {"content": text}
    keys = list(_KEY.finditer(text))
    starts = [*(key.start() for key in keys), len(text)]
    values = [(key[2], _value(text[key.end() : end])) for key, end in zip(keys, starts[1:], strict=True)]
    # The first of two equal keys is the one that a torn record has.
    return dict(reversed(values))


def _value(written: str) -> object:
    """Return the value behind a key, without what separates it from the next one."""
    written = written.strip().removesuffix("}").rstrip(", \t\r\n")
    if written[:1] == "[":
        return _HANDLE.findall(written)
    if written in ("null", "None"):
        return None
    quote = written[:1] if written[:1] in ("'", '"') else ""
    bare = written.removeprefix(quote).removesuffix(quote) if quote else written
    try:
        return loads(f'"{bare}"')
    except ValueError:
        return bare.replace('\\"', '"')
