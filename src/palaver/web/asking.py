"""What can be asked of the API without changing anything. Each is one call of the bus."""

import os
from typing import Final

from palaver import __version__
from palaver.bus.admin.translation import translated
from palaver.bus.stats.charts import CHARTS, chart
from palaver.dialects import specs
from palaver.model.limits import SHOW_BYTES
from palaver.model.message import ACTS, PRIORITIES, WORDLESS
from palaver.runs.repository import git_hooks
from palaver.runs.status import recent_runs
from palaver.views.mail.unanswered import WANTED
from palaver.web.calls import Asked, Call, Number, Word

_BEFORE: Final = Number(name="before", about="only what stands before this number; 0 is the newest")
_LIMIT: Final = Number(name="limit", about="how many", default=50, least=1, most=500)
_ID: Final = {"id": "the id of a message"}


def about(asked: Asked) -> object:
    """Return what a page must know once: who speaks, and the words that can be said."""
    bus = asked.bus
    return {
        "version": __version__,
        "bus": bus.root.path.split("/")[-2],
        "path": bus.root.path,
        "person": bus.agent,
        "acts": ACTS,
        "wordless": sorted(WORDLESS),
        "wanted": WANTED,
        "priorities": tuple(PRIORITIES),
    }


def now(asked: Asked) -> object:
    """Return every agent at a glance, what is unanswered and who must move, and the newest messages."""
    return asked.bus.picture()


def agent(asked: Asked) -> object:
    """Return an agent: its card, its mail with every stage, its runs, figures and hooks."""
    bus, name = asked.bus, asked.path["agent"]
    listing = bus.inbox(name, scope=asked.word("scope"), limit=asked.number("limit"))
    cards = bus.picture(only={name})["agents"]
    figures = bus.insight()
    return {
        **listing.plain(),
        "card": next(iter(cards), None) if isinstance(cards, list) else None,
        "sent_to_read": _own(figures["sent_to_read"], name),
        "read_to_answered": _own(figures["read_to_answered"], name),
        "runs": recent_runs(bus.session, listing.agent),
        "hooks": git_hooks.present(os.path.dirname(bus.root.path)),
    }


def _own(spread: object, name: str) -> object:
    rows = spread["agents"] if isinstance(spread, dict) else []
    return next((row for row in rows if row["agent"] == name), None)


def agents(asked: Asked) -> object:
    """Return all agents."""
    return {"agents": [each.plain() for each in asked.bus.agents(retired=True)]}


def conversations(asked: Asked) -> object:
    """Return the conversations, newest first."""
    found, older = asked.bus.conversations(before=asked.number("before"), limit=asked.number("limit"))
    return {"conversations": [each.plain() for each in found], "older": older}


def thread(asked: Asked) -> object:
    """Return the conversation that a message belongs to, with every delivery record."""
    said = asked.bus.thread(asked.path["id"])
    return {"thread": said[0].message.thread if said else "", "messages": [each.plain() for each in said]}


def spoken(asked: Asked) -> object:
    """Return a message in every dialect, and the record that holds it."""
    bus = asked.bus
    event = bus.event(asked.path["id"])
    [message] = [each.message for each in bus.thread(asked.path["id"]) if each.message.id == asked.path["id"]]
    return {"record": event.plain(), "dialects": translated(message, specs())}


def search(asked: Asked) -> object:
    """Return the newest messages that have all the words, and the tasks that have them in id and title."""
    words, limit = asked.word("q"), asked.number("limit")
    found = asked.bus.search(words, limit=limit)
    tasks = [
        {"id": task.id, "title": task.title, "state": task.state, "holder": task.holder}
        for task in asked.bus.tasks_with(words, limit=limit)
    ]
    return {"messages": [message.plain() for message in found], "tasks": tasks}


def events(asked: Asked) -> object:
    """Return events, newest first; `older` is where the next page starts, 0 if there is none."""
    page = asked.bus.browse(
        before=asked.number("before"),
        limit=asked.number("limit"),
        event_type=asked.word("type"),
        actor=asked.word("actor"),
        words=asked.word("words"),
    )
    return {"events": [event.plain() for event in page.events], "older": page.older}


def event(asked: Asked) -> object:
    """Return one event by its number or id."""
    return asked.bus.event(asked.path["event"]).plain()


def insight(asked: Asked) -> object:
    """Return figures of the newest messages."""
    return asked.bus.insight()


def drawn(asked: Asked) -> object:
    """Return a chart of those figures, as SVG."""
    return chart(asked.path["chart"], asked.bus.insight(), dark=asked.word("theme") == "dark")


def quarantine(asked: Asked) -> object:
    """Return what could not be understood."""
    return {"items": [item.plain() for item in asked.bus.quarantine(everything=True)]}


def quarantined(asked: Asked) -> object:
    """Return one quarantined piece: the bytes as hexadecimal digits, as many as are shown."""
    item, content = asked.bus.quarantined(asked.path["item"])
    return {**item.plain(), "hex": content.hex(), "shown": len(content), "most": SHOW_BYTES}


_FILTERS: Final = (
    Word(name="type", about="only this type; mail.* for a family"),
    Word(name="actor", about="only what this agent did"),
)
CALLS: Final = (
    Call(method="GET", path="/api/about", about=about.__doc__ or "", answer=about),
    Call(method="GET", path="/api/now", about=now.__doc__ or "", answer=now),
    Call(method="GET", path="/api/agents", about=agents.__doc__ or "", answer=agents),
    Call(
        method="GET", path="/api/agents/{agent:path}", about=agent.__doc__ or "", answer=agent,
        parameters=(
            Word(name="scope", about="which mail", choices=("open", "unread", "all"), default="all"), _LIMIT,
        ),
        places={"agent": "the name of an agent"},
    ),
    Call(
        method="GET", path="/api/conversations", about=conversations.__doc__ or "", answer=conversations,
        parameters=(_BEFORE, _LIMIT),
    ),
    Call(
        method="GET", path="/api/messages/{id}/thread", about=thread.__doc__ or "", answer=thread, places=_ID,
    ),
    Call(
        method="GET", path="/api/messages/{id}/spoken", about=spoken.__doc__ or "", answer=spoken, places=_ID,
    ),
    Call(
        method="GET", path="/api/search", about=search.__doc__ or "", answer=search,
        parameters=(Word(name="q", about="the words"), _LIMIT),
    ),
    Call(
        method="GET", path="/api/events", about=events.__doc__ or "", answer=events,
        parameters=(*_FILTERS, Word(name="words", about="words that the record holds"), _BEFORE, _LIMIT),
    ),
    Call(
        method="GET", path="/api/events/{event}", about=event.__doc__ or "", answer=event,
        places={"event": "the number or id of an event"},
    ),
    Call(method="GET", path="/api/insights", about=insight.__doc__ or "", answer=insight),
    Call(
        method="GET", path="/api/charts/{chart}", about=drawn.__doc__ or "", answer=drawn,
        parameters=(Word(name="theme", about="colours", choices=("light", "dark"), default="light"),),
        places={"chart": f"one of {', '.join(CHARTS)}"}, media="image/svg+xml",
    ),
    Call(method="GET", path="/api/quarantine", about=quarantine.__doc__ or "", answer=quarantine),
    Call(
        method="GET", path="/api/quarantine/{item:path}", about=quarantined.__doc__ or "", answer=quarantined,
        places={"item": "the id of a quarantined piece"},
    ),
)  # fmt: skip
