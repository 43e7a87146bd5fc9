"""A program that is killed between reading a message and acknowledging it gets the message again."""

from pathlib import Path

import pytest

from tests.cli.spoken import PALAVER, Shell
from tests.processes.reader_kills import kill_reader_at_random
from tests.runs.programs import Runner


@pytest.fixture
def runner(bus: Shell) -> Runner:
    return Runner(shell=bus.with_env(P=PALAVER))


def test_what_was_read_before_a_kill_is_offered_to_the_next_program(runner: Runner) -> None:
    sent = runner.bus.send("bob", "hello").message.id
    runner.sh('"$P" wait --timeout 0 && "$P" read && kill -9 $$')

    again = runner.sh('"$P" wait --timeout 0 && "$P" read && "$P" wait --timeout 0')

    assert sent in again.out
    assert "(read before, not acknowledged)" in again.out
    assert "[timeout]" in again.err


@pytest.mark.random
def test_a_reader_that_is_killed_at_random_misses_nothing(memory: Path) -> None:
    wrong, _ = kill_reader_at_random(memory, seed=1, kills=4)

    assert wrong == []
