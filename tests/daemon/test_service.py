"""palaver install service: a unit of systemd for the daemon, which can be taken away again."""

import os
import re
import shlex
import sys
from configparser import RawConfigParser
from pathlib import Path

import pytest

from tests.cli.spoken import Answer
from tests.daemon import scene
from tests.daemon.scene import Project

UNIT = "systemd/user/palaver-project.service"
PATHS = ["plain", "two words", "50%h", 'a"quote', "back\\slash", "grüße", "new\nline", "$HOME", "it's"]


def unquoted(words: str) -> list[str]:
    """Return the words of a line of a unit, as systemd reads them: quotes, then escapes, then specifiers."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"(?: |$)', words)
    assert " ".join(f'"{each}"' for each in found) == words
    unescaped = [
        re.sub(r"\\(?:x([0-9a-f]{2})|(.))", lambda one: one[2] or chr(int(one[1], 16)), each)
        for each in found
    ]
    assert not any(re.search(r"%(?!%)", each.replace("%%", "")) for each in unescaped)
    return [each.replace("%%", "%") for each in unescaped]


class Service:
    """The unit of a project, in a config folder of its own."""

    def __init__(self, project: Project, config: Path) -> None:
        self.project = project
        self.config = config
        self.told = config.parent / "told"
        self.programs = config.parent / "programs"
        self.programs.mkdir(parents=True)

    def type(self, *words: str) -> Answer:
        path = f"{self.programs}:{os.environ['PATH']}"
        return self.project.type(*words, XDG_CONFIG_HOME=str(self.config), PATH=path)

    def fake_systemctl(self, script: str = "") -> None:
        """Put a program in the place of systemctl that writes down what it is told."""
        program = self.programs / "systemctl"
        program.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(self.told))}\n{script}\n')
        program.chmod(0o755)

    def files(self) -> list[str]:
        return sorted(str(each.relative_to(self.config)) for each in self.config.rglob("*") if each.is_file())


@pytest.fixture
def service(project: Project, tmp_path: Path) -> Service:
    return Service(project, tmp_path / "own/config")


def test_it_shows_what_it_writes_and_how_to_start_it(service: Service) -> None:
    answer = service.type("install", "service")

    text = (service.config / UNIT).read_text()
    assert answer.out.startswith(f"Installed: {service.config / UNIT}\n{text}")
    assert answer.lines[-1] == (
        "  systemctl --user daemon-reload && systemctl --user enable --now palaver-project.service"
    )
    assert service.files() == [UNIT]


def test_twice_is_once(service: Service) -> None:
    service.type("install", "service")
    before = (service.config / UNIT).stat().st_mtime_ns

    again = service.type("install", "service")

    assert again.out.startswith("Installed already: ")
    assert (service.config / UNIT).stat().st_mtime_ns == before


def test_uninstalling_leaves_nothing(service: Service) -> None:
    service.type("install", "service")
    link = service.config / "systemd/user/default.target.wants/palaver-project.service"
    link.parent.mkdir()
    link.symlink_to(service.config / UNIT)

    answer = service.type("uninstall", "service")

    assert answer.out.startswith("Removed: ")
    assert (service.files(), link.is_symlink()) == ([], False)
    assert service.type("uninstall", "service").code == 3


def test_with_yes_it_runs_the_commands_of_systemd(service: Service) -> None:
    service.fake_systemctl()

    service.type("install", "service", "--yes")
    service.type("uninstall", "service", "--yes")

    assert service.told.read_text().splitlines() == [
        "--user daemon-reload",
        "--user enable --now palaver-project.service",
        "--user disable --now palaver-project.service",
        "--user daemon-reload",
    ]


def test_an_error_of_systemd_is_reported(service: Service) -> None:
    service.fake_systemctl("echo 'Failed to connect to bus' >&2; exit 1")

    refused = service.type("install", "service", "--yes")

    assert refused.code == 1
    assert "systemctl --user daemon-reload failed: Failed to connect to bus" in refused.err


def test_the_unit_starts_the_daemon_of_this_bus_with_our_home(service: Service) -> None:
    service.type("install", "service")
    unit = RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]  # as its documentation says
    unit.read_string((service.config / UNIT).read_text())

    assert unquoted(unit["Service"]["ExecStart"]) == [
        sys.executable, "-P", "-m", "palaver", "up", "--quiet", "--root", service.project.root.path,
    ]  # fmt: skip
    assert unit["Service"]["Restart"] == "on-failure"
    assert unit["Install"]["WantedBy"] == "default.target"
    text = (service.config / UNIT).read_text()
    variables = [unquoted(each)[0] for each in re.findall(r"(?m)^Environment=(.*)$", text)]
    assert f"XDG_STATE_HOME={os.environ['XDG_STATE_HOME']}" in variables
    assert f"HOME={os.environ['HOME']}" in variables


@pytest.mark.parametrize("name", PATHS)
def test_any_path_reaches_the_daemon_as_it_is(name: str, tmp_path: Path) -> None:
    with scene.project(tmp_path / name) as project:
        found = project.type("install", "service", "--json", XDG_CONFIG_HOME=str(tmp_path)).fields

    [command] = re.findall(r"(?m)^ExecStart=(.*)$", str(found["text"]))
    assert command.startswith(":") == ("$" in name)
    assert unquoted(command.removeprefix(":"))[-1] == f"{tmp_path}/{name}/.palaver"
    assert re.fullmatch(r"palaver-[A-Za-z0-9_.-]+\.service", str(found["unit"]))


def test_two_projects_of_one_name_have_two_units(service: Service, tmp_path: Path) -> None:
    service.type("install", "service")
    with scene.project(tmp_path / "other/project") as other:
        found = other.type("install", "service", "--json", XDG_CONFIG_HOME=str(service.config)).fields
        again = other.type("install", "service", "--json", XDG_CONFIG_HOME=str(service.config)).fields

    assert found["path"] == again["path"] != str(service.config / UNIT)
    assert len(service.files()) == 2


def test_a_unit_that_is_not_ours_is_left_alone(service: Service) -> None:
    path = service.config / UNIT
    path.parent.mkdir(parents=True)
    path.write_text("[Service]\nExecStart=/bin/true\n")

    service.type("install", "service")
    service.type("uninstall", "service")

    assert path.read_text() == "[Service]\nExecStart=/bin/true\n"
