"""Many commands at once in one daemon answer what each would answer alone."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.cli.both_ways import Bus, Typed, launchers, rows
from tests.cli.launching import COLD
from tests.cli.spoken import BIN, Answer, copy_bus
from tests.sync.living import up

PAIRS: Final = [(f"ann{number}", f"ben{number}") for number in range(8)]
#: What a pair does. Nothing of it depends on the other pairs.
SCRIPT: Final = """
send {other} -m hello
send {other} -m 'a longer one' -s Subject --priority urgent
send nobody{me} -m lost --allow-unknown
inbox --as {other}
read msg#1 --as {other}
reply msg#1 -m thanks --as {other}
ack msg#2 --as {other}
inbox
thread msg#1
task open 'Work of {me}' --id work-{me}
task claim work-{me} --as {other}
task claim work-{me}
task deliver work-{me} -m - --as {other} << 'the result'
task accept work-{me}
task list --mine --as {other}
agents add {me}-helper --about 'helps {me}'
send {me}-helper -m welcome
wait --as {me}-helper --timeout 0
archive msg#2 --as {other}
inbox --all --as {other}
inbox --as {me}-stranger
prime
waiting --mine
rules COL104
lists
"""


# The number of an event, which depends on what other pairs have done before.
FENCE: Final = re.compile(r"fence \d+")


def answers(folder: Path, programs: Path, pair: tuple[str, str]) -> list[Answer]:
    """Return what a pair is answered."""
    me, other = pair
    bus = Bus(folder=folder, programs=programs, agent=me)
    found = [bus.answer(typed) for typed in rows(SCRIPT.format(me=me, other=other))]
    return [replace(answer, out=FENCE.sub("fence …", answer.out)) for answer in found]


def test_answers_are_those_of_a_command_that_is_alone(template: Path, tmp_path: Path) -> None:
    add = Typed(words=["agents", "add", *(agent for pair in PAIRS for agent in pair)])
    for name in ("cold", "warm"):
        copy_bus(template, tmp_path / name)
        assert Bus(folder=tmp_path / name, programs=BIN).answer(add).code == 0
    programs = launchers(tmp_path / "programs")
    alone = [answers(tmp_path / "cold", BIN, pair) for pair in PAIRS]

    with up(tmp_path / "warm"), ThreadPoolExecutor(len(PAIRS)) as threads:
        together = list(threads.map(lambda pair: answers(tmp_path / "warm", programs, pair), PAIRS))

    assert not any(COLD in answer.out for found in together for answer in found)
    assert together == alone
