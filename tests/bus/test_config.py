"""The config: every mistake is refused with line, reason and way out; what people wrote stays."""

import os
import re
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palaver import Bus
from palaver.bus.config import config_edit
from palaver.bus.config.config_file import fresh, parse
from palaver.model.errors import BadConfig
from palaver.model.limits import CONFIG_BYTES, WARNINGS
from tests.bus.scene import bodies, bus_in, race, refused

PATH = "bus/config.toml"
# What is written, in which line the mistake is, and a word of the reason.
MISTAKES = {
    "no value": ("version = 1\nperson =\n", 2, "not TOML"),
    "no quotes": ("version = 1\n\nperson = ada\n", 3, "not TOML"),
    "a key twice": ('person = "ada"\nperson = "bob"\n', 2, "not TOML"),
    "a table twice": ('[lists]\na = ["b"]\n[lists]\n', 3, "not TOML"),
    "a list twice, once with capitals": ('[lists]\ncrew = ["b"]\nCrew = ["c"]\n', 3, "twice"),
    "an alias twice, once with capitals": ('[alias]\nboss = "b"\nBOSS = "c"\n', 3, "twice"),
    "a list that is a text": ('[lists]\ncrew = "bob"\n', 2, "brackets"),
    "a list that is a number": ("[lists]\ncrew = 3\n", 2, "brackets"),
    "a member that is a number": ("[lists]\ncrew = [3]\n", 2, "quotes"),
    "a member that is a list": ('[lists]\ncrew = [["bob"]]\n', 2, "quotes"),
    "a member with a bad name": ('[lists]\nok = ["bob"]\ncrew = ["bob", "../x"]\n', 3, "../x"),
    "a list with a bad name": ('[lists]\n"a b" = ["bob"]\n', 2, "' '"),
    "a list with a reserved name": ('[lists]\nall = ["bob"]\n', 2, "reserved"),
    "an alias with a bad name": ('[alias]\n"-rf" = "bob"\n', 2, "letter or a digit"),
    "an alias of a bad name": ('[alias]\nboss = "bоb"\n', 2, "U+043E"),
    "an alias of a number": ("[alias]\nboss = 7\n", 2, "quotes"),
    "lists in one line": ('lists = { crew = ["a b"] }\n', 1, "' '"),
    "a dotted list": ('lists.crew = ["a b"]\n', 1, "' '"),
    "lists that are a text": ('lists = "crew"\n', 1, "table"),
    "lists that are a list": ("lists = []\n", 1, "table"),
    "aliases that are a number": ("alias = 1\n", 1, "table"),
    "a policy that is true": ("policy = true\n", 1, "table"),
    "a policy nobody knows": ('[policy]\nidentity = "lax"\n', 2, "open, strict"),
    "a policy of a wrong type": ("[policy]\nidentity = 1\n", 2, "open, strict"),
    "a policy that is a list": ("[policy]\nidentity = []\n", 2, "open, strict"),
    "a person with a bad name": ('person = "../x"\n', 1, "letter or a digit"),
    "a person that is a number": ("person = 5\n", 1, "quotes"),
    "a person that is nothing": ("person = 0\n", 1, "quotes"),
    "a person that is false": ("person = false\n", 1, "quotes"),
    "a person that is a list": ("person = []\n", 1, "quotes"),
    "a newer version": ("version = 2\n", 1, "upgrade"),
    "a version as a text": ('version = "1"\n', 1, "must be 1"),
    "a version that is true": ("version = true\n", 1, "must be 1"),
    "a version with a point": ("version = 1.0\n", 1, "must be 1"),
    "a version that is no number": ("version = nan\n", 1, "must be 1"),
    "a date that is none": ("version = 1\nperson = 2026-13-45\n", 2, "not TOML"),
    "a control character": ('person = "a\0"\n', 1, "not TOML"),
    "yaml": ("version: 1\nperson: ada\n", 1, "not TOML"),
    "json": ('{"version": 1}\n', 1, "not TOML"),
    "a conflict of git": ("version = 1\n<<<<<<< HEAD\n", 2, "not TOML"),
    "keys too deep": ("a." * 200_000 + "b = 1\n", 1, "deep"),
    "a table too deep": ("version = 1\n[" + "a." * 200_000 + "b]\n", 2, "deep"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_with_its_line_the_reason_and_a_way_out(mistake: str) -> None:
    text, line, reason = MISTAKES[mistake]

    with pytest.raises(BadConfig) as refused_:
        parse(text.encode(), PATH)

    assert (refused_.value.code, refused_.value.exit) == ("bad-config", 2)
    assert refused_.value.what.startswith(f"{PATH}:{line}: ")
    assert reason in str(refused_.value)
    assert refused_.value.way_out


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe" + "version = 1\n".encode("utf-16-le"),
        b'person = "\xe9"\n',
        b"version = 1\nperson = \xed\xa0\x80\n",
        b"a = " + b"[" * 300_000,
        b"a = " + b"{b=" * 100_000,
        b"version = 1" + b"1" * 5_000 + b"\n",
        b"#" * (CONFIG_BYTES + 1),
        bytes(CONFIG_BYTES),
    ],
    ids=[
        "UTF-16",
        "Latin-1",
        "half a surrogate pair",
        "lists in lists",
        "tables in tables",
        "a huge number",
        "long",
        "NUL",
    ],
)
def test_what_is_no_config_at_all_is_refused_too(data: bytes) -> None:
    with pytest.raises(BadConfig) as refused_:
        parse(data, PATH)

    assert refused_.value.what.startswith(PATH)
    assert refused_.value.way_out


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"# nothing\n", b"\xef\xbb\xbfversion = 1\n", b"version = 1\r\n"]
)
def test_an_empty_config_a_byte_order_mark_and_lines_of_another_system_are_fine(data: bytes) -> None:
    found = parse(data, PATH)

    assert (found.lists, found.alias, found.identity, found.warnings) == ({}, {}, "open", [])


