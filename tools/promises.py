"""What we promise, what proves it at full size, and the page of the results: docs/promises.md.

The tables are data. `tools/torture.py` runs the proofs and writes what they measured into the page.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "promises.md"
NOT_RUN: Final = "not run yet"
_TABLE: Final = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One row: what holds, how hard it is tried, and the tests or commands that try it."""

    text: str
    trial: str
    #: Paths and names of tests as pytest takes them, or the words of a command.
    proofs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the proofs of a row came to, as the page shows it."""

    figures: str
    date: str


def _torture(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/torture/{name}" for name in names)


#: P: what is kept. The numbers do not change: documents and people refer to them.
PROMISES: Final[Mapping[str, Promise]] = {
    "P1": Promise(
        text="If a command exits with 0, or a call returns, its event is synced to disk.",
        trial="eight writers, killed 2,000 times; a send, killed at each of its system calls",
        proofs=_torture(
            "test_log_kills.py::test_two_thousand_kills_over_eight_writers_lose_nothing",
            "test_log_kills.py::test_a_send_may_be_killed_at_every_system_call",
        ),
    ),
    "P2": Promise(
        text="What was acknowledged survives a power cut.",
        trial="500 cuts on ext4, 200 on xfs; the same code without its sync is caught losing data",
        proofs=_torture("test_log_power.py"),
    ),
    "P3": Promise(
        text="A torn write costs at most the record that was not acknowledged. The next append is intact.",
        trial="a log, cut at each byte of its last three records",
        proofs=_torture(
            "test_log_damage.py::test_a_cut_at_every_byte_of_the_last_three_records_costs_only_what_was_cut"
        ),
    ),
    "P4": Promise(
        text="No update is lost, and no lines are mixed.",
        trial="eight processes of four threads, 5,000 sends each, in the order of each sender",
        proofs=_torture("test_log_writers.py"),
    ),
    "P5": Promise(
        text="The same idempotency key is one event, for the life of the log.",
        trial="clients that are killed and retry until they are answered",
        proofs=_torture(
            "test_log_kills.py::test_clients_that_are_killed_and_try_again_with_their_key_are_heard_once"
        ),
    ),
    "P6": Promise(
        text="Mail is delivered at least once. What is shown again is marked.",
        trial="an agent that runs `wait`, `read` and `ack`, killed 2,000 times; 1,000 killed consumers; "
        "outputs that are closed, full or left by their reader",
        proofs=(
            "tests/torture/test_reader_kills.py",
            "tests/torture/test_views_consumers.py",
            "tests/cli/test_streams.py",
        ),
    ),
    "P7": Promise(
        text="A message to an unknown name is never a success.",
        trial="500 names that are nearly right, by command; the answers of files, HTTP and Python",
        proofs=(
            "tests/torture/test_cli_hostile.py::test_five_hundred_names_that_are_nearly_right_are_never_a_success",
            "tests/acceptance/trust/test_http_answers.py",
            "tests/bus/test_addresses.py",
        ),
    ),
    "P8": Promise(
        text="Each byte of a watched file is an event, our own, quarantined, blank or pending.",
        trial="a million generated lines of each dialect; 100,000 lines through a mount of each",
        proofs=_torture("test_dialect_lines.py", "test_live_files.py"),
    ),
    "P9": Promise(
        text="Views can be deleted at any time.",
        trial="200 flipped bits, cuts, 500 kills while a view is made or applied, 300 long lives of a bus",
        proofs=_torture("test_views_damage.py", "test_views_deaths.py", "test_views_mirror.py"),
    ),
    "P10": Promise(
        text="A full or failing disk, or a limit that is reached, is a clear error. Nothing is half-written.",
        trial="signals; each limit of files, memory and size; a disk that fills at each byte",
        proofs=(
            "tests/torture/test_cli_limits.py",
            "tests/log/test_full_disk.py",
            "tests/acceptance/trust/test_storage_faults.py",
        ),
    ),
    "P11": Promise(
        text="A failed sync is never followed by a false acknowledgement.",
        trial="an I/O error at each of the first 20 syncs of a real process",
        proofs=_torture(
            "test_log_faults.py::test_whichever_sync_of_a_real_process_fails_nothing_acknowledged_is_lost"
        ),
    ),
    "P12": Promise(
        text="Order and positions use sequence numbers, never the clock.",
        trial="a clock that jumps ten years back and forth, under real processes",
        proofs=(
            "tests/torture/test_log_faults.py::test_a_faked_clock_of_the_system_changes_no_order",
            "tests/log/test_clock.py",
        ),
    ),
    "P13": Promise(
        text="Each dropped or replaced file is seen once, with or without inotify.",
        trial="10,000 drops while the queue of the kernel holds 16; all that may happen to a file",
        proofs=(
            "tests/torture/test_live_drops.py",
            "tests/torture/test_live_daemon.py::test_ten_thousand_drops_are_seen_once_each_though_the_kernel_lost_count",
            "tests/sync/test_intake.py",
            "tests/sync/test_rotation.py",
        ),
    ),
    "P14": Promise(
        text="Nothing waits silently.",
        trial="a stopped holder of the lock is named; agents that wait for each other are told the cycle",
        proofs=("tests/log/test_lock.py", "tests/bus/test_waits.py"),
    ),
    "P15": Promise(
        text="Damage is found, named and contained; so is a log that lost its end or was rewritten.",
        trial="each bit of a small log flipped; pages zeroed, lines swapped, removed and inserted; anchors",
        proofs=(
            "tests/torture/test_log_damage.py::test_every_flipped_bit_of_a_small_log_is_found_and_contained",
            "tests/torture/test_log_damage.py::test_damage_of_a_larger_log_is_found_and_contained",
            "tests/acceptance/trust/test_anchors.py",
            "tests/acceptance/trust/test_damaged_snapshots.py",
        ),
    ),
    "P16": Promise(
        text="Memory and work are bounded, whatever is in the files.",
        trial="a line of 1 GiB in each dialect, 100,000 files in an inbox, 1,000,000 events",
        proofs=_torture("test_bounds.py"),
    ),
    "P17": Promise(
        text="The server survives every request.",
        trial="20,000 requests made from the document of the API by schemathesis",
        proofs=_torture("test_web_api.py"),
    ),
    "P18": Promise(
        text="`cp` of a bus in use is a backup, and a log of a later release can be read.",
        trial="1,000 copies of a log, cut at random bytes; copies taken while writers run",
        proofs=("tests/torture/test_backups.py", "tests/log/test_backup.py"),
    ),
    "P19": Promise(
        text="A company with kills, power cuts, full disks, clock jumps and wrong lines breaks no law.",
        trial="10,000 seeds of the simulation; planted bugs are found",
        proofs=("make simulate", "tests/simulation"),
    ),
}
#: D: what else the daemon and the files promise.
PROMISES_OF_FILES: Final[Mapping[str, Promise]] = {
    "D1": Promise(
        text="No line is lost or doubled, in the log or in files, whenever a process dies.",
        trial="1,000 random kills of passes; a kill at each system call that changes something",
        proofs=_torture("test_live_kills.py", "test_live_syscalls.py"),
    ),
    "D2": Promise(
        text="A file that is replaced as a whole keeps every line that others append meanwhile.",
        trial="other programs write at each system call of a pass, and the pass is killed there",
        proofs=_torture("test_live_rewrites.py"),
    ),
    "D3": Promise(
        text="A command answers the truth even if the daemon that runs it dies.",
        trial="500 kills of the daemon under eight launchers",
        proofs=_torture("test_warm_kills.py"),
    ),
    "D4": Promise(
        text="The daemon may be killed at any time, and costs little.",
        trial="300 kills; 50 mounts at rest; a long log; memory after 20,000 commands",
        proofs=(
            "tests/torture/test_live_daemon.py::test_three_hundred_kills_lose_nothing_and_repeat_nothing",
            "tests/torture/test_live_daemon.py::test_fifty_thousand_lines_of_history_are_taken_in_once",
            "tests/torture/test_live_daemon.py::test_what_it_costs_to_wait_with_fifty_mounts",
            "tests/torture/test_live_daemon.py::test_a_long_log_starts_fast",
            "tests/torture/test_warm_costs.py",
        ),
    ),
    "D5": Promise(
        text="A task has one holder, and supervision forgets nothing and ends no agent that is active.",
        trial="eight processes claim 1,000 tasks; 50 agents for 30 days",
        proofs=_torture("test_work_claims.py", "test_supervision.py"),
    ),
}
#: T: what is tried against us.
THREATS: Final[Mapping[str, Promise]] = {
    "T1": Promise(
        text="An agent cannot decide in the name of another by plain commands or lines.",
        trial="each cell of [power](reference/power.md); each way to another identity or to a lead, "
        "also over a second bus",
        proofs=(
            "tests/acceptance/trust/test_acting_as_another.py",
            "tests/acceptance/trust/test_power.py",
            "tests/acceptance/trust/test_proof_of_board_files.py",
            "tests/acceptance/trust/test_proof_of_other_acts.py",
            "tests/acceptance/trust/test_proof_of_task_acts.py",
            "tests/probes/test_second_bus.py",
            "tests/probes/test_becoming_a_lead.py",
            "tests/probes/test_replies_of_others.py",
            "tests/probes/test_python_programs.py",
            "tests/probes/test_forged_runs.py",
            "tests/probes/test_choosing_a_checker.py",
            "tests/probes/test_taking_open_tasks.py",
            "tests/probes/test_ended_runs.py",
            "tests/probes/test_polls_of_others.py",
            "tests/probes/test_keys_of_others.py",
        ),
    ),
    "T3": Promise(
        text="A name or an id leads to no file outside its folder.",
        trial="hostile names and ids on each surface",
        proofs=("tests/model/test_names.py", "tests/sync/test_hostile.py"),
    ),
    "T4": Promise(
        text="Links, FIFOs, devices and files of others are not followed, and nothing hangs.",
        trial="each kind, in each place of a bus and a mount",
        proofs=(
            "tests/trust/test_planted_links.py",
            "tests/trust/test_links_in_the_project.py",
            "tests/trust/test_snapshot_repository.py",
            "tests/acceptance/test_file_owners.py",
        ),
    ),
    "T5": Promise(
        text="A text cannot harm a terminal, and forges no line in a file.",
        trial="hostile texts in each place of each command; each hidden character in each file of lines",
        proofs=(
            "tests/acceptance/trust/test_control_characters.py",
            "tests/torture/test_cli_hostile.py::test_a_text_goes_through_every_command_and_does_nothing",
            "tests/torture/test_cli_hostile.py::test_a_text_in_the_place_of_everything_else_does_nothing",
        ),
    ),
    "T6": Promise(
        text="A text cannot harm the dashboard.",
        trial="hostile texts in each view of a real Chromium",
        proofs=("tests/web/test_hostile.py",),
    ),
    "T7": Promise(
        text="Pages of other sites cannot use the dashboard.",
        trial="requests over plain sockets, each with its status; a page of another origin in the browser",
        proofs=("tests/web/test_http.py", "tests/web/test_keys.py"),
    ),
    "T9": Promise(
        text="A secret is refused or masked before it is stored.",
        trial="a corpus of families with near misses, by command and in the files of each dialect",
        proofs=(
            "tests/acceptance/trust/test_secrets.py",
            "tests/acceptance/trust/test_secret_names.py",
            "tests/model/test_secrets.py",
            "tests/sync/test_redacted_lines.py",
        ),
    ),
    "T10": Promise(
        text="Junk costs no more than twice the work of good lines, and blocks nothing.",
        trial="a million junk lines of each dialect; a backlog in one file while others are served",
        proofs=("tests/torture/test_junk_lines.py", "tests/sync/test_junk.py", "tests/sync/test_turns.py"),
    ),
    "T11": Promise(
        text="An edit of history is seen, in the log and in files.",
        trial="edits, truncations and rewrites of each file; anchors, each alone",
        proofs=("tests/acceptance/test_accounting.py", "tests/log/test_excuses.py"),
    ),
    "T12": Promise(
        text="Programs that answer each other end; by lines in other names, they are slowed down.",
        trial="loops by message, reply, file, claimed name and without a token; slow chains and storms",
        proofs=(
            "tests/acceptance/trust/test_loops.py",
            "tests/bus/test_loop_limit.py",
            "tests/bus/test_loops_in_files.py",
            "tests/probes/test_loops_of_two_buses.py",
        ),
    ),
    "T13": Promise(
        text="A line in the wrong file is kept, has no power, and its author is told.",
        trial="misfiled lines of an office; wrong lines of each dialect",
        proofs=("tests/acceptance/test_told.py", "tests/acceptance/test_office_walk.py"),
    ),
    "T14": Promise(
        text="A bus that came from elsewhere runs nothing, and reaches nothing outside its project.",
        trial="each command on a cloned bus; commands, mounts, links and git settings that arrive later",
        proofs=(
            "tests/trust/test_untrusted.py",
            "tests/trust/test_foreign_config.py",
            "tests/trust/test_arriving_files.py",
            "tests/trust/test_passed_on_trust.py",
            "tests/trust/test_revoked_trust.py",
        ),
    ),
    "T15": Promise(
        text="Palaver speaks to no other machine.",
        trial="the system calls of commands and of the daemon: no address but loopback",
        proofs=("tests/trust/test_network.py",),
    ),
    "T16": Promise(
        text="A program on the daemon's port learns nothing.",
        trial="programs in the place of a dead daemon, other users, browsers, garbage",
        proofs=("tests/trust/test_command_folder.py", "tests/web/test_open.py"),
    ),
    "T18": Promise(
        text="A line that is pasted again moves nothing.",
        trial="moves of each dialect, pasted again after release and re-claim; files appended to themselves",
        proofs=(
            "tests/acceptance/trust/test_replay.py",
            "tests/acceptance/trust/test_replayed_files.py",
        ),
    ),
}
TABLES: Final[Mapping[str, Mapping[str, Promise]]] = {
    "promises": PROMISES,
    "files": PROMISES_OF_FILES,
    "threats": THREATS,
}
ROWS: Final[Mapping[str, Promise]] = {
    number: row for table in TABLES.values() for number, row in table.items()
}


def outcomes(page: str) -> dict[str, Outcome]:
    """Return what the page says of each row that was run."""
    found: dict[str, Outcome] = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 5 and cells[0] in ROWS and cells[3] != NOT_RUN:
            found[cells[0]] = Outcome(figures=cells[3], date=cells[4])
    return found


def with_outcomes(page: str, seen: Mapping[str, Outcome]) -> str:
    """Return the page with its tables written again."""
    return _TABLE.sub(lambda match: f"{match[1]}{_table(TABLES[match[2]], seen)}{match[3]}", page)


def figures(lines: Iterable[str], passed: int) -> str:
    """Return what was measured in a few words: the lines that proofs told, or how many tests passed."""
    told = [" ".join(line.split()).replace("|", "/") for line in lines]
    shown = told[:3] + ([f"and {len(told) - 3} more lines"] if len(told) > 3 else [])
    return "; ".join([*shown, f"{passed} tests passed"])


def _table(rows: Mapping[str, Promise], seen: Mapping[str, Outcome]) -> str:
    lines = ["| | promise | tried with | seen | last run |", "|---|---|---|---|---|"]
    for number, row in rows.items():
        outcome = seen.get(number, Outcome(figures=NOT_RUN, date=""))
        lines.append(f"| {number} | {row.text} | {row.trial} | {outcome.figures} | {outcome.date} |")
    return "\n".join(lines) + "\n"
