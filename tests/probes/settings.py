"""Settings of the policy, as the user edits them."""

import json

from tests.acceptance.project import Project


def set_policy(project: Project, *, identity: str = "open", leads: tuple[str, ...] = ()) -> None:
    """Write the policy into the config, and let the bus take it over."""
    config = project.root / "config.toml"
    lines = f'identity = "{identity}"\nleads = {json.dumps(list(leads))}'
    config.write_text(config.read_text().replace('identity = "open"', lines, 1))
    project.do("agents")


def claim(project: Project, task: str = "t7") -> None:
    """Let bob claim a task whose owner, boss, must approve the claim."""
    project.do("task", "open", task, "--id", task, "--approval", agent="boss")
    project.do("task", "claim", task, agent="bob")
