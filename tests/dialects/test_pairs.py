"""Nothing is lost between any two dialects: said in one, read, said in the other, read: the same."""

import pytest
from hypothesis import given, settings

from palaver.dialects import DIALECTS, specs
from palaver.dialects.shared.translation import missing_fields
from palaver.model.message import ACTS, Message
from palaver.model.mounted_files import Mount, Source
from palaver.model.spec import DialectSpec
from tests.dialects.contract import AT, messages

KNOWN = specs()
PAIRS = [(first, second) for first in DIALECTS for second in DIALECTS]


def through(dialect: DialectSpec, message: Message) -> Message:
    """Return the message as it comes back from a file of the dialect."""
    mount = Mount(dialect=dialect.name)
    path = dialect.files(message, mount)[0]
    content = dialect.render(message, mount, path)
    (found,) = dialect.parse(Source(path=path, content=content, mount=mount)).messages
    # A dialect without ids gives none; on its way in, a message keeps the one that the log gave it.
    return found.replace(id=message.id, event_id=message.event_id)


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize("act", sorted(ACTS))
def test_every_act_survives_every_pair_of_dialects(act: str, first: str, second: str) -> None:
    message = Message(
        sender="ada",
        to=["bob", "cleo"],
        body="First line.\nSecond line | with a bar.",
        act=act,
        subject="The subject",
        priority="urgent",
        reasoning="Because of the tests.",
        task="parser",
        run="run_007",
        reply_to="msg-7eqvl7msm3bp",
        files=[{"path": "src/a.py"}, {"path": "b, c.txt"}],
        artifacts=["report.md"],
        meta={"severity": "3"},
        at=AT,
        id="msg-aaaaaaaaaaaa",
        event_id="evt-aaaaaaaaaaaa",
    )

    in_first = through(KNOWN[first], message)
    in_second = through(KNOWN[second], in_first)

    assert missing_fields(message, in_first) == {}
    assert missing_fields(message, in_second) == {}


@pytest.mark.parametrize(("first", "second"), PAIRS)
@settings(deadline=None, max_examples=25)
@given(message=messages())
def test_any_message_survives_every_pair_of_dialects(first: str, second: str, message: Message) -> None:
    found = through(KNOWN[second], through(KNOWN[first], message))

    assert missing_fields(message, found) == {}
