"""The laws of a dialect. Each dialect's test subclasses `DialectContract` and says where its files are."""

from abc import ABC, abstractmethod

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palaver.dialects.shared.translation import FIELDS, missing_fields
from palaver.model.message import ACTS, PRIORITIES, Message
from palaver.model.mounted_files import Kind, Mount, Parsed, Piece, Source
from palaver.model.plain import has_hidden
from palaver.model.spec import DialectSpec, Verdict

# What breaks parsers: other line ends, NUL, marks, separators of every dialect, other scripts, emoji.
HOSTILE = (
    "\n\r\t\\|:()[]{}<>#@\"'`*-_=,.;!? "
    "\u2028\u2029\u0085\x00\x0b\x0c\x1b\x1c\x7f\ufeff\u200b\u200d\u202e\u3164\ufe00\ufe0f\U000e0041"
    "\u00e9继续？🤝aA0"
)
PHRASES = (
    "---", "- [x]", "[TASK:x]", "[DONE:x] y", "[ACK]", "[INFORM]", "[DECIDE:a] b", "BLOCKED: x",
    "ACK: Claimed task #2", "HANDOFF: x", "SHUTDOWN_REQUEST: x", "Claimed task #3", "Completed task #4",
    "(palaver)", "(palaver re=msg-1)", "A -> B: x", "SYSTEM: x", "USER: x", "messageId: MSG-1", "type: FACT",
    "```", "task-1 | by: x", "To ada: x", "🤝 HANDOFF: x", "?", "-", "run_000", "TASK-000", "{}", "null",
    "2026-02-22 03:15:44 JIM -> CLAWDY: x", "[2026-01-01T00:00:00Z] [INFO] by: x | y",
)  # fmt: skip

words = st.one_of(
    st.sampled_from(PHRASES),
    st.text(st.sampled_from(HOSTILE), max_size=12),
    st.text(st.characters(codec="utf-8"), max_size=20),
)
texts = st.lists(words, max_size=5).map(" ".join) | st.lists(words, max_size=4).map("\n".join)
names = st.sampled_from(
    ["ada", "bob", "emp-copilot-a3f2", "td", "programmer", "qa", "project-a/workers/slot0", "ceo", "jim",
     "project-a/supervisor", "clawdy", "claude-research-1", "orchestrator", "slot1", "slot10"]
)  # fmt: skip
tasks = st.sampled_from(
    ["", "", "parser", "task-7", "7", "TASK-9", "#3", "wo-abc12", "a b", "x]y", "price-check", "0"]
)
fields = st.dictionaries(
    st.text(st.sampled_from("abz_-."), min_size=1, max_size=8),
    texts.filter(lambda t: len(t) < 60),
    max_size=3,
)
paths = st.text(st.sampled_from("abc/._- ,é|"), min_size=1, max_size=12)
AT = "2026-02-22T03:15:44Z"
# Rules of work, which a dialect may have a line of its own for.
WORK_RULES = (
    "answer-before-asking", "answer-to-no-question", "autonomy-not-from-lead", "autonomy-of-nobody", "gated",
    "leave-with-work", "no-effect", "one-task-at-a-time", "reason-on-block", "result-on-close",
    "second-claim", "shutdown-not-from-lead", "unknown-mention", "which-task", "written-after-stop",
)  # fmt: skip
# One law, five dialects: the same test runs on purpose in five classes, and remembers nothing between them.
LAW = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.differing_executors])


@st.composite
def messages(draw: st.DrawFn, act: str | None = None) -> Message:
    """Draw any message that a bus may hold."""
    chosen = act or draw(st.sampled_from(sorted(ACTS)))
    body = draw(texts)
    if chosen == "refuse":
        # The full stop of a reason belongs to the template of an office, and is not doubled.
        body = body.rstrip(".")
    return Message(
        sender=draw(names),
        to=draw(st.lists(names, min_size=1, max_size=3, unique=True) | st.just(["@all"])),
        body=body,
        act=chosen,
        subject=draw(st.just("") | texts.map(lambda t: t[:80])),
        priority=draw(st.sampled_from(["normal", *PRIORITIES])),
        reasoning=draw(st.just("") | texts),
        task=draw(tasks),
        run=draw(st.sampled_from(["", "", "run_001", "run_000", "r 1"])),
        reply_to=draw(st.sampled_from(["", "", "msg-7eqvl7msm3bp", "MSG-20260126-101500-claude-5f2"])),
        files=[{"path": path} for path in draw(st.lists(paths, max_size=2))],
        artifacts=draw(st.lists(paths, max_size=2)),
        meta=dict(draw(fields)),
        at=AT,
        id="msg-aaaaaaaaaaaa",
        event_id="evt-aaaaaaaaaaaa",
    )


