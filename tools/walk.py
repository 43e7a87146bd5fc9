"""Trace five data paths through the package and print their shape.

    make walk                               calls, functions, modules and depth of each path
    python tools/walk.py --tree file        also the modules of one path, in the order in which it enters them

Each path runs through a public entry point, on a new bus in a temporary folder. It runs once to load what it
needs, and a second time under the profiler. Only frames of our package are counted; imports are not.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import io
import json
import os
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

from palaver.cli.hot import main as palaver
from palaver.web.server import Server

PACKAGE: Final = "palaver."
# Code that runs when a module is imported or a class is defined, not when a path is taken.
_NOT_A_STEP: Final = frozenset({"<module>"})
_DEADLINE_SECONDS: Final = 1.0
_BUS_ENVIRONMENT: Final = ("PALAVER_AGENT", "AGENT_ID", "PALAVER_ROOT", "PALAVER_RUN", "PALAVER_TOKEN")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a function of ours."""

    module: str
    function: str
    depth: int
    caller: str


@dataclass(slots=True)
class Trace:
    """All calls of our functions while a path runs, in order.

    `below` limits the trace to what runs inside functions of modules whose name starts with it.
    """

    below: str = ""
    calls: list[Call] = field(default_factory=list)
    _stacks: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    _names: dict[CodeType, str | None] = field(default_factory=dict)

    def record(self, frame: FrameType, event: str, _: object) -> None:
        """Take one report of the interpreter."""
        if event not in ("call", "return"):
            return
        module = self._module(frame)
        if module is None:
            return
        stack = self._stacks[threading.get_ident()]
        if event == "return":
            if stack:
                stack.pop()
        elif stack or self._starts(module, frame.f_code.co_name):
            caller = stack[-1] if stack else ""
            stack.append(module)
            call = Call(module=module, function=frame.f_code.co_qualname, depth=len(stack), caller=caller)
            self.calls.append(call)

    def _starts(self, module: str, function: str) -> bool:
        return module.startswith(self.below) and not (self.below and function.startswith("__"))

    def _module(self, frame: FrameType) -> str | None:
        """Return the name of the module without our package, or None if the frame is not a step of ours."""
        code = frame.f_code
        if code not in self._names:
            name = str(frame.f_globals.get("__name__", ""))
            ours = name.startswith(PACKAGE) and code.co_name not in _NOT_A_STEP
            self._names[code] = name.removeprefix(PACKAGE) if ours else None
        return self._names[code]

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Trace this thread and the threads that it starts."""
        sys.setprofile(self.record)
        threading.setprofile(self.record)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How much code a path runs through."""

    calls: int
    functions: int
    modules: int
    depth: int


def shape(calls: list[Call]) -> Shape:
    """Return the figures of a path."""
    return Shape(
        calls=len(calls),
        functions=len({(call.module, call.function) for call in calls}),
        modules=len({call.module for call in calls}),
        depth=max((call.depth for call in calls), default=0),
    )


def tree(calls: list[Call]) -> list[str]:
    """Return the modules of a path as an indented tree, each below the module that called it first.

    A straight pipe has each stage once: a module that several others call says so.
    """
    seen: set[str] = set()
    callers: dict[str, set[str]] = defaultdict(set)
    functions: dict[str, set[str]] = defaultdict(set)
    children: dict[str, list[str]] = defaultdict(list)
    for call in calls:
        functions[call.module].add(call.function)
        if call.caller != call.module:
            callers[call.module].add(call.caller)
        if call.module not in seen:
            # The loop of a thread was called before the trace began.
            children[call.caller if call.caller in seen else ""].append(call.module)
            seen.add(call.module)
    return list(_branches(children, "", functions, callers))


def _branches(
    children: dict[str, list[str]],
    parent: str,
    functions: dict[str, set[str]],
    callers: dict[str, set[str]],
    indent: int = 0,
) -> Iterator[str]:
    for module in children[parent]:
        others = len(callers[module]) - 1
        also = f", called from {others} more" if others else ""
        yield f"{'  ' * indent}{module} (functions: {len(functions[module])}{also})"
        yield from _branches(children, module, functions, callers, indent + 1)


# --- the paths ---


class _ExitedError(BaseException):
    """What a command raises here instead of ending the process."""


