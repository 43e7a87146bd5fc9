"""The hot path is bare: what `palaver send` without mounts imports is on a list (docs/adr/0006)."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from palaver.cli.arguments import Option
from palaver.cli.commands import send
from tests.house.repository import SOURCE, modules, place
from tests.patience import PATIENCE

PALAVER: Final = str(Path(sys.executable).parent / "palaver")
PALAVER_PY: Final = f"{PALAVER}-py"

# Of the standard library: parts of the interpreter, and a few modules in C.
SEND: Final = frozenset(
    {"_collections", "_blake2", "_json", "fcntl", "gc", "zlib", "_socket", "_thread", "_collections_abc"}
)

# Of our own: each of these says in its docstring that it is bare.
SEND_OURS: Final = frozenset(
    {
        *(
            "palaver",
            "palaver.bus",
            "palaver.bus.mail",
            "palaver.bus.wakeups",
            "palaver.bus.mail.message_check",
            "palaver.bus.writer",
            "palaver.bus.roster_cache",
        ),
        *(
            "palaver.bus.root",
            "palaver.bus.mail.plain_send",
            "palaver.bus.trust",
        ),
        *("palaver.cli", "palaver.cli.arguments", "palaver.cli.commands", "palaver.cli.commands.send"),
        *("palaver.cli.context", "palaver.cli.hot"),
        *(
            "palaver.log",
            "palaver.log.file_log",
            "palaver.log.lock",
            "palaver.log.record",
        ),
        "palaver.files",
        "palaver.files.regular",
        "palaver.log.factory",
        *("palaver.log.file_reader", "palaver.log.port"),
        *(
            "palaver.log.segments",
            "palaver.log.clock",
        ),
        *("palaver.model", "palaver.model.errors", "palaver.model.event", "palaver.model.limits"),
        *("palaver.model.message", "palaver.model.names", "palaver.model.plain", "palaver.model.secrets"),
    }
)
# Not bare because they are empty, or lists of words.
PLAIN: Final = frozenset({"palaver.model.errors", "palaver.model.limits"})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a bus, on which ada has written to bob and both are known."""
    folder = tmp_path_factory.mktemp("project")
    for words in (["init", "--person", "ada"], ["agents", "add", "bob"], ["inbox", "--as", "ada"]):
        subprocess.run([PALAVER, *words], cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    return folder


def imported(folder: Path, *words: str) -> set[str]:
    """Return every module that a run of Python imports, by its own account."""
    command = [sys.executable, "-X", "importtime", *words]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=PATIENCE)
    return counted(done.stderr)


def counted(account: str) -> set[str]:
    """Return the modules that Python says it has imported."""
    found = set(re.findall(r"(?m)^import time: +\d+ \| +\d+ \| +([\w.]+)$", account))

    assert "site" in found, account
    return found


def beyond_a_bare_start(folder: Path, *words: str) -> set[str]:
    return imported(folder, PALAVER_PY, *words) - imported(folder, "-c", "pass")


def test_a_plain_send_imports_what_is_on_the_list_and_no_more(project: Path) -> None:
    found = beyond_a_bare_start(project, "send", "bob", "-m", "hello", "--as", "ada")

    assert "palaver.log.file_log" in found
    assert found - SEND - SEND_OURS == set()


def test_a_send_inside_a_run_imports_its_token_and_no_more(project: Path) -> None:
    # What is counted is written to standard error, which a run passes on.
    counting = ["run", "--as", "bob", "--", sys.executable, "-X", "importtime", PALAVER_PY]
    done = subprocess.run(
        [PALAVER, *counting, "send", "ada", "-m", "hello"],
        cwd=project, check=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    found = counted(done.stderr) - imported(project, "-c", "pass")

    assert "palaver.bus.agents.tokens" in found
    assert found - SEND - SEND_OURS == {"palaver.bus.agents", "palaver.bus.agents.tokens"}


def test_a_plain_send_does_not_open_the_view(project: Path) -> None:
    assert "_sqlite3" not in beyond_a_bare_start(project, "send", "bob", "-m", "hello", "--as", "ada")


def test_every_module_on_the_list_is_there_and_says_that_it_is_bare() -> None:
    silent = []
    for name in sorted(SEND_OURS):
        path = SOURCE.parent / (name.replace(".", "/") + ".py")
        if path.is_file():
            if "A bare module" not in path.read_text(encoding="utf-8") and name not in PLAIN:
                silent.append(name)
        else:
            assert (path.with_suffix("") / "__init__.py").is_file(), name

    assert silent == []


def test_the_options_of_send_are_the_fields_of_the_operation() -> None:
    def shapes(options: tuple[Option, ...]) -> set[tuple[str, str, str, bool]]:
        return {(each.long, each.short, each.value, each.many) for each in options}

    assert shapes(send.SPEC.options) == shapes(send.describe())
    assert all(option.help for option in send.describe())


# --- what the checkers are told to overlook ---

OVERLOOKED: Final = re.compile(r"# (?:noqa|type: ignore).*")
# A code, then the reason, behind a dash or in a comment of its own.
REASONED: Final = re.compile(
    r"# (?:noqa: [A-Z]+\d+(?:, [A-Z]+\d+)* - \S.*|type: ignore\[[\w-]+(?:, ?[\w-]+)*\]  # \S.*)"
)


@pytest.mark.parametrize(
    "line",
    ["x  # noqa", "x  # noqa: A002", "x  # type: ignore", "x  # type: ignore[arg-type]", "# noqa: A002 -"],
)
def test_overlooking_without_a_reason_is_noticed(line: str) -> None:
    assert any(not REASONED.fullmatch(found) for found in OVERLOOKED.findall(line))


@pytest.mark.parametrize(
    "line", ["x  # noqa: A002 - it is called so", "x  # type: ignore[arg-type]  # the stubs are wrong"]
)
def test_overlooking_with_a_reason_is_not_noticed(line: str) -> None:
    assert all(REASONED.fullmatch(found) for found in OVERLOOKED.findall(line))


def test_nothing_is_overlooked_without_a_reason() -> None:
    bare = [
        f"{place(path)}:{number} {found}"
        for path in modules(SOURCE)
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1)
        for found in OVERLOOKED.findall(line)
        if not REASONED.fullmatch(found)
    ]

    assert bare == []
