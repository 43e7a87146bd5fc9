"""The rules of vermas, one file each."""

from typing import Final

from palaver.dialects.vermas.rules import (
    assignment_to_nothing,
    handoff_not_assigned,
    handoff_without_handshake,
    id_twice,
    typed_without_work_order,
    wrong_sender,
)

RULES: Final = (
    wrong_sender.RULE,
    typed_without_work_order.RULE,
    handoff_without_handshake.RULE,
    handoff_not_assigned.RULE,
    id_twice.RULE,
    assignment_to_nothing.RULE,
)
