"""A process that lets children of its own work on a bus, and kills each of them somewhere on the way.

The place is a number of steps of SQLite's machine, so that a death can fall into the middle of any
statement, or a time, so that it can fall anywhere else.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from palaver import Bus
from tests.bus.scene import Other, other

_DRIVER: Final = """
import signal, time
from palaver.views import store

real_open = store.open_view

def mortal_open(steps):
    def opened(path, *, writing):
        db = real_open(path, writing=writing)
        if writing:
            db.set_progress_handler(lambda: os.kill(os.getpid(), signal.SIGKILL), steps)
        return db
    return opened

def work(kind):
    mine = Bus(sys.argv[1], agent="ada")
    if kind == "rebuild":
        mine.rebuild()
    elif kind == "apply":
        for number in range(3):
            mine.send("bob", f"late {number}", key=f"{os.getpid()}-{number}")
            mine.inbox("bob")
    else:
        mine.search("message")

for line in sys.stdin:
    kind, how, amount = line.split()
    child = os.fork()
    if not child:
        if how == "steps":
            store.open_view = mortal_open(int(amount))
        try:
            work(kind)
        finally:
            os._exit(0)
    if how == "seconds":
        time.sleep(float(amount))
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    say(os.WIFSIGNALED(status))
"""


class Deaths:
    """Where children are sent, and what they died of."""

    def __init__(self, process: Other) -> None:
        self._process = process

    def die(self, kind: str, how: str, amount: float) -> bool:
        """Let a child do some work until it is killed; tell whether it was, before it was done."""
        self._process.tell(f"{kind} {how} {amount}")
        return self._process.heard() is True


@contextmanager
def deaths(bus: Bus) -> Iterator[Deaths]:
    """Start the process that has the children."""
    with other(bus, "ada", _DRIVER) as process:
        process.go()
        yield Deaths(process)
