"""A small agent of a company that knows nothing of the bus: it reads and appends to the file of the mail.

    by_file.py MESSAGES NAME {"READY_FOR_QA": ["REWORK_REQUEST", "MERGED"]}

It says that it is there; then each message to it with such a type is answered with the next one of the list,
to who made the work and who passed it on; when there is none left, it ends.
"""

import json
import os
import sys
import time
from pathlib import Path

path, me = Path(sys.argv[1]), sys.argv[2]
answers: dict[str, list[str]] = json.loads(sys.argv[3])
seen: set[str] = set()
serial = 0


def say(to: tuple[str, ...], kind: str, subject: str, order: str) -> None:
    """Append a line for each recipient, as one write."""
    global serial
    serial += 1
    fields: dict[str, object] = {"id": f"msg-{me}-{serial}", "from": me, "to": "", "subject": subject}
    fields |= {"body": subject, "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())}
    if kind:
        fields |= {"type": kind, "metadata": {"work_order_id": order}}
    written = "".join(json.dumps({**fields, "to": each}) + "\n" for each in to)
    with path.open("ab", buffering=0) as file:
        file.write(written.encode())


def lines() -> list[dict[str, object]]:
    """Return the lines of the file that are whole."""
    content = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in content.split(b"\n")[:-1] if line]


say(("f/supervisor",), "", "I am here", "")
os.write(1, b"up\n")
while any(answers.values()):
    for line in lines():
        waiting = answers.get(str(line.get("type")), [])
        if line["to"] == me and line["id"] not in seen and waiting:
            seen.add(str(line["id"]))
            order = line["metadata"]["work_order_id"]  # type: ignore[index]  # a table, as the dialect has it
            say(("f/workers/slot0", "f/supervisor"), waiting[0], f"{waiting[0]} {order}", str(order))
            waiting.pop(0)
    time.sleep(0.05)
