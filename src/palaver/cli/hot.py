"""The entry of every command, and the place where every outcome becomes an exit code.

0 ok, 1 error, 2 bad arguments, 3 not found, 4 not permitted, 5 conflict, 130 interrupted. A refusal
is one line on standard error: what, why, way out, code; with `--json` one object on standard output.
A reader that went away (`| head`) is no error.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import gc
import os
import sys
from _collections_abc import Callable

from palaver.model.errors import BadArguments, Refusal, StorageFailed

INTERRUPTED = 130
# The umask of whoever started us, for the programs that we start ourselves.
_umask: list[int] = []


def main(run: Callable[[list[str]], int] | None = None) -> None:
    """Run the command of this process and end it; `run` is another program's way from words to exit code."""
    code = 0
    try:
        _settle()
        if sys.argv[1:2] == ["send"]:
            # A command that lives for milliseconds need not be searched for garbage.
            gc.disable()
        code = _outcome(sys.argv[1:], run or _run)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read us has had enough. What was found out until then still counts.
        pass
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OSError as fault:
        code = _complain(unwritten(fault), [])
    finally:
        # Nothing is left to tidy, and tidying costs a tenth of the whole command.
        _leave(code)


def umask() -> int:
    """Return the umask that we were started with."""
    return _umask[0] if _umask else 0o077


def unwritten(fault: OSError) -> StorageFailed:
    """Return the refusal of a command whose answer nobody could take."""
    return StorageFailed(
        "cannot write the answer", fault.strerror or str(fault), "what stands in the log stays there"
    )


def _settle() -> None:
    """Make what we write our own business: private files, and three streams that are there."""
    _umask.append(os.umask(0o077))
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        # The number of a stream that was closed must not become that of a file of the bus.
        while (fd := os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)) <= 2:
            continue
        os.close(fd)
        sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115 - lives as long as we do
        sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115 - lives as long as we do


def _leave(code: int) -> None:
    try:
        sys.stderr.flush()
    finally:
        os._exit(code)


def _outcome(argv: list[str], run: Callable[[list[str]], int] | None = None) -> int:
    _speak_any_language()
    try:
        return (run or _run)([word if word.isascii() else _text(word) for word in argv])
    except Refusal as refused:
        return _complain(refused, argv)
    except BrokenPipeError:
        raise
    except Exception as fault:
        # The last line of defence: it says what it saw.
        from palaver.cli.internal_error import explained

        return _complain(explained(fault), argv)


def _run(argv: list[str]) -> int:
    name = argv[0] if argv else ""
    if name == "send":
        from palaver.cli.commands import send

        return send.command(argv[1:])
    from palaver.cli.main import dispatch

    return dispatch(argv)


def _complain(refused: Refusal, argv: list[str]) -> int:
    from palaver.cli.show import clipped, json_line

    if "--json" in argv[: argv.index("--") if "--" in argv else None]:
        print(json_line({"error": refused.plain()}))
        return refused.exit
    try:
        print(f"palaver: {clipped(str(refused), 2_000)} [{refused.code}]", file=sys.stderr)
    except OSError:
        # Nobody can hear it; the exit code still says it.
        return refused.exit
    return refused.exit


def _text(word: str) -> str:
    """Return a word of the command line as text: its bytes are UTF-8, whatever the locale thinks."""
    try:
        word.encode()
    except UnicodeEncodeError:
        try:
            return os.fsencode(word).decode()
        except UnicodeError as fault:
            raise BadArguments(
                "cannot read the command line",
                f"{word[:40]!a} is not UTF-8",
                "write it in UTF-8; a file of other bytes goes by name, with --file",
            ) from fault
    return word


def _speak_any_language() -> None:
    """Let a terminal that cannot show a character get its number instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if stream.encoding.lower() not in ("utf-8", "utf8"):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure:
                reconfigure(errors="backslashreplace")
