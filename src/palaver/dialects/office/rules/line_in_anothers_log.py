"""OFF104 line-in-anothers-log: a line by one employee is in the log of another.

Why: "Who writes: only the employee themselves." A file with one writer proves who the sender is; a line by
another agent is a mistake or a forgery, and its sender is only claimed.

Bad (messages/employee-emp-a1.log; messages/employee-emp-b2.log holds `[2026-02-11T09:00:00Z] [INFO] by: emp-b2 | I am here.`):

    [2026-02-11T10:20:00Z] [INFO] by: emp-b2 | I take the footer.

Good (messages/employee-emp-b2.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-b2 | I take the footer.
"""
