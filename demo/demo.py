"""Five agents with five protocols do one piece of work together, and none of them knows about Palaver.

Each is a small shell script in `demo/agents` that writes and reads only its own files, in its own protocol.
`palaver up` is behind the files and serves the dashboard, whose address comes first; it is killed on the way.
`make demo` runs it. It ends by itself within seconds, with the log verified and every byte of every file
accounted for; at a terminal it leaves time to look at the dashboard.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from palaver import Bus
from palaver.model.event import Event, number, text, texts

HERE = Path(__file__).parent
PALAVER = str(Path(sys.executable).parent / "palaver")
#: A machine that is busy with something else may be given more.
SECONDS_MAX = float(sys.argv[1]) if len(sys.argv) > 1 else 18.0
#: At a terminal: time to open the dashboard before it begins, and to look at it when all is done.
LOOK_SECONDS, LINGER_SECONDS = 3.0, 120.0
#: How long to wait for the dashboard's address.
START_SECONDS = 15.0
COLUMNS = max(60, min(shutil.get_terminal_size((110, 24)).columns, 140))
AT_TERMINAL = sys.stdout.isatty()
COLOURED = AT_TERMINAL and "NO_COLOR" not in os.environ

#: Who there is: the folder of its team, the protocol that is spoken there, and how it is mounted.
CAST = {
    "mona": ("office", "a log for each employee, an inbox of the manager", ["--set", "manager=mona"]),
    "programmer": ("swarm", "one channel, a JSON object a line", []),
    "claude": ("runbus", "one Markdown file for a whole run", ["--set", "agents=claude-research-1"]),
    "ceo": ("vermas", "mail in .work/messages.jsonl", ["--set", "agents=ceo"]),
    "clawdy": ("collab", "a chat log, and an inbox folder", ["--set", "a=jim", "--set", "b=clawdy"]),
}
FOLDERS = {"office": "messages", "vermas": ".work", "collab": "inbox"}


def painted(line: str, paint: str) -> str:
    return f"\033[{paint}m{line}\033[0m" if COLOURED else line


def say(line: str) -> None:
    """Announce the next step, and leave time to read it."""
    print(f"\n{painted(line, '1')}", flush=True)
    if AT_TERMINAL:
        time.sleep(0.8)


def command(folder: Path, *words: str) -> str:
    ran = subprocess.run([PALAVER, *words], cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"palaver {' '.join(words)} failed:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


class Telling:
    """Follows the log, and prints what each event writes to which file."""

    def __init__(self, folder: Path, bus: Bus) -> None:
        self.folder = folder
        self.bus = bus
        self.seen = 0
        #: What was said so far, by the number of its event.
        self.said: dict[int, Event] = {}
        self.deadline = time.monotonic() + SECONDS_MAX

    def until(self, *acts: str) -> None:
        """Print events until these acts have occurred, in any order."""
        while not set(acts) <= {text(event.data, "act") or "inform" for event in self.said.values()}:
            self.step()

    def step(self) -> None:
        """Print new events; give up if none come for too long."""
        if time.monotonic() > self.deadline:
            raise SystemExit("the demo got stuck; palaver tail shows where")
        self.bus.session.log.wait(self.seen, 0.2)
        for event in self.bus.session.log.read(self.seen, 1000):
            self.seen = event.seq
            if event.event_type == "mail.sent" and event.src:
                self.was_said(event, event.src)
            elif event.event_type == "file.echoed":
                self.was_rendered(event)

    def was_said(self, event: Event, src: dict[str, object]) -> None:
        if AT_TERMINAL:
            time.sleep(0.4)
        self.said[event.seq] = event
        to = ", ".join(texts(event.data, "to"))
        print(f"\n{painted(f'{event.actor} to {to}', '1')}: {what(event)}")
        self.show(f"{event.actor} writes {place(src)}", src, "36")

    def was_rendered(self, event: Event) -> None:
        told = [self.said[seq] for seq in numbers(event.data.get("messages")) if seq in self.said]
        src = event.src or event.data
        # Of events.jsonl, which has all of it once more, there is nothing to tell.
        if not told or text(src, "file").endswith("events.jsonl"):
            return
        heading = f"{' and '.join(f'{each.actor}: {what(each)}' for each in told)} => {place(src)}"
        if event.src:
            self.show(heading, src, "32")
        else:
            # A file in an inbox: whoever it woke may have taken it away.
            print(f"  {heading}", flush=True)

    def show(self, heading: str, src: dict[str, object], paint: str) -> None:
        with (self.folder / place(src)).open("rb") as opened:
            opened.seek(number(src, "off"))
            raw = opened.read(number(src, "len")).decode()
        print(f"  {heading}")
        room = COLUMNS - 4
        for line in raw.strip().split("\n"):
            for start in range(0, len(line) or 1, room):
                print(painted(f"    {line[start : start + room]}", paint), flush=True)


def what(event: Event) -> str:
    task = text(event.data, "task")
    return (text(event.data, "act") or "inform") + (f" {task}" if task else "")


def place(src: dict[str, object]) -> str:
    return f"{text(src, 'mount')}/{text(src, 'file')}"


def numbers(value: object) -> list[int]:
    return [each for each in value if isinstance(each, int)] if isinstance(value, list) else []


def prepare(folder: Path) -> None:
    """Create a folder for each team as it would be without Palaver, then mount all of them."""
    for protocol, _, _ in CAST.values():
        (folder / protocol / FOLDERS.get(protocol, "")).mkdir(parents=True)
    command(folder, "init", "--person", "you")
    for protocol, _, settings in CAST.values():
        command(folder, "mount", "add", protocol, protocol, "--name", protocol, *settings)


def start_daemon(folder: Path, before: str = "") -> "subprocess.Popen[bytes]":
    """Start it; its dashboard keeps its address, so that an open page reconnects by itself."""
    port = ["--port", before.rpartition(":")[2].partition("/")[0]] if "http" in before else []
    return subprocess.Popen([PALAVER, "up", "--quiet", *port], cwd=folder, stdout=subprocess.DEVNULL)


def dashboard_of(folder: Path) -> str:
    """Return the line with the address of the dashboard, once it is served."""
    deadline = time.monotonic() + START_SECONDS
    while not (folder / ".palaver/web.json").exists():
        if time.monotonic() > deadline:
            return "There is no dashboard this time."
        time.sleep(0.02)
    return f"Dashboard: {command(folder, 'open', '--no-browser').strip()}"


def start_agent(folder: Path, name: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["sh", str(HERE / "agents" / f"{name}.sh")], cwd=folder / CAST[name][0])


def story(folder: Path, processes: "dict[str, subprocess.Popen[bytes]]") -> None:
    prepare(folder)
    processes["up"] = start_daemon(folder)
    dashboard = dashboard_of(folder)
    print(painted(dashboard, "1;35"))
    print(
        "Open it while this runs: who says what, the board, and who waits for whom, as it happens.",
        flush=True,
    )
    if AT_TERMINAL:
        time.sleep(LOOK_SECONDS)

    say("Five teams, five protocols, five shell scripts. None of them knows about Palaver:")
    for name, (protocol, what, _) in CAST.items():
        print(f"  {painted(f'{name:<11}', '1;36')}{protocol:<8}{what}")
    telling = Telling(folder, Bus(str(folder), agent="you"))
    telling.step()

    say("Mona wants a release note. What she writes to her file, the others find in theirs:")
    for name in CAST:
        processes[name] = start_agent(folder, name)
    telling.until("assign", "ack", "ask")

    say("Meanwhile 'palaver up' is killed (SIGKILL). It is restarted, and continues.")
    processes["up"].kill()
    processes["up"].wait()
    time.sleep(0.5)
    processes["up"] = start_daemon(folder, dashboard)
    telling.until("answer", "handoff", "rework", "accept", "deliver", "inform")
    while any(processes[name].poll() is None for name in CAST):
        telling.step()
    processes["up"].send_signal(signal.SIGTERM)
    processes["up"].wait(timeout=5)
    command(folder, "sync")
    telling.step()
    if AT_TERMINAL:
        # The page that is open comes back by itself.
        processes["up"] = start_daemon(folder, dashboard)
    conclude(folder, telling)
    if AT_TERMINAL:
        linger(dashboard_of(folder))


def linger(dashboard: str) -> None:
    """Leave the dashboard open for a while."""
    say(f"The dashboard stays open for {LINGER_SECONDS:.0f} seconds; Enter ends it now.")
    print(painted(dashboard, "1;35"), flush=True)
    select.select([sys.stdin], [], [], LINGER_SECONDS)


def conclude(folder: Path, telling: Telling) -> None:
    """Check that everything arrived exactly once."""
    say("Every byte of their files is accounted for: an event, or our own. Nothing lost, nothing twice.")
    print(command(folder, "status"), end="")
    status = json.loads(command(folder, "status", "--json"))
    kinds = ("events", "ours", "quarantined", "blank", "pending")
    assert all(each["size"] == sum(each[kind] for kind in kinds) for each in status["files"]), status
    assert not status["outstanding"], status
    acts = sorted(text(event.data, "act") or "inform" for event in telling.said.values())
    wanted = "accept accept ack ack ack answer ask assign deliver handoff handoff handoff inform rework"
    assert acts == wanted.split(), acts

    say("palaver task show 12: one task, passed through all teams.")
    shown = command(folder, "task", "show", "12")
    print("\n".join(line[:COLUMNS] for line in shown.splitlines()))
    assert "no effect" not in shown, shown

    say("palaver verify")
    print(command(folder, "verify"), end="")
    print("\nTo use it with your own agents: palaver init, then palaver mount add DIALECT FOLDER")


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="palaver-demo-"))
    # It is recorded that the user trusts a new bus; nothing of this one is to stay behind.
    os.environ["XDG_STATE_HOME"] = str(folder / ".state")
    processes: dict[str, subprocess.Popen[bytes]] = {}
    try:
        story(folder, processes)
    finally:
        for process in processes.values():
            process.kill()
            process.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
