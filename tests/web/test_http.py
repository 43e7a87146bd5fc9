"""HTTP as strangers speak it: every request of the list gets the answer of the list, over a plain socket."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from palaver.model.limits import WEB_BODY_BYTES
from tests.web.place import Place

KIB: Final = 1024
JSON: Final = "Content-Type: application/json\r\n"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request as bytes; what is left out is as a good client has it."""

    line: str = "GET /api/now HTTP/1.1"
    host: str = "Host: 127.0.0.1:{port}\r\n"
    token: str = "Authorization: Bearer {session}\r\n"
    more: str = ""
    body: bytes = b""
    #: Say that we are done, so that the other side does not wait for more.
    half: bool = False

    def on(self, place: Place) -> bytes:
        session = place.session if "{session}" in self.token + self.more + self.line else ""
        head = f"{self.line}\r\n{self.host}{self.token}{self.more}\r\n"
        known = {"{port}": str(place.server.port), "{session}": session}
        for name, value in known.items():
            head = head.replace(name, value)
        return head.encode("latin-1") + self.body


def post(
    more: str = "", body: bytes = b"{}", path: str = "/api/messages/msg-none/ack", **named: str
) -> Asked:
    length = (
        "" if "Content-Length" in more or "Transfer-Encoding" in more else f"Content-Length: {len(body)}\r\n"
    )
    kind = "" if "Content-Type" in more or "no-type" in more else JSON
    more = more.replace("no-type", "")
    return Asked(line=f"POST {path} HTTP/1.1", more=kind + length + more, body=body, **named)  # type: ignore[arg-type]  # texts


