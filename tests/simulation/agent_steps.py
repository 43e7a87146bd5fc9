"""What agents do: they append right lines and wrong ones, edit their files, and drop files into an inbox."""

import os

from tests.simulation.company import HOME, SHARED, TEAMS, Line, decision, say, writes
from tests.simulation.machine import Moments
from tests.simulation.simulation import Simulation
from tests.simulation.wrong_lines import wrong_line
from tests.sync.scene import append

_EVERYBODY = tuple(HOME)
#: Files that agents edit as a whole. A block of runbus has many lines: to take one out spoils the others.
_EDITED = ("office", "swarm", "collab", "vermas")


def write_line(sim: Simulation, line: Line) -> None:
    """Append a line as its agent does, whatever state the disk and other processes are in."""
    room, sim.machine.room = sim.machine.room, None
    with sim.machine.process(Moments()):
        path = sim.folder / line.file
        sim.ledger.note_line(line, path.read_bytes() if path.exists() else b"")
        append(path, line.content)
    sim.machine.room = room


def right_line(sim: Simulation) -> Line:
    """Return a right line of any agent."""
    agent, to = sim.dice.sample(_EVERYBODY, 2)
    return say(agent, to, sim.ledger.token("f"), sim.dice, sim.clock())


def speak(sim: Simulation) -> str:
    """Let an agent append a right line."""
    line = right_line(sim)
    write_line(sim, line)
    return f"{line.sender} writes {line.content!r}"


def speak_by_mail(sim: Simulation) -> str:
    """Let an agent append to the file that the bus rewrites most often."""
    agent, to = sim.dice.sample(TEAMS["vermas"], 2)
    line = say(agent, to, sim.ledger.token("f"), sim.dice, sim.clock())
    write_line(sim, line)
    return f"{line.sender} writes {line.content!r}"


def decide(sim: Simulation) -> str:
    """Let the lead of a team approve or accept work, in its own file."""
    line = decision(sim.dice.choice(tuple(TEAMS)), sim.ledger.token("f"), sim.dice)
    write_line(sim, line)
    return f"{line.sender} decides {line.content!r}"


def blunder(sim: Simulation) -> str:
    """Let an agent append a wrong line."""
    line = wrong_line(sim.ledger.token("f"), sim.dice)
    write_line(sim, line)
    return f"{line.sender} writes ({line.kind}) to {line.file}: {line.content!r}"


def tear(sim: Simulation) -> str:
    """Let an agent append a part of a line; it may write the rest much later, or never."""
    line = right_line(sim)
    part = line.content[: sim.dice.randint(1, len(line.content) - 1)]
    torn = Line(file=line.file, content=part, sender=line.sender, token=line.token, to=line.to)
    write_line(sim, torn)
    sim.ledger.said[line.token].must = False
    if line.file == SHARED["collab"]:
        # Until it is known for a line of its own, it goes on with the line above.
        sim.ledger.blur_end(sim.content(line.file))
    return f"{line.sender} writes half a line: {part!r}"


def drop(sim: Simulation) -> str:
    """Drop a file into the inbox of a collab, as its protocol says."""
    token = sim.ledger.token("f")
    nanoseconds = f"17717544{len(sim.history):03}{sim.dice.randrange(10**8):08}"
    file = f"collab/inbox/msg_{nanoseconds}.txt"
    beside = sim.folder / "collab/inbox" / f".{token[1:-1]}"
    line = Line(file=file, content=f"{token} for you\n".encode(), sender="jim", token=token, to="clawdy")
    with sim.machine.process(Moments()):
        sim.ledger.note_line(line, b"")
        room, sim.machine.room = sim.machine.room, None
        append(beside, line.content)
        sim.machine.pass_time(0.01)
        os.rename(beside, sim.folder / file)  # noqa: PTH104  # the machine sees the functions of os alone
        sim.machine.room = room
    return f"jim drops {token} into the inbox"


def edit(sim: Simulation) -> str:
    """Let an agent take a line out of its file, or add one in the middle, or empty it."""
    team = sim.dice.choice(_EDITED)
    file = writes(sim.dice.choice(TEAMS[team]))
    path = sim.folder / file
    if not path.exists():
        return f"nobody edits {file}"
    before = path.read_bytes()
    lines = before.splitlines(keepends=True)
    way = sim.dice.choice(("without a line", "with another line", "empty", "again"))
    added: Line | None = None
    if way == "without a line" and lines:
        lines.pop(sim.dice.randrange(len(lines)))
    elif way == "empty":
        lines = []
    elif way == "with another line":
        agent = sim.dice.choice([each for each in TEAMS[team] if writes(each) == file])
        added = say(agent, sim.dice.choice(_EVERYBODY[:4]), sim.ledger.token("f"), sim.dice, sim.clock())
        lines.insert(sim.dice.randrange(len(lines) + 1), added.content)
    by_rename = sim.dice.random() < 0.5
    _save(sim, file, b"".join(lines), by_rename=by_rename)
    _note_edit(sim, file, before, b"".join(lines), added)
    return f"{file} is saved {way}{' by rename' if by_rename else ''}"


def _note_edit(sim: Simulation, file: str, before: bytes, after: bytes, added: Line | None) -> None:
    ledger = sim.ledger
    ledger.edited.add(file)
    ledger.note_content(file, before.decode(errors="replace"), after.decode(errors="replace"), sim.recorded())
    if added is not None:
        # The line before it may have had no end; the line after it may go on with it.
        ledger.note_line(added, b"").must = before.endswith(b"\n") and file != SHARED["collab"]


def _save(sim: Simulation, file: str, content: bytes, *, by_rename: bool) -> None:
    """Save a file as editors do."""
    path = sim.folder / file
    room, sim.machine.room = sim.machine.room, None
    with sim.machine.process(Moments()):
        target = path.with_name(f".{path.name}.swp") if by_rename else path
        fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            os.write(fd, content)
        finally:
            os.close(fd)
        if by_rename:
            os.rename(target, path)  # noqa: PTH104  # the machine sees the functions of os alone
    sim.machine.room = room
