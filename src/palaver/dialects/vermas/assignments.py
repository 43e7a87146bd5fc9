"""`.work/.assignment-<agent>`: what is assigned to an agent, in one line. Empty, or absent, means nothing."""

from collections.abc import Iterator

from palaver.dialects.shared.pieces import BYTE_ORDER_MARK, Unreadable
from palaver.dialects.vermas import grammar
from palaver.dialects.vermas.layout import assignment_file
from palaver.dialects.vermas.records import read_assignment
from palaver.model.board_files import AssignmentEdit, Board, BoardFile, IllegibleError
from palaver.model.mounted_files import Growth, Mount, Watched


class AssignmentFile(BoardFile):
    """The assignment of one agent."""

    watched = Watched(".work", f"{grammar.ASSIGNMENT}*", Growth.STATE)
    kind = "Assignment"
    is_cleared_by_removal = True

    def files(self, board: Board) -> Iterator[str]:
        """Return the file of every agent that has an assignment."""
        return (assignment_file(agent) for agent in board.assignments)

    def read(self, file: str, content: bytes, mount: Mount) -> tuple[AssignmentEdit, ...]:
        """Return what the file assigns; nothing if it is blank."""
        del mount
        name = file.rpartition("/")[2]
        line = content.strip(b" \t\r\n" + BYTE_ORDER_MARK)
        if not line:
            return (AssignmentEdit(agent=name.removeprefix(grammar.ASSIGNMENT)),)
        try:
            found = read_assignment(name, line)
        except Unreadable as fault:
            raise IllegibleError(fault.problem.code, fault.problem.message) from fault
        return (AssignmentEdit(agent=found.agent, ref_type=found.ref_type, ref_id=found.ref_id),)

    def write(self, file: str, content: bytes, board: Board) -> bytes:
        """Return the agent's assignment; content that cannot be read stays while there is none."""
        lines = (line for agent, line in board.assignments.items() if assignment_file(agent) == file)
        line = next(lines, "")
        try:
            (written,) = self.read(file, content, board.mount)
        except IllegibleError:
            return f"{line}\n".encode() if line else content
        if written.line == line:
            # A comment behind it stays.
            return content
        return f"{line}\n".encode() if line else b""
