"""Every call of the API. The routes, the OpenAPI document and its page are made from this table."""

from typing import Annotated, Final

from msgspec import Meta

from palaver.api import OPERATIONS, Bus
from palaver.bus.operations.request import RequestField
from palaver.bus.tasks.moves import MoveResult
from palaver.model.errors import TaskTaken
from palaver.model.limits import SHOW_BYTES
from palaver.model.plain import to_plain as plain
from palaver.web import composites
from palaver.web.call import Call, Values, call

_PAGE: Final = RequestField(
    "limit", Annotated[int, Meta(description="maximum number of rows", ge=1, le=500)], default=50
)
_ID: Final = {"message_id": "id"}
#: One message of the path, where the operation takes several.
_ONE: Final = {"ids": Bus.thread.fields["message_id"]}
_FILTERS: Final = {"event_type": "type"}


def _moved(result: MoveResult) -> object:
    """Return a move; one that lost a race is refused, and is in the log without effect."""
    if not result.effect:
        raise TaskTaken(
            f"{result.card.task.id}: another agent was faster", result.tried.why, "choose another task"
        )
    return result.plain()


def _elsewhere(bus: Bus, values: Values) -> object:
    """Stand for a response that is made by `streams.py` or `app.py`."""
    raise AssertionError((bus, values))


_READS: Final = (
    *composites.CALLS,
    call("GET", "/api/now", Bus.picture, plain),
    call("GET", "/api/agents", Bus.agents, lambda found: {"agents": plain(found)}, own={"retired": True}),
    call("GET", "/api/conversations", Bus.conversations, plain, bounds={"limit": _PAGE}),
    call(
        "GET", "/api/messages/{id}/thread", Bus.thread,
        lambda found: {"thread": found[0].message.thread if found else "", "messages": plain(found)},
        names=_ID,
    ),
    call("GET", "/api/events", Bus.browse, plain, names=_FILTERS, bounds={"limit": _PAGE}),
    call("GET", "/api/events/{event}", Bus.event, plain, names={"wanted": "event"}),
    call("GET", "/api/insights", Bus.insight, plain),
    call(
        "GET", "/api/quarantine", Bus.quarantine, lambda items: {"items": plain(items)},
        own={"everything": True},
    ),
    call(
        "GET", "/api/quarantine/{item:path}", Bus.quarantined,
        lambda found: {
            **found.item.plain(), "hex": found.content.hex(), "shown": len(found.content), "most": SHOW_BYTES,
        },
        names={"item_id": "item"},
    ),
    call("GET", "/api/board", Bus.board, plain),
    call("GET", "/api/task", Bus.life, plain, names={"task": "id"}),
    call("GET", "/api/waiting", Bus.waiting, plain),
)  # fmt: skip
_WRITES: Final = (
    call("POST", "/api/messages", Bus.send, plain, status=201),
    call("POST", "/api/messages/{id}/reply", Bus.reply, plain, names=_ID, status=201),
    call("POST", "/api/messages/{id}/resend", Bus.resend, plain, names=_ID, status=201),
    call("POST", "/api/messages/{id}/withdraw", Bus.withdraw, lambda kept: {"kept_by": kept}, names=_ID),
    call(
        "POST", "/api/messages/{id}/read", Bus.read, lambda mail: {"read": plain(mail)},
        names={"ids": "id"}, bounds=_ONE,
    ),
    call(
        "POST", "/api/messages/{id}/ack", Bus.ack, lambda ids: {"acknowledged": ids},
        names={"ids": "id"}, bounds=_ONE,
    ),
    call(
        "POST", "/api/messages/{id}/archive", Bus.archive, lambda ids: {"archived": ids},
        names={"ids": "id"}, bounds=_ONE,
    ),
    call("POST", "/api/agents", Bus.add_agent, plain, status=201),
    call("POST", "/api/agents/{agent:path}/retire", Bus.retire_agent, plain),
    call(
        "POST", "/api/quarantine/{item:path}/retry", Bus.retry, lambda good: {"understood": good},
        names={"item_id": "item"},
    ),
    call("POST", "/api/tasks", Bus.open_task, plain, status=201),
    call("POST", "/api/tasks/change", Bus.change_task, plain),
    call("POST", "/api/moves", Bus.move, _moved, status=201),
)  # fmt: skip
#: Operations that HTTP does not offer, each with the reason.
NOT_OFFERED: Final = {
    "send_many": "POST /api/messages sends one at a time, each with its own key",
    "touched": "Python only: it takes events",
    "cards_changed": "Python only: it takes events",
    "wait": "a request would occupy a thread; /api/stream reports new mail",
    "wait_for": "a request would occupy a thread; /api/stream reports every stage",
    "follow": "it is /api/stream",
    "verify": "it is /api/verify, with progress",
    "accept_losses": "a loss of the log is accepted by a command on this machine",
    "exported": "it is /api/export",
    "add_mount": "a folder is mounted by a command on this machine",
    "remove_mount": "a folder is mounted and removed by a command on this machine",
    "sync": "the daemon that serves the page syncs all the time",
    "sync_status": "it is /api/status",
    "health": "the checks run programs, which a command on this machine does",
    "patrol": "the daemon that serves the page patrols; it runs programs of this machine",
    "inbox": "it is /api/agents/{agent}",
    "search": "it is /api/search, with tasks",
    "tasks_with": "it is /api/search, with messages",
    "tasks": "it is /api/tasks",
}
_BOUND: Final = {each.operation for each in (*_READS, *_WRITES)}
#: The other operations, each by its name.
_REST: Final = tuple(
    call("POST", f"/api/operations/{name}", operation, lambda result: {"result": plain(result)})
    for name, operation in OPERATIONS.items()
    if name not in _BOUND and name not in NOT_OFFERED
)
CALLS: Final = (*_READS, *_WRITES, *_REST)
_EXPORTED: Final = Bus.exported.fields
STREAMS: Final = (
    Call(
        method="GET", path="/api/stream", answer=_elsewhere, media="text/event-stream",
        about="Send every event after the header Last-Event-ID as it is appended, and what it changes.",
    ),
    Call(
        method="POST", path="/api/verify", answer=_elsewhere, media="text/event-stream",
        about="Check every line and every link of the log: progress first, then the verdict.",
    ),
    Call(
        method="GET", path="/api/export", answer=_elsewhere, media="application/x-ndjson",
        about="Return the events that match, oldest first, as CloudEvents, one JSON object per line.",
        fields={"type": _EXPORTED["event_type"], "actor": _EXPORTED["actor"], "after": _EXPORTED["after"]},
    ),
)  # fmt: skip
#: Its answer has the session in `session`.
SIGN_IN: Final = Call(
    method="POST",
    path="/api/session",
    answer=_elsewhere,
    about="Exchange the token of a sign-in link, sent as the bearer, for a session.",
)
