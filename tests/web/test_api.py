"""The API is what its document says: every call is in it, and no request makes it stumble."""

from typing import Any, Final

import pytest
from jinja2 import Environment

from palaver.web.openapi import document
from palaver.web.routes import CALLS, STREAMS
from tests.dice import seed
from tests.web.cases import stumbles
from tests.web.place import Place

EXAMPLES: Final = 6


def test_every_call_is_in_the_document_and_on_the_page(place: Place) -> None:
    status, told = place.ask("/api/openapi.json")
    page = place.ask("/api")[1].decode()

    assert status == 200
    assert told["openapi"] == "3.1.0"
    for call in (*CALLS, *STREAMS):
        path = call.path.replace(":path}", "}")
        assert call.method.lower() in told["paths"][path]
        assert Environment(autoescape=True).from_string("{{ path }}").render(path=path) in page


def test_the_document_names_each_operation_once() -> None:
    paths: Any = document()["paths"]
    names = [operation["operationId"] for methods in paths.values() for operation in methods.values()]

    assert len(names) == len(set(names)) == len(CALLS) + len(STREAMS)


def test_every_read_answers_on_a_living_bus(place: Place) -> None:
    message = place.bus.search("printf", limit=1)[0].id
    known = {"agent": "lead", "id": message, "event": "1", "chart": "sent-to-read", "item": "none"}
    for call in CALLS:
        if call.method == "GET":
            path = call.path.replace(":path}", "}").format(**known)
            status, _ = place.ask(path + {"/api/search": "?q=tail", "/api/task": "?id=intake"}.get(path, ""))

            assert status == (404 if "none" in path else 200), path


def test_a_field_without_a_name_is_refused(place: Place) -> None:
    status, answer = place.ask("/api/operations/assignment", body={"": {}})

    assert (status, answer["error"]["why"]) == (400, "there is no field ''")


@pytest.mark.slow
@pytest.mark.random
@pytest.mark.timeout(300)
def test_no_request_of_many_makes_it_stumble(own: Place) -> None:
    chosen = seed()

    count, wrong = stumbles(own, examples=EXAMPLES, seed=chosen)

    assert wrong == [], f"seed {chosen}"
    assert count > len(CALLS) * 2
