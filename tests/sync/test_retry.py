"""What nobody could read is kept whole, shown safely, and taken in once it can be read."""

import subprocess
from pathlib import Path
from typing import Final

import pytest

from palaver.bus.admin import quarantine as isolation
from palaver.sync.intake.file_events import draft
from tests.cli.spoken import PALAVER, Answer, Shell, surroundings
from tests.patience import PATIENCE
from tests.sync.scene import Scene, append, left_alone

HELLO: Final = b"2026-01-01 10:00:00 JIM -> CLAWDY: hello there\n"
FINE: Final = b"2026-01-01 10:00:01 CLAWDY -> JIM: fine\n"
HOSTILE: Final = b"\x1b]0;owned\x07\x1b[2J\xff\xfe \xe2\x80\xaetxt.exe\r\x00 end\n"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "project")


@pytest.fixture
def chat(scene: Scene) -> Path:
    """Return a chat log that was mounted as something else, so that nobody can read it."""
    path = scene.mount("runbus", "talk", file="chat.log") / "chat.log"
    append(path, HELLO + FINE)
    left_alone(path)
    scene.settle()
    return path


def mended(scene: Scene) -> None:
    """Let the config say what the file is."""
    config = scene.folder / ".palaver/config.toml"
    said = config.read_text().replace('dialect = "runbus"', 'dialect = "collab"')
    config.write_text(said.replace('file = "chat.log"', 'a = "jim"\nb = "clawdy"'))
    scene.restart()
    scene.settle()


def of_agents(scene: Scene, chat: Path) -> int:
    """Return how many bytes agents wrote: all but what the bus told them about it."""
    account = scene.account("talk", "chat.log")
    assert account.size == chat.stat().st_size
    assert account.size - account.ours - account.blank == len(HELLO + FINE)
    return len(HELLO + FINE)


def ids(scene: Scene) -> list[str]:
    return [item.id for item in scene.bus.quarantine()]


def whole(scene: Scene, wanted: str) -> bytes:
    """Return all bytes of an entry."""
    item = isolation.item(scene.bus.session, wanted)
    return isolation.content(scene.bus.session, item, limit=item.length)


def run(scene: Scene, *words: str) -> Answer:
    return Shell(folder=scene.folder, env=surroundings()).run("quarantine", *words)


def test_what_nobody_can_read_is_listed_with_its_reason(scene: Scene, chat: Path) -> None:
    rows = run(scene, "list", "--json").rows

    assert [(row["kind"], row["file"], row["offset"], row["length"], row["lines"]) for row in rows] == [
        ("file", "chat.log", 0, len(HELLO + FINE), 2),
    ]
    assert all("outside of every message" in str(row["reason"]) for row in rows)
    assert scene.account("talk", "chat.log").quarantined == of_agents(scene, chat)


def test_it_is_shown_safely_and_whole(scene: Scene) -> None:
    team = scene.mount("swarm")
    append(team / "channel.jsonl", HOSTILE)
    scene.settle()
    [wanted] = ids(scene)

    shown = run(scene, "show", wanted)
    plain = run(scene, "show", wanted, "--json").fields

    assert shown.code == 0
    assert "owned" in shown.out
    assert "end" in shown.out
    assert plain["length"] == len(HOSTILE)
    assert whole(scene, wanted) == HOSTILE


def test_a_long_one_is_shown_in_part_and_kept_whole(scene: Scene) -> None:
    team = scene.mount("swarm")
    append(team / "channel.jsonl", b"x" * 100_000 + b"\n")
    scene.settle()
    [wanted] = ids(scene)

    assert "bytes more" in run(scene, "show", wanted).out
    assert len(whole(scene, wanted)) == 100_001


@pytest.mark.parametrize("wanted", ["q-none", "../../etc/passwd", ""])
def test_what_is_not_there_is_not_shown(scene: Scene, chat: Path, wanted: str) -> None:
    before = chat.read_bytes()

    assert run(scene, "show", wanted).code == 3
    assert run(scene, "retry", wanted).code == 3
    assert chat.read_bytes() == before


def test_without_a_fix_it_stays_where_it_is(scene: Scene, chat: Path) -> None:
    before, head = ids(scene), scene.head()

    answer = run(scene, "retry", *before)

    assert answer.code == 1
    assert answer.out.count("still cannot be parsed") == 1
    assert ids(scene) == before
    assert scene.head() == head
    assert scene.account("talk", "chat.log").quarantined == of_agents(scene, chat)


def test_after_a_fix_it_is_taken_in_and_the_bytes_add_up(scene: Scene, chat: Path) -> None:
    mended(scene)
    assert scene.account("talk", "chat.log").quarantined == of_agents(scene, chat)
    before = chat.read_bytes()

    answer = run(scene, "retry", *ids(scene), "--json")
    scene.settle()

    assert answer.code == 0
    assert set(answer.fields.values()) == {True}
    assert scene.bodies() == ["hello there", "fine"]
    account = scene.account("talk", "chat.log")
    assert (account.events, account.quarantined) == (of_agents(scene, chat), 0)
    assert ids(scene) == []
    assert len(run(scene, "list", "--all", "--json").rows) == 1
    assert chat.read_bytes() == before


def test_what_was_released_is_not_taken_in_again(scene: Scene, chat: Path) -> None:
    mended(scene)
    wanted = ids(scene)

    for _ in range(2):
        assert run(scene, "retry", *wanted).code == 0
    append(chat, b"2026-01-01 10:00:02 JIM -> CLAWDY: and more\n")
    scene.restart()
    scene.settle()

    assert scene.bodies() == ["hello there", "fine", "and more"]
    assert len(scene.events("file.released")) == 1


def test_what_is_released_reaches_those_it_is_for(scene: Scene, chat: Path) -> None:
    mended(scene)
    assert chat.exists()
    run(scene, "retry", *ids(scene))

    inbox = Shell(folder=scene.folder, env=surroundings()).run("inbox", "--as", "clawdy", "--json")

    assert '"hello there"' in inbox.out


def test_two_who_try_at_once_release_it_once(scene: Scene, chat: Path) -> None:
    mended(scene)
    wanted = ids(scene)

    both = [
        subprocess.Popen(
            [PALAVER, "quarantine", "retry", *wanted],
            cwd=scene.folder,
            env=surroundings(),
            stdout=subprocess.DEVNULL,
        )
        for _ in range(4)
    ]
    codes = [each.wait(PATIENCE) for each in both]
    scene.restart()
    scene.settle()

    assert codes == [0, 0, 0, 0]
    assert sorted(scene.bodies()) == ["fine", "hello there"]
    assert scene.account("talk", "chat.log").events == of_agents(scene, chat)


def test_a_mount_that_is_gone_is_named_as_the_reason(scene: Scene, chat: Path) -> None:
    scene.unmount("talk")
    assert chat.exists()

    answer = run(scene, "retry", *ids(scene))

    assert answer.code == 2
    assert "no mount reads chat.log any more; it stays in quarantine, whole" in answer.err


def test_an_entry_of_an_older_log_is_read_from_its_own_file(scene: Scene) -> None:
    team = scene.mount("swarm")
    src: dict[str, object] = {"mount": "swarm", "file": "channel.jsonl", "gen": 1, "off": 0, "len": 7}
    scene.bus.session.log.append([draft("file.quarantined", {"id": "q-old", "reason": "SWM001"}, src)])
    (scene.folder / ".palaver/quarantine/q-old.bin").write_bytes(b"rubbish")
    assert team.exists()

    [item] = scene.bus.quarantine()

    assert (item.id, item.lines) == ("q-old", 1)
    assert whole(scene, "q-old") == b"rubbish"
