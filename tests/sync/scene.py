"""A bus with mounts, passes over them, and what must be true of every file after each of them."""

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from palaver import Bus
from palaver.dialects.runbus.header import HEADER
from palaver.model.event import Event, number, table, text, texts
from palaver.model.limits import LOCK_SECONDS
from palaver.model.mounted_files import Growth
from palaver.sync.accounts import Account, accounts
from palaver.sync.intake.file_events import hashed
from palaver.sync.mounts.mount_operations import add_mount, remove_mount
from palaver.sync.mounts.mount_point import MountPoint, mount_points
from palaver.sync.passes import Sync
from palaver.sync.report import Report
from palaver.views.files.findings import findings_of
from palaver.wiring import begin

# Passes after which nothing may be left to do; the events of vermas are written some hundred at a time.
PASSES_MAX: Final = 16
# What a gap between the pieces of a file may be made of.
_BLANK: Final = b" \t\r\n\xef\xbb\xbf"


class Scene:
    """A bus in a folder, which ada began."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        begin(str(folder), "ada")
        self.folder = folder
        self.restart()

    def restart(self) -> None:
        """Forget all that is not on the disk, as another process would."""
        self.bus = Bus(str(self.folder), agent="ada")
        self._sync = Sync(self.bus.session)

    # --- mounts ---

    def mount(self, spoken: str, called: str = "", **settings: str) -> Path:
        """Mount a folder, which is made if need be; return it."""
        folder = self.folder / (called or spoken)
        folder.mkdir(exist_ok=True)
        for inner in {"office": ("messages",), "vermas": (".work",), "collab": ("inbox",)}.get(spoken, ()):
            (folder / inner).mkdir(exist_ok=True)
        if spoken == "runbus":
            # A missing file would be created with a header, and tests count the bytes of their own.
            (folder / settings.get("file", "MESSAGE-BUS.md")).touch()
        add_mount(self.bus.session, spoken, str(folder), name=called or spoken, settings=settings)
        self.settle()
        return folder

    def unmount(self, called: str) -> None:
        remove_mount(self.bus.session, called)

    def mounts(self) -> list[MountPoint]:
        self.bus.session.view.current()
        return mount_points(self.bus.root.path, self.bus.session.view.roster().mounts)

    # --- passes ---

    def sync(self) -> Report:
        """Do one pass."""
        report = self._sync.once(LOCK_SECONDS)
        assert report is not None
        return report

    def take_in(self) -> bool:
        """Do the first half of a pass: nothing is written to the files."""
        return self._sync.take_in(LOCK_SECONDS, Report())

    def settle(self, passes: int = PASSES_MAX) -> Report:
        """Do passes until one has nothing to do; return what they did; check what must hold then."""
        whole = Report()
        while passes:
            before = self.head()
            report = self.sync()
            # A pass that leaves a part of a long file to the next one is followed by another in any case.
            passes -= not report.unfinished
            for mount, count in report.messages.items():
                whole.messages[mount] = whole.messages.get(mount, 0) + count
            whole.written += report.written
            whole.confirmed += report.confirmed
            whole.quarantined += report.quarantined
            whole.findings += report.findings
            whole.troubles += [each for each in report.troubles if each not in whole.troubles]
            whole.notes += report.notes
            whole.unsettled = report.unsettled
            if not report.busy and not report.unfinished:
                assert self.head() == before, "a pass that did nothing wrote to the log"
                self.check()
                return whole
        raise AssertionError(f"still busy after so many passes: {report}")

    # --- what there is ---

    def head(self) -> int:
        events = self.bus.session.log.read(0, 1_000_000)
        return max((event.seq for event in events), default=0)

    def events(self, *types: str) -> list[Event]:
        return [event for event in self.bus.session.log.read(0, 1_000_000) if event.event_type in types]

    def mail(self) -> list[Event]:
        """Return every message, those of the bus itself too."""
        return self.events("mail.sent")

    def bodies(self, mount: str = "") -> list[str]:
        """Return the texts of messages; with a mount, of those that stand in its files."""
        return [
            text(event.data, "body")
            for event in self.mail()
            if event.actor != "palaver" and (not mount or text(event.src or {}, "mount") == mount)
        ]

    def notices(self) -> list[Event]:
        """Return what the bus itself said."""
        return [event for event in self.mail() if event.actor == "palaver"]

    def codes(self) -> list[str]:
        """Return the codes of all findings."""
        every = self.bus.session.log.read(0, 1_000_000)
        events = [event for event in every if event.event_type == "file.found" or "found" in event.data]
        return [text(each, "code") for event in events for each in findings_of(event)]

    def accounts(self) -> dict[tuple[str, str], Account]:
        return {(each.mount, each.file): each for each in accounts(self.bus.session)[1]}

    def account(self, mount: str, file: str) -> Account:
        return self.accounts()[mount, file]

    # --- what must be true ---

    def check(self) -> None:
        """Check that every byte of every file is one thing, by the account and by the log itself."""
        found = self.accounts()
        for account in found.values():
            check_sum(account)
        for each in self.mounts():
            for file, growth in each.listing().files:
                if growth is Growth.LOG and not found[each.name, file].unfit:
                    self._check_spans(each, file)
        self.check_ids()

    def check_ids(self) -> None:
        twice = [each for each, count in Counter(e.event_id for e in self.mail()).items() if count > 1]
        assert not twice, twice

    def _check_spans(self, each: MountPoint, file: str) -> None:
        content = Path(each.full(file)).read_bytes()
        spans = self.spans(each.name, file)
        end = 0
        for offset, length, sha, kind in spans:
            assert offset >= end, (file, "two events have the same bytes", offset, end, kind)
            gap = content[end:offset]
            assert is_blank(each.dialect.name, gap), (file, "nobody took", gap[:200], kind)
            piece = content[offset : offset + length]
            assert len(piece) == length, (file, "beyond its end", offset, length)
            assert hashed(piece) == sha, (file, "not the bytes that the log speaks of", piece[:200], kind)
            end = offset + length

    def spans(self, mount: str, file: str) -> list[tuple[int, int, str, str]]:
        """Return the bytes that events of the last life of a file came from: offset, length, hash, type."""
        mine = [
            event for event in self._sourced() if (_src(event, "mount"), _src(event, "file")) == (mount, file)
        ]
        last = max((number(event.src or {}, "gen") for event in mine), default=0)
        found = [
            (number(src, "off"), number(src, "len"), text(src, "sha"), event.event_type)
            for event in mine
            if (src := event.src or {}) and number(src, "gen") == last and number(src, "len")
        ]
        return sorted(found)

    def _sourced(self) -> Iterator[Event]:
        return (event for event in self.bus.session.log.read(0, 1_000_000) if event.src)


def check_sum(each: Account) -> None:
    """Check that the bytes of a file add up to its size."""
    total = each.events + each.quarantined + each.ours + each.blank + each.pending
    assert total == each.size, each
    assert min(each.events, each.quarantined, each.ours, each.blank, each.pending) >= 0, each


def is_blank(spoken: str, gap: bytes) -> bool:
    """Tell whether bytes may be nothing at all: white space, a mark of order, a rule, a header."""
    if spoken == "runbus":
        gap = gap.removeprefix(HEADER)
        return all(not line.strip(_BLANK + b"-") for line in gap.split(b"\n"))
    return not gap.strip(_BLANK)


def _src(event: Event, name: str) -> str:
    return text(event.src or {}, name)


def stands_for(event: Event) -> list[str]:
    """Return the hashes of the pieces that an event stands for."""
    return texts(event.data, "shas") or [text(table(event.plain(), "src"), "sha")]


def append(path: Path, content: bytes) -> None:
    """Append as a shell does: open, one write, close."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        assert os.write(fd, content) == len(content)
    finally:
        os.close(fd)


def left_alone(path: Path) -> None:
    """Make a file look as if nobody had written to it for a while."""
    past = time.time() - 60
    os.utime(path, (past, past))


def dropped(folder: Path, name: str, content: bytes) -> Path:
    """Drop a file into an inbox as the protocol says: write it beside, move it in."""
    beside = folder / f".{name}"
    beside.write_bytes(content)
    # The move must be later than the write, on a clock with coarse ticks too.
    left_alone(beside)
    beside.rename(folder / name)
    return folder / name
