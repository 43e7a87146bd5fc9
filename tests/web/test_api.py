"""The API is what its document says: every call is in it, and no request makes it stumble."""

import re
from typing import Any, Final

import pytest
from jinja2 import Environment

from palaver.web.openapi import document
from palaver.web.responses import STATUS
from palaver.web.routes import CALLS, SIGN_IN, STREAMS
from tests.dice import seed
from tests.web.cases import stumbles
from tests.web.place import Place

EXAMPLES: Final = 6


def test_every_call_is_in_the_document_and_on_the_page(place: Place) -> None:
    status, told = place.ask("/api/openapi.json")
    page = place.ask("/api")[1].decode()

    assert status == 200
    assert told["openapi"] == "3.1.0"
    for call in (*CALLS, *STREAMS, SIGN_IN):
        path = call.path.replace(":path}", "}")
        assert call.method.lower() in told["paths"][path]
        assert Environment(autoescape=True).from_string("{{ path }}").render(path=path) in page


def test_the_document_names_each_operation_once() -> None:
    paths: Any = document()["paths"]
    names = [operation["operationId"] for methods in paths.values() for operation in methods.values()]

    assert len(names) == len(set(names)) == len(CALLS) + len(STREAMS) + 1


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


def bodies() -> list[tuple[str, str, dict[str, Any]]]:
    """Return each field of each body: its path, its name and its schema."""
    paths: Any = document()["paths"]
    found = []
    for path, methods in paths.items():
        if "post" in methods:
            schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
            found += [(path, name, field) for name, field in schema["properties"].items()]
    return found


def _nothing(schema: dict[str, Any]) -> object:
    """Return a value that fits, and means nothing."""
    return ["x"] if "array" in schema.get("type", "") else schema.get("enum", ["x"])[0]


def test_null_is_taken_where_the_document_has_it_and_nowhere_else(own: Place) -> None:
    own.server._app.asgi._left = 1e12
    wrong = []
    for path, name, schema in bodies():
        # What else is required means nothing, so most of it is refused: but not for the null.
        required = {
            each: field for where, each, field in bodies() if where == path and "default" not in field
        }
        others = {each: _nothing(field) for each, field in required.items()}
        status, answer = own.ask(path.replace("{", "").replace("}", ""), body={**others, name: None})
        is_refused = status == 400 and answer["error"]["what"] == f"cannot use {name} None"
        if isinstance(schema.get("type", ""), list) == is_refused:
            wrong.append(f"{path} {name}: {answer}")

    assert wrong == []


def test_a_text_as_long_as_the_document_says_is_taken(own: Place) -> None:
    longest = next(
        schema["maxLength"] for path, name, schema in bodies() if (path, name) == ("/api/messages", "body")
    )

    assert own.ask("/api/messages", body={"to": ["scout"], "body": "x" * longest})[0] == 201
    assert own.ask("/api/messages", body={"to": ["scout"], "body": "x" * (longest + 1)})[0] == 413


@pytest.mark.parametrize("body", [b"{", b"[1]", b'{"nosuch":1}', b"\xff\x00", b""])
def test_a_body_that_is_not_in_the_document_is_refused_by_every_call(place: Place, body: bytes) -> None:
    paths: Any = document()["paths"]
    posts = [path for path, methods in paths.items() if "post" in methods]

    taken = [path for path in posts if place.ask(path.replace("{", "").replace("}", ""), body=body)[0] < 400]

    assert taken == []


@pytest.mark.parametrize("task", ["-x", "x" * 129, "a/b", "a b"])
def test_the_id_of_a_task_is_what_the_document_says(place: Place, task: str) -> None:
    [schema] = [field for path, name, field in bodies() if (path, name) == ("/api/tasks", "task")]

    fits = len(task) <= schema["maxLength"] and re.search(schema["pattern"], task)

    assert not fits
    assert place.ask("/api/tasks", body={"title": "x", "task": task})[0] == 400


def test_nobody_is_no_recipient_in_the_document_either(place: Place) -> None:
    [schema] = [field for path, name, field in bodies() if (path, name) == ("/api/messages", "to")]

    assert [option.get("minItems", option.get("minLength")) for option in schema["anyOf"]] == [1, 1]
    assert place.ask("/api/messages", body={"to": [], "body": "x"})[0] == 400


def test_every_status_of_a_refusal_is_in_the_document() -> None:
    paths: Any = document()["paths"]
    writing = paths["/api/tasks"]["post"]["responses"].keys()

    assert {"200", "201"} <= writing
    assert {str(status) for status in STATUS.values()} - {"405"} <= writing
    assert "409" not in paths["/api/now"]["get"]["responses"]


@pytest.mark.slow
@pytest.mark.random
@pytest.mark.timeout(300)
def test_no_request_of_many_makes_it_stumble(own: Place) -> None:
    chosen = seed()

    count, wrong = stumbles(own, examples=EXAMPLES, seed=chosen)

    assert wrong == [], f"seed {chosen}"
    assert count > len(CALLS) * 2
