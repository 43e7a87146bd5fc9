"""The protocol's own shell lines work on what we write."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from palaver.dialects.swarm.spec import SPEC
from palaver.model.message import Message
from tests.dialects.swarm.read import MOUNT, PATH, line, message

AT = "2026-01-25T23:45:00.123Z"


@pytest.fixture
def channel(tmp_path: Path) -> Path:
    """Write a channel of sixty messages, as we render them."""
    file = tmp_path / PATH
    senders = ("architect", "programmer", "qa")
    said = [
        Message(
            sender=senders[n % 3],
            to=["programmer"] if n % 4 == 0 else ["td"],
            body=f'Message {n}: "from":"architect" and "@programmer"\n\x1b[2J\u2028→',
            act="approve" if n % 5 == 0 else "inform",
            reasoning="" if n % 6 == 0 else "Because.",
            task="7",
            meta={"n": n},
            at=AT,
        )
        for n in range(60)
    ]
    file.write_bytes(b"".join(SPEC.render(each, MOUNT, PATH) for each in said))
    return file


def shell(command: str, file: Path) -> list[str]:
    """Run a line of the protocol's page, with the channel in the place of its path."""
    ran = subprocess.run(
        ["bash", "-c", command.replace("CHANNEL", PATH)], cwd=file.parent, capture_output=True, check=True
    )
    return ran.stdout.decode().split("\n")[:-1]


def test_the_last_50_messages(channel: Path) -> None:
    lines = shell("cat CHANNEL | tail -50", channel)

    assert [json.loads(each)["n"] for each in lines] == list(range(10, 60))


def test_messages_to_one_agent(channel: Path) -> None:
    lines = shell("""cat CHANNEL | grep '"@programmer"'""", channel)

    assert [json.loads(each)["n"] for each in lines] == list(range(0, 60, 4))


def test_messages_from_one_agent(channel: Path) -> None:
    lines = shell("""cat CHANNEL | grep '"from":"architect"'""", channel)

    assert [json.loads(each)["n"] for each in lines] == list(range(0, 60, 3))


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_the_last_20_through_jq(channel: Path) -> None:
    lines = shell("cat CHANNEL | jq -s '.[-20:]'", channel)

    assert [each["n"] for each in json.loads("\n".join(lines))] == list(range(40, 60))


def test_what_the_protocols_echo_appends_is_read(channel: Path) -> None:
    echo = (
        """echo '{"ts":"'$(date -u +%Y-%m-%dT%H:%M:%S.000Z)'","from":"programmer","to":["@qa"],"""
        """"type":"message","reasoning":"Implementation complete, tests needed.","""
        """"content":"Auth module ready for testing."}' >> CHANNEL"""
    )
    before = channel.read_bytes()

    shell(echo, channel)

    found = message(channel.read_bytes().removeprefix(before))
    assert (found.sender, found.to, found.body) == ("programmer", ["qa"], "Auth module ready for testing.")
    assert found.at.endswith(".000Z")


def test_a_line_has_no_space_that_json_does_not_need() -> None:
    meta: dict[str, object] = {"a": [1, {"b": 2}]}
    one = Message(sender="architect", to=["qa", "td"], body="x", reasoning="r", meta=meta, at=AT)

    content = SPEC.render(one, MOUNT, PATH)

    assert content == line(
        ts=AT, sender="architect", to=["@qa", "@td"], reasoning="r", content="x", a=[1, {"b": 2}]
    )
    assert b" " not in content
