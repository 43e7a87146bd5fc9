"""The reference pages of the dialects: every act in every dialect, and every rule."""

from palaver.dialects import specs
from palaver.model.message import ACTS, Message
from palaver.model.mounted_files import Mount
from palaver.model.spec import DialectSpec

#: One conversation partner each way, so that office shows both of its files.
SETTINGS = {"manager": "boss"}
AT = "2026-02-22T03:15:44Z"
NOTICE = "<!-- Written by tools/docs.py. Change the code, then run: make docs -->"
LEAD = (
    "What a message can do, and how each dialect writes it. Each example shows the same message: from `ada` "
    "to `bob`, about the task `parser`, with the body *the words*; in office also to the manager, `boss`. "
    "What a dialect has no field for is written beside the text, so every line is parsed back to the same "
    "message."
)


def acts_page() -> str:
    """Return the whole table of acts, with an example in each cell."""
    known = specs()
    parts = ["# Acts", NOTICE, LEAD]
    for act, meaning in ACTS.items():
        lines = [f"## {act}", f"To {meaning}."]
        for name, dialect in known.items():
            shown = "\n".join(example.rstrip("\n") for example in examples(dialect, act))
            lines.append(f"**{name}**\n\n```text\n{shown}\n```")
        parts.append("\n\n".join(lines))
    return "\n\n".join(parts) + "\n"


def examples(dialect: DialectSpec, act: str) -> list[str]:
    """Return the act as the dialect writes it."""
    mount = Mount(dialect=dialect.name, settings=SETTINGS)
    recipients = ("boss", "bob") if dialect.name == "office" else ("bob",)
    said: list[str] = []
    for recipient in recipients:
        sender = "ada" if recipient == "boss" or dialect.name != "office" else "boss"
        message = Message(
            sender=sender, to=[recipient], body="the words", act=act, task="parser", at=AT,
            id="msg-7eqvl7msm3bp", event_id="evt-7eqvl7msm3bp",
        )  # fmt: skip
        said.append(dialect.render(message, mount, dialect.files(message, mount)[0]).decode())
    return said


def rules_page() -> str:
    """Return the manual pages of all rules."""
    lead = "The rules of `palaver lint`. `palaver rules CODE` shows one of them. The tests run all examples."
    parts = ["# Rules", NOTICE, lead]
    for name, dialect in specs().items():
        parts.append(f"## {name}")
        rows = "\n".join(f"| `{code}` | {line} |" for code, line in sorted(dialect.codes.items()))
        parts.append(f"Findings of the parser:\n\n| code | problem |\n|---|---|\n{rows}")
        parts += [
            f"### {rule.code} {rule.name}\n\n```text\n{rule.manual.strip()}\n```" for rule in dialect.rules
        ]
    return "\n\n".join(parts) + "\n"
