"""The binding of a command to an operation: its fields become options, with their bounds and help texts.

A command writes down only what differs from the operation: which field its words are, other names, short
names, and which fields it fills in by itself.
"""

from collections.abc import Callable, Mapping
from typing import Generic, ParamSpec, TypeVar

from palaver.bus.operations import keys
from palaver.bus.operations.operation import Operation
from palaver.bus.operations.request import RequestField
from palaver.bus.session import Session
from palaver.cli.arguments import Args, Option, pair
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.model.plain import dumps, loads

P = ParamSpec("P")
R = TypeVar("R")
_METAVARS = {"integer": "N", "number": "S"}


class Binding(Generic[P, R]):
    """One operation, as a command offers it."""

    def __init__(
        self,
        operation: Operation[P, R],
        *,
        names: Mapping[str, str] | None = None,
        short: Mapping[str, str] | None = None,
        own: tuple[str, ...] = (),
        only: tuple[str, ...] = (),
        note: str = "",
        helps: Mapping[str, str] | None = None,
    ) -> None:
        """Take the operation, its fields' other names (`--no-…` means False) and short names.

        `helps` has the help of options that say something else than their field: one value of a list. The
        command itself fills in the fields in `own`, or all that are not in `only`. `note` precedes the help
        of every option: when the option applies.
        """
        self.operation = operation
        self._names = names or {}
        self._short = short or {}
        self._note = note
        self._helps = helps or {}
        self._fields = [
            field
            for field in operation.fields.values()
            if field.is_public and field.name not in own and (not only or field.name in only)
        ]

    @property
    def options(self) -> tuple[Option, ...]:
        """Return the options."""
        return tuple(map(self._option, self._fields))

    def values(self, args: Args) -> dict[str, object]:
        """Return the fields that the arguments give, checked."""
        found: dict[str, object] = {}
        for field in self._fields:
            flag = self._flag(field)
            if args.has(flag):
                found[field.name] = _value(field, flag, args.texts(flag))
        return found

    def number(self, args: Args, name: str, default: int) -> int:
        """Return a field that is a whole number, checked."""
        value = self.values(args).get(name, default)
        assert isinstance(value, int), name
        return value

    def perform(self, context: Context, **own: object) -> R:
        """Run the operation on the bus of a command; the speaker must be known if the operation has one."""
        speaking = any(field.is_speaker for field in self.operation.fields.values())
        return self.perform_on(connect(context, speaking=speaking), context, **own)

    def perform_on(self, session: Session, context: Context, **own: object) -> R:
        """Run the operation on a session that the command has opened."""
        answer = self.operation.answer(session, {**self.values(context.args), **own})
        if answer.is_repeat:
            context.note_repeat()
        return answer.result

    def _flag(self, field: RequestField) -> str:
        return self._names.get(field.name) or f"--{field.name.replace('_', '-')}"

    def _option(self, field: RequestField) -> Option:
        is_switch = field.kind == "boolean"
        metavar = str(field.schema.get("title", "")) or _METAVARS.get(field.kind, "TEXT")
        return Option(
            self._flag(field),
            "" if is_switch else metavar,
            short=self._short.get(field.name, ""),
            many=field.kind in ("array", "object"),
            help=f"{self._note}{self._helps.get(field.name, field.description)}{_shown_default(field)}",
        )


def _shown_default(field: RequestField) -> str:
    if field.is_required or not field.default or not (field.choices or field.kind in _METAVARS):
        return ""
    return f" ({field.default:g})" if isinstance(field.default, float) else f" ({field.default})"


def _value(field: RequestField, flag: str, texts: list[str]) -> object:
    if field.kind == "boolean":
        return not flag.startswith("--no-")
    if field.kind == "array":
        field.check(texts, flag)
        return texts
    if field.kind == "object":
        return dict(pair(flag, text) for text in texts)
    return field.parse(flag, texts[-1])


def for_command(context: Context, session: Session, name: str) -> Session:
    """Return the session for a command that fills in fields by itself: its words are the request."""
    key = context.args.text("--key")
    return session.for_request(key, keys.digest(name, context.args.request)) if key else session


def perform_once(
    context: Context, session: Session, name: str, work: Callable[[], dict[str, object]]
) -> dict[str, object]:
    """Do the work of a command that is more than one operation, once for each key; return its answer.

    The log keeps the answer with the key, so a repeated command does nothing and answers the same.
    """
    key = context.args.text("--key")
    if not key:
        return work()
    keys.check_key(key)
    session = for_command(context, session, name)
    actor = context.speaker()
    first = keys.find(session, actor, key)
    if first is not None:
        keys.expect_request(session, first)
        context.note_repeat()
        answer = loads(keys.expect_done(first, name))
        assert isinstance(answer, dict), "an answer is an object"
        return answer
    done = work()
    keys.mark_done(session, name, actor, key, about=dumps(done))
    return done


def key_for(context: Context, number: int) -> str:
    """Return the idempotency key of one of several things, by its place.

    The first one has that of the command: so it is taken, whatever the command is about.
    """
    key = context.args.text("--key")
    return f"{key}/{number}" if key and number else key
