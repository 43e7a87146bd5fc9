"""The roster: whom an address means."""

import time
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.model.errors import AmbiguousName
from palaver.model.event import Event
from palaver.views.agents.roster import Roster

SEGMENTS = st.sampled_from(["a", "b", "slot1", "slot10", "workers", "qa"])
IDS = st.lists(SEGMENTS, min_size=1, max_size=3).map("/".join)
WORDS = st.one_of(IDS, SEGMENTS)


def event(event_type: str, data: dict[str, object], seq: int = 1) -> Event:
    return Event(
        {"seq": seq, "event_type": event_type, "timestamp": "2026-01-01T00:00:00.000Z", "data": data}
    )


def roster_of(
    *agents: str,
    lists: Mapping[str, Sequence[str]] | None = None,
    alias: Mapping[str, str] | None = None,
    roles: Mapping[str, str] | None = None,
    handles: Mapping[str, str] | None = None,
    retired: Sequence[str] = (),
) -> Roster:
    roster = Roster()
    for agent in agents:
        data: dict[str, object] = {"agent": agent}
        data |= {"role": roles[agent]} if roles and agent in roles else {}
        data |= {"handle": handles[agent]} if handles and agent in handles else {}
        roster.registered(event("agent.registered", data))
    for agent in retired:
        roster.retired(event("agent.retired", {"agent": agent}))
    named = {key: list(members) for key, members in (lists or {}).items()}
    roster.configured(event("config.applied", {"lists": named, "alias": dict(alias or {})}))
    return roster


def test_a_name_never_means_one_that_only_starts_the_same() -> None:
    roster = roster_of("slot1", "slot10", "project-a/workers/slot0", "project-ab/workers/slot0")

    assert roster.meaning("slot1").agents == ["slot1"]
    assert roster.meaning("slot").kind == "none"
    assert roster.meaning("project-a/work").kind == "none"
    assert roster.meaning("project-a").kind == "none"


def test_a_role_means_all_and_only_those_in_it() -> None:
    roster = roster_of(
        "project-a/workers/slot0", "project-a/workers/slot1", "project-b/workers/slot2", "bob", "carol",
        "project-a/qa",
        roles={"bob": "reviewer", "carol": "project-a/workers"},
    )  # fmt: skip

    meaning = roster.meaning("project-a/workers")

    assert meaning.kind == "role"
    assert meaning.agents == ["project-a/workers/slot0", "project-a/workers/slot1", "carol"]
    assert roster.meaning("reviewer").agents == ["bob"]


def test_an_id_comes_before_an_alias_a_handle_a_list_and_a_role() -> None:
    everything = {
        "alias": {"x": "carol"},
        "handles": {"bob": "x"},
        "lists": {"x": ["bob", "carol"]},
        "roles": {"dave": "x"},
    }

    with_id = roster_of("x", "bob", "carol", "dave", **everything)  # type: ignore[arg-type]
    with_alias = roster_of("bob", "carol", "dave", **everything)  # type: ignore[arg-type]
    with_handle = roster_of("bob", "carol", "dave", **{**everything, "alias": {}})  # type: ignore[arg-type]
    with_list = roster_of("bob", "carol", "dave", **{**everything, "alias": {}, "handles": {}})  # type: ignore[arg-type]
    with_role = roster_of("bob", "carol", "dave", roles={"dave": "x"})

    assert with_id.meaning("x").agents == ["x"]
    assert with_alias.meaning("x").agents == ["carol"]
    assert with_handle.meaning("x").agents == ["bob"]
    assert (with_list.meaning("x").kind, with_list.meaning("x").agents) == ("list", ["bob", "carol"])
    assert (with_role.meaning("x").kind, with_role.meaning("x").agents) == ("role", ["dave"])


def test_an_alias_may_name_an_id_a_handle_a_list_a_role_or_everyone() -> None:
    roster = roster_of(
        "bob", "carol", "team/dave",
        handles={"carol": "qa"},
        lists={"both": ["bob", "carol"]},
        alias={"boss": "bob", "tester": "@qa", "pair": "both", "crew": "team", "folk": "@all"},
    )  # fmt: skip

    assert roster.meaning("boss").agents == ["bob"]
    assert roster.meaning("@boss").agents == ["bob"]
    assert roster.meaning("tester").agents == ["carol"]
    assert roster.meaning("pair").agents == ["bob", "carol"]
    assert roster.meaning("crew").agents == ["team/dave"]
    assert roster.meaning("folk").agents == ["bob", "carol", "team/dave"]


def test_a_name_that_fits_two_is_refused_with_both_full_names() -> None:
    roster = roster_of("project-a/workers/slot0", "project-b/workers/slot0")

    with pytest.raises(AmbiguousName) as refused:
        roster.resolve("slot0")

    assert refused.value.exit == 5
    assert "project-a/workers/slot0" in refused.value.why
    assert "project-b/workers/slot0" in refused.value.why


def test_a_list_does_not_reach_those_whom_an_ambiguous_member_might_mean() -> None:
    roster = roster_of("a/slot0", "b/slot0", "bob", lists={"team": ["slot0", "bob"]})

    assert roster.meaning("team").agents == ["bob"]


