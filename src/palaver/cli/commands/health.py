"""palaver health: run the configured health checks, and report them."""

from palaver.bus.config.config_reader import COMMANDS_BELONG
from palaver.cli.arguments import Option, Spec
from palaver.cli.connection import connect_synced
from palaver.cli.context import Context
from palaver.cli.show import safe
from palaver.model.errors import NotFound
from palaver.runs import health
from palaver.runs.run_config import load_health

SPEC = Spec(
    "health",
    "Run health checks and report them.",
    options=(
        Option("--to", "NAME", many=True, help="a recipient of the report (default: [health] to)"),
        Option("--dry-run", help="run the checks, but send no report"),
    ),
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
line "SYSTEM: Cron fired …"). Exit 0 if everything is up, 1 if something is down, 3 if everything is up and a
recipient is unknown.
""",
    examples=("*/15 * * * * cd ~/project && palaver health --as clawdy", "palaver health --dry-run"),
)


def run(context: Context) -> int:
    """Run the checks, and report them."""
    by = "" if context.args.has("--dry-run") else context.speaker()
    core = connect_synced(context)
    config = load_health(core.root)
    found = health.run_checks(core, config)
    for name in config.ignored:
        context.note(f"check '{safe(name)}' was not run: {COMMANDS_BELONG}")
    to = context.args.texts("--to") or list(config.to)
    sent = health.send_report(core, by, config, found, to) if by else None
    down = [each for each in found if each.state != "up"]
    if context.json:
        checks = [
            {"name": each.name, "via": each.via, "state": each.state, "why": each.why} for each in found
        ]
        context.answer({"up": not down, "checks": checks, "message_id": sent.message.id if sent else ""})
    else:
        context.say("[DEPIN-HEALTH] " + " ".join(each.pair for each in found))
        for each in down:
            context.say(f"  {each.name}: {safe(each.why)}")
    if by and not to:
        context.note("not reported: there is no recipient; pass --to, or set [health] to")
    unknown = sent.unknown if sent else []
    for written, why, _ in unknown:
        context.note(f"not delivered to {written}: {why}")
    if down:
        return 1
    return NotFound.exit if unknown else 0
