"""The way of one file into the log, by how it changes: it grows, it is dropped, or it is replaced.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

import os

from palaver.model.dialect import Growth
from palaver.sync.intake.growing_file import take_growth
from palaver.sync.intake.mount_intake import Intake
from palaver.sync.render.debts import Owed
from palaver.sync.turn import Turn


def take(  # noqa: PLR0917 - which file, what is known of it, and how much of it
    intake: Intake, file: str, path: str, growth: Growth, debt: Owed, turn: Turn
) -> bool:
    """Take in a file, as it is read that changes so; return False if some of it is left for another pass."""
    if growth is Growth.LOG:
        return take_growth(intake, file, path, debt, turn=turn)
    if turn.is_over():
        return False
    turn.add_file(os.path.getsize(path))
    if growth is Growth.DROP:
        from palaver.sync.drop_intake import take_drop

        take_drop(intake, file, path)
    else:
        _take_state(intake, file, path)
    return True


def take_missing(intake: Intake) -> None:
    """Take in that assignment files are gone, if there ever were any."""
    from palaver.dialects.vermas.grammar import ASSIGNMENTS

    if any(file.startswith(ASSIGNMENTS) for file in intake.sources):
        from palaver.sync import assigned

        assigned.take_missing(intake)


def _take_state(intake: Intake, file: str, path: str) -> None:
    """Take in a file that says what holds now."""
    if intake.mounted.mount.dialect == "office":
        from palaver.sync.cards import take_card

        take_card(intake, file, path)
    else:
        from palaver.sync.assigned import take_assignment

        take_assignment(intake, file, path)
