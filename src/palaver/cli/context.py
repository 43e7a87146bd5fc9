"""What a command works with: the process that asks for it, its arguments, the bus, and how it answers.

The agent that acts is named by `--as`, else PALAVER_AGENT, else AGENT_ID; at a terminal it is the person. An
agent that forgot its name must not act as the person, so elsewhere the command refuses (docs/adr/0012).
Inside a run the token of the run proves the name (docs/adr/0024).

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

from _collections_abc import Callable, Iterable, Mapping
from io import RawIOBase, TextIOBase

from palaver.bus.root import Root, find
from palaver.cli.arguments import Args, Spec
from palaver.model.errors import BadName, SecretFound, StorageFailed, WhoSpeaks
from palaver.model.names import name

_AGENT_VARIABLES = ("PALAVER_AGENT", "AGENT_ID")


#: What such a refusal says; there is no use in writing it to the same stream.
UNWRITTEN = "cannot write the answer"


class Caller:
    """The process that asks for a command: its folder, environment, umask and streams.

    A command uses these, and not those of the process that it runs in: that may be the daemon.
    """

    __slots__ = (
        "environment", "errors", "folder", "has_output", "input", "leave", "open_output", "open_session",
        "output", "request", "umask",
    )  # fmt: skip

    def __init__(
        self,
        *,
        folder: str,
        environment: Mapping[str, str],
        umask: int,
        input: RawIOBase,  # noqa: A002 - the name of the stream
        output: TextIOBase,
        errors: TextIOBase,
        open_output: Callable[[], int],
        has_output: bool = True,
        request: str = "",
        open_session: Callable[[str, str], object] | None = None,
        leave: Callable[[Root], None] | None = None,
    ) -> None:
        """Take the folder (empty if it was deleted), the environment, the umask and the three streams.

        `open_output` returns a new descriptor of the standard output; without `has_output` that was closed.
        `request` is the id of a command that was handed to the daemon. `open_session` returns an open session
        for the path of a bus and an agent, if the command runs in the daemon. `leave` is called after a
        command that has used a bus.
        """
        self.folder = folder
        self.environment = environment
        self.umask = umask
        self.input = input
        self.output = output
        self.open_output = open_output
        self.has_output = has_output
        self.errors = errors
        self.request = request
        self.open_session = open_session
        self.leave = leave


class Context:
    """One run of one command."""

    __slots__ = ("_bearer", "_root", "after", "args", "auth", "caller", "environment", "is_repeat", "notes")

    def __init__(self, args: Args, caller: Caller) -> None:
        """Take the arguments and the caller; the bus is found when it is needed."""
        self.args = args
        self.caller = caller
        self.environment = caller.environment
        # How the identity of the acting agent is established; set by `speaker`.
        self.auth = "claimed"
        # Whether the operation was done before, under the same key, and the answer does not say so yet.
        self.is_repeat = False
        self._root: Root | None = None
        self._bearer: tuple[str, dict[str, object]] | None = None
        # What to note when the command ends.
        self.notes: Callable[[], list[str]] = list
        # What to do after the answer.
        self.after: Callable[[], object] | None = None

    # --- the bus ---

    @property
    def root(self) -> Root:
        """Return the place of the bus."""
        if self._root is None:
            self._root = self._find(untrusted=False)
        return self._root

    def untrusted_root(self) -> Root:
        """Return the place of the bus, also if the user has not accepted it: only to look at it."""
        return self._find(untrusted=True)

    def _find(self, *, untrusted: bool) -> Root:
        given = self.args.text("--root") or self.environment.get("PALAVER_ROOT", "")
        return find(
            given,
            start=self.caller.folder,
            environment=self.environment,
            force=self.args.has("--force"),
            untrusted=untrusted,
        )

    # --- the caller ---

    @property
    def folder(self) -> str:
        """Return the folder of the caller, or refuse if it was deleted."""
        if not self.caller.folder:
            raise StorageFailed("cannot tell where we are", "this folder was deleted", "cd somewhere else")
        return self.caller.folder

    def path(self, given: str) -> str:
        """Return a path of the command line as one that works in every process."""
        return given if given.startswith("/") else f"{self.folder}/{given}"

    def surroundings(self, variable: str) -> str:
        """Return a variable of the run that the command is part of, if it is a run of this bus."""
        is_named = "PALAVER_ROOT" in self.environment and variable in self.environment
        if not is_named or not self.root.is_home(self.environment):
            return ""
        bearer = self.bearer()
        # The variables of a run of another bus, of which PALAVER_ROOT was changed, say nothing here.
        return self.environment[variable] if bearer is None or bearer[0] else ""

    @property
    def is_interactive(self) -> bool:
        """Return True if a person can be asked."""
        return not self.json and self.caller.input.isatty() and self.caller.output.isatty()

    def ask(self, question: str) -> str | None:
        """Ask the person; return the answer in lower case, None if there is none."""
        self.caller.output.write(question)
        self.flush()
        answer = self.caller.input.readline().decode("utf-8", "replace")
        return answer.strip().lower() if answer else None

    def read_input(self, limit: int) -> bytes:
        """Return standard input; more than `limit` bytes if there are more."""
        content = b""
        while len(content) <= limit and (piece := self.caller.input.read(1 << 16)):
            content += piece
        return content

    # --- the acting agent ---

    def named(self) -> str:
        """Return the agent that the arguments or the environment name, or nothing."""
        if self.args.has("--as"):
            return name(self.args.text("--as"))
        for variable in _AGENT_VARIABLES:
            if given := self.environment.get(variable):
                try:
                    return name(given)
                except BadName as bad:
                    raise BadName(f"{bad.what} from {variable}", bad.why, bad.way_out) from bad
        return ""

    def speaker(self) -> str:
        """Return the agent that acts, or refuse; also if a token was to prove it and does not."""
        agent = self.unproven_speaker()
        self.auth = self.proof(agent)
        return agent

    def unproven_speaker(self) -> str:
        """Return the agent that acts, or refuse."""
        # A bus that is missing or not trusted is reported first.
        root = self.root
        if given := self.named():
            return given
        caller = self.caller
        if any(stream.isatty() for stream in (caller.input, caller.output, caller.errors)):
            from palaver.bus.config.config_store import read

            if person := read(root)[1].person:
                return person
            why = "no agent is named, and the config names no person"
        else:
            why = "no agent is named, and this is not a terminal"
        raise WhoSpeaks("cannot tell who is speaking", why, "use --as NAME, or set PALAVER_AGENT")

    def proof(self, agent: str) -> str:
        """Return how the identity is established: `token` in a run of the agent, or `claimed`; or refuse."""
        bearer = self.bearer()
        if bearer is None:
            return "claimed"
        from palaver.bus.agents import tokens

        return tokens.proof(bearer, agent)

    def bearer(self) -> tuple[str, dict[str, object]] | None:
        """Return the run whose token the caller carries, as `tokens.bearer` does; or refuse.

        None outside a run.
        """
        if "PALAVER_TOKEN" in self.environment and self._bearer is None:
            from palaver.bus.agents import tokens

            self._bearer = tokens.bearer(self.root, self.environment)
        return self._bearer

    def refuse_inside_run(self, what: str) -> None:
        """Refuse what is for the user to decide, if the caller is inside a run of any bus."""
        from palaver.bus.agents import tokens

        tokens.refuse_inside_run(self.environment, what)

    # --- the answer ---

    @property
    def json(self) -> bool:
        """Return True if the answer is for a program."""
        return self.args.has("--json")

    def show(self, value: object, lines: str | Iterable[str] = (), *, empty: str = "", code: int = 0) -> int:
        """Answer a program with the value, a person with the lines or `empty`; return the exit code."""
        if self.json:
            from palaver.model.plain import to_plain

            self.answer(to_plain(value))
            return code
        for line in [lines] if isinstance(lines, str) else lines:
            self.say(line)
            empty = ""
        if empty:
            self.say(empty)
        return code

    def note_repeat(self) -> None:
        """Note that what was asked for was done before, under the key that the caller has given."""
        # A command whose answer was lost runs again under a key of its own: its caller asked once.
        self.is_repeat = self.args.text("--key") != self.caller.request

    def before(self, done: str) -> str:
        """Return what an answer adds if the same was done before, under the same key."""
        if not self.is_repeat:
            return ""
        # A program gets the note on standard error.
        self.is_repeat = self.json
        return f" (was {done} before)"

    def say(self, text: str) -> None:
        """Show one line or several to a person; a program gets only the answer."""
        if not self.json:
            self._put(text if text.isprintable() and text.isascii() else _shown(text))

    def answer(self, plain: object) -> None:
        """Give a value to a program: one line of JSON."""
        from palaver.cli.show import json_line

        self._put(json_line(plain, self.caller.output.encoding))

    def note(self, line: str) -> None:
        """Write to standard error; if that fails, the answer still counts."""
        try:
            self.caller.errors.write(f"palaver: {_shown(line)}\n")
        except OSError:
            return

    def end(self) -> None:
        """Do what is left to do, and show the notes."""
        if self.after:
            self.after()
        if self.is_repeat:
            self.note("it was done before, with the same key; nothing more was done")
        for note in self.notes():
            self.note(note)
        if self._root is not None and self.caller.leave is not None:
            self.caller.leave(self._root)

    def flush(self) -> None:
        """Let the reader see the answer so far; return when it was written."""
        try:
            self.caller.output.flush()
        except BrokenPipeError:
            raise
        except OSError as fault:
            raise unwritten(fault) from fault

    def _put(self, text: str) -> None:
        write_out(self.caller, text + "\n")


def write_out(caller: Caller, text: str) -> None:
    """Write to the standard output of the caller, or refuse if that is not possible."""
    try:
        caller.output.write(text)
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise unwritten(fault) from fault


def unwritten(fault: OSError) -> StorageFailed:
    """Return the refusal of a command whose answer could not be written."""
    return StorageFailed(
        UNWRITTEN, fault.strerror or str(fault), "if the command changed anything, that is in the log"
    )


def run_command(
    spec: Spec,
    run: Callable[[Context], int],
    argv: list[str],
    caller: Caller,
    *,
    looks: Callable[[list[str]], bool] = lambda _: False,
) -> int:
    """Parse the arguments of a command and run it; return its exit code.

    `looks` returns whether it only looks with these words: all else is refused if the run has ended in which
    it is used (docs/adr/0056).
    """
    args = spec.parse(argv)
    if args.has("--help"):
        write_out(caller, spec.help())
        return 0
    if caller.request and not args.has("--key") and any(each.long == "--key" for each in spec.options):
        # If the answer is lost, the command runs again with the same key: it counts once.
        args.put("--key", caller.request)
    context = Context(args, caller)
    try:
        if "PALAVER_TOKEN" in caller.environment and not looks(args.words):
            context.bearer()
        return run(context)
    except SecretFound as found:
        if not any(each.long == "--allow-secret" for each in spec.options):
            found.way_out = "take it out"
        raise
    finally:
        context.end()


def _shown(text: str) -> str:
    from palaver.cli.show import block

    return block(text)
