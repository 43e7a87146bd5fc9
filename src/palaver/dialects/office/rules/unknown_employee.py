"""OFF115 unknown-employee: a line in an employee's log is by a name that nobody has.

Why: "employeeId is the sole identifier used everywhere." A misspelt name is nobody's: an approval for it
reaches no one. Only the employee writes to its log, so the owner of the log is the sender of such a line.

Bad (messages/employee-emp-a1.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-a11 | I take the footer.

Good (messages/employee-emp-a1.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-a1 | I take the footer.
"""
