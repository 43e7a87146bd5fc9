"""OFF102 manager-in-employee-log: a line by the manager is in an employee's log.

Why: workers read manager-inbox.log, not their own log. An approval in the wrong file is never seen: the
worker waits for it, the manager waits for the work, and the project stalls. The line is read all the same,
but it does not count as the manager's: an employee's log proves nothing about the manager.

Bad (messages/employee-emp-a1.log):

    [2026-02-11T10:05:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.

Good (messages/manager-inbox.log):

    [2026-02-11T10:05:00Z] [APPROVAL] task-004 approved for emp-a1. Status: In Progress.
"""
