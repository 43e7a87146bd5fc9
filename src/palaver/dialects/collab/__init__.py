"""collab: two agents, a chat log and an inbox folder."""
