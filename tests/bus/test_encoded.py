"""A message is written into its record in one step; what stands there is what the long way would write."""

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.bus.mail.plain_send import encoded, mail_sent, stamp
from palaver.log.record import body
from palaver.model.message import Message
from tests.laws.drafts import NOON
from tests.log.alphabets import texts


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """Return a message, most often a usual one, with any text in it."""
    more: tuple[dict[str, object] | None, ...] = (None, None, {"a": 1})
    message = Message(
        sender=draw(texts),
        to=draw(st.lists(texts, min_size=1, max_size=2)),
        body=draw(st.one_of(texts, st.just("x" * 20_000))),
        act=draw(st.sampled_from(("inform", "inform", "ask"))),
        subject=draw(st.sampled_from(("", "", "s"))),
        priority=draw(st.sampled_from(("normal", "normal", "low"))),
        task=draw(st.sampled_from(("", "", "t-1"))),
        meta=draw(st.sampled_from(more)),
        thread=draw(st.sampled_from(("", "", "msg-aaaaaaaaaaaa"))),
        auth=draw(st.sampled_from(("claimed", "channel"))),
        undeliverable=draw(st.booleans()),
    )
    stamp(message, "abcdefghijkl", NOON)
    return message


@settings(deadline=None, max_examples=500)
@given(message=messages())
def test_a_message_is_encoded_as_its_event_is(message: Message) -> None:
    twin = copy.copy(message)

    found = encoded(message)

    assert found == body(mail_sent(twin))
    assert message == twin
