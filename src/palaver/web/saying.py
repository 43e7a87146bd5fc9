"""What the person can do through the API. Each is one call of the bus, and an event with `auth: token`."""

from typing import Annotated, Final

import msgspec

from palaver.web.calls import Asked, Call

_ID: Final = {"id": "the id of a message"}
# The bus judges what a text may be; these say only what kind of thing it is.
Text = Annotated[str, msgspec.Meta(max_length=900_000)]
Line = Annotated[str, msgspec.Meta(max_length=2_000)]


class Letter(msgspec.Struct, kw_only=True):
    """A message to be sent."""

    to: Annotated[list[Line], msgspec.Meta(max_length=100)] | Line
    body: Text = ""
    subject: Line = ""
    act: Line = "inform"
    priority: Line = "normal"
    reasoning: Text = ""
    task: Line = ""
    reply_to: Line = ""
    meta: Annotated[dict[Line, Line], msgspec.Meta(max_length=20)] = {}
    allow_secret: bool = False


class Reply(msgspec.Struct, kw_only=True):
    """An answer to a message."""

    body: Text = ""
    act: Line = "answer"
    allow_secret: bool = False


class Forward(msgspec.Struct, kw_only=True):
    """To whom a message is said again."""

    to: Annotated[list[Line], msgspec.Meta(max_length=100)]


class Newcomer(msgspec.Struct, kw_only=True):
    """An agent to be registered."""

    agent: Line
    handle: Line = ""
    role: Line = ""
    about: Line = ""


class Farewell(msgspec.Struct, kw_only=True):
    """Why an agent goes."""

    reason: Line = ""


class Nothing(msgspec.Struct, kw_only=True):
    """Nothing more to say: send {}."""


def send(asked: Asked) -> object:
    """Send a message as the person; it is safe on the disk when this answers."""
    letter = asked.body
    assert isinstance(letter, Letter)
    return asked.bus.send(
        letter.to,
        letter.body,
        subject=letter.subject,
        act=letter.act,
        priority=letter.priority,
        reasoning=letter.reasoning,
        task=letter.task,
        reply_to=letter.reply_to,
        meta=dict(letter.meta),
        key=asked.key,
        allow_secret=letter.allow_secret,
    ).plain()


def reply(asked: Asked) -> object:
    """Answer a message as the person: to whoever sent it, in its thread."""
    said = asked.body
    assert isinstance(said, Reply)
    return asked.bus.reply(
        asked.path["id"], said.body, act=said.act, key=asked.key, allow_secret=said.allow_secret
    ).plain()


def read(asked: Asked) -> object:
    """Record that the person has read a message of his own mail."""
    return {"read": [mail.plain() for mail in asked.bus.read([asked.path["id"]])]}


def ack(asked: Asked) -> object:
    """Acknowledge a message of the person's own mail."""
    return {"acknowledged": asked.bus.ack([asked.path["id"]])}


def archive(asked: Asked) -> object:
    """Archive a message of the person's own mail."""
    return {"archived": asked.bus.archive([asked.path["id"]])}


def withdraw(asked: Asked) -> object:
    """Take a message of the person's back from those who have not read it; answer who had."""
    return {"kept_by": asked.bus.withdraw(asked.path["id"])}


def resend(asked: Asked) -> object:
    """Say a message again, to somebody else, as the person."""
    forward = asked.body
    assert isinstance(forward, Forward)
    return asked.bus.resend(asked.path["id"], forward.to).plain()


def add(asked: Asked) -> object:
    """Register an agent, or bring one back."""
    newcomer = asked.body
    assert isinstance(newcomer, Newcomer)
    return asked.bus.add_agent(
        newcomer.agent, handle=newcomer.handle, role=newcomer.role, about=newcomer.about
    ).plain()


def retire(asked: Asked) -> object:
    """Let an agent go: mail to it is undeliverable from now on, what it said stays."""
    farewell = asked.body
    assert isinstance(farewell, Farewell)
    return asked.bus.retire_agent(asked.path["agent"], reason=farewell.reason).plain()


def retry(asked: Asked) -> object:
    """Try a quarantined piece again."""
    return {"understood": asked.bus.retry(asked.path["item"])}


def _on_message(name: str, body: type[msgspec.Struct], status: int = 200) -> Call:
    answer = globals()[name]
    return Call(
        method="POST",
        path=f"/api/messages/{{id}}/{name}",
        about=answer.__doc__ or "",
        answer=answer,
        body=body,
        status=status,
        places=_ID,
    )


CALLS: Final = (
    Call(method="POST", path="/api/messages", about=send.__doc__ or "", answer=send, body=Letter, status=201),
    _on_message("reply", Reply, 201),
    _on_message("read", Nothing),
    _on_message("ack", Nothing),
    _on_message("archive", Nothing),
    _on_message("withdraw", Nothing),
    _on_message("resend", Forward, 201),
    Call(method="POST", path="/api/agents", about=add.__doc__ or "", answer=add, body=Newcomer, status=201),
    Call(
        method="POST", path="/api/agents/{agent:path}/retire", about=retire.__doc__ or "", answer=retire,
        body=Farewell, places={"agent": "the name of an agent"},
    ),
    Call(
        method="POST", path="/api/quarantine/{item:path}/retry", about=retry.__doc__ or "", answer=retry,
        body=Nothing, places={"item": "the id of a quarantined piece"},
    ),
)  # fmt: skip
