"""SWA106 shutdown-not-from-td: an agent other than the director asks for a shutdown.

Why: only the director ends agents. Any other agent could stop work that others wait for.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@gm"],"type":"system","reasoning":"Done.","content":"SHUTDOWN_REQUEST: Please end."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@gm"],"type":"system","reasoning":"Done.","content":"SHUTDOWN_REQUEST: Please end."}
"""

from functools import partial
from typing import Final

from palaver.dialects.swarm.rule_checks import check_director_only

# Who leads is in the policy; the bus tells the sender.
NEEDS_CONTEXT: Final = True

check = partial(check_director_only, act="shutdown", doing="asks for a shutdown")
