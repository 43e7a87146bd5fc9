"""One bus in many hands: threads of one process, children of a fork, and programs that only import it."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import palaver
from palaver import Bus
from tests.bus.scene import bodies, bus_in, environment, ids
from tests.views.dumps import dump, rebuilt


@pytest.mark.on_disk("other processes use the log")
def test_the_example_of_the_documentation_works(tmp_path: Path) -> None:
    bus_in(tmp_path, "bob")
    documented = Bus.__doc__
    assert documented is not None
    example = documented.partition("\n\n")[2].replace("\n    ", "\n").strip()

    subprocess.run([sys.executable, "-c", example], cwd=tmp_path, check=True, env=environment())

    assert bodies(Bus(str(tmp_path), agent="ada"), "bob") == ["The parser is ready."]


def test_what_the_package_promises_is_there_for_programs_and_for_checkers_of_types() -> None:
    stub = Path(palaver.__file__).with_suffix(".pyi").read_text()

    assert all(hasattr(palaver, name) for name in palaver.__all__)
    assert all(f"import {name} as {name}" in stub or f"{name}: str" in stub for name in palaver.__all__)
    assert not hasattr(palaver, "nothing_of_the_kind")


def test_threads_share_a_bus(tmp_path: Path) -> None:
    names = [f"slot{number}" for number in range(6)]
    bus = bus_in(tmp_path, *names)
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(20):
                sent = bus.send(names, f"{name} {number}", sender=name)
                bus.read([sent.message.id], agent=name)
                bus.ack([sent.message.id], agent=name)
                listing = bus.inbox(name, limit=1_000)
                assert listing.open == len(listing.mail)
                if number == 10:
                    bus.rebuild()
                    bus.add_agent(f"{name}-late")
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert [len(ids(bus, name, "all")) for name in names] == [120] * 6
    assert [len(ids(bus, name)) for name in names] == [100] * 6
    live = dump(bus)
    assert live == rebuilt(bus)


FORKING = """
import os, sys
from palaver import Bus
bus = Bus(sys.argv[1], agent="ada")
bus.send("bob", "before the fork")
assert len(bus.inbox("bob").mail) == 1
children = []
for number in range(5):
    child = os.fork()
    if not child:
        for step in range(10):
            bus.send("bob", f"child {number} {step}")
            bus.inbox("bob")
        os._exit(0)
    children.append(child)
    bus.send("bob", f"parent {number}")
    bus.inbox("bob")
codes = [os.waitpid(child, 0)[1] for child in children]
assert codes == [0] * 5, codes
print(len(bus.inbox("bob", limit=1_000).mail))
"""


@pytest.mark.on_disk("other processes use the log")
def test_a_bus_that_was_open_at_a_fork_works_on_both_sides(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")

    done = subprocess.run(
        [sys.executable, "-c", FORKING, str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )

    assert (done.stdout, done.stderr) == ("56\n", "")
    assert bus.verify().good
    assert len(ids(bus, "bob")) == 56
    live = dump(bus)
    assert live == rebuilt(bus)


STRAYING = """
import os, sys
from palaver import Bus, Refusal
root, names = sys.argv[1], sys.argv[2:]
# The anchors of the log are kept there.
state = os.environ["XDG_STATE_HOME"] + "/palaver/"
strays = []
CHANGES = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.chmod", "os.utime")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT

def watch(event, arguments):
    touched = arguments if event in CHANGES else ()
    if event == "open" and arguments[2] & WRITES:
        touched = arguments[:1]
    strays.extend(each for each in touched if isinstance(each, str) and not each.startswith((root, state)))

bus = Bus(root, agent="ada")
bus.send("bob", "load everything first")
bus.snapshot()
sys.addaudithook(watch)
sys.dont_write_bytecode = True
for name in names:
    for call in (
        lambda: bus.add_agent(name, handle=name, role=name),
        lambda: bus.send(name, "x"),
        lambda: bus.send("bob", "x", sender=name),
        lambda: bus.send("bob", "x", task=name, run=name, key=name, reply_to=name),
        lambda: bus.wait(agent=name, timeout=0),
        lambda: bus.set_list(name, [name, "bob"]),
        lambda: bus.inbox(name),
        lambda: bus.read([name]),
        lambda: bus.quarantined(name),
        lambda: bus.event(name),
        lambda: bus.thread(name),
    ):
        try:
            call()
        except Refusal:
            pass
print(sorted(set(strays)))
"""


@pytest.mark.on_disk("another process opens the bus")
def test_no_name_makes_the_bus_touch_a_file_outside_its_folder(tmp_path: Path) -> None:
    (tmp_path / "bus").mkdir()
    bus = bus_in(tmp_path / "bus", "bob")
    names = [
        "../../outside", "/tmp/outside", "a/../../outside", "..", ".", "~/outside", "a", "a/b", "team/bob",
        "con", "-rf", "$HOME", "`id`", "*", "a\nb", "a b", "x" * 300, "ﬀ", "bоb", "\u202eabc",
        "..%2f..%2foutside", "..\\outside",
    ]  # fmt: skip

    done = subprocess.run(
        [sys.executable, "-c", STRAYING, bus.root.path, *names],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )

    assert (done.stdout, done.stderr) == ("[]\n", "")
    assert [path.name for path in tmp_path.iterdir()] == ["bus"]
