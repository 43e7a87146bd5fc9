"""Why the bus writes a notice: "Every agent MUST include `reasoning`", and so must the bus.

By the rule of the notice. A notice about a broken rule of the channel gives the reason of that rule instead.
"""

from typing import Final

NOTICE_REASONS: Final = {
    "": "The bus keeps every member of the team informed of what concerns its work.",
    # Lines of the channel.
    "finding": "Every line must follow the message schema, so that all agents and programs can read it.",
    "finding-seen": "A line that does not follow the protocol also concerns the agents that it is for.",
    "backlog": "The channel was mounted, and what is wrong in its older lines is reported once.",
    "undeliverable": "A message to a name that no agent has is never read, so its sender must know.",
    # Moves of tasks.
    "no-effect": "A move that a task does not allow changes nothing, so its sender must know.",
    "no-power": "A move without effect must not be relied on, so its recipient must know.",
    "broken-seen": "A line that breaks a rule also concerns the agent that it is for.",
    "which-task": "A line that can mean several tasks moves none of them, so its sender must know.",
    "second-claim": "Only one agent can have a task, and the first claim counts.",
    "granted": "The task needs no approval, so the claim counts at once.",
    "auto-approve": "The policy of the bus approves such claims.",
    "auto-accept": "The policy of the bus accepts such work.",
    "pending": "An agent has one assignment at a time, so the next one waits.",
    "unblocked": "The task waited for others, and all of them are done.",
    "lease-ends": "A claim ends if nothing is heard of it for too long.",
    "lease-ended": "A claim ends if nothing is heard of it for too long.",
    "one-task-at-a-time": "An agent with two tasks finishes both of them late.",
    "answer-before-asking": "An agent that waits for an answer cannot go on.",
    "result-on-close": "Others can only use work whose result they know.",
    "reason-on-block": "Others can only help if they know what is missing.",
    "done-without-delivery": "Only work that was delivered can be checked and accepted.",
    # The director, and the agents of the team.
    "gated": "The claim of a gated agent waits until the director approves it.",
    "supervised": "A supervised agent works without asking, and the director may step in.",
    "autonomy-not-from-lead": "Only the director decides how freely an agent may act.",
    "autonomy-of-nobody": "A level for a name that no agent has changes nothing, so its sender must know.",
    "shutdown-not-from-lead": "Only the director ends agents, because others may wait for their work.",
    "leave-with-work": "Others wait for the work of an agent that leaves, so it must be passed on first.",
    # Steps of the patrol.
    "nudge": "An agent that has work has been silent for too long.",
    "wake": "An agent that has work has been silent for too long.",
    "kill": "A program that stays silent does not finish its work.",
    "release": "Work is released if its agent stays silent, so that another agent can take it.",
    "reassign": "Work that its agent does not take goes to another agent.",
    "told": "The bus has acted on work that concerns this agent.",
    "remind": "Another agent has waited for too long.",
    "escalate": "Something has not moved for too long, and somebody must decide.",
    "ping": "A supervisor whose agents have work has been silent for too long.",
    "warn": "A claim ends if nothing is heard of it for too long.",
    "lease": "A claim ends if nothing is heard of it for too long.",
    "withdraw": "An earlier notice is no longer true.",
}
