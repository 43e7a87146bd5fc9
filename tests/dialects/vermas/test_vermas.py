"""vermas obeys the laws of a dialect."""

from palaver.dialects.vermas.spec import SPEC
from palaver.model.mounted_files import Mount
from palaver.model.spec import DialectSpec
from tests.dialects.contract import DialectContract

MAIL = b'{"id":"msg-1","from":"project-a/workers/slot0","to":"project-a/supervisor","subject":"Done","body":"x","timestamp":"2026-01-01T00:00:00.000Z","type":"WORKER_DONE","metadata":{"work_order_id":"wo-1"}}'  # noqa: E501


class TestVermas(DialectContract):
    @property
    def dialect(self) -> DialectSpec:
        return SPEC

    @property
    def mount(self) -> Mount:
        return Mount(dialect="vermas")

    @property
    def paths(self) -> tuple[str, ...]:
        return (".work/messages.jsonl", ".work/work_orders.jsonl", ".work/events.jsonl")

    @property
    def samples(self) -> tuple[bytes, ...]:
        return (
            MAIL,
            MAIL.replace(b"supervisor", b"qa"),
            MAIL.replace(b"msg-1", b"msg-2"),
            b'{"id":"wo-abc12","title":"Feature X","status":"open","priority":2,"type":"task"}',
            b'{"event_id":"evt-1","event_type":"mail.sent","timestamp":"2026-01-01T00:00:00Z","actor":"ceo","data":{}}',
            b"",
        )

    def test_an_assignment_in_chunks_is_the_same_as_at_once(self) -> None:
        path = ".work/.assignment-qa"
        for content in (b"mail:msg-1\n", b"mail:msg-1\nmail:msg-2\n", b"\n\nmail:msg-1", b"\n"):
            for cut in range(len(content) + 1):
                fed = self._fed(path, content, [cut])

                assert fed == list(self.dialect.parse(self.source(path, content)).pieces), (content, cut)
