"""The daemon that a cold command leaves behind, so that the next command is warm (`daemon = "auto"`)."""

from palaver.bus.config.config_store import read
from palaver.bus.root import Root, check_access
from palaver.cli.command_table import program_of
from palaver.daemon.background import start_unasked


def start_if_configured(root: Root, arguments: list[str]) -> None:
    """Start the daemon, if the config says so and it would have run this command; raise if it must not."""
    if "PALAVER_RUN" in root.environment:
        # An agent may live in a sandbox, and so would the daemon.
        return
    check_access(root.path, force=False)
    _, config = read(root)
    program, words = program_of(arguments)
    if config.daemon == "auto" and program.is_warm(words):
        options = ["--quiet", "--no-web", "--idle", str(config.daemon_idle)]
        start_unasked(root, options, root.environment)
