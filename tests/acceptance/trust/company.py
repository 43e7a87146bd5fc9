"""A company in which every act with power can be tried in every way, with every proof.

boss owns the tasks and leads, bob holds them, carol has nothing to do with them, ada is the person. Each
agent has a run, so that the setup is done with proof, under either policy.
"""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.project import PROGRAMS as BIN
from tests.acceptance.project import Answer, Project
from tests.acceptance.trust.agent_run import AgentRun
from tests.acceptance.trust.power_table import Cell
from tests.acceptance.trust.service import Service

PROGRAMS: Final = {"command": "palaver-py", "command in the daemon": "palaver"}
#: What a mount says about the identity of the senders of its lines.
SAID: Final = {"mount says nothing": "", "mount says open": "open", "mount says strict": "strict"}


class Company:
    """One project with `palaver up` and a run for each agent. All cells of a policy share it."""

    def __init__(self, template: Path, base: Path, policy: str) -> None:
        self.project, self._base = Project.copy(template, base / "base"), base
        # By a record, because the variable is another one inside a run: no command there would be warm.
        del self.project.env["PALAVER_TRUST"]
        self.project.do("trust", "--yes")
        self.channels = {each: self._mount(f"team{said}", said) for each, said in SAID.items()}
        config = self.project.root / "config.toml"
        settings = f'identity = "{policy}"\nleads = ["boss"]'
        config.write_text(config.read_text().replace('identity = "open"', settings, 1))
        self.service = Service(self.project)
        self.runs = {agent: self.start(agent) for agent in ("boss", "bob", "carol")}
        self.tokens = {agent: run.variable("PALAVER_TOKEN") for agent, run in self.runs.items()}
        self._stranger = self._start_elsewhere()

    def _mount(self, name: str, identity: str) -> Path:
        # They are one team: without this, the names of the second mount would get a prefix.
        settings = ["prefix=", *([f"identity={identity}"] if identity else [])]
        return self.project.mount("swarm", *settings, name=name) / "channel.jsonl"

    def _start_elsewhere(self) -> AgentRun:
        """Start a program as bob in another project of the same user."""
        other = Project(self._base / "other")
        other.env = self.project.env
        other.do("init", "--person", "ada", "--no-mounts")
        return AgentRun(other, "bob", self._base / "other")

    def start(self, agent: str) -> AgentRun:
        """Start a program as an agent."""
        return AgentRun(self.project, agent, self._base)

    def stop(self) -> None:
        for run in (*self.runs.values(), self._stranger):
            run.stop()
        self.service.stop()

    def do(self, agent: str, *words: str) -> Answer:
        """Run a command as a step of the setup, in the run of an agent."""
        answer = self.runs[agent].run(*words)
        if answer.code != 0:
            raise RuntimeError(f"setup failed: {agent} {words}: {answer}")
        return answer

    def command(self, cell: Cell, words: list[str], speaker: str) -> Answer:
        """Run a command in the name of a speaker, with the proof of a cell."""
        program = PROGRAMS[cell.surface]
        if cell.shown == "nothing":
            return self.project.run(*words, "--as", speaker, program=program)
        if cell.shown == "token of another bus":
            return self._visit(program, *words, "--as", speaker)
        bearer = speaker if cell.shown == "token of own run" else "carol"
        return self.runs[bearer].run(*words, "--as", speaker, program=program)

    def _visit(self, program: str, *words: str) -> Answer:
        """Run a command for this project inside a run of the other one."""
        folder = str(self.project.folder)
        # Only the variable leads to the daemon.
        is_warm = program == PROGRAMS["command in the daemon"]
        named = [] if is_warm else ["--root", folder]
        settings = [f"PALAVER_ROOT={folder}"] if is_warm else []
        here = ("sh", "-c", 'cd "$0" && exec "$@"', folder)
        return self._stranger.execute(*here, "env", *settings, str(BIN / program), *words, *named)

    def request(self, cell: Cell, path: str, body: object) -> None:
        """Send a request over HTTP, with the proof of a cell."""
        shown = {"nothing": "", "token of a run": self.tokens["boss"], "session of the person": None}
        self.service.request(path, body, shown[cell.shown])

    def write_line(self, cell: Cell, speaker: str, to: str, kind: str, content: str) -> None:
        """Append a line to the channel of the mount of a cell, and let the bus take it in."""
        fields = {"from": speaker, "to": [f"@{to}"], "type": kind, "reasoning": "r", "content": content}
        line = {"ts": "2026-01-25T23:45:00.000Z", **fields}
        self.project.say(self.channels[cell.shown], json.dumps(line, ensure_ascii=False))


class Companies:
    """A company for each policy, made when it is first asked for."""

    def __init__(self, template: Path, folders: pytest.TempPathFactory) -> None:
        self._template, self._folders = template, folders
        self._made: dict[str, Company] = {}

    def of(self, policy: str) -> Company:
        if policy not in self._made:
            self._made[policy] = Company(self._template, self._folders.mktemp(policy), policy)
        return self._made[policy]

    def stop(self) -> None:
        for company in self._made.values():
            company.stop()
