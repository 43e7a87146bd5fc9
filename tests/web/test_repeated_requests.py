"""The idempotency key of a request over HTTP: it stands for one request."""

from typing import Any, Final

import pytest

from tests.web.place import Place

#: Writes that create something, each with another request of the same kind.
PAIRS: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "/api/messages": ({"to": ["scout"], "body": "one"}, {"to": ["scout"], "body": "two"}),
    "/api/tasks": ({"title": "One"}, {"title": "Two"}),
    "/api/agents": ({"agent": "xone"}, {"agent": "xtwo"}),
    "/api/operations/set_list": (
        {"listed": "keyed", "members": ["scout"]},
        {"listed": "keyed", "members": ["lead"]},
    ),
}


@pytest.mark.parametrize("path", PAIRS)
def test_a_repetition_is_answered_and_another_request_is_a_conflict(place: Place, path: str) -> None:
    one, two = PAIRS[path]
    headers = {"idempotency-key": f"pair:{path}"}

    first = place.ask(path, body=one, headers=headers)
    again = place.ask(path, body=one, headers=headers)
    other = place.ask(path, body=two, headers=headers)

    assert first[0] == (200 if "operations" in path else 201)
    assert again[0] == 200
    assert again[1].get("id") == first[1].get("id")
    assert (other[0], other[1]["error"]["code"]) == (409, "key-conflict")


def test_a_repeated_move_is_answered_with_200(own: Place) -> None:
    own.ask("/api/tasks", body={"title": "Moved", "task": "moved"})
    claim = {"task": "moved", "act": "claim"}

    statuses = [own.ask("/api/moves", body=claim, headers={"idempotency-key": "m"})[0] for _ in range(2)]

    assert statuses == [201, 200]
