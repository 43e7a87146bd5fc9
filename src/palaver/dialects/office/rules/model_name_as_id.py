"""OFF105 model-name-as-id: a model name is used as an employeeId.

Why: "employeeId is the sole identifier used everywhere. Do NOT substitute model id or model name." Two
employees may run on one model, and one employee may change models: such a name is ambiguous. Live, the owner
of the log is the sender of such a line. A log that is named after a model belongs to nobody: its lines are
quarantined.

Bad (messages/employee-gpt-5.log):

    [2026-02-11T10:20:00Z] [INFO] by: gpt-5 | I take the footer.

Good (messages/employee-emp-gpt-4c1d.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-gpt-4c1d | I take the footer.
"""

from palaver.dialects.office.model_names import USE_ID, is_model_name
from palaver.dialects.shared.rule import CheckedFile, Violation, Violations


def check(file: CheckedFile) -> Violations:
    # Of a line in the log of an employee the parser has reported it.
    for found in file.parsed.findings:
        if found.code == "OFF105":
            yield Violation(found.place, found.message, found.fix)
    for each in file.messages():
        for name in dict.fromkeys((each.message.sender, *each.message.to)):
            if is_model_name(name):
                yield each.violation(f"{name} is a model name, not an employeeId", USE_ID)
