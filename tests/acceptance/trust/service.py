"""`palaver up` with its dashboard, as the browser of the person and the programs of agents call it."""

import http.client
import json
from pathlib import Path
from urllib.parse import urlsplit

from tests.acceptance.daemon import Daemon
from tests.acceptance.project import Project
from tests.patience import PATIENCE


class Service(Daemon):
    """A daemon with its HTTP API, in a session of the person."""

    def __init__(self, project: Project, log: Path | None = None) -> None:
        super().__init__(project, log=log)
        address = str(project.do("open", "--no-browser", "--json").fields["address"])
        self.port = urlsplit(address).port or 0
        status, answer = self.request("/api/session", {}, token=address.partition("#in=")[2])
        if status != 200:
            raise RuntimeError(f"setup failed: no session: {status} {answer}")
        self.session = str(answer["session"])

    def is_ready(self) -> bool:
        return super().is_ready() and (self.project.root / "web.json").exists()

    def request(
        self, path: str, body: object = None, token: str | None = None
    ) -> tuple[int, dict[str, object]]:
        """Call the API, with the session of the person unless another token is given; "" sends none."""
        bearer = self.session if token is None else token
        fields = {"authorization": f"Bearer {bearer}"} if bearer else {}
        if body is not None:
            fields["content-type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            method = "GET" if body is None else "POST"
            connection.request(method, path, None if body is None else json.dumps(body), fields)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def call(self, path: str, body: object = None) -> dict[str, object]:
        """Call the API as a step of the setup, or to look at something."""
        status, answer = self.request(path, body)
        if status not in (200, 201):
            raise RuntimeError(f"setup failed: {path} {body}: {status} {answer}")
        return answer

    def rows(self, path: str, key: str) -> list[dict[str, object]]:
        """Return a list of objects that the API answers with."""
        found = self.call(path)[key]
        if not isinstance(found, list):
            raise TypeError(f"setup failed: {path} has no list {key}: {found}")
        return found

    def say(self, sender: str, to: str, act: str, body: str, task: str = "") -> tuple[str, str]:
        """Send a message as a step of the setup; return its id and its number in the log."""
        about = ["--task", task] if task else []
        answer = self.project.run(
            "send", to, "--as", sender, "--act", act, "-m", body, *about, "--allow-unknown", "--json"
        )
        if answer.code != 0:
            raise RuntimeError(f"setup failed: {sender} {act} {task}: {answer}")
        return str(answer.fields["id"]), str(answer.fields["seq"])
