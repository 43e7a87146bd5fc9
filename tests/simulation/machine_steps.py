"""What happens beside agents and commands: passes, patrols, clocks that jump, disks that fill up."""

from palaver.supervision.patrol_service import PatrolResult, PatrolService
from palaver.views import store
from tests.simulation.simulation import Process, Simulation

_JUMPS = (-3e8, -86_400.0, -3_600.0, -5.0, 5.0, 700.0, 4_000.0, 90_000.0, 3e8)


def sync(sim: Simulation) -> str:
    """Do a pass over all files."""
    sim.history.append("a pass")
    sim.operate(lambda process: process.pass_over(), warm=0.8)
    return ""


def patrol(sim: Simulation) -> str:
    """Patrol."""
    sim.history.append("a patrol")
    sim.operate(lambda process: _patrol(sim, process), warm=0.8)
    return ""


def _patrol(sim: Simulation, process: Process) -> PatrolResult | None:
    machine = sim.machine
    service = PatrolService(
        process.bus.session, note=sim.notes.append, ticks=lambda: machine.ticks, boot=lambda: machine.boot
    )
    return service.run_once()


def wait(sim: Simulation) -> str:
    """Let time pass: a moment, or long enough for a file to be left alone, or for a deadline."""
    seconds = sim.dice.choice((0.001, 0.06, 0.5, 3.0, 3.0, 20.0, 120.0, 400.0))
    sim.machine.pass_time(seconds)
    return f"{seconds} seconds pass"


def jump(sim: Simulation) -> str:
    """Set the clock of the machine."""
    seconds = sim.dice.choice(_JUMPS)
    sim.machine.now_ns += int(seconds * 1e9)
    return f"the clock jumps by {seconds:+.0f} seconds"


def fill(sim: Simulation) -> str:
    """Fill the disk, but for a few bytes; or make room again."""
    machine = sim.machine
    if machine.room is None:
        machine.room = sim.dice.choice((0, 1, 40, 200, 1_000, 3_000))
        return f"the disk is full but for {machine.room} bytes"
    machine.room = None
    return "the disk has room again"


def delete_view(sim: Simulation) -> str:
    """Delete the view; whoever has it open goes on until it notices."""
    folder = sim.folder / ".palaver" / "view"
    for path in sorted(folder.glob("*.db*")):
        path.unlink()
    return "the view is deleted"


def restart(sim: Simulation) -> str:
    """End the daemon; the next one knows what is on the disk."""
    sim.end_daemon()
    return "the daemon is restarted"


def view_count(sim: Simulation) -> int:
    """Return how many views there are."""
    return sum(name.endswith(".db") for name in store.names(str(sim.folder / ".palaver" / "view")))
