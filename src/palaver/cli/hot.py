"""The entry of every command, and the place where every outcome becomes an exit code.

0 ok, 1 error, 2 bad arguments, 3 not found, 4 not permitted, 5 conflict, 130 interrupted. A refusal is one
line on standard error: what, why, how to fix it, code; with `--json` one object on standard output. A reader
that has closed the pipe (`| head`) is no error.

This is the only module of the interface that looks at its own process: everything else gets a `Caller`.

A bare module: `palaver send` imports it (see docs/adr/0006).
"""

import gc
import os
import sys
from _collections_abc import Callable
from io import FileIO, TextIOBase

from palaver.bus.root import Root
from palaver.cli.context import UNWRITTEN, Caller, unwritten
from palaver.model.errors import BadText, Refusal, StorageFailed
from palaver.model.limits import CONFIG_BYTES, FILES_NEEDED

INTERRUPTED = 130


def main() -> None:
    """Run the command of this process and end the process."""
    code = 1
    used: list[Root] = []
    try:
        has_output = sys.stdout is not None
        caller = this_process(_settle(), used.append, has_output=has_output)
        if sys.argv[1:2] == ["send"]:
            # A command that lives for milliseconds needs no garbage collection.
            gc.disable()
        shortage = _shortage()
        code = _complain(shortage, sys.argv[1:], caller) if shortage else execute(sys.argv[1:], caller)
        code = _flushed(caller, code)
    except BrokenPipeError:
        # The reader has closed the pipe. The work is done all the same.
        code = 0
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as fault:
        # Nothing is imported here: that may be what has failed.
        os.write(2, f"palaver: {fault} [{getattr(fault, 'code', 'storage')}]\n".encode(errors="replace"))
    finally:
        # There is nothing to clean up, and the interpreter would take a tenth of the whole command to try.
        _leave(code, used)


def this_process(
    umask: int = 0o077, leave: Callable[[Root], None] | None = None, *, has_output: bool = True
) -> Caller:
    """Return this process as the caller; `umask`, and whether it has an output, are as it was started."""
    try:
        folder = os.getcwd()
    except OSError:
        folder = ""
    for stream in (sys.stdout, sys.stderr):
        if stream.encoding.lower() not in ("utf-8", "utf8"):
            # A terminal that cannot show a character gets its number instead of an error.
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure:
                reconfigure(errors="backslashreplace")
    output, errors = sys.stdout, sys.stderr
    assert isinstance(output, TextIOBase)
    assert isinstance(errors, TextIOBase)
    return Caller(
        folder=folder,
        environment=os.environ,
        umask=umask,
        input=FileIO(0, "rb", closefd=False),
        output=output,
        errors=errors,
        open_output=lambda: os.dup(output.fileno()),
        has_output=has_output,
        # Programs that this command starts must not use it too.
        request=os.environ.pop("PALAVER_REQUEST", ""),
        leave=leave,
    )


def execute(argv: list[str], caller: Caller) -> int:
    """Run a command for a caller; report a refusal, and return the exit code."""
    try:
        return _run([word if word.isascii() else _text(word) for word in argv], caller)
    except Refusal as refused:
        return _complain(refused, argv, caller)
    except BrokenPipeError:
        raise
    except Exception as fault:
        # The last line of defence: it reports what it saw.
        from palaver.cli.internal_error import explained

        return _complain(explained(fault, caller), argv, caller)


def _run(argv: list[str], caller: Caller) -> int:
    if argv[:1] == ["send"]:
        from palaver.cli.commands import send

        return send.command(argv[1:], caller)
    from palaver.cli.command_table import dispatch

    return dispatch(argv, caller)


def _complain(refused: Refusal, argv: list[str], caller: Caller) -> int:
    from palaver.cli.show import clipped, json_line

    stream, line = caller.errors, f"palaver: {clipped(str(refused), 2_000)} [{refused.code}]"
    is_json = "--json" in argv[: argv.index("--") if "--" in argv else None]
    if is_json and refused.what != UNWRITTEN:
        stream, line = caller.output, json_line({"error": refused.plain()}, caller.output.encoding)
    try:
        stream.write(line + "\n")
    except OSError:
        # It cannot be reported; the exit code still says it.
        return refused.exit
    return refused.exit


def _text(word: str) -> str:
    """Return a word of the command line as text: its bytes are UTF-8, whatever the locale is."""
    try:
        word.encode()
    except UnicodeEncodeError:
        try:
            return os.fsencode(word).decode()
        except UnicodeError as fault:
            odd = f"byte 0x{fault.object[fault.start]:02x}" if type(fault) is UnicodeDecodeError else "a word"
            raise BadText(
                "cannot read the command line",
                f"{odd} of it is not UTF-8",
                "write it in UTF-8; name a file of other bytes with --file",
            ) from fault
    return word


def _shortage() -> Refusal | None:
    """Return the refusal of a process that can open too few files: its answer could be wrong."""
    opened: list[int] = []
    try:
        while len(opened) < FILES_NEEDED:
            opened.append(os.dup(2))
    except OSError as fault:
        return StorageFailed(
            "cannot begin",
            f"this process may open {len(opened)} more files, and needs {FILES_NEEDED}: {fault.strerror}",
            "close some, or raise the limit: ulimit -n 256",
        )
    finally:
        for fd in opened:
            os.close(fd)
    return None


def _settle() -> int:
    """Make the files of this process private, and its three streams valid; return the former umask."""
    umask = os.umask(0o077)
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        # A file of the bus must not get the number of a stream that was closed.
        while (fd := os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)) <= 2:
            continue
        os.close(fd)
        sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115 - lives as long as we do
        sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115 - lives as long as we do
    return umask


def _flushed(caller: Caller, code: int) -> int:
    """Write the rest of the answer; return the exit code, that of the failure if it cannot be written."""
    try:
        caller.output.flush()
    except BrokenPipeError:
        pass
    except OSError as fault:
        return _complain(unwritten(fault), [], caller)
    return code


def _leave(code: int, used: list[Root]) -> None:
    try:
        sys.stderr.flush()
        if used:
            _start_daemon(used[0])
    finally:
        os._exit(code)


def _start_daemon(root: Root) -> None:
    """Let a child start the daemon, if the config may ask for one; nobody waits for it."""
    try:
        with open(root.config, "rb") as config:
            if b"daemon" not in config.read(CONFIG_BYTES):
                return
        # Whoever reads our output has all of it now.
        nothing = os.open("/dev/null", os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        if os.fork():
            return
        os.setsid()
    except OSError:
        # The command has done its work, and a daemon would only make the next one faster.
        return
    from palaver.cli.automatic_start import start_if_configured

    start_if_configured(root, sys.argv[1:])
