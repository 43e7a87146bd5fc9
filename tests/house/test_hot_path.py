"""The hot path is bare: what `palaver send`, `inbox` and `task` import is on a list (docs/adr/0006)."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.house.repository import SOURCE, modules, place
from tests.patience import PATIENCE

FOLDERS: Final = {"office": "messages", "vermas": ".work", "collab": "inbox", "swarm": "", "runbus": ""}
PALAVER: Final = str(Path(sys.executable).parent / "palaver")

# Of the standard library: parts of the interpreter, and a few modules in C.
SEND: Final = frozenset({"_blake2", "_json", "fcntl", "gc", "zlib", "_socket", "_thread", "_collections_abc"})
INBOX: Final = SEND | {"_sqlite3", "_functools"}

# Of our own: each of these says in its docstring that it is bare.
SEND_OURS: Final = frozenset(
    {
        *(
            "palaver",
            "palaver.bus",
            "palaver.bus.bells",
            "palaver.bus.checking",
            "palaver.bus.desk",
            "palaver.bus.known",
        ),
        *("palaver.bus.pulse", "palaver.bus.root", "palaver.bus.sending", "palaver.bus.trust"),
        *("palaver.cli", "palaver.cli.arguments", "palaver.cli.commands", "palaver.cli.commands.send"),
        *("palaver.cli.context", "palaver.cli.hot", "palaver.cli.speaker"),
        *("palaver.log", "palaver.log.files", "palaver.log.lock", "palaver.log.reader", "palaver.log.record"),
        "palaver.log.regular",
        *("palaver.log.segments", "palaver.log.stamp", "palaver.log.stretch"),
        *("palaver.model", "palaver.model.errors", "palaver.model.event", "palaver.model.limits"),
        *("palaver.model.message", "palaver.model.names", "palaver.model.plain", "palaver.model.secrets"),
        "palaver.model.stretch",
    }
)
INBOX_OURS: Final = (
    SEND_OURS - {"palaver.bus.sending", "palaver.cli.commands.send", "palaver.model.secrets"}
) | {
    *("palaver.bus.core", "palaver.bus.live", "palaver.bus.reading", "palaver.bus.view"),
    *("palaver.cli.commands.inbox", "palaver.cli.looking", "palaver.cli.show", "palaver.cli.slim"),
    *("palaver.views", "palaver.views.asked", "palaver.views.inbox", "palaver.views.quarantine"),
    *(
        "palaver.views.carried",
        "palaver.views.roster",
        "palaver.views.sources",
        "palaver.views.store",
        "palaver.views.vigil",
        "palaver.views.work",
    ),
    *("palaver.views.board", "palaver.views.moves"),
    "palaver.views.asking",
    "palaver.views.unanswered",
    "palaver.views.assignments",
    "palaver.views.polls",
    "palaver.model.customs",
    "palaver.views.given",
    "palaver.views.runs",
    "palaver.views.autonomy",
    *("palaver.views.policy", "palaver.views.verdict", "palaver.model.task"),
}
TASK_OURS: Final = (
    (SEND_OURS | INBOX_OURS) - {"palaver.cli.commands.inbox", "palaver.cli.commands.send"}
) | {
    *("palaver.bus.manners", "palaver.views.manners"),
    *("palaver.bus.applied", "palaver.bus.consequences", "palaver.bus.leases", "palaver.bus.posting"),
    *("palaver.bus.tasks", "palaver.cli.cards", "palaver.cli.commands.send", "palaver.cli.commands.task"),
}
# A send by the daemon's door: nothing of the log but what names a message.
DOOR: Final = frozenset({"_json", "_socket", "_collections_abc", "gc"})
DOOR_OURS: Final = frozenset(
    {
        *("palaver", "palaver.bus", "palaver.bus.checking", "palaver.bus.knock", "palaver.bus.root"),
        "palaver.bus.trust",
        *("palaver.cli", "palaver.cli.arguments", "palaver.cli.commands", "palaver.cli.commands.send"),
        *("palaver.cli.context", "palaver.cli.hot", "palaver.cli.speaker"),
        *("palaver.log", "palaver.log.stamp"),
        *("palaver.model", "palaver.model.errors", "palaver.model.event", "palaver.model.limits"),
        *("palaver.model.message", "palaver.model.names", "palaver.model.plain", "palaver.model.secrets"),
    }
)
# A send on a bus with mounts: a pass that finds what it wrote before, and writes one line.
MOUNTS: Final = SEND | INBOX | {"_collections"}
MOUNTS_OURS: Final = (SEND_OURS | INBOX_OURS) | {
    *("palaver.bus.applied", "palaver.dialects", "palaver.following"),
    *(
        f"palaver.dialects.swarm{module}"
        for module in (
            *("", ".careful", ".desk", ".fault", ".grammar", ".layout", ".render", ".usual"),
            ".words",
        )
    ),
    *(f"palaver.dialects.vermas{module}" for module in ("", ".grammar", ".layout", ".values")),
    *("palaver.model.dialect", "palaver.model.finding", "palaver.model.orders", "palaver.model.saying"),
    *("palaver.model.translation", "palaver.model.value", "palaver.sync"),
    *(
        f"palaver.sync.{module}"
        for module in (
            *("attic", "chronicle", "dropped", "echoes", "echoing", "file_intake", "intake", "keeping"),
            *("knowing", "mounts", "names", "opening", "owing", "passing", "pieces", "projections"),
            *("reading", "rendering", "report", "turn"),
        )
    ),
}
# Not bare because they are empty, or lists of words.
PLAIN: Final = frozenset({"palaver.model.errors", "palaver.model.limits"})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a bus, on which ada has written to bob and both are known."""
    folder = tmp_path_factory.mktemp("project")
    for words in (["init", "--person", "ada"], ["agents", "add", "bob"], ["inbox", "--as", "ada"]):
        subprocess.run([PALAVER, *words], cwd=folder, check=True, capture_output=True, timeout=PATIENCE)
    return folder


