"""palaver snapshot: commit the log to its own git history."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context
from palaver.model.plain import numbered

_SNAPSHOT = Binding(Bus.snapshot, short={"message": "-m"})
SPEC = Spec(
    "snapshot",
    "Commit the log to a small git history inside .palaver, separate from your repository.",
    options=_SNAPSHOT.options,
    text="""
The surrounding repository does not track a live log: switching branches would remove messages.
A log with damage in it is committed as it is, because a backup is of most use then; the command says so and
exits with 1. One that has lost its end is not committed: the last snapshot is the better one.
""",
    examples=("palaver snapshot -m 'before the release'", "git -C .palaver log --stat"),
)


def run(context: Context) -> int:
    """Snapshot."""
    done = _SNAPSHOT.perform(context)
    line = f"Snapshot: {done.commit}" if done.commit else "Nothing has changed since the last snapshot"
    if done.faults:
        line = f"Snapshot {done.commit} of" if done.commit else f"{line} of"
        line += f" a damaged log: {numbered(done.faults, 'fault')}; palaver verify names them"
    return context.show(done, line, code=1 if done.faults else 0)