def test_a_key_that_nobody_reads_is_a_warning_with_its_line_and_a_suggestion() -> None:
    found = parse(b'version = 1\n[list]\nx = ["bob"]\n[policy]\nidentiti = "open"\n[zebra]\n', PATH)

    assert found.warnings == [
        f"{PATH}:2: unknown setting 'list'; did you mean 'lists'?",
        f"{PATH}:6: unknown setting 'zebra'",
        f"{PATH}:5: unknown setting 'identiti'; did you mean 'identity'?",
    ]


def test_a_hundred_thousand_keys_that_nobody_reads_are_a_few_warnings() -> None:
    data = "".join(f"k{number} = 1\n" for number in range(40_000)).encode()

    assert len(parse(data, PATH).warnings) == WARNINGS


def test_names_become_canonical() -> None:
    found = parse(
        b'person = "Ada"\n[lists]\nCrew = ["Bob", "@QA", "ALL"]\n[alias]\nBoss = "Team/Carol"\n', PATH
    )

    assert (found.person, found.lists, found.alias) == (
        "ada",
        {"crew": ["bob", "@qa", "@all"]},
        {"boss": "team/carol"},
    )


@given(st.text(max_size=200))
def test_any_text_is_a_config_or_refused(text: str) -> None:
    try:
        found = parse(text.encode(), PATH)
    except BadConfig as bad:
        assert bad.way_out  # noqa: PT017
    else:
        assert found.identity in ("open", "strict")


WRITTEN = (
    "# a comment", "", "version = 1", 'person = "ada"', "[lists]", "[lists]  # ours",
    'reviewers = ["bob", "@qa"]', 'Crew = [\n  "bob", # first\n  "carol",\n]  # both', '"crew" = ["bob"]',
    "crew = []", "[alias]", 'boss = "bob"', "[policy]", 'identity = "strict"', "[other]",
    "x = { a = 1, b = [1, 2] }", 'lists.reviewers = ["bob"]', "[[table]]", "s = '''\ntwo\nlines'''", "\t",
    'lists = { crew = ["bob"], reviewers = ["ada"] }',
)  # fmt: skip


