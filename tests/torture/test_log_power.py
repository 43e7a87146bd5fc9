"""Power cuts: what was acknowledged is there when the power comes back."""

import random
import time
from pathlib import Path

import msgspec
import pytest

from tests.laws.drafts import said
from tests.processes.command import palaver
from tests.processes.figures import tell
from tests.processes.nursery import Nursery
from tests.processes.oracle import Ground, Judgement, promised
from tests.processes.power import Disk, power
from tests.processes.writing import Job

pytestmark = pytest.mark.torture

CUTS = {"ext4": 500, "xfs": 200}
SEGMENT_BYTES = 100_000


def cut_while_writing(disk: Disk, folder: Path, nursery: Nursery, seed: int, mutant: str = "") -> Judgement:
    """Let four writers write for a moment on a new log, cut the power, and judge what comes back."""
    dice = random.Random(seed)
    ground = Ground(disk.folder / f"bus{seed}{mutant}", segment_bytes=SEGMENT_BYTES)
    acks = folder / f"acks{seed}{mutant}"
    acks.mkdir()
    writers = [
        nursery.start(
            Job(
                log=ground.root.log,
                lock=ground.root.log_lock,
                name=f"writer{n}",
                acks=str(acks / str(n)),
                seed=seed,
                segment_bytes=SEGMENT_BYTES,
                mutant=mutant,
            )
        )
        for n in range(4)
    ]
    time.sleep(dice.uniform(0.01, 0.15))
    for writer in writers:
        writer.stop()
    disk.cut()
    for writer in writers:
        writer.kill()
    disk.come_back()
    ground = Ground(disk.folder / f"bus{seed}{mutant}", segment_bytes=SEGMENT_BYTES)
    ground.open().append([said("the power is back", event_type="test.back")])
    return Judgement(ground, promised(acks.iterdir()))


@pytest.mark.parametrize("kind", CUTS)
def test_a_power_cut_takes_nothing_that_was_acknowledged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    began = time.monotonic()
    acks = unpromised = sealed = 0
    with power(tmp_path, kind) as disk, Nursery() as nursery:
        for seed in range(CUTS[kind]):
            judgement = cut_while_writing(disk, tmp_path, nursery, seed)
            assert judgement.complaints() == [], f"seed {seed}: {judgement}"
            acks += judgement.acks
            unpromised += judgement.unpromised
            sealed += judgement.verdict.sealed
            clean(disk)

    assert acks > CUTS[kind]
    tell(
        capsys,
        f"P2 {kind}: {CUTS[kind]} power cuts, {acks} acknowledged, 0 lost, {unpromised} present but "
        f"unacknowledged, {sealed} torn tails sealed, {time.monotonic() - began:.0f} s",
    )


def clean(disk: Disk) -> None:
    """Make room for the next one."""
    for path in sorted(disk.folder.glob("bus*/**/*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


@pytest.mark.parametrize("kind", CUTS)
def test_a_log_that_does_not_sync_is_caught(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    with power(tmp_path, kind) as disk, Nursery() as nursery:
        judgements = [cut_while_writing(disk, tmp_path, nursery, seed, "unsynced") for seed in range(5)]

    lost = sum(len(judgement.lost) for judgement in judgements)
    acks = sum(judgement.acks for judgement in judgements)
    assert lost > 0
    tell(capsys, f"P2 {kind}: without fdatasync, 5 power cuts, {acks} acknowledged, {lost} lost: caught")


@pytest.mark.parametrize("kind", CUTS)
def test_an_answer_to_a_retry_is_as_safe_as_a_first_acknowledgement(tmp_path: Path, kind: str) -> None:
    with power(tmp_path, kind) as disk, Nursery() as nursery:
        ground = Ground(disk.folder / "bus")
        job = Job(
            log=ground.root.log,
            lock=ground.root.log_lock,
            name="client",
            acks=str(tmp_path / "unsynced"),
            seed=1,
            count=50,
            keyed=True,
        )
        # The first one is killed before it could sync, as it were; the second one asks again.
        nursery.start(msgspec.structs.replace(job, mutant="unsynced")).join()
        nursery.start(msgspec.structs.replace(job, acks=str(tmp_path / "synced"))).join()
        disk.cut()
        disk.come_back()
        judgement = Judgement(Ground(disk.folder / "bus"), promised([tmp_path / "synced"]))

    assert judgement.complaints() == []
    assert (judgement.acks, judgement.events) == (50, 50)


@pytest.mark.parametrize("kind", CUTS)
def test_a_bus_made_a_moment_before_the_cut_comes_back_with_its_first_message(
    tmp_path: Path, kind: str
) -> None:
    with power(tmp_path, kind) as disk:
        assert palaver("init", "--person", "ada", cwd=disk.folder).returncode == 0
        sent = palaver("send", "ada", "-m", "the first", root=disk.folder, agent="ada")
        assert sent.returncode == 0, sent.stderr
        disk.cut()
        disk.come_back()

        inbox = palaver("inbox", root=disk.folder, agent="ada")

        assert inbox.returncode == 0, inbox.stderr
        assert "the first" in inbox.stdout
        assert palaver("verify", root=disk.folder).returncode == 0