CASES: Final[dict[str, tuple[Asked, int]]] = {
    "good": (Asked(), 200),
    "localhost": (Asked(host="Host: localhost:{port}\r\n"), 200),
    "evil host": (Asked(host="Host: evil.example\r\n"), 403),
    "evil host with our port": (Asked(host="Host: evil.example:{port}\r\n"), 403),
    "no host": (Asked(host=""), 400),
    "two hosts": (Asked(host="Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n"), 400),
    "the same host twice": (Asked(host="Host: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\n"), 400),
    "rebinding name": (Asked(host="Host: 127.0.0.1.nip.io:{port}\r\n"), 403),
    "name with a dot behind": (Asked(host="Host: localhost.:{port}\r\n"), 403),
    "host without our port": (Asked(host="Host: 127.0.0.1\r\n"), 403),
    "host of another port": (Asked(host="Host: 127.0.0.1:1\r\n"), 403),
    "any address": (Asked(host="Host: 0.0.0.0:{port}\r\n"), 403),
    "our origin": (Asked(more="Origin: http://127.0.0.1:{port}\r\n"), 200),
    "evil origin": (Asked(more="Origin: http://evil.example\r\n"), 403),
    "origin null": (Asked(more="Origin: null\r\n"), 403),
    "origin of https": (Asked(more="Origin: https://127.0.0.1:{port}\r\n"), 403),
    "origin of another port": (Asked(more="Origin: http://127.0.0.1:1\r\n"), 403),
    "evil origin on a page": (Asked(line="GET /now HTTP/1.1", more="Origin: http://evil.example\r\n"), 403),
    "no token": (Asked(token=""), 401),
    "wrong token": (Asked(token="Authorization: Bearer nonsense\r\n"), 401),
    "another token": (Asked(token="Authorization: Bearer " + "A" * 75 + "\r\n"), 401),
    "basic": (Asked(token="Authorization: Basic {session}\r\n"), 401),
    "token that is not ASCII": (Asked(token="Authorization: Bearer \xe4\xf6\r\n"), 401),
    "two tokens": (Asked(token="Authorization: Bearer x\r\nAuthorization: Bearer {session}\r\n"), 400),
    "token in the query": (Asked(line="GET /api/now?token={session} HTTP/1.1", token=""), 401),
    "token in a cookie": (Asked(token="", more="Cookie: session={session}\r\n"), 401),
    "cross-site": (Asked(more="Sec-Fetch-Site: cross-site\r\n"), 403),
    "same-site": (Asked(more="Sec-Fetch-Site: same-site\r\n"), 403),
    "same-origin": (Asked(more="Sec-Fetch-Site: same-origin\r\n"), 200),
    "cross-site to the API by a link": (
        Asked(more="Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"),
        403,
    ),
    "a link from elsewhere to the page": (
        Asked(
            line="GET /now HTTP/1.1",
            token="",
            more="Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
        ),
        200,
    ),
    "a frame of elsewhere": (
        Asked(
            line="GET /now HTTP/1.1",
            more="Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
        ),
        403,
    ),
    "a script of ours elsewhere": (
        Asked(line="GET /static/app.js HTTP/1.1", more="Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"),
        403,
    ),
    "plain text": (post("Content-Type: text/plain\r\n"), 415),
    "a form": (post("Content-Type: application/x-www-form-urlencoded\r\n"), 415),
    "multipart": (post("Content-Type: multipart/form-data; boundary=x\r\n"), 415),
    "no type": (post("no-type"), 415),
    "JSON with another charset": (post("Content-Type: application/json; charset=latin-1\r\n"), 415),
    "JSON with its charset": (post("Content-Type: application/json; charset=utf-8\r\n"), 404),
    "options": (Asked(line="OPTIONS /api/messages HTTP/1.1", more="Origin: http://127.0.0.1:{port}\r\n"), 405),
    "get on a write": (Asked(line="GET /api/messages HTTP/1.1"), 405),
    "put": (post(path="/api/messages").__class__(line="PUT /api/messages HTTP/1.1", more=JSON + "Content-Length: 0\r\n"), 405),
    "delete on a read": (Asked(line="DELETE /api/now HTTP/1.1", more=JSON), 405),
    "trace": (Asked(line="TRACE / HTTP/1.1"), 405),
    "connect": (Asked(line="CONNECT evil.example:443 HTTP/1.1"), 405),
    "unknown path": (Asked(line="GET /nothing HTTP/1.1"), 404),
    "unknown call": (Asked(line="GET /api/nothing HTTP/1.1"), 404),
    "dots": (Asked(line="GET /static/../keys.py HTTP/1.1"), 404),
    "hidden dots": (Asked(line="GET /static/%2e%2e%2fkeys.py HTTP/1.1"), 404),
    "backslash dots": (Asked(line="GET /static/..%5ckeys.py HTTP/1.1"), 404),
    "nul": (Asked(line="GET /static/app.js%00 HTTP/1.1"), 404),
    "double slash": (Asked(line="GET //static/app.js HTTP/1.1"), 404),
    "double slash within": (Asked(line="GET /static//app.js HTTP/1.1"), 404),
    "an absolute path": (Asked(line="GET /static//etc/passwd HTTP/1.1"), 404),
    "favicon": (Asked(line="GET /favicon.ico HTTP/1.1", token=""), 204),
    "long line": (Asked(line=f"GET /api/now?q={'x' * 64 * KIB} HTTP/1.1"), 414),
    "long header": (Asked(more=f"X-Long: {'x' * 64 * KIB}\r\n"), 431),
    "many headers": (Asked(more="".join(f"X-{n}: 1\r\n" for n in range(10_000))), 431),
    "body too long": (post(body=b"x" * (WEB_BODY_BYTES + 1)), 413),
    "chunks too long": (
        post(
            "Transfer-Encoding: chunked\r\n",
            body=b"".join(b"10000\r\n" + b"x" * 65_536 + b"\r\n" for _ in range(17)) + b"0\r\n\r\n",
        ),
        413,
    ),
    "length too long": (Asked(line="POST /api/messages HTTP/1.1", more=JSON + "Content-Length: 9\r\n", body=b"{}", half=True), 400),
    "length negative": (post("Content-Length: -1\r\n"), 400),
    "length no number": (post("Content-Length: two\r\n"), 400),
    "length twice": (post("Content-Length: 2\r\nContent-Length: 2\r\n"), 400),
    "two lengths": (post("Content-Length: 2\r\nContent-Length: 3\r\n"), 400),
    "length and chunks": (post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", body=b"2\r\n{}\r\n0\r\n\r\n"), 400),
    "gzip": (post("Content-Encoding: gzip\r\n"), 415),
    "empty body": (post(body=b""), 400),
    "bad UTF-8": (post(body=b'{"a":"\xff"}'), 400),
    "half a surrogate": (post(body=b'{"a":"\\ud800"}'), 400),
    "not JSON": (post(body=b"{,}"), 400),
    "a list": (post(body=b"[]"), 400),
    "two objects": (post(body=b"{}{}"), 400),
    "NaN": (post(body=b'{"a":NaN}'), 400),
    "a key twice": (post(body=b'{"a":1,"a":2}'), 400),
    "too deep": (post(body=b'{"a":' + b"[" * 65 + b"]" * 65 + b"}"), 400),
    "far too deep": (post(body=b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), 400),
    "many keys": (post(body=b"{" + b",".join(b'"k%d":1' % n for n in range(100_000)) + b"}"), 413),
    "wrong type of a field": (post(path="/api/messages", body=b'{"to":5,"body":"x"}'), 400),
    "missing field": (post(path="/api/messages", body=b'{"body":"x"}'), 400),
    "key too long": (post(f"Idempotency-Key: {'k' * KIB}\r\n", path="/api/messages", body=b'{"to":"qa","body":"x"}'), 400),
    "no such message": (post(), 404),
    "unknown parameter": (Asked(line="GET /api/events?nothing=1 HTTP/1.1"), 400),
    "parameter twice": (Asked(line="GET /api/events?limit=1&limit=2 HTTP/1.1"), 400),
    "limit of nothing": (Asked(line="GET /api/events?limit=0 HTTP/1.1"), 400),
    "limit of too much": (Asked(line="GET /api/events?limit=501 HTTP/1.1"), 400),
    "number with digits of elsewhere": (Asked(line="GET /api/events?limit=%D9%A1 HTTP/1.1"), 400),
    "search for nothing": (Asked(line="GET /api/search?q= HTTP/1.1"), 400),
    "search with tricks": (Asked(line="GET /api/search?q=%22NEAR%28+OR+%27%3B+drop HTTP/1.1"), 200),
    "Last-Event-ID of junk": (Asked(line="GET /api/stream HTTP/1.1", more="Last-Event-ID: junk\r\n"), 400),
    "Last-Event-ID below nothing": (Asked(line="GET /api/stream HTTP/1.1", more="Last-Event-ID: -1\r\n"), 400),
    "stream by another method": (Asked(line="DELETE /api/stream HTTP/1.1", more=JSON), 405),
    "head of the stream": (Asked(line="HEAD /api/stream HTTP/1.1"), 200),
    "a slash too many": (Asked(line="GET /api/now/ HTTP/1.1"), 404),
    "websocket": (
        Asked(line="GET /api/stream HTTP/1.1", more="Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n"),
        400,
    ),
    "absolute form": (Asked(line="GET http://127.0.0.1/api/now HTTP/1.1"), 403),
    "absolute form of elsewhere": (Asked(line="GET http://evil.example/ HTTP/1.1"), 403),
    "forwarded for": (Asked(more="X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Host: evil.example\r\n"), 200),
    "range": (Asked(more="Range: bytes=0-1\r\n"), 200),
    "HTTP/1.0": (Asked(line="GET /api/now HTTP/1.0"), 200),
    "HTTP/0.9": (Asked(line="GET /api/now", host="", token=""), 400),
    "HTTP/9": (Asked(line="GET /api/now HTTP/9.9"), 400),
    "no HTTP at all": (Asked(line="\x16\x03\x01\x02", host="", token=""), 400),
    "a space before the colon": (Asked(more="X-Odd : 1\r\n"), 400),
    "a folded header": (Asked(more="X-Odd: 1\r\n 2\r\n"), 200),
    "bad names": (Asked(line="GET /api/agents/..%2f HTTP/1.1"), 404),
    "an agent that is none": (Asked(line="GET /api/agents/nobody-of-that-name HTTP/1.1"), 404),
    "an event that is none": (Asked(line="GET /api/events/999999999 HTTP/1.1"), 404),
    "an event with too many digits": (Asked(line=f"GET /api/events/{'9' * 60} HTTP/1.1"), 404),
    "quarantine outside": (Asked(line="GET /api/quarantine/etc/passwd HTTP/1.1"), 404),
    "hello without a challenge": (Asked(line="GET /api/hello HTTP/1.1", token=""), 400),
    "session with a session": (post(path="/api/session"), 401),
}  # fmt: skip


#: The list of errors, whose sections are the codes.
ERRORS: Final = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"


def status(answer: bytes) -> int:
    match = re.match(rb"HTTP/1\.[01] (\d{3})", answer)
    assert match, answer[:200]
    return int(match[1])


@pytest.mark.parametrize("case", CASES)
def test_every_request_of_the_list_gets_its_answer(place: Place, case: str) -> None:
    asked, wanted = CASES[case]
    before = place.bus.session.log.last_seq()

    answer = place.raw(asked.on(place), half=asked.half)

    assert status(answer) == wanted, answer[:400]
    assert b"access-control-allow" not in answer.lower()
    assert b"set-cookie" not in answer.lower()
    assert b"Traceback" not in answer
    assert place.bus.session.log.last_seq() == before
    if wanted >= 400:
        error = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
        assert all(error[field] for field in ("code", "what", "why", "way_out")), error
        assert f"\n## {error['code']}\n" in ERRORS.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ["/nosuch", "/static/nosuch.js", "/%20", "/agents/../x"])
