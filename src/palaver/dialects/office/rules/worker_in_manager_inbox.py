"""OFF103 worker-in-manager-inbox: a line by a worker is in the manager's inbox.

Why: only the manager writes there, and the manager reads the employees' logs. A claim in the inbox is never
polled, and every worker takes it for the manager's word. The manager itself uses its own tags there, such as
REPLY.

Bad (messages/manager-inbox.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-a1 | The API uses port 8080.

Good (messages/employee-emp-a1.log):

    [2026-02-11T10:20:00Z] [INFO] by: emp-a1 | The API uses port 8080.
"""
