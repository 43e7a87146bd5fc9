"""palaver snapshot: commit the log to its own git history."""

from palaver.api import Bus
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.context import Context

_SNAPSHOT = Binding(Bus.snapshot, short={"message": "-m"})
SPEC = Spec(
    "snapshot",
    "Commit the log to a small git history inside .palaver, separate from your repository.",
    options=_SNAPSHOT.options,
    text="The surrounding repository does not track a live log: switching branches would remove messages.",
    examples=("palaver snapshot -m 'before the release'", "git -C .palaver log --stat"),
)


def run(context: Context) -> int:
    """Snapshot."""
    commit = _SNAPSHOT.perform(context)
    line = f"Snapshot: {commit}" if commit else "Nothing has changed since the last snapshot"
    return context.show({"commit": commit or None}, line)