def test_a_wrong_address_is_a_page_for_a_browser_and_json_for_a_program(place: Place, path: str) -> None:
    line = f"GET {path} HTTP/1.1"

    page = place.raw(Asked(line=line, more="Accept: text/html,*/*\r\n", token="").on(place))
    told = place.raw(Asked(line=line, more="Accept: */*\r\n", token="").on(place))
    call = place.raw(Asked(line="GET /api/nosuch HTTP/1.1", more="Accept: text/html\r\n").on(place))

    assert [status(each) for each in (page, told, call)] == [404, 404, 404]
    assert (b"<!doctype html>" in page) == ("/static/" not in path)
    assert b'"code":"not-found"' in told
    assert b'"code":"not-found"' in call


def test_every_answer_carries_the_policy(place: Place) -> None:
    for line in (
        "GET /now HTTP/1.1",
        "GET /static/app.js HTTP/1.1",
        "GET /api/now HTTP/1.1",
        "GET /none HTTP/1.1",
    ):
        head = place.raw(Asked(line=line).on(place)).partition(b"\r\n\r\n")[0].lower()

        assert b"content-security-policy: default-src 'none'; script-src 'self'" in head
        assert b"frame-ancestors 'none'" in head
        assert b"x-content-type-options: nosniff" in head
        assert b"unsafe" not in head


