"""Calls that answer with more than one operation: what a page of the dashboard needs at once."""

import os
from collections.abc import Callable
from typing import Annotated, Final

from msgspec import NODEFAULT, Meta

from palaver import __version__
from palaver.api import Bus
from palaver.bus.admin.convert import translated
from palaver.bus.operations.fields import AgentName, MessageId, Words
from palaver.bus.operations.request import RequestField
from palaver.bus.stats.charts import CHARTS, chart
from palaver.dialects import specs
from palaver.model.message import ACTS, PRIORITIES, URGENT, WORDLESS
from palaver.model.task import STATES
from palaver.runs.repository import git_hooks
from palaver.runs.run_output import recent_runs
from palaver.sync.sync_operations import sync_status
from palaver.views.agents.power import POWERS
from palaver.views.mail.unanswered import WANTED
from palaver.web.call import Call, Values

_Limit = Annotated[int, Meta(description="maximum number of rows", ge=1, le=500)]
_Many = Annotated[int, Meta(description="maximum number of tasks", ge=1, le=10_000)]
_Findings = Annotated[int, Meta(description="maximum number of findings", ge=1, le=1_000)]
_Theme = Annotated[str, Meta(description="colours", extra_json_schema={"enum": ["light", "dark"]})]
_State = Annotated[
    str, Meta(description="only tasks in this state", extra_json_schema={"enum": ["", *STATES]})
]
_Ready = Annotated[
    str, Meta(description="only tasks that can be claimed now", extra_json_schema={"enum": ["", "yes"]})
]
_Chart = Annotated[str, Meta(description=f"one of {', '.join(CHARTS)}", max_length=100)]


def about(bus: Bus, values: Values) -> object:
    """Return what a page must know once: the person, and the acts and priorities."""
    del values
    return {
        "version": __version__,
        "bus": bus.root.path.split("/")[-2],
        "path": bus.root.path,
        "person": bus.agent,
        "acts": ACTS,
        "wordless": sorted(WORDLESS),
        "wanted": WANTED,
        "decisions": sorted(ACTS.keys() & {*POWERS, "decide"}),
        "priorities": tuple(PRIORITIES),
        "urgent": URGENT,
    }


def agent(bus: Bus, values: Values) -> object:
    """Return an agent: its card, its mail with every stage, its runs, statistics and hooks."""
    name = str(values["agent"])
    listing = Bus.inbox.perform(bus.session, {"scope": "all", "limit": 50, **values})
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


def spoken(bus: Bus, values: Values) -> object:
    """Return a message in every dialect, and the record that holds it."""
    message_id = str(values["id"])
    event = bus.event(message_id)
    [message] = [each.message for each in bus.thread(message_id) if each.message.id == message_id]
    return {"record": event.plain(), "dialects": translated(message, specs())}


def search(bus: Bus, values: Values) -> object:
    """Return the newest messages that contain all the words, and the tasks whose id or title does."""
    words, limit = values.get("q", ""), values.get("limit", 50)
    found = Bus.search.perform(bus.session, {"wanted": words, "limit": limit})
    tasks = [
        {"id": task.id, "title": task.title, "state": task.state, "holder": task.holder}
        for task in Bus.tasks_with.perform(bus.session, {"words": words, "limit": limit})
    ]
    return {"messages": [message.plain() for message in found], "tasks": tasks}


def tasks(bus: Bus, values: Values) -> object:
    """Return the tasks that match, the most urgent first."""
    state, limit = values.pop("state", ""), values.pop("limit", 500)
    wanted = {**values, "states": [state] if state else [], "ready": values.get("ready") == "yes"}
    found = Bus.tasks.perform(bus.session, wanted)
    assert isinstance(limit, int)
    return {"tasks": [card.plain() for card in found[:limit]], "total": len(found)}


def drawn(bus: Bus, values: Values) -> object:
    """Return a chart of the statistics, as SVG."""
    return chart(str(values["chart"]), bus.insight(), dark=values.get("theme") == "dark")


def status(bus: Bus, values: Values) -> object:
    """Return the sync status of each mounted file, what is still to be written, and the findings."""
    found = sync_status.perform(bus.session, {"findings": 50, **values})
    mounts = [{"name": each.name, "dialect": each.mount.dialect} for each in found.mounts]
    return {**found.plain(), "mounts": mounts}


def _required(name: str, hint: object) -> RequestField:
    return RequestField(name, hint, default=NODEFAULT)


_ID: Final = _required("id", MessageId)


def _get(
    path: str, answer: Callable[[Bus, Values], object], *fields: RequestField, media: str = "application/json"
) -> Call:
    named = {each.name: each for each in fields}
    about = (answer.__doc__ or "").partition("\n")[0]
    return Call(method="GET", path=path, about=about, answer=answer, fields=named, media=media)


CALLS: Final = (
    _get("/api/about", about),
    _get(
        "/api/agents/{agent:path}",
        agent,
        _required("agent", AgentName),
        RequestField("scope", Bus.inbox.fields["scope"].hint, default="all"),
        RequestField("limit", _Limit, default=50),
    ),
    _get("/api/messages/{id}/spoken", spoken, _ID),
    _get(
        "/api/search", search, RequestField("q", Words, default=""), RequestField("limit", _Limit, default=50)
    ),
    _get(
        "/api/tasks",
        tasks,
        RequestField("state", _State, default=""),
        Bus.tasks.fields["holder"],
        Bus.tasks.fields["owner"],
        RequestField("ready", _Ready, default=""),
        RequestField("limit", _Many, default=500),
    ),
    _get(
        "/api/charts/{chart}",
        drawn,
        _required("chart", _Chart),
        RequestField("theme", _Theme, default="light"),
        media="image/svg+xml",
    ),
    _get("/api/status", status, RequestField("findings", _Findings, default=50)),
)