def test_lists_name_lists_handles_roles_aliases_and_everyone_and_each_agent_is_meant_once() -> None:
    roster = roster_of(
        "bob", "carol", "crew/dave", "erin",
        handles={"carol": "qa"},
        alias={"second": "erin"},
        lists={
            "inner": ["@qa", "crew", "bob"], "outer": ["bob", "inner", "second"], "most": ["outer", "@all"],
        },
    )  # fmt: skip

    assert roster.meaning("outer").agents == ["bob", "carol", "crew/dave", "erin"]
    assert roster.meaning("most").agents == ["bob", "carol", "crew/dave", "erin"]


def test_lists_that_name_each_other_end_with_everyone_in_them() -> None:
    names = [f"list{n}" for n in range(40)]
    lists = {listed: [*names, f"agent{n}"] for n, listed in enumerate(names)}
    roster = roster_of(*(f"agent{n}" for n in range(40)), lists=lists)

    started = time.monotonic()
    meant = roster.meaning("list0").agents

    assert sorted(meant) == sorted(f"agent{n}" for n in range(40))
    assert time.monotonic() - started < 30


def test_a_long_chain_of_lists_loses_nobody() -> None:
    depth = 3_000
    lists = {f"list{n}": [f"list{n + 1}"] for n in range(depth)} | {f"list{depth}": ["bob"]}
    roster = roster_of("bob", lists=lists)

    assert roster.meaning("list0").agents == ["bob"]


def test_a_list_without_anyone_in_it_means_nobody() -> None:
    roster = roster_of("bob", lists={"ghosts": ["casper"], "self": ["self"]})

    assert roster.meaning("ghosts").kind == "none"
    assert roster.meaning("self").kind == "none"


def test_a_retired_agent_is_meant_by_nothing_and_comes_back_when_added_again() -> None:
    roster = roster_of("team/bob", "carol", lists={"both": ["team/bob", "carol"]}, retired=["team/bob"])

    assert (roster.meaning("team/bob").kind, roster.meaning("team/bob").why) == ("none", "it is retired")
    assert roster.meaning("bob").kind == "none"
    assert roster.meaning("team").kind == "none"
    assert roster.meaning("both").agents == ["carol"]
    assert roster.meaning("@all").agents == ["carol"]
    assert roster.nearest("team/bob") == []

    roster.registered(event("agent.registered", {"agent": "team/bob"}))

    assert roster.meaning("bob").agents == ["team/bob"]


def expected(
    wanted: str, ids: list[str], lists: dict[str, list[str]], alias: dict[str, str]
) -> tuple[str, list[str]]:
    """Say again, as plainly as possible, what the documentation says: id, alias, handle, list, role."""
    if wanted not in ids:
        wanted = alias.get(wanted, wanted)
    if wanted in ids:
        return "agent", [wanted]
    called = [each for each in ids if each.split("/")[-1] == wanted]
    if called:
        return ("agent", called) if len(called) == 1 else ("none", called)
    if wanted in lists:
        members = {each for member in lists[wanted] for each in expected(member, ids, {}, alias)[1:][0]}
        return ("list", sorted(members)) if members else ("none", [])
    in_role = [each for each in ids if "/" in each and each.rsplit("/", 1)[0] == wanted]
    return ("role", in_role) if in_role else ("none", [])


@settings(max_examples=300)
@given(
    wanted=WORDS,
    ids=st.lists(IDS, unique=True, max_size=8),
    # One segment a member, so that no member is ambiguous.
    lists=st.dictionaries(
        st.sampled_from(["team", "qa", "a"]), st.lists(st.just("a/b/qa"), max_size=2), max_size=2
    ),
    alias=st.dictionaries(SEGMENTS, IDS, max_size=3),
)
def test_an_address_means_what_the_documentation_says(
    wanted: str, ids: list[str], lists: dict[str, list[str]], alias: dict[str, str]
) -> None:
    roster = roster_of(*ids, lists=lists, alias=alias)

    meaning = roster.meaning(wanted)

    kind, agents = expected(wanted, ids, lists, alias)
    assert (meaning.kind, sorted(meaning.agents)) == (kind, sorted(agents))


@given(st.text(max_size=40))
def test_the_log_may_say_any_address(text: str) -> None:
    roster = roster_of("bob", lists={"team": [text]}, alias={"boss": text})

    for written in (text, "team", "boss", "@" + text):
        assert roster.meaning(written).kind in ("agent", "list", "role", "all", "none")


def test_the_nearest_names_are_names_that_exist_and_the_closest_comes_first() -> None:
    roster = roster_of(
        "copilot", "project-a/workers/slot0", "bob", lists={"reviewers": ["bob"]}, retired=["bob"]
    )

    assert roster.nearest("copliot") == ["copilot"]
    assert roster.nearest("@reviewer") == ["reviewers"]
    assert roster.nearest("project-a/worker/slot0") == ["project-a/workers/slot0"]
    assert roster.nearest("slot00") == ["project-a/workers/slot0"]
    assert roster.nearest("zzzzz") == []


def test_a_role_is_near_too_where_mail_to_a_role_would_do() -> None:
    roster = roster_of("project-a/workers/slot0", "bob")

    assert roster.nearest("workers", roles=True) == ["project-a/workers"]
    assert roster.nearest("project-a/worker", roles=True)[0] == "project-a/workers"
    assert "project-a/workers" not in roster.nearest("workers")