@pytest.fixture(scope="module")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a bus and a mount of each dialect, in which qa was written to before."""
    folder = tmp_path_factory.mktemp("mounted")
    subprocess.run([PALAVER, "init", "--person", "ada"], cwd=folder, check=True, timeout=PATIENCE)
    with (folder / ".palaver" / "config.toml").open("a", encoding="utf-8") as config:
        for name, inside in FOLDERS.items():
            (folder / name / inside).mkdir(parents=True)
            config.write(f'\n[mounts.{name}]\ndialect = "{name}"\npath = "{name}"\n')
    for words in (["sync"], *(["send", "qa", "-m", body, "--as", "ada"] for body in ("one", "two"))):
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
    return imported(folder, PALAVER, *words) - imported(folder, "-c", "pass")


def test_a_plain_send_imports_what_is_on_the_list_and_no_more(project: Path) -> None:
    found = beyond_a_bare_start(project, "send", "bob", "-m", "hello", "--as", "ada")

    assert "palaver.log.files" in found
    assert found - SEND - SEND_OURS == set()


def test_an_inbox_imports_what_is_on_the_list_and_no_more(project: Path) -> None:
    subprocess.run(
        [PALAVER, "send", "bob", "-m", "new", "--as", "ada"], cwd=project, check=True, timeout=PATIENCE
    )

    found = beyond_a_bare_start(project, "inbox", "--as", "bob")

    assert "palaver.views.inbox" in found
    assert found - INBOX - INBOX_OURS == set()


def test_a_claim_imports_what_is_on_the_list_and_no_more(project: Path) -> None:
    opening = [PALAVER, "task", "open", "One", "--id", "one", "--as", "ada"]
    subprocess.run(opening, cwd=project, check=True, capture_output=True, timeout=PATIENCE)

    found = beyond_a_bare_start(project, "task", "claim", "one", "--as", "bob")

    assert "palaver.views.moves" in found
    assert found - INBOX - TASK_OURS == set()


def test_a_send_inside_a_run_imports_its_token_and_no_more(project: Path) -> None:
    # What is counted is written to standard error, which a run passes on.
    counting = ["run", "--as", "bob", "--", sys.executable, "-X", "importtime", PALAVER]
    done = subprocess.run(
        [PALAVER, *counting, "send", "ada", "-m", "hello"],
        cwd=project, check=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    found = counted(done.stderr) - imported(project, "-c", "pass")

    assert "palaver.bus.tokens" in found
    assert found - SEND - SEND_OURS == {"palaver.bus.tokens"}


def test_a_send_into_a_mount_imports_what_is_on_the_list_and_no_more(mounted: Path) -> None:
    found = beyond_a_bare_start(mounted, "send", "qa", "-m", "three", "--as", "ada")

    channel = (mounted / "swarm" / "channel.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["content"] for line in channel] == ["one", "two", "three"]
    assert "palaver.sync.reading" in found
    assert found - MOUNTS - MOUNTS_OURS == set()


def test_who_hands_a_message_to_the_daemon_imports_what_is_on_the_list_and_no_more(tmp_path: Path) -> None:
    words = "import palaver.cli.hot, palaver.cli.commands.send, palaver.bus.knock, _socket"

    found = imported(tmp_path, "-c", words) - imported(tmp_path, "-c", "pass")

    assert "palaver.bus.knock" in found
    assert found - DOOR - DOOR_OURS == set()


def test_a_plain_send_does_not_open_the_view(project: Path) -> None:
    assert "_sqlite3" not in beyond_a_bare_start(project, "send", "bob", "-m", "hello", "--as", "ada")


def test_every_module_on_the_list_is_there_and_says_that_it_is_bare() -> None:
    silent = []
    for name in sorted(SEND_OURS | INBOX_OURS | TASK_OURS | DOOR_OURS | MOUNTS_OURS):
        path = SOURCE.parent / (name.replace(".", "/") + ".py")
        if path.is_file():
            if "A bare module" not in path.read_text(encoding="utf-8") and name not in PLAIN:
                silent.append(name)
        else:
            assert (path.with_suffix("") / "__init__.py").is_file(), name

    assert silent == []


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
