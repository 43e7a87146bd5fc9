"""The server of the dashboard: start it, use its address, stop it.

    server = Server("/path/to/project")
    server.start()
    print(server.address)      # http://127.0.0.1:41233/#in=…  a sign-in link, valid once
    server.stop()

On 127.0.0.1 only. While it runs, `.palaver/web.json` has its address, for `palaver open`.
"""

import asyncio
import errno
import os
import secrets
import socket
from collections.abc import Callable
from threading import Event as Flag
from threading import Thread
from typing import Final

import uvicorn

from palaver.api import Bus
from palaver.bus.agents.tokens import refuse_inside_run
from palaver.bus.config.config_store import read
from palaver.bus.identity import vouch
from palaver.files.atomic_replace import replace
from palaver.log.lock import describe
from palaver.model.errors import PortTaken, StorageFailed, WhoSpeaks
from palaver.model.plain import dumps
from palaver.web.access_keys import Keys
from palaver.web.app import App
from palaver.web.discovery import Running, announced, listening
from palaver.web.protocol import StrictProtocol
from palaver.wiring import open_session

_HOST: Final = "127.0.0.1"
_START_SECONDS: Final = 30.0
_STOP_SECONDS: Final = 10.0
_BACKLOG: Final = 512
_LOOK_SECONDS: Final = 0.5
# How many turns of the loop it takes until uvicorn knows of a connection that was accepted.
_ACCEPT_TURNS: Final = 4


class Server:
    """The dashboard of one bus, in a thread of its own."""

    def __init__(self, root: str = "", *, port: int = 0, person: str = "", force: bool = False) -> None:
        """Find the bus and the person; port 0 means the last port, or a free one."""
        session = open_session(root, agent=person, force=force)
        # Whoever serves it makes sign-in links, and each lets its browser act as the person.
        refuse_inside_run(session.root.environment, "serve the dashboard")
        if not session.agent:
            session.agent = read(session.root)[1].person
        if not session.agent:
            raise WhoSpeaks("cannot tell who uses the page", "the config names no person", "use --as NAME")
        vouch(session)
        self._bus = bus = Bus(session=session)
        self._wanted = port
        self._boot = secrets.token_hex(8)
        self._keys = Keys(bus.root, boot=self._boot)
        self.port = 0
        self._app = App(bus, self._keys, port=lambda: self.port)
        self._up = Flag()
        self._fault: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._uvicorn: _Server | None = None
        self._thread = Thread(target=self._serve, name="palaver-web", daemon=True)

    @property
    def address(self) -> str:
        """Return a new sign-in link."""
        assert self.port, "start it first"
        return Running(port=self.port, pid=os.getpid(), boot=self._boot).address(self._keys)

    @property
    def is_watched(self) -> bool:
        """Return True if somebody is connected."""
        return self._uvicorn is not None and bool(self._uvicorn.server_state.connections)

    def start(self) -> None:
        """Start to serve; it does when this returns."""
        self._socket = self._bound()
        self.port = self._socket.getsockname()[1]
        self._thread.start()
        self._up.wait(_START_SECONDS)
        if self._fault is not None or not self._up.is_set():
            raise StorageFailed("cannot serve the dashboard", str(self._fault or "it did not start"))
        self._announce()

    def stop(self) -> None:
        """Disconnect everybody and stop, after the current write."""
        if self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end)
        self._thread.join(_STOP_SECONDS)
        self._app.close()
        found = announced(self._bus.root)
        if found is not None and found.boot == self._boot:
            os.unlink(self._path)

    def wait(self, is_over: Callable[[], bool]) -> None:
        """Wait until it stops, or `is_over`; that may be set by a signal handler, so it is polled."""
        while self._thread.is_alive() and not is_over():
            self._thread.join(_LOOK_SECONDS)

    @property
    def _path(self) -> str:
        return self._bus.root.path + "/web.json"

    def _bound(self) -> socket.socket:
        """Bind the wanted port, or the last one, so that addresses stay valid, or a free one."""
        before = announced(self._bus.root)
        ports = [self._wanted] if self._wanted else [before.port if before else 0, 0]
        for port in ports:
            found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                found.bind((_HOST, port))
                found.listen(_BACKLOG)
            except OSError as fault:
                found.close()
                if port == ports[-1]:
                    raise _taken(port, fault) from fault
            else:
                found.setblocking(False)  # noqa: FBT003 - it takes no name
                return found
        raise AssertionError(ports)

    def _announce(self) -> None:
        """Write the address to `web.json`."""
        content = dumps({"pid": os.getpid(), "port": self.port, "boot": self._boot})
        try:
            replace(self._path, content.encode() + b"\n")
        except OSError as fault:
            raise StorageFailed(f"cannot write {self._path}", fault.strerror or str(fault)) from fault

    # --- in the thread ---

    def _serve(self) -> None:
        try:
            asyncio.run(self._run())
        except BaseException as fault:
            self._fault = fault
            self._up.set()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        config = uvicorn.Config(
            self._app.asgi,
            http=StrictProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        self._uvicorn = _Server(config)
        self._app.start()
        serving = asyncio.create_task(self._uvicorn.serve(sockets=[self._socket]))
        while not self._uvicorn.started and not serving.done():  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.005)
        self._up.set()
        await serving

    def _end(self) -> None:
        self._app.stop()
        if self._uvicorn is not None:
            self._uvicorn.stop()


class _Server(uvicorn.Server):
    """Serves until it is told to stop; uvicorn itself would look ten times a second whether it should."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._is_stopped = asyncio.Event()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self._is_stopped.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Disconnect everybody, those too who were let in a moment ago."""
        loop = asyncio.get_running_loop()
        for listener in [each for server in self.servers for each in server.sockets]:
            loop.remove_reader(listener.fileno())
        # A server that closes before uvicorn knows of a connection leaves it open.
        for _ in range(_ACCEPT_TURNS):
            await asyncio.sleep(0)
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    def stop(self) -> None:
        self.should_exit = True
        self._is_stopped.set()


def _taken(port: int, fault: OSError) -> PortTaken | StorageFailed:
    if fault.errno == errno.EADDRINUSE:
        pid = listening(port)
        who = describe(pid) if pid else "another program"
        return PortTaken(f"cannot serve on port {port}", f"{who} uses it", "use another one: --port")
    return StorageFailed(
        f"cannot serve on port {port}", fault.strerror or str(fault), "use another one: --port"
    )
