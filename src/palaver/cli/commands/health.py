"""palaver health: run the configured health checks, and report them."""

from palaver.api import Bus
from palaver.bus.config.config_reader import COMMANDS_BELONG
from palaver.cli.arguments import Spec
from palaver.cli.binding import Binding
from palaver.cli.connection import connect
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.model.errors import NotFound

_HEALTH = Binding(Bus.health)
SPEC = Spec(
    "health",
    "Run health checks and report them.",
    options=_HEALTH.options,
    text="""
Checks look at processes, ports, files and commands. They are configured in .palaver/config.toml, and in your
own config (~/.config/palaver/config.toml):

  [health]
  to = "jim"
  [health.checks]
  grass = { process = "grass", via = "native" }
  web = { port = 8080 }
  chat = { file = "chat.log", age = 900 }
  disk = { command = "./check_disk.sh" }     (in your own config only)

The message is "grass=native:up web=port:down", with the act health ([DEPIN-HEALTH] in a collab mount, after a
line "SYSTEM: Cron fired …"). Exits with 0 if everything is up, 1 if something is down, 3 if everything is up
and a recipient is unknown. In a crontab:

  */15 * * * * cd ~/project && palaver health --as clawdy
""",
    examples=("palaver health --dry-run", "palaver health --as clawdy"),
)


def run(context: Context) -> int:
    """Run the checks, and report them."""
    is_dry_run = context.args.has("--dry-run")
    result = _HEALTH.perform_on(connect(context, speaking=not is_dry_run), context)
    for name in result.ignored:
        context.note(f"check '{safe(name)}' was not run: {COMMANDS_BELONG}")
    lines = ["[DEPIN-HEALTH] " + " ".join(each.pair for each in result.checks)]
    lines += [f"  {each.name}: {safe(each.why)}" for each in result.down]
    context.show(result, lines)
    if not is_dry_run and result.report is None:
        context.note("not reported: there is no recipient; pass --to, or set [health] to")
    unknown = result.report.unknown if result.report else []
    for written, why, _ in unknown:
        context.note(f"not delivered to {written}: {why}")
    if result.down:
        return 1
    return NotFound.exit if unknown else 0
