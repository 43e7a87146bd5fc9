"""Supervision in the team's own files, in its own words, and in the name that its protocol has for them."""

import json
import re
from pathlib import Path

import pytest

from tests.sync.living import Place, read, up

pytestmark = pytest.mark.on_disk("commands are other processes")

MANAGER = "emp-manager-001"
SOON = """[deadlines]
patrol = 0.2
gap = 30
grace = 0
nudge = 0.5
kill = 1
watchdog = 1
escalate = 1
ceo = 0.5
ping = 0.5
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "bus")


def configure(place: Place, text: str) -> None:
    config = Path(place.bus().root.config)
    config.write_text(f"{config.read_text()}\n{text}")


def entries(log: Path) -> list[str]:
    """Return the lines of an office's log without their times."""
    return [line.partition("] ")[2] for line in read(log).splitlines()]


def test_an_office_finds_the_steps_of_supervision_in_its_own_log_as_its_manager_writes_them(
    place: Place,
) -> None:
    office = place.mount("office")
    (office / "messages/employee-emp-a1.log").write_text("[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | here\n")
    place.do("task", "open", "Home", "--id", "004", "--approval", "--as", MANAGER)
    place.do("task", "claim", "004", "--as", "emp-a1")
    place.do("task", "approve", "004", "--as", MANAGER)

    for _ in range(6):
        place.do("continue", "--manager", "--as", MANAGER)
        place.do("patrol", "--as", "ada")
    place.do("sync", "--as", "ada")

    words = "To emp-a1: You have task-004, and have been silent: say how it goes."
    inbox = entries(office / "messages/manager-inbox.log")
    assert [line for line in inbox if not line.startswith("[REPLY]")] == [
        "[APPROVAL] task-004 approved for emp-a1. Status: In Progress.",
        f"[WAKE] {words}",
        f"[WAKE_FINAL] {words}",
        "[ABANDON] emp-a1 marked inactive after 3 missed heartbeats. Tasks released: task-004.",
        "[IDLE_WARNING] emp-a1 has been idle for 5 polls. Please claim a task or report blockers.",
        "[IDLE_REPORT] emp-a1 has been idle for 6 polls. Reported to the user.",
    ]
    assert place.do("lint", "office", str(office)).out.startswith("Good")
    said = [event for event in place.events("mail.sent") if event.data.get("from") == MANAGER]
    assert [event.actor for event in said[1:]] == ["palaver"] * 5


def test_what_the_bus_says_for_a_manager_is_taken_back_by_the_bus(place: Place) -> None:
    place.mount("office")
    place.do("agents", "add", "emp-a1")
    office = place.folder / "office/messages/employee-emp-a1.log"
    office.write_text("[2026-02-11T10:00:00Z] [INFO] by: emp-a1 | here\n")
    place.do("task", "open", "Home", "--id", "004", "--as", MANAGER)
    place.do("task", "claim", "004", "--as", "emp-a1")
    place.do("send", MANAGER, "-m", "At it.", "--as", "emp-a1")
    for _ in range(2):
        place.do("continue", "--manager", "--as", MANAGER)
        place.do("patrol", "--as", "ada")
    woken = place.do("inbox", "--as", "emp-a1")

    with office.open("a") as log:
        log.write("[2026-02-11T10:05:00Z] [INFO] by: emp-a1 | here I am\n")
    place.do("patrol", "--as", "ada")
    place.do("patrol", "--as", "ada")

    assert "have been silent" in woken.out
    assert "have been silent" not in place.do("inbox", "--as", "emp-a1").out


@pytest.mark.slow
def test_a_company_reads_who_nudges_and_who_escalates_as_its_protocol_names_them(place: Place) -> None:
    company = place.mount("vermas")
    worker, boss = "f/workers/slot0", "f/supervisor"
    place.do("agents", "add", "ceo", "operations", boss, worker)
    names = ("ceo", "operations", boss, worker)
    mail = company / ".work/messages.jsonl"
    lines = [
        {"id": f"msg-{n}", "from": name, "to": "ceo", "subject": "hi", "body": "hi",
         "timestamp": "2026-01-01T10:00:00Z"}
        for n, name in enumerate(names)
    ]  # fmt: skip
    mail.write_text("".join(json.dumps(line) + "\n" for line in lines))
    place.do("sync", "--as", "ada")
    place.do("task", "open", "Work", "--id", "wo-1", "--as", "ceo")
    place.do("task", "assign", "wo-1", worker, "--as", "ceo")
    place.do("task", "start", "wo-1", "--as", worker)
    configure(place, SOON)

    def said() -> set[tuple[str, str, str]]:
        found = [json.loads(line) for line in read(mail).splitlines() if line.endswith("}")]
        return {(each.get("type", ""), each["from"], each["to"]) for each in found}

    wanted = {
        ("NUDGE", boss, worker),
        ("SUPERVISOR_PING", "operations", boss),
        ("ESCALATION", boss, "operations"),
        ("ESCALATION", "operations", "ceo"),
    }
    with up(place.folder) as running:
        running.until(lambda: wanted <= said(), lambda: read(mail))


@pytest.mark.slow
def test_two_of_a_collab_read_in_a_line_of_the_system_that_the_watchdog_fired(place: Place) -> None:
    pair = place.folder / "pair"
    (pair / "inbox").mkdir(parents=True)
    chat = pair / "chat.log"
    chat.write_text(
        "2026-02-22 01:15:32 JIM -> CLAWDY: [TASK:price] BTC price\n"
        "2026-02-22 01:15:34 CLAWDY -> JIM: [ACK:price] Checking.\n"
    )
    place.do("mount", "add", "collab", str(pair), "--name", "pair", "--set", "a=jim", "--set", "b=clawdy")
    configure(place, SOON)
    fired = re.compile(
        r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d SYSTEM: watchdog: clawdy has price and has been idle"
    )

    with up(place.folder) as running:
        running.until(lambda: fired.search(read(chat)), lambda: read(chat))
