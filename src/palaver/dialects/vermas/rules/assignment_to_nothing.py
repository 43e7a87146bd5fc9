"""VER106 assignment-to-nothing: an assignment names mail or a work order that does not exist or is closed.

Why: "if you have an assignment, execute it". An agent cannot execute this one. Checked only together with the
file that would hold the mail or the work order.

Bad (.work/.assignment-ceo; .work/work_orders.jsonl holds `{"id":"wo-1","title":"x","status":"closed"}`):

    work_order:wo-1

Good (.work/.assignment-ceo; .work/work_orders.jsonl holds `{"id":"wo-1","title":"x","status":"open"}`):

    work_order:wo-1
"""

from collections.abc import Iterator, Mapping
from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Violation, rule
from palaver.dialects.vermas.values import AssignmentRecord, WorkOrder
from palaver.model.dialect import Place
from palaver.model.message import Message


def _check(file: CheckedFile) -> Iterator[Violation]:
    values = [value for other in file.together.values() for piece in other.pieces for value in piece.values]
    orders = {value.id: value.status for value in values if isinstance(value, WorkOrder)}
    mail = {value.id for value in values if type(value) is Message}
    for piece in file.parsed.pieces:
        place = Place(path=file.source.path, line=piece.line, offset=piece.start)
        for value in piece.values:
            if isinstance(value, AssignmentRecord) and (why := _why(value, orders, mail)):
                what = f"the assignment of {value.agent} names {value.ref_id}, which {why}"
                yield Violation(place, what, "clear it, or dispatch the work again")


def _why(assignment: AssignmentRecord, orders: Mapping[str, str], mail: set[str]) -> str:
    if assignment.ref_type == "work_order" and orders:
        status = orders.get(assignment.ref_id)
        return "does not exist" if status is None else "is closed" if status == "closed" else ""
    if assignment.ref_type == "mail" and mail:
        return "" if assignment.ref_id in mail else "does not exist"
    return ""


RULE: Final = rule(__doc__, _check)
