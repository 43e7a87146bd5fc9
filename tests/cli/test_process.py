"""wo process: steps that need each other, each a task on the board."""

from tests.cli.spoken import Shell
from tests.cli.test_company import Company, twice


def started(ceo: Company, *words: str) -> str:
    return ceo("wo", "process", "start", *words).out.split()[0]


def statuses(ceo: Company, process: str) -> dict[object, object]:
    steps = ceo.orders("process", "steps", process)[0]["steps"]
    assert isinstance(steps, list)
    return {step["id"]: step["status"] for step in steps}


def test_steps_become_ready_one_after_the_other_and_the_last_one_ends_the_process(bus: Shell) -> None:
    ceo = Company(bus, "ceo")
    process = started(ceo)

    assert statuses(ceo, process) == {
        "understand": "ready",
        "implement": "pending",
        "test": "pending",
        "complete": "pending",
    }
    for step in ("understand", "implement", "test", "complete"):
        ceo("wo", "process", "complete", process, step)
    assert set(statuses(ceo, process).values()) == {"completed"}
    assert ceo.orders("process", "list")[0]["state"] == "archive"


def test_a_step_whose_turn_has_not_come_is_refused(bus: Shell) -> None:
    ceo = Company(bus, "ceo")
    process = started(ceo)

    answer = ceo("wo", "process", "complete", process, "test")

    assert answer.code == 5
    assert f"it needs {process}.implement" in answer.err


def test_who_has_a_process_is_told_its_next_ready_step(bus: Shell) -> None:
    ceo = Company(bus, "ceo")
    order = ceo("wo", "create", "Feature").out.split()[-1]
    process = started(ceo, order)
    ceo("wo", "process", "complete", process, "understand")
    ceo("co", "assignment", "set", "bob", f"process:{process}")

    told = Company(bus, "bob")("co", "prime").out

    assert told.startswith(f"ASSIGNED: process:{process}\n")
    assert f"{process}.implement" in told
    assert f"{process}.test" not in told


def test_a_process_that_is_cancelled_skips_what_is_left(bus: Shell) -> None:
    ceo = Company(bus, "ceo")
    process = started(ceo, "--template", "verify-pipeline")
    ceo("wo", "process", "cancel", process)

    assert set(statuses(ceo, process).values()) == {"skipped"}


def test_a_template_of_ones_own_is_checked_and_used(bus: Shell) -> None:
    ceo = Company(bus, "ceo")
    good = '\ntemplate = "mine"\n[[steps]]\nid = "b"\nneeds = ["a"]\n[[steps]]\nid = "a"\n'
    (bus.folder / "good.toml").write_text(good)
    (bus.folder / "round.toml").write_text(good + 'needs = ["b"]\n')
    (bus.folder / "bad.toml").write_text("steps = 3")

    assert ceo("wo", "process", "compile", "good.toml").out == "mine: a → b\n"
    assert ceo("wo", "process", "start", "--template", "good.toml").code == 0
    assert "wait for each other" in ceo("wo", "process", "compile", "round.toml").err
    assert ceo("wo", "process", "compile", "bad.toml").code == 2
    assert ceo("wo", "process", "compile", "none.toml").code == 3
    assert ceo("wo", "process", "show", "proc-none").code == 3


def test_who_has_a_process_is_free_when_it_ends(bus: Shell) -> None:
    ceo = Company(bus, "ceo")
    cancelled, completed = started(ceo), started(ceo)

    ceo("co", "assignment", "set", "ceo", f"process:{cancelled}")
    ceo("wo", "process", "cancel", cancelled)
    after_the_first = ceo("co", "assignment").out
    ceo("co", "assignment", "set", "ceo", f"process:{completed}")
    for step in ("understand", "implement", "test", "complete"):
        ceo("wo", "process", "complete", completed, step)

    assert after_the_first == "Assignment is empty\n"
    assert ceo("co", "assignment").out == "Assignment is empty\n"


def test_a_repeated_key_starts_completes_and_cancels_once(bus: Shell) -> None:
    ceo = Company(bus, "ceo")

    process = twice(ceo, "wo", "process", "start").out.split()[0]
    twice(ceo, "wo", "process", "complete", process, "understand")
    twice(ceo, "wo", "process", "cancel", process)

    assert len(ceo.orders("process", "list")) == 1
