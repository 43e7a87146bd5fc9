"""palaver read: read messages, and record it."""

import errno
from collections.abc import Callable

from palaver.bus.mail import mailbox
from palaver.bus.mail.mailbox import Mail
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding, for_command
from palaver.cli.connection import connect
from palaver.cli.context import Context, unwritten
from palaver.cli.letter import letter
from palaver.cli.reader import has_reader_got_it
from palaver.model.errors import StorageFailed
from palaver.model.message import Message

_UNREAD = "the message stays unread: its reader went away before the end"
_READ = Binding(mailbox.read, own=("ids",))
SPEC = Spec(
    "read",
    "Read messages, and record that you have. Without an ID, the next one.",
    words="[ID…]",
    options=_READ.options,
    text="""
Reading is not acknowledging: the message stays in your inbox until you ack, reply or archive. Without an ID,
you get unread mail first; then mail that you read and did not acknowledge, marked as read before, if that was
before `palaver run` started your program again, or more than five minutes ago. A message that could not be
shown stays unread.
""",
    examples=("palaver read --as bob", "palaver read msg-7eqvl7msm3bp --as bob --json"),
)


def run(context: Context) -> int:
    """Read messages: show them, and record it once they were shown."""
    return show_read(context, letter)


def show_read(context: Context, show: Callable[[Message], str]) -> int:
    """Read messages, shown as a program shows them."""
    session = for_command(context, connect(context, speaking=True), "read")
    if not context.caller.has_output:
        raise unwritten(OSError(errno.EBADF, "standard output is closed"))
    mail = _READ.perform_on(session, context, ids=context.args.words, peek=True)
    code = _show(context, mail, show)
    if not context.args.has("--peek"):
        if not has_reader_got_it(context):
            context.note(_UNREAD)
            return code
        shown_first = [each.message.id for each in mail if not each.delivery.redelivered]
        for each in _READ.perform_on(session, context, ids=[each.message.id for each in mail]):
            if each.delivery.redelivered and each.message.id in shown_first:
                context.note(f"{each.message.id} was given to another reader of this name at the same time")
    return code


def _show(context: Context, mail: list[Mail], show: Callable[[Message], str]) -> int:
    """Show messages; if that fails, say that they stay unread."""
    try:
        code = context.show(mail, "\n\n".join(_again(each) + show(each.message) for each in mail))
        context.flush()
    except BrokenPipeError:
        if not context.args.has("--peek"):
            context.note(_UNREAD)
        raise
    except StorageFailed as unshown:
        raise StorageFailed(unshown.what, unshown.why, "nothing was marked as read") from unshown
    return code


def _again(mail: Mail) -> str:
    return "(read before, not acknowledged)\n" if mail.delivery.redelivered else ""
