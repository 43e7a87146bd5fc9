"""Anything that may befall a file, in any order: what the log has agrees with a simple model."""

import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from palaver.dialects import spec
from palaver.model.mounted_files import Source
from tests.sync.scene import Scene, append, left_alone
from tests.sync.spoken import SPEECHES, Speech

# What people, terminals and hostile programs put into texts; a number makes each a message of its own.
BODIES = st.text(
    alphabet=st.sampled_from('aZ9 |[]{}"\\:@->#-`$<>&;éß漢🙂\u202e\u200b\u2028\x85\x1b\x07%\u0301'),
    min_size=1,
    max_size=12,
)
RUBBISH = st.binary(min_size=1, max_size=30).map(lambda raw: raw.replace(b"\n", b"?") + b"\n")


class Lives(RuleBasedStateMachine):
    """One file of one mount, and a model: how often each message must be in the log."""

    speech: Speech

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="lives"))
        self.scene = Scene(self.folder / "bus")
        mount = self.scene.mount(self.speech.dialect, **self.speech.settings)
        self.file = mount / self.speech.file
        [self.told] = [each.mount for each in self.scene.mounts()]
        self.count = 0
        # Whole lines of ours in the file now, and what stands behind them without an end.
        self.lines: list[bytes] = []
        self.tail = b""
        # How often a message stood in the file at most when a pass looked: where it must be in the log, and
        # where it may be, because somebody was in the middle of a line behind it.
        self.most: Counter[str] = Counter()
        self.might: Counter[str] = Counter()
        self.bodies: dict[bytes, str] = {}
        self.sent: list[str] = []

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def _said(self, body: str) -> bytes:
        """Return a line that nobody has said; if it can be read, remember what it says."""
        self.count += 1
        line = self.speech.says(f"w{self.count}{body}w")
        parsed = spec(self.speech.dialect).parse(Source(path=self.speech.file, content=line, mount=self.told))
        for message in parsed.messages:
            self.bodies[line] = message.body
        return line

    # --- what agents do ---

    @rule(body=BODIES)
    def an_agent_says_something(self, body: str) -> None:
        line = self._said(body)
        self._write(line)

    @rule(choice=st.integers(0, 1 << 30))
    def an_agent_says_something_again(self, choice: int) -> None:
        if self.lines:
            self._write(self.lines[choice % len(self.lines)])

    @precondition(lambda self: self.speech.dialect != "collab")  # there it goes on with the line above
    @rule(raw=RUBBISH)
    def somebody_writes_rubbish(self, raw: bytes) -> None:
        self._write(raw)

    @rule(body=BODIES, part=st.floats(0.1, 0.9))
    def an_agent_is_in_the_middle_of_a_line(self, body: str, part: float) -> None:
        if not self.tail:
            line = self._said(body)
            self.tail = line[: max(1, int(len(line) * part))]
            self.rest = line[len(self.tail) :]
            append(self.file, self.tail)

    @rule()
    def the_line_is_ended(self) -> None:
        if self.tail:
            append(self.file, self.rest)
            self.lines.append(self.tail + self.rest)
            self.tail = b""

    @rule(body=BODIES)
    def somebody_sends_by_command(self, body: str) -> None:
        self.count += 1
        text = f"c{self.count}{body}c"
        self._touch()
        self.scene.bus.send(self.speech.sender, text, allow_unknown=True)
        self.sent.append(text)

    def _write(self, line: bytes) -> None:
        if self.tail:
            # It would be glued to what somebody else has begun: another test.
            self.the_line_is_ended()
        append(self.file, line)
        self.lines.append(line)

    # --- what befalls files ---

    @rule(choice=st.integers(0, 1 << 30))
    def saved_without_a_line(self, choice: int) -> None:
        self.a_pass()
        lines = self._standing()
        if lines:
            lines.pop(choice % len(lines))
        self._replaced(lines)

    @rule(body=BODIES, choice=st.integers(0, 1 << 30))
    def saved_with_one_more_line(self, body: str, choice: int) -> None:
        self.a_pass()
        lines = self._standing()
        lines.insert(choice % (len(lines) + 1), self._said(body))
        self._replaced(lines)

    @rule()
    def truncated(self) -> None:
        self.a_pass()
        if self.file.exists():
            self.file.write_bytes(b"")
        self.lines, self.tail = [], b""

    @rule()
    def deleted(self) -> None:
        self.a_pass()
        self.file.unlink(missing_ok=True)
        self.lines, self.tail = [], b""

    def _standing(self) -> list[bytes]:
        content = self.file.read_bytes() if self.file.exists() else b""
        return [line + b"\n" for line in content.split(b"\n")[:-1]]

    def _replaced(self, lines: list[bytes]) -> None:
        saved = self.file.with_name("saved")
        saved.write_bytes(b"".join(lines))
        saved.rename(self.file)
        self.lines = [line for line in lines if line in self.bodies]
        self.tail = b""

    # --- passes ---

    @rule()
    def a_pass(self) -> None:
        self._touch()
        self.scene.settle()
        # While somebody writes, what he writes may belong to the message before it.
        held = 1 if self.tail and self.speech.dialect in ("vermas", "collab") else 0
        whole = self.lines[: len(self.lines) - held]
        self.most |= self._counted(whole)
        self.might |= self._counted(self.lines)

    def _counted(self, lines: list[bytes]) -> Counter[str]:
        """Return how often each message is said; in vermas equal lines are one message."""
        said = lines if self.speech.dialect != "vermas" else dict.fromkeys(lines)
        return Counter(self.bodies[line] for line in said if line in self.bodies)

    def _touch(self) -> None:
        """Let somebody who is in the middle of a line be there still, however slow this machine is."""
        if self.file.exists():
            if self.tail:
                os.utime(self.file)
            else:
                left_alone(self.file)

    @rule()
    def another_process(self) -> None:
        self.scene.restart()

    @invariant()
    def nothing_twice(self) -> None:
        found = Counter(body for body in self.scene.bodies(self.speech.dialect) if body.startswith("w"))
        written = self.might | self._counted(self.lines)
        assert not found - written, (found - written, "more often than it ever stood there")

    @rule()
    def nothing_missing(self) -> None:
        self.a_pass()
        found = Counter(body for body in self.scene.bodies(self.speech.dialect) if body.startswith("w"))
        assert not self.most - found, (self.most - found, "is not in the log")
        assert [body for body in self.scene.bodies() if body.startswith("c")] == self.sent


def lives(speech: Speech, examples: int, steps: int) -> None:
    """Let a file of a dialect live through many lives; hypothesis tells how to repeat what fails."""
    machine = type(f"Lives{speech.dialect}", (Lives,), {"speech": speech})
    run_state_machine_as_test(
        machine,
        settings=settings(
            deadline=None,
            max_examples=examples,
            stateful_step_count=steps,
            database=None,
            print_blob=True,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )


@pytest.mark.random
@pytest.mark.parametrize(
    "speech", [each for each in SPEECHES if each.dialect != "runbus"], ids=lambda each: each.dialect
)
def test_whatever_befalls_a_file_nothing_is_missing_and_nothing_is_twice(speech: Speech) -> None:
    lives(speech, examples=8, steps=16)
