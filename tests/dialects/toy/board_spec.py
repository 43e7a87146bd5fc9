"""The toy dialect with a file that shows the board: `list.txt`, one task a line, and comments.

# what is left to do
parser todo Write the parser
"""

from dataclasses import replace
from typing import Final

from palaver.model.board_files import Board, BoardFile, BoardFiles, IllegibleError, TaskEdit
from palaver.model.mounted_files import Growth, Mount, Watched
from palaver.model.spec import Statuses
from palaver.model.task import STATES
from tests.dialects.toy import spec

FILE: Final = "list.txt"
STATUSES: Final = Statuses(
    words={"done": ("done",), "todo": tuple(state for state in STATES if state != "done")},
)


class ListFile(BoardFile):
    """`list.txt`: all tasks."""

    watched = Watched("", FILE, Growth.STATE)
    kind = "List"

    def read(self, file: str, content: bytes, mount: Mount) -> tuple[TaskEdit, ...]:
        """Return an edit for each task."""
        del file, mount
        lines = [line for line in content.decode("utf-8", "replace").split("\n") if line]
        rows = [line.split(" ", 2) for line in lines if not line.startswith("#")]
        if any(len(row) != 3 for row in rows):
            raise IllegibleError("TOY003", "a line is not: id, status, title")
        return tuple(
            TaskEdit(task=task, status=status, assignee=None, fields={"title": title})
            for task, status, title in rows
        )

    def write(self, file: str, content: bytes, board: Board) -> bytes:
        """Return the comments, and a line for each task."""
        del file
        comments = [line for line in content.split(b"\n") if line.startswith(b"#")]
        tasks = (each.task for each in board.tasks.values())
        rows = [f"{task.id} {STATUSES.word(task.state)} {task.title}".encode() for task in tasks]
        return b"".join(line + b"\n" for line in (*comments, *rows))


SPEC: Final = replace(spec.SPEC, statuses=STATUSES, board_files=BoardFiles(codecs=(ListFile(),)))
