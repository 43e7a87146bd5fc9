"""A command uses the folder, environment and streams of its caller, and not those of its own process.

The process may be the daemon, which runs many commands at once.
"""

import ast
from collections.abc import Iterator
from typing import Final

import pytest

from tests.house.repository import SOURCE, modules

#: What belongs to the process, and not to the caller. Paths that depend on the current folder are among it.
OF_THE_PROCESS: Final = frozenset(
    {
        *("sys.argv", "sys.stdin", "sys.stdout", "sys.stderr", "sys.exit", "os._exit"),
        *("os.environ", "os.environb", "os.getenv", "os.putenv", "os.umask", "os.isatty", "os.ttyname"),
        *("os.getcwd", "os.getcwdb", "os.chdir", "os.path.abspath", "os.path.expanduser"),
        *("Path.cwd", "Path.home", "os.getpid", "os.getppid", "os.getlogin", "getpass.getuser"),
        *("shutil.get_terminal_size", "locale.setlocale", "locale.getlocale"),
        *("signal.signal", "signal.set_wakeup_fd", "signal.alarm"),
        *("print", "input", "exit", "quit"),
    }
)
HOME: Final = "the daemon runs no command of a caller with another home or state folder"
DEFAULT: Final = "a default for programs in Python; a command passes what its caller has"
FORK: Final = "tells a forked process from its parent"
UNIQUE: Final = "makes the name of a new file unique"
OWN: Final = "runs in a process of its own, never in the daemon"
DAEMON: Final = "is the daemon"
#: Who may use what of the process, and why that is right.
EXCEPTIONS: Final = {
    "wiring.py": (DEFAULT, {"os.environ"}),
    "bus/root.py": (DEFAULT, {"os.environ", "os.getcwd"}),
    "bus/admin/init.py": (DEFAULT, {"os.environ"}),
    "runs/repository/git_hooks.py": (DEFAULT, {"os.environ"}),
    "bus/superuser.py": (HOME, {"os.environ"}),
    "bus/trust.py": (HOME, {"os.environ", "os.path.expanduser"}),
    "bus/config/user_config.py": (HOME, {"os.environ", "os.path.expanduser"}),
    "bus/config/config_reader.py": (HOME, {"os.path.expanduser"}),
    "cli/channel/script.py": (HOME, {"os.path.expanduser"}),
    "sync/mounts/detection.py": (HOME, {"os.path.expanduser"}),
    "sync/mounts/mount_operations.py": (HOME, {"os.path.expanduser"}),
    "sync/mounts/mount_point.py": (HOME, {"os.path.expanduser"}),
    "bus/view.py": (FORK, {"os.getpid"}),
    "log/lock.py": (FORK, {"os.getpid"}),
    "log/file_log.py": (FORK, {"os.getpid"}),
    "files/atomic_replace.py": (UNIQUE, {"os.getpid"}),
    "sync/render/replacement.py": (UNIQUE, {"os.getpid"}),
    "runs/child_program.py": (OWN, {"signal.signal", "signal.set_wakeup_fd"}),
    "runs/execution.py": (OWN, {"os.getpid"}),
    "runs/health_checks.py": (OWN, {"os.getpid", "os.getppid"}),
    "runs/run_config.py": (HOME, {"os.path.expanduser"}),
    "runs/mail_worker.py": (OWN, {"signal.signal"}),
    "cli/commands/open.py": (OWN, {"os.getpid", "signal.signal"}),
    "web/access_keys.py": (UNIQUE, {"os.getpid"}),
    "bus/anchor_file.py": (UNIQUE, {"os.getpid"}),
    "web/pages.py": ("finds the files of the package", {"os.path.abspath"}),
    "web/server.py": ("tells which process serves the dashboard", {"os.getpid"}),
    "cli/warmth.py": (DAEMON, {"os.getpid"}),
    "cli/commands/up.py": (DAEMON, {"os.getpid"}),
    "daemon/watchdog.py": (OWN, {"sys.argv"}),
    "daemon/lifecycle.py": (DAEMON, {"os.getpid", "signal.signal", "signal.set_wakeup_fd"}),
    "cli/hot.py": (
        "makes a caller of its own process",
        {
            *("os.environ", "os.getcwd", "os.umask", "os._exit"),
            *("sys.argv", "sys.stdin", "sys.stdout", "sys.stderr"),
        },
    ),
}


def uses(source: str) -> Iterator[str]:
    """Yield what a module uses of its own process."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module in ("os", "sys", "os.path", "signal", "getpass"):
            yield from {f"{node.module}.{each.name}" for each in node.names} & OF_THE_PROCESS
        elif isinstance(node, ast.Attribute):
            yield from {ast.unparse(node)} & OF_THE_PROCESS
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from {node.func.id} & OF_THE_PROCESS


@pytest.mark.parametrize(
    "source",
    [
        "print('x')",
        "import sys\nsys.stdout.write('x')",
        "from os import environ",
        "os.path.abspath('x')",
        "from signal import signal",
        "Path.cwd()",
    ],
)
def test_a_use_of_the_own_process_is_noticed(source: str) -> None:
    assert list(uses(source))


def test_only_the_exceptions_use_something_of_their_own_process() -> None:
    found = {
        str(path.relative_to(SOURCE)): set(uses(path.read_text(encoding="utf-8"))) for path in modules(SOURCE)
    }

    assert {name: used for name, used in found.items() if used} == {
        name: used for name, (_, used) in EXCEPTIONS.items()
    }
