"""Random talk in all five dialects and by command, and what the log must have of it."""

import json
import random
from collections import Counter
from typing import Final

from tests.sync.scene import Scene, append, dropped, left_alone
from tests.sync.spoken import AT, SPEECH, SPEECHES

NAMES: Final = (
    "emp-a", "emp-b", "emp-manager-001", "ceo", "qa/bot", "architect", "programmer", "codex-impl-1", "jim",
    "clawdy", "jeremy", "ada", "nobody-at-all",
)  # fmt: skip


class Traffic:
    """A bus with a mount of every dialect, and agents who talk at random."""

    def __init__(self, scene: Scene, dice: random.Random) -> None:
        self.scene = scene
        self._dice = dice
        self.mounts = {each.dialect: scene.mount(each.dialect, **each.settings) for each in SPEECHES}
        self.said: Counter[str] = Counter()
        self._count = 0

    def something_is_said(self) -> None:
        """Let somebody say something somewhere, and sometimes let a pass go over it."""
        ways = (
            self._office,
            self._vermas,
            self._swarm,
            self._runbus,
            self._collab,
            self._drop,
            self._command,
        )
        self._dice.choice(ways)()
        if self._dice.random() < 0.3:
            self.scene.sync()
        if self._dice.random() < 0.1:
            self.scene.restart()

    def check(self) -> None:
        """Check that the log has each message once, and of the bus itself only what was caused."""
        assert Counter(self.scene.bodies()) == self.said
        causes = {event.event_id for event in self.scene.mail() if event.actor != "palaver"}
        causes |= {event.event_id for event in self.scene.events("file.found")}
        notices = [event.caused_by for event in self.scene.notices()]
        assert set(notices) <= causes
        assert max(Counter(notices).values(), default=0) <= 3, "a bounce, and a note to both sides"

    def _body(self, mark: str = "|") -> str:
        self._count += 1
        words = self._dice.choice(["", "hello", "@architect look", f"with {mark} marks"])
        body = f"body {self._count} {words}".strip()
        self.said[body] += 1
        return body

    def _name(self) -> str:
        return self._dice.choice(NAMES)

    def _say(self, spoken: str, file: str, content: bytes) -> None:
        path = self.mounts[spoken] / file
        append(path, content)
        left_alone(path)

    def _office(self) -> None:
        worker = self._dice.choice(["emp-a", "emp-b"])
        body = self._body("/")
        if self._dice.random() < 0.5:
            line = f"[{AT}] [INFO] by: {worker} | {body}\n"
            self._say("office", f"messages/employee-{worker}.log", line.encode())
        else:
            self._say(
                "office", "messages/manager-inbox.log", f"[{AT}] [REPLY] To {worker}: {body}\n".encode()
            )

    def _vermas(self) -> None:
        body = self._body()
        fields = {"id": f"msg-{self._count}", "from": "ceo", "to": self._name(), "subject": "s", "body": body}
        fields["timestamp"] = AT
        self._say("vermas", ".work/messages.jsonl", json.dumps(fields).encode() + b"\n")

    def _swarm(self) -> None:
        to = self._dice.choice(
            [None, ["@all"], [f"@{self._name()}"], [f"@{self._name()}", f"@{self._name()}"]]
        )
        who = self._dice.choice(["architect", "programmer"])
        fields = {
            "ts": AT,
            "from": who,
            "to": to,
            "type": "message",
            "reasoning": "r",
            "content": self._body(),
        }
        self._say("swarm", "channel.jsonl", json.dumps(fields).encode() + b"\n")

    def _runbus(self) -> None:
        self._say("runbus", "MESSAGE-BUS.md", SPEECH["runbus"].says(self._body()))

    def _collab(self) -> None:
        to = self._dice.choice(["CLAWDY", "JEREMY", "TEAM", "ARCHITECT", "NOBODY"])
        self._say("collab", "chat.log", f"2026-02-11 10:00:00 JIM -> {to}: {self._body()}\n".encode())

    def _drop(self) -> None:
        body = self._body()
        name = f"msg_17717301441{self._count:08}.txt"
        file = dropped(self.mounts["collab"] / "inbox", name, body.encode() + b"\n")
        if self._dice.random() < 0.5:
            # Its reader takes it away and notes it in the log, before or after we have seen it.
            if self._dice.random() < 0.5:
                self.scene.sync()
            line = f"2026-02-11 10:00:00 JIM -> CLAWDY: {body}\n"
            self._say("collab", "chat.log", line.encode())
            self.scene.sync()
            file.unlink(missing_ok=True)

    def _command(self) -> None:
        to = self._dice.choice([["@all"], [self._name()], ["@swarm"], ["architect", "clawdy"]])
        self.scene.bus.session.view.current()
        known = [
            name for name in to if name.startswith("@") or name in self.scene.bus.session.view.roster().agents
        ]
        if known:
            self.scene.bus.send(known, self._body(), sender=self._dice.choice(["ada", "jim", "architect"]))