@settings(max_examples=300, suppress_health_check=[HealthCheck.filter_too_much])
@given(
    st.lists(st.sampled_from(WRITTEN), max_size=8).map("\n".join),
    st.sampled_from(["crew", "reviewers", "new"]),
    st.none() | st.lists(st.sampled_from(["bob", "carol", "@qa"]), min_size=1, max_size=3),
)
def test_setting_a_list_changes_that_list_and_nothing_else_or_is_refused(
    text: str, listed: str, members: list[str] | None
) -> None:
    try:
        before = parse(text.encode(), PATH)
    except BadConfig:
        return
    wanted = (
        {**before.lists, listed: members}
        if members
        else {k: v for k, v in before.lists.items() if k != listed}
    )

    try:
        data = config_edit.edit(text.encode(), PATH, "lists", listed, members)
    except BadConfig as bad:
        assert "by hand" in bad.way_out  # noqa: PT017
        return

    after = parse(data, PATH)
    assert after.plain() == {**before.plain(), "lists": wanted}
    # What is said of a list on its own line goes with it.
    own = r"(?s)Crew = \[.*?\]" if members else r"(?s)Crew = \[.*?\][^\n]*"
    outside = re.sub(own, "", text)
    assert [c for c in re.findall(r"# \w.*", outside) if c not in data.decode()] == []


