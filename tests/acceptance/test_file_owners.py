"""A file that the bus rewrites as a whole stays the file of its owner, its group and all who may use it."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.files import read
from tests.acceptance.project import Project
from tests.acceptance.vermas_company import SUPERVISOR, WORKER, Company
from tests.patience import PATIENCE

NOBODY: Final = 65534
OWN_ATTRIBUTE: Final = "user.palaver-test"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def company(tmp_path: Path) -> Company:
    company = Company(tmp_path)
    company.write_mail(WORKER, SUPERVISOR, "A question")
    company.project.sync()
    return company


def as_nobody(project: Project, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run a command as the user nobody, who need not be able to enter the folder of our program."""
    script = (
        "import encodings.idna, importlib, os, pkgutil, sys, zoneinfo, palaver\n"
        "for each in pkgutil.walk_packages(palaver.__path__, 'palaver.'):\n"
        "    if not each.name.endswith('__main__'): importlib.import_module(each.name)\n"
        "os.setgroups([]), os.setgid(65534), os.setuid(65534)\n"
        "sys.modules['palaver.cli.hot'].main()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=project.folder,
        env=project.env,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def read_mail(company: Company) -> None:
    """Let the bus replace the file of all mail: a message gets its read mark."""
    before = company.messages.stat().st_ino
    company.project.do("read", agent=SUPERVISOR)
    if "read_at" not in read(company.messages) or company.messages.stat().st_ino == before:
        raise RuntimeError("the file was not replaced")


@needs_root
def test_a_replaced_file_keeps_its_owner_its_group_and_its_mode(company: Company) -> None:
    os.chown(company.messages, NOBODY, NOBODY)
    company.messages.chmod(0o660)

    read_mail(company)

    found = company.messages.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (NOBODY, NOBODY, 0o660)


def test_a_replaced_file_keeps_its_extended_attributes(company: Company) -> None:
    try:
        os.setxattr(company.messages, OWN_ATTRIBUTE, b"kept")
    except OSError:
        pytest.skip("this file system has no attributes")

    read_mail(company)

    assert os.getxattr(company.messages, OWN_ATTRIBUTE) == b"kept"


@needs_root
def test_a_file_of_another_user_is_not_taken_away_from_it() -> None:
    """The bus belongs to a user who may write to the file, but not give it away."""
    with tempfile.TemporaryDirectory() as shared:
        # Pytest's own folders are closed to others.
        company = Company(Path(shared))
        company.write_mail(WORKER, SUPERVISOR, "A question")
        company.project.sync()
        for each in (Path(shared), *Path(shared).rglob("*")):
            os.chown(each, NOBODY, NOBODY)
        os.chown(company.messages, 0, NOBODY)
        company.messages.chmod(0o660)
        before = company.messages.stat()

        read_as_nobody = as_nobody(company.project, "read", "--as", SUPERVISOR)
        synced = as_nobody(company.project, "sync")
        after = company.messages.stat()

    assert "A question" in read_as_nobody.stdout
    assert (after.st_uid, after.st_gid, after.st_ino) == (0, NOBODY, before.st_ino)
    assert "belongs to another user or group" in synced.stderr