def test_head_is_get_without_a_body(place: Place) -> None:
    asked = place.raw(Asked(line="GET /static/app.js HTTP/1.1").on(place)).partition(b"\r\n\r\n")
    head = place.raw(Asked(line="HEAD /static/app.js HTTP/1.1").on(place)).partition(b"\r\n\r\n")

    assert head[0] == asked[0]
    assert head[2] == b""


def test_a_file_that_the_browser_has_is_not_sent_again(place: Place) -> None:
    first = place.raw(Asked(line="GET /static/app.js HTTP/1.1").on(place))
    tag = re.search(rb'etag: ("[0-9a-f]+")', first)
    assert tag

    again = place.raw(
        Asked(line="GET /static/app.js HTTP/1.1", more=f"If-None-Match: {tag[1].decode()}\r\n").on(place)
    )

    assert status(again) == 304


def test_what_follows_a_request_on_the_same_wire_is_not_read(place: Place) -> None:
    smuggled = post(path="/api/messages", body=b'{"to":"qa","body":"smuggled"}').on(place)
    before = place.bus.session.log.last_seq()

    answer = place.raw(Asked().on(place) + smuggled)

    assert answer.count(b"HTTP/1.1 ") == 1
    assert place.bus.session.log.last_seq() == before


def test_a_request_that_does_not_end_is_sent_away(own: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palaver.web.protocol.WEB_PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr("palaver.web.app.WEB_PATIENCE_SECONDS", 0.2)

    head = own.raw(b"GET /api/now HTTP/1.1\r\nHost: x")
    body = own.raw(post("Content-Length: 10\r\n", body=b"{").on(own))
    chunks = own.raw(post("Transfer-Encoding: chunked\r\n", body=b"1\r\n{\r\n").on(own))

    assert [status(answer) for answer in (head, body, chunks)] == [408, 408, 408]


def test_the_same_key_is_one_message_and_another_body_a_conflict(place: Place) -> None:
    headers = {"idempotency-key": "once"}
    letter = {"to": "qa", "body": "once only"}

    first, one = place.ask("/api/messages", body=letter, headers=headers)
    again, same = place.ask("/api/messages", body=letter, headers=headers)
    other, _ = place.ask("/api/messages", body={**letter, "body": "another"}, headers=headers)

    assert (first, again, other) == (201, 200, 409)
    assert one["id"] == same["id"]


def test_too_many_requests_are_told_to_wait(own: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palaver.web.access.WEB_REQUESTS_PER_SECOND", 0)
    doors = own.server._app.asgi
    doors._left = 3.0

    answers = [own.raw(Asked(line="GET /api/openapi.json HTTP/1.1", token="").on(own)) for _ in range(4)]

    assert [status(answer) for answer in answers] == [200, 200, 200, 429]
    assert b"retry-after: 1" in answers[-1].lower()


def test_a_locked_log_is_told_as_such(own: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from palaver.log.lock import Lock

    monkeypatch.setattr("palaver.log.file_log.LOCK_SECONDS", 0.1)
    lock = Lock(own.bus.root.log_lock)
    assert lock.acquire(5)
    try:
        locked, why = own.ask("/api/messages", body={"to": "qa", "body": "x"})
    finally:
        lock.release()

    assert (locked, why["error"]["code"]) == (503, "log-locked")
    free, _ = own.ask("/api/messages", body={"to": "qa", "body": "x"})
    assert free == 201


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b'{"to":["scout"],"body":""}', "`body`"),
        (b'{"to":["scout"],"body":"ghp_' + b"a1B2" * 9 + b'"}', "`allow_secret`"),
        (b'{"to":["scout"],"body":1}', "use a text: message body"),
    ],
)
def test_a_way_out_names_the_field_and_not_the_option(place: Place, body: bytes, field: str) -> None:
    answer = place.raw(post(path="/api/messages", body=body).on(place))

    way_out = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["way_out"]
    assert field in way_out
    assert "-m" not in way_out
    assert "--" not in way_out
