"""A refusal of a config names the line of the mistake, wherever the key occurs besides."""

import re
from typing import Final

import pytest

from tests.acceptance.project import Project

#: Configs in which `<<` follows the line with the mistake.
REFUSED: Final = {
    "comment contains key": b"version = 1\n# person = 3\nperson = 3 <<\n",
    "indented comment": b'version = 1\n   # [policy]\n[policy]\n# lease = "x"\nlease = "x" <<\n',
    "ml string 2": (
        b'version = 1\nabout = """\nlease = "x"\n[policy]\nlease = "y"\n"""\n[policy]\nlease = "x" <<\n'
    ),
    "inline table": (
        b'version = 1\n[policy]\nidentity = "open"\n[mounts]\nlease = { dialect = "swarm", path = "." }\n'
        b'x = { dialect = "swarm", path = ".", lease = "x" } <<\n'
    ),
    "policy inline": (
        b'version = 1\nlists = { lease = ["bob"] }\npolicy = { identity = "open", lease = "x" } <<\n'
    ),
    "dotted": b'version = 1\nlists.lease = ["bob"]\npolicy.lease = "x" <<\n',
    "array of tables": b"version = 1\n[[policy]] <<\nlease = 1\n",
    "two mounts same key": (
        b'version = 1\n[mounts.a]\ndialect = "swarm"\npath = "."\n[mounts.b]\ndialect = 3 <<\npath = "."\n'
    ),
    "two mounts unknown": (
        b'version = 1\n[mounts.a]\ndialect = "swarm"\npath = "."\n'
        b'[mounts.b]\ndialect = "nope" <<\npath = "."\n'
    ),
    "mount approval": (
        b"version = 1\n[policy]\napproval = true\n[mounts.b]\n"
        b'dialect = "swarm"\npath = "."\napproval = "maybe" <<\n'
    ),
    "crlf": b'version = 1\r\n[lists]\r\nlease = ["bob"]\r\n[policy]\r\nlease = "x" <<\r\n',
    "bom + syntax": b"\xef\xbb\xbfversion = 1\n\nx = = <<\n",
    "dup key": b'version = 1\nperson = "a"\nperson = "b" <<\n',
    "dup table": b'version = 1\n[lists]\na=["b"]\n[policy]\nlease=1\n[lists] <<\nb=["b"]\n',
    "list member": b'version = 1\n[alias]\ncrew = "bob"\n[lists]\ncrew = ["bob", "b ob"] <<\n',
    "list twice": b'version = 1\n[lists]\ncrew = ["bob"]\nCrew = ["bob"] <<\n',
    "alias": b'version = 1\n[lists]\nboss = ["bob"]\n[alias]\nboss = 4 <<\n',
    "deadline": b"version = 1\n[policy]\nlease = 4\n[deadlines]\nnudge = 4\npatrol = -1 <<\n",
    "deadline lease twin": b'version = 1\n[lists]\npatrol = ["bob"]\n[deadlines]\npatrol = -1 <<\n',
    "quoted key": b'version = 1\n[lists]\n"nudge" = ["bob"]\n[deadlines]\n"nudge" = -1 <<\n',
    "escaped key": b'version = 1\n[deadlines]\n"nu\\u0064ge" = -1 <<\n',
    "table is a value": b'version = 1\nlists = 3 <<\n[alias]\nlists = "bob"\n',
    "table value 2": b'[alias]\npolicy = "bob"\n[policy]\nlease = "x" <<\n',
    "ident": b'[mounts.m]\ndialect="swarm"\npath="."\nidentity="open"\n[policy]\nidentity = "bad" <<\n',
    "space dotted": b'version = 1\n[ policy ]\n lease   =   "x" <<\n',
    "ml literal": b"version = 1\nx = '''\n[policy]\nlease = 1'''\n[policy]\nlease = 'x' <<\n",
    "not utf8": b'version = 1\nperson = "\xff" <<\n',
    "nul": b'version = 1\nperson = "a\x00" <<\n',
    "too deep": b"version = 1\n# ok\n" + b"a." * 70 + b"b = 1 <<\n",
    "too deep in string": b'version = 1\nabout = "' + b"a." * 200 + b'"\nversion2 = = <<\n',
    "a key in another table": b'version = 1\n[lists]\nlease = ["bob"]\n[policy]\nlease = "x" <<\n',
    "an unterminated text": b'version = 1\nperson = """a <<\nx=1\n',
    "an unterminated list": b'version = 1\n[lists]\ncrew = [ <<\n"bob",\n',
    "a value that contains the key": b'version = 1\n[lists]\ncrew = ["lease"]\n[policy]\nlease = "x" <<\n',
}
WARNED: Final = {
    "unknown twin": b'version = 1\n[lists]\nleese = ["bob"]\n[policy]\nleese = 1 <<\n',
    "unknown top": b'version = 1\npersn = "x" <<\n[lists]\npersn = ["bob"]\n',
    "unknown top 2": b'version = 1\n[lists]\nidle = ["bob"]\n[idle] <<\nx = 1\n',
    "mount": b'version = 1\n[lists]\ncolor = ["bob"]\n[mounts.m]\ndialect="swarm"\npath="."\ncolor="x" <<\n',
}
CHECKS: Final = {
    "check": b'[lists]\nweb = ["bob"]\n[health.checks]\nok = { file = "x" }\nweb = { port = 0 } <<\n',
    "check2": b'[health.checks.ok]\nfile = "x"\nage = 3\n[health.checks.bad]\nfile = "x"\nage = -3 <<\n',
    "check3": b'[health.checks]\nok = { file = "x", age = 3 }\nbad = { file = "x", age = -3 } <<\n',
    "check4": b'[runs]\nname = 3\n[health]\nname = 4 <<\n[health.checks]\nx={file="x"}\n',
    "check5": b'[lists]\nx = ["bob"]\n[health.checks]\ny={file="y"}\nx={file="/etc/passwd"} <<\n',
}


