"""Programs of two buses that answer each other: each bus knows how long the chain is."""

from tests.acceptance.project import PALAVER, Project

HOPS_MOST = 16


def answered(one: Project, other: Project, *, env: dict[str, str] | None = None) -> str:
    """Start the program of bob on one bus for its mail; it sends to bob of the other bus."""
    send = [PALAVER, "send", "bob", "-m", "more", "--as", "carol", "--root", str(other.folder)]
    clean = [f"{name}={value}" for name, value in (env or {}).items()]
    return one.run("run", "--as", "bob", "--on-message", "--once", "--", "env", *clean, *send).text


def sent_inside(project: Project) -> list[object]:
    """Return what the events of messages say about the run that they are from."""
    return [each.get("inside") for each in project.events("mail.sent")]


def test_hops_are_passed_on_to_another_bus(project: Project, second: Project) -> None:
    project.do("send", "bob", "-m", "go", agent="ada")

    answered(project, second)
    answered(second, project)

    [there], [_, back] = sent_inside(second), sent_inside(project)
    assert isinstance(there, dict)
    assert isinstance(back, dict)
    assert (there["hops"], back["hops"]) == (1, 2)


def test_a_chain_over_two_buses_ends(project: Project, second: Project) -> None:
    project.do("send", "bob", "-m", "go", agent="ada")

    answered(project, second, env={"PALAVER_HOPS": str(HOPS_MOST)})

    assert "[loop-limit]" in answered(second, project)
    assert len(sent_inside(project)) == 1
