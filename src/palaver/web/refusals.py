"""What only the HTTP interface refuses: requests that reach no operation.

The docstrings are in the list of errors, like those of all refusals; `responses.py` has the statuses.
"""

from palaver.model.errors import Refusal


class BadRequest(Refusal, code="bad-request"):
    """The request is not valid HTTP/1.1, ambiguous, or incomplete.

    Send one Host header, one Content-Length or chunks, and as many bytes as they say.
    """


class HeadTooLarge(Refusal, code="head-too-large"):
    """The address or the headers of the request are too long, or there are too many headers.

    Put texts in the body. If it is the address, the status is 414.
    """


class TooSlow(Refusal, code="too-slow"):
    """The request did not arrive in time.

    Send it again, as a whole.
    """


class BadMethod(Refusal, code="bad-method"):
    """The address does not take this method.

    `/api/openapi.json` has the methods of each address.
    """


class BadTarget(Refusal, code="bad-target"):
    """The request names a whole address, as requests to a proxy do.

    Name the path only: `GET /api/now`.
    """


class BadHost(Refusal, code="bad-host"):
    """The Host header names another host than `127.0.0.1` or `localhost` with the port of the dashboard.

    Use the address that `palaver open` prints.
    """


class BadOrigin(Refusal, code="bad-origin"):
    """The request comes from a page of another site.

    Use the dashboard itself. A program sends no Origin and no Sec-Fetch-Site header.
    """


class NotSignedIn(Refusal, code="no-token"):
    """The request has no session, or one that has ended.

    `palaver open` makes a sign-in link. A program exchanges the token of the link for a session with
    `POST /api/session`, and sends that as `Authorization: Bearer …`.
    """


class UsedLink(Refusal, code="no-way-in"):
    """The sign-in link was used, has expired, or is of an earlier start of the dashboard.

    `palaver open` makes a new one. Each can be used once, within ten minutes.
    """


class NotJson(Refusal, code="not-json"):
    """The body is not sent as JSON, or is compressed.

    Send `Content-Type: application/json`, and no Content-Encoding.
    """


class TooMany(Refusal, code="too-many"):
    """There were too many requests in a second.

    Wait as many seconds as the header Retry-After says.
    """


class Busy(Refusal, code="busy"):
    """The server is starting, or does what was asked for other requests already.

    Wait as many seconds as the header Retry-After says.
    """


class ServerFault(Refusal, code="server-fault"):
    """The server has a bug. It is not known whether the request was done.

    Send it again with the same Idempotency-Key, and report the bug.
    """
