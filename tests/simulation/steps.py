"""The steps of a simulation: what can happen, and how often it does."""

from collections.abc import Callable
from typing import Final

from tests.simulation import agent_steps, command_steps, machine_steps
from tests.simulation.simulation import Simulation

Step = Callable[[Simulation], str]

#: A step appends what it did to the history, or returns it.
STEPS: Final[dict[Step, int]] = {
    agent_steps.speak: 26,
    agent_steps.decide: 5,
    agent_steps.blunder: 12,
    agent_steps.tear: 3,
    agent_steps.drop: 3,
    agent_steps.edit: 4,
    command_steps.send: 10,
    command_steps.retry: 6,
    command_steps.read: 4,
    command_steps.read_mail: 3,
    command_steps.move: 8,
    command_steps.look: 2,
    machine_steps.sync: 14,
    machine_steps.patrol: 3,
    machine_steps.wait: 10,
    machine_steps.jump: 2,
    machine_steps.fill: 3,
    machine_steps.delete_view: 1,
    machine_steps.restart: 2,
}
#: What another process does in the middle of an operation.
DEEDS: Final[tuple[Callable[[Simulation], object], ...]] = (
    agent_steps.speak,
    agent_steps.speak_by_mail,
    command_steps.interrupting_send,
)


def take_step(sim: Simulation) -> None:
    """Let one thing happen, which the seed decides."""
    step = sim.dice.choices(tuple(STEPS), tuple(STEPS.values()))[0]
    deed = sim.dice.choice(DEEDS)
    sim.deed = lambda: _interrupt(sim, deed)
    if sim.machine.room is not None and sim.dice.random() < 0.2:
        step = machine_steps.fill
    done = step(sim)
    if done:
        sim.history.append(done)


def _interrupt(sim: Simulation, deed: Callable[[Simulation], object]) -> None:
    done = deed(sim)
    if done:
        sim.history[-1] += f" [meanwhile {done}]"