def cover(source: Source, parsed: Parsed) -> None:
    """Assert that the pieces cover every byte exactly once, in order."""
    place = source.offset
    for piece in parsed.pieces:
        assert piece.start == place, f"a gap or an overlap at {place}: {piece}"
        assert piece.length > 0, f"an empty piece: {piece}"
        place += piece.length
    assert place == source.offset + len(source.content)
    assert not [p for p in parsed.pieces if p.kind is Kind.PENDING][:-1], "only the end can be pending"


class DialectContract(ABC):
    """What every dialect promises."""

    @property
    @abstractmethod
    def dialect(self) -> DialectSpec:
        """Return the dialect."""

    @property
    @abstractmethod
    def mount(self) -> Mount:
        """Return a mount with every setting that the dialect needs."""

    @property
    @abstractmethod
    def paths(self) -> tuple[str, ...]:
        """Return the files of the mount, relative to it, that hold messages."""

    @property
    @abstractmethod
    def samples(self) -> tuple[bytes, ...]:
        """Return well-formed content, for cutting and mixing."""

    def source(
        self, path: str, content: bytes, *, offset: int = 0, line: int = 1, whole: bool = True
    ) -> Source:
        return Source(path=path, content=content, mount=self.mount, offset=offset, line=line, whole=whole)

    def home(self, message: Message) -> str:
        """Return the first file in which a message stands."""
        return self.dialect.files(message, self.mount)[0]

    @settings(LAW, max_examples=150)
    @given(data=st.data())
    def test_parse_is_total_and_covers_every_byte(self, data: st.DataObject) -> None:
        lines = st.sampled_from(self.samples) | st.binary(max_size=40) | texts.map(str.encode)
        content = b"\n".join(data.draw(st.lists(lines, max_size=8)))
        path = data.draw(st.sampled_from(self.paths))

        for whole in (True, False):
            source = self.source(path, content, whole=whole)
            cover(source, self.dialect.parse(source))

    @settings(LAW, max_examples=100)
    @given(data=st.data())
    def test_any_chunks_give_the_same_as_all_at_once(self, data: st.DataObject) -> None:
        lines = st.sampled_from(self.samples) | texts.map(str.encode)
        content = b"\n".join(data.draw(st.lists(lines, max_size=8)))
        path = data.draw(st.sampled_from(self.paths))
        cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=6)))

        pieces = self._fed(path, content, cuts)

        at_once = self.dialect.parse(self.source(path, content)).pieces
        assert [_shape(piece) for piece in pieces] == [_shape(piece) for piece in at_once]

    @settings(LAW, max_examples=150)
    @given(data=st.data())
    def test_there_is_an_answer_to_any_wrong_line(self, data: st.DataObject) -> None:
        sample = data.draw(st.sampled_from(self.samples))
        torn = sample[: data.draw(st.just(len(sample)) | st.integers(0, len(sample)))]
        content = data.draw(st.just(torn) | texts.map(str.encode) | texts.map(lambda t: torn + t.encode()))
        # Wrong lines that follow each other are one entry.
        content = b"\n".join([content] * data.draw(st.sampled_from([1, 1, 2, 3])))
        path = data.draw(st.sampled_from(self.paths))
        parsed = self.dialect.parse(self.source(path, content))
        found = sorted({each.code for each in parsed.findings} | {piece.reason for piece in parsed.pieces})
        rules = [*found, *(rule.code for rule in self.dialect.rules), *WORK_RULES]
        rules += [rule.name for rule in self.dialect.rules]
        written = content.decode("utf-8", "backslashreplace")
        understood = data.draw(st.sampled_from([None, *parsed.messages]))
        corrections = self.dialect.corrections
        verdict = Verdict(
            rule=data.draw(st.sampled_from(found or rules) | st.sampled_from(rules)),
            mount=self.mount, file=path, text=written, at=AT,
            message=understood, author=corrections.author(content, self.mount, path),
            wrong=data.draw(words), meant=data.draw(names), lead=data.draw(st.just("") | names),
        )  # fmt: skip

        answers = [corrections.line(verdict), corrections.readdressed(written, {"bob": "ada"})]

        assert all(isinstance(each, str) for each in answers)
        assert corrections.has_counted(verdict) in (True, False)

    @settings(LAW, max_examples=300)
    @given(message=messages())
    def test_what_is_rendered_is_read_back(self, message: Message) -> None:
        path = self.home(message)

        content = self.dialect.render(message, self.mount, path)

        source = self.source(path, content)
        parsed = self.dialect.parse(source)
        cover(source, parsed)
        found = list(parsed.messages)
        assert len(found) == 1, content
        assert missing_fields(message, found[0]) == {}, content
        text = content.decode()
        assert text.splitlines() == text.removesuffix("\n").split("\n"), "another reader sees other lines"
        assert not has_hidden(text), content

    @settings(LAW, max_examples=50)
    @given(first=messages(), second=messages())
    def test_two_renderings_in_a_row_are_two_messages(self, first: Message, second: Message) -> None:
        second = second.replace(id="msg-bbbbbbbbbbbb", event_id="evt-bbbbbbbbbbbb")
        path = self.home(first)
        if self.home(second) != path:
            return

        content = self.dialect.render(first, self.mount, path) + self.dialect.render(second, self.mount, path)

        found = list(self.dialect.parse(self.source(path, content)).messages)
        assert [missing_fields(wanted, got) for wanted, got in zip([first, second], found, strict=True)] == [
            {},
            {},
        ]

    def test_every_act_can_be_said_plainly(self) -> None:
        for act in ACTS:
            message = Message(
                sender="ada", to=["bob"], body="plain words", act=act, task="parser", at=AT, id="msg-a"
            )

            content = self.dialect.render(message, self.mount, self.home(message))

            found = list(self.dialect.parse(self.source(self.home(message), content)).messages)
            assert [missing_fields(message, each) for each in found] == [{}], (act, content)

    def test_the_same_message_gives_the_same_bytes(self) -> None:
        message = Message(sender="ada", to=["bob"], body="hello", at=AT, id="msg-a", event_id="evt-a")

        once = self.dialect.render(message, self.mount, self.home(message))

        assert once == self.dialect.render(message, self.mount, self.home(message))
        assert once.endswith(b"\n")

    def test_every_rule_has_a_manual_with_both_examples(self) -> None:
        codes = [rule.code for rule in self.dialect.rules]
        assert len(set(codes)) == len(codes)
        for rule in self.dialect.rules:
            assert "Why:" in rule.manual, rule.code
            assert "Bad" in rule.manual, rule.code
            assert "Good" in rule.manual, rule.code

    def _fed(self, path: str, content: bytes, cuts: list[int]) -> list[Piece]:
        pieces: list[Piece] = []
        start, line = 0, 1
        for end in [*cuts, len(content)]:
            last = end == len(content)
            parsed = self.dialect.parse(
                self.source(path, content[start:end], offset=start, line=line, whole=last)
            )
            for piece in parsed.pieces:
                if piece.kind is not Kind.PENDING:
                    pieces.append(piece)
                    line += content[piece.start : piece.start + piece.length].count(b"\n")
                    start = piece.start + piece.length
            if last:
                break
        return pieces


def _shape(piece: Piece) -> tuple[object, ...]:
    said = [
        {name: getattr(value, attribute) for name, attribute in FIELDS.items()}
        if type(value) is Message
        else value
        for value in piece.values
    ]
    return piece.kind, piece.start, piece.length, piece.line, piece.reason, said
