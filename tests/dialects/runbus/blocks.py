"""Messages as they stand in a file, for tests."""


def block(
    *,
    type: str = "FACT",  # noqa: A002 - the field is called type
    id: str = "MSG-20260126-101500-claude-5f2",  # noqa: A002 - as is this one
    agent: str = "claude-research-1",
    at: str = "2026-01-26T10:15:00Z",
    run: str = "run_001",
    task: str = "TASK-parser",
    more: str = "",
    body: str = "The parser is ready.",
) -> str:
    return (
        f"---\nmessageId: {id}\ntype: {type}\nagent: {agent}\ntimestamp: {at}\nrunId: {run}\ntaskId: {task}\n"
        f"{more}---\n\n{body}\n\n---\n"
    )
