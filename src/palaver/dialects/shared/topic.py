"""A short name for what a text is about, for a line that must name it and does not."""

import re
from typing import Final

_WORD: Final = re.compile(r"[a-z0-9]+(?:['\u2019][a-z]+)?")
_MENTION: Final = re.compile(r"@\S+")
#: Words that name nothing.
_COMMON: Final = frozenset(
    re.findall(
        r"\S+",
        "a an and are as at be by can could do does for from get give has have hey hi how i i'll if in into"
        " is it its let look me my need now of ok okay on or our please should so take tell that the them"
        " then there this to up us use want was we what when where which who why will with would you your",
    )
)
_WORDS_MAX: Final = 3
_DEFAULT: Final = "work"


def topic_of(text: str) -> str:
    """Return the first words of a text that name something, joined by hyphens.

    >>> topic_of("Check on the trading bot")
    'check-trading-bot'
    >>> topic_of("Which API key should I use for Kraken?")
    'api-key-kraken'
    """
    said = _MENTION.sub("", text.lower())
    words = [word for word in _WORD.findall(said) if word not in _COMMON]
    return "-".join(re.sub("['\u2019]", "", word) for word in words[:_WORDS_MAX]) or _DEFAULT
