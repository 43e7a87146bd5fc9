"""A message made with few steps, for the lines that are as they should be.

A chat log has a line a second for years, and the constructor of a message, which takes 23 names, costs
more than reading the line. Here it comes out the same (a test compares every field), in less than half
the time.
"""

from palaver.model.message import Message


def message(sender: str, to: str, body: str, act: str, at: str) -> Message:
    """Return a message that says this and nothing else."""
    made = Message.__new__(Message)
    made.sender = sender
    made.to = [to]
    made.body = body
    made.act = act
    made.at = at
    made.id = made.task = made.subject = made.reasoning = made.run = made.reply_to = ""
    made.tag = made.thread = made.event_id = ""
    made.priority = "normal"
    made.files = []
    made.artifacts = []
    made.meta = {}
    made.hops = made.seq = 0
    made.auth = "claimed"
    made.undeliverable = made.redacted = False
    return made
