"""The traces of a run: a folder with everything that went in and came out, byte for byte.

    runs/run_001/run.log                      every prompt and all output, in order, of all agents
    runs/run_001/agent-logs/<agent>.txt       the output of one agent, raw
    runs/run_001/prompts/001-<agent>.md       every prompt
    runs/run_001/artifacts/review-packet.md   the summary for the reviewer

In a file name the `/` of an agent's name is a `+`, which no agent's name contains, so no two agents share a
file. Only the user can read the traces, because raw output may contain anything. Bytes that cannot be written
are counted and reported; the program goes on. Symbolic links inside the folder of a run are not followed:
they may have come with the project.
"""

import os
from fcntl import LOCK_EX, LOCK_NB, flock

from palaver.files.regular import open_file, open_folder, way_out
from palaver.log.clock import now
from palaver.model.errors import AlreadyRunning, BadArguments, BadName, StorageFailed
from palaver.model.limits import RUN_CHARS, RUN_TRIES
from palaver.model.masking.masks import clip
from palaver.model.names import name

_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT
_FOLDERS = ("agent-logs", "prompts", "artifacts")
NO_RUN = "run_000"
PACKET = "review-packet.md"


def run_name(given: str) -> str:
    """Return the canonical name of a run, or refuse it: it is also the name of a folder."""
    try:
        found = name(given)
    except BadName as bad:
        raise BadArguments(
            f"cannot use the run {clip(given, 80)!a}", bad.why, "use a name as run_001"
        ) from bad
    if "/" in found or len(found) > RUN_CHARS or found == NO_RUN:
        why = (
            "that name means no run"
            if found == NO_RUN
            else f"it must be one word of at most {RUN_CHARS} characters"
        )
        raise BadArguments(f"cannot use the run {clip(given, 80)!a}", why, "use a name as run_001")
    return found


def file_name(agent: str) -> str:
    """Return the base name of an agent's files."""
    return agent.replace("/", "+")


def fresh_run(folder: str, known: list[str]) -> str:
    """Create the folder of the next run, and return its name; two processes at once get two folders."""
    _make_folder(folder)
    try:
        there = [*known, *os.listdir(folder)]
    except OSError as fault:
        raise _unwritable(folder, fault) from fault
    numbers = [int(each[4:]) for each in there if each.startswith("run_") and each[4:].isdecimal()]
    number = max([0, *(found for found in numbers if found < 1 << 31)])
    for _ in range(RUN_TRIES):
        number += 1
        fresh = f"run_{number:03d}"
        try:
            os.mkdir(f"{folder}/{fresh}", 0o700)
        except FileExistsError:
            continue
        except OSError as fault:
            raise _unwritable(folder, fault) from fault
        return fresh
    raise StorageFailed(f"cannot number a run in {folder}", "too many processes do the same", "try again")


class Traces:
    """The traces of one agent in one run, while its program runs."""

    def __init__(self, folder: str, run: str, agent: str) -> None:
        """Open them; refuse if another process writes them."""
        self.folder = f"{folder}/{run}"
        self.run, self.agent = run, agent
        self.lost = 0
        self.fault = ""
        self._base = folder
        _make_folder(folder)
        self.log = f"{self.folder}/agent-logs/{file_name(agent)}.txt"
        try:
            for each in _FOLDERS:
                os.close(open_folder(folder, f"{run}/{each}", create=0o700))
            self._agent_log = self._open(f"agent-logs/{file_name(agent)}.txt", _APPENDING)
            self._run_log = self._open("run.log", _APPENDING)
            flock(self._agent_log, LOCK_EX | LOCK_NB)
        except BlockingIOError as fault:
            raise AlreadyRunning(
                f"cannot start {agent} in {run}",
                "a program already runs as that agent there",
                f"palaver runs show {run}",
            ) from fault
        except OSError as fault:
            raise _unwritable(self.folder, fault) from fault
        for fd in (self._agent_log, self._run_log):
            # The files may have been created by another program, with wider permissions.
            os.fchmod(fd, 0o600)
        self._end = -1
        self._open_line = False

    def close(self) -> None:
        """Close the files, and release the lock on them."""
        os.close(self._agent_log)
        os.close(self._run_log)

    def output(self, piece: bytes) -> None:
        """Store output of the program."""
        self._put(self._agent_log, piece)
        at = self._size()
        if at != self._end:
            # Another agent has written since, or nobody yet: say whose output follows.
            self._head("output")
        self._put(self._run_log, piece)
        self._open_line = not piece.endswith(b"\n")
        self._end = self._size()

    def prompt(self, text: bytes, what: str = "prompt") -> str:
        """Store a prompt; return the path of its file."""
        path = self._store_prompt(text)
        self._head(f"{what} {path.removeprefix(self.folder + '/') or '(not stored)'}")
        self._put(self._run_log, text)
        self._open_line = not text.endswith(b"\n")
        self._end = -1
        return path

    def note(self, words: str) -> None:
        """Store a line of our own: that the program starts or ends."""
        self._head(words)
        self._end = -1

    def packet(self, section: str) -> None:
        """Append to the review packet, unless the agent wrote its own; note if that is impossible."""
        if not self._append_packet(section):
            self.note("the review packet belongs to the agent, or cannot be written")

    def _append_packet(self, section: str) -> bool:
        title = f"# Review packet: {self.run}\n"
        try:
            fd = self._open(f"artifacts/{PACKET}", os.O_RDWR | os.O_APPEND | os.O_CREAT)
        except OSError:
            return False
        try:
            there = os.pread(fd, len(title), 0)
            if there and there != title.encode():
                return False
            self._put(fd, (("" if there else title) + section).encode("utf-8", "replace"))
        finally:
            os.close(fd)
        return True

    def _store_prompt(self, text: bytes) -> str:
        for number in range(1, RUN_TRIES):
            path = f"prompts/{number:03d}-{file_name(self.agent)}.md"
            try:
                fd = self._open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            except FileExistsError:
                continue
            except OSError as fault:
                self._miss(len(text), fault)
                return ""
            try:
                self._put(fd, text)
            finally:
                os.close(fd)
            return f"{self.folder}/{path}"
        return ""

    def _open(self, path: str, flags: int) -> int:
        return open_file(self._base, f"{self.run}/{path}", flags)

    def _head(self, words: str) -> None:
        gap = "\n" if self._open_line else ""
        self._open_line = False
        self._put(self._run_log, f"{gap}=== {now()} {self.agent}: {words}\n".encode())

    def _put(self, fd: int, piece: bytes) -> None:
        """Write all of it, or count the lost bytes: a full disk is not the program's fault."""
        rest = memoryview(piece)
        while rest:
            try:
                rest = rest[os.write(fd, rest) :]
            except OSError as fault:
                self._miss(len(rest), fault)
                return

    def _miss(self, count: int, fault: OSError) -> None:
        self.lost += count
        self.fault = self.fault or fault.strerror or str(fault)

    def _size(self) -> int:
        return os.fstat(self._run_log).st_size


def _make_folder(path: str) -> None:
    """Create the folder of all runs, readable only by the user and ignored by git, unless it exists."""
    try:
        os.mkdir(path, 0o700)
        fd = os.open(f"{path}/.gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        os.write(
            fd, b"# Raw output may contain anything. Use `git add --force` for what you want to keep.\n*\n"
        )
        os.close(fd)
    except FileExistsError:
        return
    except OSError as fault:
        raise _unwritable(path, fault) from fault


def _unwritable(path: str, fault: OSError) -> StorageFailed:
    return StorageFailed(f"cannot write traces in {path}", fault.strerror or str(fault), way_out(fault))
