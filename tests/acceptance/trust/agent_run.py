"""A program that `palaver run` has started, and that runs commands for a test."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.acceptance.project import PALAVER, PROGRAMS, Answer, Project
from tests.patience import PATIENCE

# Reads the commands to run from a FIFO, and prints the result of each.
INSIDE: Final = """
import json, subprocess, sys
for line in open(sys.argv[1]):
    done = subprocess.run(json.loads(line), capture_output=True, text=True)
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
"""
# Runs a command until it has printed one line, or has ended without one. After a refusal it ends by itself.
ONE_LINE: Final = """
import subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
line = process.stdout.readline().decode()
if line and '"error":' not in line:
    process.terminate()
print(line)
sys.exit(abs(process.wait()))
"""


class AgentRun:
    """A program that `palaver run` has started as an agent, and that runs commands for a test."""

    def __init__(self, project: Project, agent: str, scratch: Path) -> None:
        requests = scratch / f"{agent}.fifo"
        os.mkfifo(requests)
        self._process = subprocess.Popen(
            [PALAVER, "run", "--as", agent, "--", sys.executable, "-c", INSIDE, str(requests)],
            cwd=project.folder, env=project.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        # For both ways, or this would wait for ever for a reader that could not be started.
        self._requests = os.fdopen(os.open(requests, os.O_RDWR), "w", encoding="utf-8")

    def execute(self, *words: str) -> Answer:
        """Run a program inside the run."""
        self._requests.write(json.dumps(words) + "\n")
        self._requests.flush()
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise RuntimeError(f"setup failed: the run has ended: {self._process.communicate()}")
        code, out, err = json.loads(line)
        return Answer(code=code, out=out, err=err)

    def run(self, *words: str, program: str = "palaver") -> Answer:
        """Run a command of palaver inside the run."""
        return self.execute(str(PROGRAMS / program), *words)

    def start(self, *words: str) -> Answer:
        """Run a command of palaver that may go on for ever, and end it when it has printed a line."""
        return self.execute(sys.executable, "-c", ONE_LINE, PALAVER, *words)

    def variable(self, name: str) -> str:
        """Return a variable of the environment inside the run."""
        return self.execute("printenv", name).out.strip()

    def stop(self) -> None:
        self._requests.close()
        self._process.terminate()
        self._process.communicate(timeout=PATIENCE)
