"""Every call of the API. The routes, the OpenAPI document and its page are made from this."""

from typing import Final

from palaver.web import asking, saying, working
from palaver.web.calls import Asked, Call, Number, Word
from palaver.web.saying import Nothing


def _streamed(asked: Asked) -> object:
    """Stand for an answer that is longer than a value; `streams.py` gives it."""
    raise AssertionError(asked)


CALLS: Final = (*asking.CALLS, *working.CALLS, *saying.CALLS)
STREAMS: Final = (
    Call(
        method="GET", path="/api/stream", answer=_streamed, media="text/event-stream",
        about="Tell every event behind the header Last-Event-ID as it comes, and what it changes.",
    ),
    Call(
        method="POST", path="/api/verify", answer=_streamed, media="text/event-stream", body=Nothing,
        about="Check every line and every link of the log: progress as it is made, then the verdict.",
    ),
    Call(
        method="GET", path="/api/export", answer=_streamed, media="application/x-ndjson",
        about="Return the events that fit, oldest first, as CloudEvents, one JSON object a line.",
        parameters=(
            Word(name="type", about="only this type; mail.* for a family"),
            Word(name="actor", about="only what this agent did"),
            Number(name="after", about="only what comes after this number"),
        ),
    ),
)  # fmt: skip
