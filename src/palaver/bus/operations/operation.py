"""An operation: a typed function whose signature is the request.

    @operation(reads)
    def inbox(session: Session, agent: Speaker = "", *, scope: Scope = "open", limit: Rows = 50) -> Listing:
        \"\"\"List an agent's mail.\"\"\"

The names, types, bounds and descriptions of its parameters are written once, there. `Bus` lists the
operations; the Python API, the commands, the HTTP API and the reference are built from that list. Inside the
bus an operation is called like any function. `run` is for callers from outside: it checks the request, syncs
with the mounted files before and after as the access demands, and makes a repeated key do nothing more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from typing import Concatenate, Final, Generic, ParamSpec, Protocol, TypeVar, get_type_hints, overload

import msgspec

from palaver.bus.operations import keys
from palaver.bus.operations.request import RequestField, refuse_secrets, validate
from palaver.bus.session import Session
from palaver.model.errors import Refusal
from palaver.model.event import Event
from palaver.model.names import BUS

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What an operation does with the mounted files: read them before, write to them after."""

    catches_up: bool = False
    writes: bool = False


#: Looks at the log or the config only, or syncs by itself.
inspects: Final = Access()
reads: Final = Access(catches_up=True)
writes: Final = Access(catches_up=True, writes=True)
#: Appends without looking at the files first: most sends need nothing from them.
appends: Final = Access(writes=True)


class HasSession(Protocol):
    """What has operations as methods."""

    @property
    def session(self) -> Session:
        """Return the session on which they run."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[R]):
    """The result of a request, and whether it was there already: the key of the request was used before."""

    result: R
    is_repeat: bool = False


class Operation(Generic[P, R]):
    """One operation. As an attribute of a class with a session, it is a method."""

    def __init__(
        self,
        function: Callable[Concatenate[Session, P], R],
        access: Access,
        repeat: Callable[[Session, Event], R] | None,
    ) -> None:
        """Take the function, its access, and how to answer a request whose key is already in the log."""
        self.function = function
        self.access = access
        self._repeat = repeat
        #: The name that `Bus` gives it.
        self.name = function.__name__
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Take the name of the attribute."""
        self.name = name

    @property
    def summary(self) -> str:
        """Return the first line of the docstring."""
        return (self.__doc__ or "").partition("\n")[0]

    @cached_property
    def fields(self) -> dict[str, RequestField]:
        """Return the fields of the request, by name."""
        hints = get_type_hints(self.function, include_extras=True)
        parameters = list(signature(self.function).parameters.values())[1:]
        return {
            each.name: RequestField(each.name, hints[each.name], default=_default(each))
            for each in parameters
        }

    @cached_property
    def request(self) -> type[msgspec.Struct]:
        """Return the type of the request, derived from the signature."""
        name = "".join(word.capitalize() for word in self.name.split("_"))
        return msgspec.defstruct(
            name,
            [field.definition for field in self.fields.values()],
            kw_only=True,
            forbid_unknown_fields=True,
            namespace={"__doc__": self.summary},
        )

    def __call__(self, session: Session, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function, from inside the bus."""
        return self.function(session, *args, **kwargs)

    def run(self, session: Session, *args: P.args, **kwargs: P.kwargs) -> R:
        """Check the request and run it, in step with the mounted files."""
        return self.perform(session, dict(zip(self.fields, args, strict=False)) | kwargs)

    def perform(self, session: Session, given: dict[str, object]) -> R:
        """Run a request whose fields are given by name; return its result."""
        return self.answer(session, given).result

    def answer(self, session: Session, given: dict[str, object]) -> Answer[R]:
        """Run a request whose fields are given by name, as the faces have them."""
        values = validate(self.name, self.request, self.fields, given)
        if self.access.writes:
            refuse_secrets(values)
        if self.access.catches_up:
            session.sync.catch_up()
        key = str(values.get("key", ""))
        keys.check_key(key)
        first = None
        if key:
            if session.request[0] != key:
                session = session.for_request(key, self._digest(values))
            first = keys.find(session, self._actor(session, values), key)
        if first is not None and self._repeat is not None:
            keys.expect_request(session, first)
            return Answer(self._repeat(session, first), is_repeat=True)
        result = self.function(session, **values)  # type: ignore[arg-type, call-arg]  # the names are the signature's
        if self.access.writes:
            _write_on(session)
        session.keep_anchor()
        return Answer(result, is_repeat=first is not None)

    def _digest(self, values: dict[str, object]) -> str:
        """Return the digest of a request, whoever acts."""
        said = {name for name, field in self.fields.items() if field.is_public and name != "key"}
        # The name that `Bus` gives it is known only where `Bus` was imported.
        return keys.digest(self.function.__name__, {name: values[name] for name in said})

    def _actor(self, session: Session, values: dict[str, object]) -> str:
        """Return the agent that acts in a request."""
        for name, field in self.fields.items():
            if field.is_speaker:
                return session.speaker(str(values[name]))
        return session.agent or BUS

    @overload
    def __get__(self, bus: None, owner: type) -> "Operation[P, R]": ...

    @overload
    def __get__(self, bus: HasSession, owner: type) -> Callable[P, R]: ...

    def __get__(self, bus: HasSession | None, owner: type) -> "Operation[P, R] | Callable[P, R]":
        """Return the operation as a method that runs it."""
        if bus is None:
            return self
        session = bus.session

        def method(*args: P.args, **kwargs: P.kwargs) -> R:
            return self.run(session, *args, **kwargs)

        return method


class Decorator(Protocol):
    """Makes an operation of any function that takes a session."""

    def __call__(self, function: Callable[Concatenate[Session, P], R], /) -> Operation[P, R]:
        """Return the operation."""


@overload
def operation(access: Access) -> Decorator: ...


@overload
def operation(
    access: Access, *, repeat: Callable[[Session, Event], R]
) -> Callable[[Callable[Concatenate[Session, P], R]], Operation[P, R]]: ...


def operation(
    access: Access, *, repeat: Callable[[Session, Event], R] | None = None
) -> Callable[[Callable[Concatenate[Session, P], R]], Operation[P, R]]:
    """Make an operation of a function; `repeat` answers a request whose key is already in the log."""

    def decorate(function: Callable[Concatenate[Session, P], R]) -> Operation[P, R]:
        return Operation(function, access, repeat)

    return decorate


def _write_on(session: Session) -> None:
    """Write the outstanding renderings; if that fails, the operation is done all the same."""
    try:
        session.sync.write_on()
    except Refusal as refused:
        session.view.note(f"it is recorded, but not written to the mounted files yet: {refused}")


def _default(parameter: Parameter) -> object:
    return msgspec.NODEFAULT if parameter.default is Parameter.empty else parameter.default
