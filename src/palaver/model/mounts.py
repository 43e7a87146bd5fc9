"""What the config may say of a mount: one table for each dialect, one for all, and what each setting is."""

from typing import Final

#: What a mount of each dialect may say besides its dialect and path: key → what it is.
MOUNT_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "office": ("manager", "board"),
    "vermas": (),
    "swarm": ("team", "director"),
    "runbus": ("file",),
    "collab": ("a", "b", "person", "timezone", "others", "inbox", "inbox-from", "chat"),
}
#: What of the policy a mount may have of its own, and what it may be.
MOUNT_POLICY: Final = {
    "identity": ("open", "strict"),
    "approval": (True, False),
    "parallel": (True, False),
    "lease": (),
    "talk": ("refuse", "report", "ignore"),
}
#: What each setting of a mount is, for the reference.
MOUNT_WORDS: Final = {
    "dialect": "the protocol: office, vermas, swarm, runbus or collab",
    "path": "the folder, from the one that holds `.palaver` if it is not absolute; `~` is your home",
    "prefix": "what its names are called by elsewhere: with `t2`, programmer is `t2/programmer`",
    "agents": "who lives there without having said anything yet, as a list",
    "identity": "as in the policy, for what comes from this mount: `open` or `strict`",
    "approval": "as in the policy, for tasks that this mount is the first to name",
    "parallel": "as in the policy, for claims that come from this mount, and tasks for who lives there",
    "lease": "as in the policy, for tasks that this mount is the first to name",
    "talk": "as in the policy, for tasks for who lives there; `refuse` where the dialect is collab",
    "manager": "office: the employee id of the manager (`emp-manager-001`)",
    "board": "office: `ours` (board.json, tasks/ and timeline.log are made, and kept right) or `theirs` "
    "(left alone); without it they are kept right where there are some",
    "team": "swarm: the name of the team",
    "director": "swarm: who leads (`td`)",
    "file": "runbus: another name of the bus file",
    "a": "collab: the agent that `A` stands for",
    "b": "collab: the agent that `B` stands for, whose inbox it is",
    "person": "collab: the person",
    "timezone": "collab: the zone of the times in chat.log, as `+02:00`; UTC without it",
    "others": "collab: who else may speak there, as a list",
    "inbox": "collab: `theirs` (read in place; the agent's own watcher empties it) or `ours`",
    "inbox-from": "collab: who drops files into the inbox, if not A",
    "chat": "collab: `ours`, or `theirs`: whoever empties the inbox writes the line of the log",
}
