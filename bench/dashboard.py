"""The dashboard: its first page in a large log and in a small one, and what a browser more costs.

The server runs in a process of its own, so that its processor time can be told from ours; browsers are plain
sockets that listen, because it is the server that is measured.
"""

import http.client
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.ground import BODY, Ground, fill
from bench.measure import Row, in_rounds, milliseconds, ratios
from palaver.api import Bus

AGENTS = tuple(f"team/agent{number}" for number in range(50))
FEW = 1_000
MANY_EARS, FEW_EARS = 50, 5
# What a page asks for before it shows anything.
FIRST = ("/now", "/api/about", "/api/now")
PAUSE = 0.25
_SERVER = """
import resource, sys
from palaver.web.server import Server
server = Server(sys.argv[1])
server.start()
print(server.address, flush=True)
for _ in sys.stdin:
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, flush=True)
server.stop()
"""


def dashboard_rows(ground: Ground, wanted: frozenset[str]) -> list[Row]:
    """Measure what is wanted."""
    rows: list[Row] = []
    small = ground.bus("dashboard-small", AGENTS)
    fill(small, AGENTS, FEW, seed=ground.seed)
    with Served(small) as few:
        if "page-large" in wanted:
            large = ground.bus("dashboard-large", AGENTS)
            label = f"making {ground.sizes.messages:,} messages for the dashboard"
            fill(large, AGENTS, ground.sizes.messages, seed=ground.seed, label=label)
            large.picture()
            with Served(large) as many:
                rows.append(first_page(ground, few, many))
        if "browsers-50" in wanted:
            rows.append(browsers(ground, few, small))
    return rows


class Served:
    """A dashboard in a process of its own."""

    def __init__(self, bus: Bus) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVER, str(Path(bus.root.path).parent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        address = self._out.readline().strip()
        self.port = int(address.split(":")[2].partition("/")[0])
        told = self.ask("/api/session", token=address.partition("#in=")[2], method="POST")
        self.session: str = json.loads(told)["session"]

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_: object) -> None:
        self._in.close()
        self._process.wait(30)
        self._out.close()

    def ask(self, path: str, *, token: str = "", method: str = "GET") -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"authorization": f"Bearer {token or self.session}", "content-type": "application/json"}
        connection.request(method, path, "{}" if method == "POST" else None, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        assert answer.status == 200, (path, answer.status, content[:200])
        return content

    def used(self) -> tuple[float, float]:
        """Return the seconds of processor time and the megabytes that the server has used."""
        self._in.write("\n")
        self._in.flush()
        seconds, peak = self._out.readline().split()
        return float(seconds), float(peak)


def first_page(ground: Ground, few: Served, many: Served) -> Row:
    def opened(served: Served) -> float:
        start = time.perf_counter()
        for path in FIRST:
            served.ask(path)
        return time.perf_counter() - start

    taken = in_rounds(
        {"large": lambda: opened(many), "small": lambda: opened(few)},
        rounds=ground.sizes.rounds,
        seed=ground.seed,
        label="opening the page",
    )
    peak = many.used()[1]
    return Row(
        name="page-large",
        what=f"first page at {ground.sizes.messages:,} ({peak:.0f} MB)",
        against=f"at {FEW:,}",
        unit="x",
        found=ratios(taken["large"], taken["small"]),
        target=2.0,
        at_least=False,
        rounds=ground.sizes.rounds,
        ours=milliseconds(taken["large"]),
        limit=milliseconds(taken["small"]),
    )


@dataclass(slots=True)
class Ears:
    """Sockets that listen; a process of their own reads them, so that nobody waits for them."""

    process: subprocess.Popen[str]

    @classmethod
    def open(cls, served: Served, count: int) -> "Ears":
        process = subprocess.Popen(
            [
                sys.executable,
                str(Path(__file__).with_name("listeners.py")),
                str(served.port),
                served.session,
                str(count),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return cls(process)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def browsers(ground: Ground, served: Served, bus: Bus) -> Row:
    """Say things, a little apart, while few listen and while many do."""
    sends = max(4, ground.sizes.sends // 4)

    def cost(count: int) -> float:
        ears = Ears.open(served, count)
        before = served.used()[0]
        for _ in range(sends):
            bus.send(AGENTS[0], BODY)
            time.sleep(PAUSE)
        spent = (served.used()[0] - before) / sends
        ears.close()
        return spent

    rounds = max(2, ground.sizes.rounds // 10)
    taken = in_rounds(
        {"many": lambda: cost(MANY_EARS), "few": lambda: cost(FEW_EARS)},
        rounds=rounds,
        seed=ground.seed,
        label=f"telling {MANY_EARS} browsers and {FEW_EARS}",
    )
    return Row(
        name="browsers-50",
        what=f"processor time a message, {MANY_EARS} browsers",
        against=f"{FEW_EARS} browsers",
        unit="x",
        found=ratios(taken["many"], taken["few"]),
        target=2.0,
        at_least=False,
        rounds=rounds,
        ours=milliseconds(taken["many"]),
        limit=milliseconds(taken["few"]),
    )
