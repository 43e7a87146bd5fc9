"""Three agents as three processes, one bus, one conversation; one of them is killed on the way.

`make demo` runs it. It verifies the log that it made and ends by itself within seconds; at a terminal it
waits before that, so that you can look around in the dashboard.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from palaver import Bus
from palaver.cli.lines import event_line
from palaver.web.serving import Server
from palaver.wiring import begin

WORKER = """
import sys
from palaver import Bus, Refusal
name, boss = sys.argv[1], sys.argv[2]
bus = Bus(agent=name)
while True:
    for mail in bus.wait(timeout=30).mail:
        message = mail.message
        bus.read([message.id])
        if message.act == "shutdown":
            bus.reply(message.id, "Good night.", act="leave")
            sys.exit()
        if message.act != "assign":
            try:
                bus.ack([message.id])
            except Refusal as no:
                print(f"  {name} is told: {no} [{no.code}]", flush=True)
            continue
        if name == "bob" and message.task == "parser" and not mail.delivery.redelivered:
            bus.send(boss, "Which grammar?", act="ask", task=message.task)
        bus.reply(message.id, f"{message.task} is done.", act="deliver", key=f"{name}:{message.id}")
"""


def start(folder: Path, name: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PALAVER_ROOT": str(folder)}
    return subprocess.Popen([sys.executable, "-c", WORKER, name, "ada"], env=environment)


def say(line: str) -> None:
    print(f"\n\033[1m{line}\033[0m" if sys.stdout.isatty() else f"\n{line}", flush=True)
    if sys.stdout.isatty():
        # Time to read along.
        time.sleep(1)


def show(bus: Bus, after: int) -> int:
    for event in bus.log.read(after, 1000):
        print("  " + event_line(event), flush=True)
        after = event.seq
    return after


def until(bus: Bus, seen: int, acts: dict[str, int]) -> int:
    """Show what happens until ada has been told so many things of each act."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        bus.log.wait(seen, 1.0)
        seen = show(bus, seen)
        mail = bus.inbox("ada", scope="all", limit=100).mail
        if all(sum(each.message.act == act for each in mail) >= count for act, count in acts.items()):
            return seen
    raise SystemExit("the demo got stuck; palaver tail shows where")


def story(folder: Path, workers: dict[str, subprocess.Popen[bytes]]) -> None:
    bus = Bus(str(folder), agent="ada")
    say("A new bus, three agents: ada is you, bob and cleo are processes of their own.")
    for name in ("bob", "cleo"):
        bus.add_agent(name, role="workers")
        workers[name] = start(folder, name)
    seen = show(bus, 0)

    say("ada gives each a task; bob has a question.")
    bus.send("bob", "Write the parser.", act="assign", task="parser")
    bus.send("cleo", "Write the docs.", act="assign", task="docs")
    seen = until(bus, seen, {"ask": 1, "deliver": 2})

    say("cleo is killed (SIGKILL). Mail keeps coming; a name is mistyped on purpose.")
    workers["cleo"].send_signal(signal.SIGKILL)
    workers["cleo"].wait()
    bus.send("cleo", "Write the changelog.", act="assign", task="changelog", priority="urgent")
    typo = bus.send("cloe", "Are you there?")
    seen = show(bus, seen)
    for written, why, nearest in typo.unknown:
        print(f"  undeliverable to {written}: {why}; did you mean {' or '.join(nearest)}?")

    say("cleo starts again and finds what waited for her.")
    workers["cleo"] = start(folder, "cleo")
    seen = until(bus, seen, {"deliver": 3})

    say("Mail to a role: both see it, the first to acknowledge has it. Then everyone may go home.")
    bus.send("workers", "Who turns off the lights?")
    for name in ("bob", "cleo"):
        bus.send(name, "Good work.", act="shutdown", priority="low")
    until(bus, seen, {"leave": 2})
    for worker in workers.values():
        worker.wait(timeout=10)

    verdict = bus.verify()
    say(f"Verified: {verdict.events} events, {len(verdict.faults)} faults, head {verdict.head}")
    if not verdict.good:
        raise SystemExit(1)


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="palaver-demo-"))
    workers: dict[str, subprocess.Popen[bytes]] = {}
    begin(str(folder), "ada")
    dashboard = Server(str(folder))
    dashboard.start()
    say("The dashboard, alive while this runs (the address lets one browser in):")
    print(f"  {dashboard.address}", flush=True)
    try:
        story(folder, workers)
        if sys.stdin.isatty() and sys.stdout.isatty():
            input("\nThe dashboard stays until you press Enter. ")
    finally:
        dashboard.stop()
        for worker in workers.values():
            worker.kill()
            worker.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
