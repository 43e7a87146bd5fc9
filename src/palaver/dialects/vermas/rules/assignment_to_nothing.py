"""VER106 assignment-to-nothing: an assignment names mail or a work order that does not exist or is closed.

Why: "if you have an assignment, execute it". An agent cannot execute this one. Checked only together with the
file that would hold the mail or the work order.

Bad (.work/.assignment-ceo; .work/work_orders.jsonl holds `{"id":"wo-1","title":"x","status":"closed"}`):

    work_order:wo-1

Good (.work/.assignment-ceo; .work/work_orders.jsonl holds `{"id":"wo-1","title":"x","status":"open"}`):

    work_order:wo-1
"""

from collections.abc import Mapping
from typing import Final

from palaver.dialects.shared.rule import CheckedFile, Violation, Violations
from palaver.dialects.vermas.records import AssignmentRecord, WorkOrder
from palaver.model.message import Message
from palaver.model.mounted_files import Place

NEEDS_CONTEXT: Final = True


def check(file: CheckedFile) -> Violations:
    orders = {order.id: order.status for order in file.all_of(WorkOrder)}
    mail = {message.id for message in file.all_of(Message)}
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
