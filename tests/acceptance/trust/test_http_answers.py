"""A message that reaches nobody, or that says what nobody reads, is no success, on any surface."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.project import Project
from tests.acceptance.trust.service import Service
from tests.patience import PATIENCE

# What a program of a user does. A refusal ends it with a traceback, which names the nearest agent.
LIBRARY = "import sys; from palaver import Bus; Bus(sys.argv[1], agent='ada').send('bbo', 'hello')"


@pytest.fixture(scope="module")
def service(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(Project.copy(template, tmp_path_factory.mktemp("http")))
    yield service
    service.stop()


def test_a_message_to_an_agent_is_created(service: Service) -> None:
    status, answer = service.request("/api/messages", {"to": "bob", "body": "hello"})

    assert (status, answer["to"]) == (201, ["bob"])


def test_a_command_that_names_nobody_is_no_success(service: Service) -> None:
    sent = service.project.run("send", "bbo", "-m", "hello", agent="ada")

    assert sent.code == 3, sent
    assert "bob" in sent.err


def test_a_request_that_names_nobody_is_no_success(service: Service) -> None:
    status, answer = service.request("/api/messages", {"to": "bbo", "body": "hello"})

    assert status == 404, answer
    assert "bob" in str(answer)


def test_a_request_that_names_nobody_writes_nothing(service: Service) -> None:
    before = service.project.do("events", "-n", "1", "--json").rows

    status, answer = service.request("/api/messages", {"to": ["bbo", "ghost"], "body": "hello"})

    assert (status, answer["error"]["code"]) == (404, "unknown-recipient")  # type: ignore[index]
    assert service.project.do("events", "-n", "1", "--json").rows == before


def test_a_request_that_also_names_an_agent_is_sent_to_it_and_names_the_others(service: Service) -> None:
    status, answer = service.request("/api/messages", {"to": ["bob", "bbo"], "body": "to one of two"})

    assert (status, answer["to"]) == (201, ["bob", "bbo"])
    assert answer["undeliverable"] == [{"address": "bbo", "why": "no such agent", "nearest": ["bob"]}]
    assert service.project.messages("to one of two")


def test_a_request_may_be_for_an_agent_that_comes_later(service: Service) -> None:
    status, answer = service.request("/api/messages", {"to": "bbo", "body": "later", "allow_unknown": True})

    assert status == 201, answer
    assert "bbo" in str(answer["undeliverable"])


def test_a_call_of_the_library_that_names_nobody_says_so(service: Service) -> None:
    called = subprocess.run(
        [sys.executable, "-c", LIBRARY, str(service.project.folder)], env=service.project.env,
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip

    assert "bob" in called.stderr, called


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/messages", {"to": "bob", "body": "hello", "prioritiy": "urgent"}),
        ("/api/tasks", {"title": "One", "task": "one", "prioritiy": 1}),
        ("/api/agents", {"agent": "dave", "prioritiy": 1}),
        ("/api/agents/carol/retire", {"prioritiy": 1}),
    ],
)
def test_an_unknown_field_of_a_request_is_refused_by_name(
    service: Service, path: str, body: dict[str, object]
) -> None:
    status, answer = service.request(path, body)

    assert status == 400, answer
    assert "prioritiy" in str(answer)
