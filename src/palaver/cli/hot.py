"""The entry of every command, and the place where every outcome becomes an exit code.

0 ok, 1 error, 2 bad arguments, 3 not found, 4 not permitted, 5 conflict, 130 interrupted. A refusal
is one line on standard error: what, why, way out, code; with `--json` one object on standard output.
A reader that went away (`| head`) is no error.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import gc
import os
import sys

from palaver.model.errors import BadArguments, Refusal, StorageFailed

INTERRUPTED = 130


def main() -> None:
    """Run the command of this process and end it."""
    argv = sys.argv[1:]
    code = 1
    try:
        code = _outcome(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        code = 0
    except KeyboardInterrupt:
        code = INTERRUPTED
    except OSError as fault:
        code = _complain(StorageFailed("cannot write the answer", fault.strerror or str(fault)), [])
    except Exception as fault:
        # The last line of defence: it says what it saw.
        code = _own_fault(fault)
    finally:
        # Nothing is left to tidy, and tidying costs a tenth of the whole command.
        _leave(code)


def _own_fault(fault: Exception) -> int:
    """Own up to a mistake of ours in one line; PALAVER_DEBUG shows where it was made."""
    if os.environ.get("PALAVER_DEBUG"):
        import traceback

        traceback.print_exception(fault)
    what = f"a mistake in palaver itself ({type(fault).__name__}: {str(fault)[:200]})"
    own = Refusal(what, "nothing more was written", "report it, with PALAVER_DEBUG=1 set")
    return _complain(own, sys.argv)


def _leave(code: int) -> None:
    try:
        sys.stderr.flush()
    finally:
        os._exit(code)


def _outcome(argv: list[str]) -> int:
    _speak_any_language()
    try:
        for word in argv:
            if not word.isascii():
                _check_utf8(word)
        return _run(argv)
    except Refusal as refused:
        return _complain(refused, argv)
    except RecursionError:
        return _complain(BadArguments("cannot take that", "it is nested too deeply", "flatten it"), argv)
    except MemoryError:
        return _complain(StorageFailed("cannot go on", "there is no memory left", "send less at once"), argv)


def _run(argv: list[str]) -> int:
    name = argv[0] if argv else ""
    if name in ("send", "inbox"):
        # What lives for milliseconds need not be searched for garbage.
        gc.disable()
    if name == "send":
        from palaver.cli.commands import send

        return send.command(argv[1:])
    if name == "inbox":
        from palaver.cli.commands import inbox

        return inbox.command(argv[1:])
    from palaver.cli.main import dispatch

    return dispatch(argv)


def _complain(refused: Refusal, argv: list[str]) -> int:
    from palaver.cli.show import safe

    if "--json" in argv:
        from palaver.model.plain import dumps

        print(dumps({"error": refused.plain()}))
    else:
        print(f"palaver: {safe(str(refused))} [{refused.code}]", file=sys.stderr)
    return refused.exit


def _check_utf8(word: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError as fault:
        raise BadArguments(
            "cannot read the command line", f"{word!a} is not UTF-8", "send bytes by --file"
        ) from fault


def _speak_any_language() -> None:
    """Let a terminal that cannot show a character get its number instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and stream.encoding.lower() not in ("utf-8", "utf8"):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure:
                reconfigure(errors="backslashreplace")
