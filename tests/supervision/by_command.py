"""A small agent that speaks by commands: for each message that it gets it does what its table says.

    by_command.py {"deliver": [["co …", "palaver …"]], …} [COMMAND…]

The commands come first. Then, of each act, the first list is for the first message with it, the next for the
next one, and the last one for all others; `end` ends it, {task} and {id} are those of the message.
"""

import json
import os
import shlex
import subprocess
import sys

table: dict[str, list[list[str]]] = json.loads(sys.argv[1])


def do(words: list[str]) -> str:
    """Run a command to its end; if it fails, so do we."""
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


os.write(1, b"up\n")
for command in sys.argv[2:]:
    do(shlex.split(command))
while True:
    subprocess.run(["palaver", "wait", "--timeout", "300"], stdout=subprocess.DEVNULL, check=True)
    for message in json.loads(do(["palaver", "read", "--json"])):
        turns = table.get(message["act"], [[]])
        for command in turns.pop(0) if len(turns) > 1 else turns[0]:
            if command == "end":
                sys.exit(0)
            do(shlex.split(command.format(task=message.get("task", ""), id=message["id"])))
