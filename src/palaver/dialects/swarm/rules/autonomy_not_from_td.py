"""SWA102 autonomy-not-from-td: an agent other than the director changes an agent's autonomy.

Why: only the technical director decides how freely an agent may act. An agent that could set its own level would
no longer need any approval.

Bad (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"qa","to":["@td"],"type":"autonomy","reasoning":"I am good.","content":"AUTONOMY_UPDATE: qa → autonomous."}

Good (channel.jsonl):

    {"ts":"2026-01-25T23:45:00Z","from":"td","to":["@qa"],"type":"autonomy","reasoning":"3 clean tasks.","content":"AUTONOMY_UPDATE: qa → autonomous."}
"""

from functools import partial
from typing import Final

from palaver.dialects.swarm.rule_checks import check_director_only

NEEDS_CONTEXT: Final = True

check = partial(check_director_only, act="autonomy", doing="changes an agent's autonomy")