def command(*words: str) -> str:
    """Run one command in this process; return what it printed."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    argv, leave, mask = sys.argv, os._exit, os.umask(0o077)
    codes: list[int] = []

    def leaving(code: int) -> None:
        codes.append(code)
        raise _ExitedError

    sys.argv = ["palaver", *words]
    os._exit = leaving  # type: ignore[assignment]
    try:
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            contextlib.suppress(_ExitedError),
        ):
            palaver()
    finally:
        sys.argv, os._exit = argv, leave
        os.umask(mask)
    printed.seek(0)
    text = printed.read()
    if codes != [0]:
        raise RuntimeError(f"palaver {' '.join(words)} ended with {codes}: {text}")
    return text


def send(trace: Trace) -> None:
    """Run `palaver send` on a bus without mounts."""
    command("init", "--person", "ada")
    command("agents", "add", "bob")
    command("send", "bob", "-m", "first", "--as", "ada")
    with trace.recording():
        command("send", "bob", "-m", "second", "--as", "ada")


def file_to_file(trace: Trace) -> None:
    """Sync one line: from a swarm channel to an event, and on to an office log, in one pass."""
    office, swarm = Path("office"), Path("swarm")
    (office / "messages").mkdir(parents=True)
    swarm.mkdir()
    (office / "messages" / "employee-emp-a1.log").touch()
    (office / "messages" / "manager-inbox.log").touch()
    command("init", "--person", "ada")
    for name in ("office", "swarm"):
        command("mount", "add", name, name)
    for body, watched in (("first", False), ("second", True)):
        _append(swarm / "channel.jsonl", body)
        with trace.recording() if watched else contextlib.nullcontext():
            command("sync")
        if body not in (office / "messages" / "manager-inbox.log").read_text(encoding="utf-8"):
            raise RuntimeError("the line did not arrive in the office")


def _append(channel: Path, body: str) -> None:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    line = {"ts": stamp, "from": "td", "to": ["@emp-a1"], "type": "task", "reasoning": "why", "content": body}
    with channel.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def claim_race(trace: Trace) -> None:
    """Claim one task as two agents: one gets it, the other one is told who has it."""
    command("init", "--person", "ada")
    for agent in ("bob", "cleo"):
        command("agents", "add", agent)
    for task, watched in (("t1", False), ("t2", True)):
        command("task", "open", "Work", "--id", task, "--as", "ada")
        with trace.recording() if watched else contextlib.nullcontext():
            command("task", "claim", task, "--as", "bob")
            with contextlib.suppress(RuntimeError):
                command("task", "claim", task, "--as", "cleo")


def escalation(trace: Trace) -> None:
    """Report two agents that wait for each other to operations, in one patrol."""
    command("init", "--person", "ada")
    with Path(".palaver/config.toml").open("a", encoding="utf-8") as config:
        config.write(f"\n[deadlines]\ncircle = {_DEADLINE_SECONDS:g}\n")
    for agent in ("bob", "cleo", "dan", "eve", "operations"):
        command("agents", "add", agent)
    for one, other, watched in (("bob", "cleo", False), ("dan", "eve", True)):
        command("send", other, "-m", "Well?", "--act", "ask", "--as", one)
        command("send", one, "-m", "Well?", "--act", "ask", "--as", other)
        command("patrol")
        time.sleep(_DEADLINE_SECONDS + 0.1)
        with trace.recording() if watched else contextlib.nullcontext():
            done = command("patrol")
        if "operations" not in done:
            raise RuntimeError(f"nothing was escalated: {done}")


def click(trace: Trace) -> None:
    """Send a message from the dashboard: one HTTP request, in the threads of the server."""
    command("init", "--person", "ada")
    command("agents", "add", "bob")
    server = Server()
    with trace.recording():
        server.start()
        try:
            link = server.address.partition("#in=")[2]
            session = json.loads(_post(server.port, "/api/session", link, {}))["session"]
            _post(server.port, "/api/messages", session, {"to": ["bob"], "body": "first"})
            trace.calls.clear()
            _post(server.port, "/api/messages", session, {"to": ["bob"], "body": "second"})
            calls = list(trace.calls)
        finally:
            server.stop()
    trace.calls[:] = calls


def _post(port: int, path: str, token: str, body: object) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    connection.request("POST", path, json.dumps(body), headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    if response.status >= 400:
        raise RuntimeError(f"{path}: {response.status} {content[:200]!r}")
    return content


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A path that can be walked, and the modules at which its trace begins."""

    name: str
    take: Callable[[Trace], None]
    below: str = ""


ROUTES: Final = (
    Route(name="send", take=send),
    Route(name="file", take=file_to_file, below="sync.pass"),
    Route(name="claim", take=claim_race),
    Route(name="escalation", take=escalation),
    Route(name="click", take=click),
)


def walk(route: Route) -> list[Call]:
    """Take a path on a bus of its own; return its calls."""
    trace = Trace(below=route.below)
    before, environment = Path.cwd(), dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="palaver-walk-") as folder:
        project = Path(folder) / "project"
        project.mkdir()
        os.environ.update(HOME=folder, XDG_CONFIG_HOME=f"{folder}/config", XDG_STATE_HOME=f"{folder}/state")
        for name in _BUS_ENVIRONMENT:
            os.environ.pop(name, None)
        os.chdir(project)
        try:
            route.take(trace)
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(environment)
    return trace.calls


def main() -> None:
    """Print the figures of the wanted paths."""
    options = argparse.ArgumentParser(description="Trace five data paths and print their shape.")
    options.add_argument("--tree", action="store_true", help="also print the modules of each path")
    options.add_argument(
        "names", nargs="*", metavar="PATH", help="send, file, claim, escalation, click (default: all)"
    )
    wanted = options.parse_args()
    if unknown := set(wanted.names) - {route.name for route in ROUTES}:
        options.error(f"unknown path: {', '.join(sorted(unknown))}")
    print(f"{'path':<12}{'calls':>7}{'functions':>11}{'modules':>9}{'depth':>7}")
    for route in ROUTES:
        if wanted.names and route.name not in wanted.names:
            continue
        calls = walk(route)
        found = shape(calls)
        print(f"{route.name:<12}{found.calls:>7}{found.functions:>11}{found.modules:>9}{found.depth:>7}")
        if wanted.tree:
            print("\n".join(f"  {line}" for line in tree(calls)), end="\n\n")


if __name__ == "__main__":
    main()
