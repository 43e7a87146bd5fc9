"""A release with other priorities reads no row of a view that was made with its own."""

import subprocess
import sys
from typing import Final

import pytest

from palaver.model.message import URGENT
from palaver.views.registry import SCHEMA

pytestmark = pytest.mark.on_disk("it makes no bus")

#: The next release: a row of the table is all that a priority needs.
NEXT: Final = """
from pathlib import Path
import sys
from palaver.model import message
source = Path(message.__file__).read_text(encoding="utf-8")
exec(source.replace("PRIORITIES = {", 'PRIORITIES = {"critical": Priority("*"),', 1), vars(message))
from palaver.views.registry import SCHEMA
print(SCHEMA, *message.URGENT)
"""


def test_a_new_priority_makes_a_new_view_and_is_urgent_if_it_precedes_the_normal_one() -> None:
    found = subprocess.run(
        [sys.executable, "-c", NEXT], capture_output=True, text=True, check=True
    ).stdout.split()

    assert found[0] != SCHEMA
    assert found[1:] == ["critical", *URGENT]