def written(project: Project, content: bytes) -> int:
    """Write a config; return the line of its mistake."""
    head, mark, _ = content.partition(b" <<")
    if not mark:
        raise RuntimeError(f"no mark: {content!r}")
    (project.root / "config.toml").write_bytes(content.replace(b" <<", b""))
    return head.count(b"\n") + 1


def named_line(text: str) -> int:
    """Return the line that a refusal names."""
    found = re.search(r"config\.toml:(\d+)", text)
    return int(found.group(1)) if found else 0


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_names_the_line(project: Project, case: str) -> None:
    line = written(project, REFUSED[case])

    refused = project.run("agents")

    assert refused.code == 2, refused
    assert named_line(refused.err) == line, refused


@pytest.mark.parametrize("case", WARNED)
def test_a_warning_names_the_line(project: Project, case: str) -> None:
    line = written(project, WARNED[case])

    warned = project.run("agents")

    assert warned.code == 0, warned
    assert named_line(warned.err) == line, warned


@pytest.mark.parametrize("case", CHECKS)
def test_a_wrong_health_check_is_named_with_its_line(project: Project, case: str) -> None:
    line = written(project, CHECKS[case])

    refused = project.run("health", "--dry-run")

    assert refused.code == 2, refused
    assert named_line(refused.err) == line, refused


def test_a_text_with_many_dots_is_no_deep_key(project: Project) -> None:
    config = project.root / "config.toml"
    config.write_text(config.read_text().replace("[policy]", f'[policy]\nabout = "{"." * 200}"', 1))

    answer = project.run("agents")

    assert answer.code == 0, answer
    assert "unknown setting 'about'" in answer.err


def test_a_mistake_in_the_users_own_config_is_named_with_its_line(project: Project) -> None:
    own = project.home / "config/palaver/config.toml"
    own.parent.mkdir(parents=True)
    settings = (
        f'[health.checks]\na = {{ port = 3 }}\n[bus."{project.folder}".health.checks]\na = {{ port = 0 }}\n'
    )
    own.write_text(settings)
    own.chmod(0o600)

    refused = project.run("health", "--dry-run")

    assert refused.code == 2, refused
    assert named_line(refused.err) == 4, refused
