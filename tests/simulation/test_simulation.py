"""A few simulated companies, in every check: the laws hold, a seed repeats itself, planted bugs are found."""

import os
import pickle
from collections.abc import Iterator

import pytest

from tests.dice import seed as drawn_seed
from tests.memory import in_memory
from tests.simulation.planted import PLANTED
from tests.simulation.runs import Workshop, workshop

SEEDS = 6
# A seed is a second of work; a busy machine makes many of it.
pytestmark = [
    pytest.mark.torture,
    pytest.mark.timeout(600),
    pytest.mark.on_disk("its machine has a disk that fails"),
]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with in_memory(tmp_path_factory.mktemp("simulation")) as folder, workshop(folder) as found:
        yield found


@pytest.mark.random
def test_whatever_happens_to_a_company_the_laws_hold(ground: Workshop) -> None:
    first = drawn_seed()

    broken = {seed: ground.run(seed).broken for seed in range(first, first + SEEDS)}

    assert {seed: found for seed, found in broken.items() if found} == {}


def test_a_seed_repeats_itself_to_the_last_byte(ground: Workshop) -> None:
    runs = [(ground.run(7), ground.log_bytes()) for _ in range(2)]

    assert runs[0][0].history == runs[1][0].history
    assert runs[0][1] == runs[1][1]


def found_by(ground: Workshop, name: str) -> int | None:
    """Return the first seed that finds a planted bug; they run in a process that ends with the bug."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        ending = 1
        try:
            os.close(reading)
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(_first_broken(ground, name), pipe)
            ending = 0
        finally:
            os._exit(ending)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        content = pipe.read()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, "the process with the bug crashed"
    found: int | None = pickle.loads(content)  # noqa: S301  # from our own child
    return found


def _first_broken(ground: Workshop, name: str) -> int | None:
    planted = PLANTED[name]
    ground.plant(planted)
    for seed in range(planted.first, planted.first + planted.seeds):
        if any(planted.words in each for each in ground.run(seed).broken):
            return seed
    return None


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_found(ground: Workshop, name: str) -> None:
    seed = found_by(ground, name)

    assert seed is not None, f"not found by {PLANTED[name].seeds} seeds"
    assert ground.run(seed).broken == [], "it is broken without the bug, too"


def test_a_company_has_much_to_say(ground: Workshop) -> None:
    result = ground.run(0)

    assert result.figures["lines of agents"] > 10
    assert result.figures["acknowledged sends"] > 0