def test_setting_and_removing_a_list_keeps_what_people_wrote(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    config = Path(bus.root.config)
    mine = (
        '# Mine.\nversion = 1\nperson = "ada" # me\n\n[lists] # ours\n'
        '# who reviews\nReviewers = ["bob"] # since May\n'
    )
    config.write_text(mine)

    bus.set_list("crew", ["bob", "carol"])
    bus.set_list("reviewers", ["carol"])
    both = config.read_text()
    bus.set_list("crew", None)

    assert both == mine.replace('["bob"] # since', '["carol"] # since') + 'crew = ["bob", "carol"]\n'
    assert config.read_text() == mine.replace('["bob"] # since', '["carol"] # since')
    assert bus.lists() == {"reviewers": ["carol"]}
    bus.set_list("reviewers", None)
    assert bus.lists() == {}
    assert stat.S_IMODE(config.stat().st_mode) == 0o600


def test_a_list_that_is_not_there_cannot_be_removed_and_one_without_members_cannot_be_made(
    tmp_path: Path,
) -> None:
    bus = bus_in(tmp_path, "bob")
    before = Path(bus.root.config).read_bytes()

    with refused(bus, "not-found"):
        bus.set_list("crew", None)
    with refused(bus, "bad-arguments"):
        bus.set_list("crew", [])

    assert Path(bus.root.config).read_bytes() == before


@pytest.mark.parametrize("taken", ["bob", "slot0", "lead"])
def test_a_list_cannot_have_the_name_of_an_agent_which_would_get_its_mail(tmp_path: Path, taken: str) -> None:
    bus = bus_in(tmp_path, "bob", "f/workers/slot0")
    bus.add_agent("carol", handle="lead")
    before = Path(bus.root.config).read_bytes()

    with refused(bus, "bad-name"):
        bus.set_list(taken, ["carol"])

    assert Path(bus.root.config).read_bytes() == before


def edit(bus: Bus, text: str) -> None:
    Path(bus.root.config).write_text(text)


def test_a_hand_edit_is_applied_by_the_next_command_of_a_bus_that_is_open(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    edit(bus, '[lists]\ncrew = ["bob", "ada"]\n')
    bus.send("crew", "first")

    edit(bus, '[lists]\ncrew = ["carol", "ada"]\n')
    bus.send("crew", "second")

    assert (bodies(bus, "bob"), bodies(bus, "carol")) == (["first"], ["second"])
    assert bus.send("crew", "third").unknown == []
    edit(bus, "version = 1\n")
    assert [address for address, _, _ in bus.send("crew", "fourth", allow_unknown=True).unknown] == ["crew"]


def test_a_config_that_is_empty_leaves_the_settings_in_force(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    edit(bus, '[lists]\ncrew = ["bob", "ada"]\n')
    bus.send("crew", "first")

    # As an editor leaves it for a moment that writes in place, or a crash for good.
    edit(bus, "")
    bus.send("crew", "second")

    assert bodies(bus, "bob") == ["first", "second"]


def test_a_config_that_is_empty_leaves_the_first_settings_in_force_too(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    edit(bus, "")

    bus.agents()

    assert [event.data["person"] for event in bus.events(event_type="config.applied")] == ["ada"]


def test_what_a_list_meant_when_a_message_was_sent_stays_true(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob", "carol")
    bus.set_list("crew", ["bob"])
    bus.send("crew", "to bob")
    bus.set_list("crew", ["carol"])

    bus.rebuild()

    assert (bodies(bus, "bob"), bodies(bus, "carol")) == (["to bob"], [])


def test_a_change_and_a_change_back_are_three_configs(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    before = len(bus.events(event_type="config.applied"))
    versions = ['[lists]\ncrew = ["bob"]\n', "[lists]\n", '[lists]\ncrew = ["bob"]\n']

    for text in versions:
        edit(bus, text)
        bus.agents()
        bus.agents()

    events = bus.events(event_type="config.applied")[before:]
    assert [event.data["lists"] for event in events] == [{"crew": ["bob"]}, {}, {"crew": ["bob"]}]
    assert {event.actor for event in events} == {"palaver"}
    assert bus.lists() == {"crew": ["bob"]}
    bus.rebuild()
    assert bus.lists() == {"crew": ["bob"]}


def test_processes_that_see_the_same_change_apply_it_once(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    before = len(bus.events(event_type="config.applied"))
    edit(bus, '[lists]\ncrew = ["bob"]\n')

    seen = race(bus, ["ada"] * 6, "say(bus.lists())")

    assert seen == [{"crew": ["bob"]}] * 6
    assert len(bus.events(event_type="config.applied")) == before + 1


def test_a_config_that_cannot_be_read_changes_nothing_and_mail_can_still_be_read(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "Hello")
    edit(bus, "version = 1\nperson =\n")

    with refused(bus, "bad-config") as caught:
        bus.send("bob", "Hello again")

    assert f"{bus.root.config}:2" in str(caught.value)
    assert bodies(bus, "bob") == ["Hello"]
    edit(bus, fresh("ada"))
    bus.send("bob", "Hello again")
    assert bodies(bus, "bob") == ["Hello", "Hello again"]


@pytest.mark.parametrize("kind", ["fifo", "folder", "gone", "device", "50 MB"])
def test_whatever_lies_where_the_config_was_no_command_hangs(tmp_path: Path, kind: str) -> None:
    bus = bus_in(tmp_path, "bob")
    bus.send("bob", "Hello")
    config = Path(bus.root.config)
    config.unlink()
    if kind == "fifo":
        os.mkfifo(config)
    elif kind == "folder":
        config.mkdir()
    elif kind == "device":
        config.symlink_to("/dev/zero")
    elif kind == "50 MB":
        with config.open("wb") as file:
            file.truncate(50_000_000)

    with refused(bus, "bad-config"):
        bus.send("bob", "Hello again")
    with refused(bus, "bad-config"):
        bus.set_list("crew", ["bob"])

    assert bodies(bus, "bob") == ["Hello"]


def test_the_largest_config_that_is_read_fits_into_the_log(tmp_path: Path) -> None:
    bus = bus_in(tmp_path, "bob")
    rows = ["[alias]", *(f'a{number}="b"' for number in range(200_000))]
    text = "\n".join(rows)[: CONFIG_BYTES - 10].rpartition("\n")[0] + "\n"

    edit(bus, text)

    assert bus.send("bob", "Hello").unknown == []
    assert len(bus.agents()) == 2
