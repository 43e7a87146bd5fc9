"""The page of power: which acts have it, who may do them, and what proves the name, from the tables."""

from collections.abc import Iterable

from palaver.views.agents.power import COMMAND, DAEMON, HTTP, LINE, POWERS, SHOWINGS, counts

NOTICE = "<!-- Written by tools/docs.py. Change the code, then run: make docs -->"
LEAD = (
    "Acts that decide over the work, the mail, the programs or the settings of others, and what they need to "
    "count. Everything else may be said and done in any name, and is marked as `claimed` if nothing proves "
    "the name. The tests try every cell of these tables."
)
SURFACES = {COMMAND: "command", DAEMON: "command in the daemon", LINE: "file", HTTP: "HTTP"}
STRICT = """## What counts under `identity = "strict"`

The act is done in the name of an agent that may do it. The columns say what the process shows."""
OPEN = """## What counts under `identity = "open"`

The default: a name without proof has power. A process inside a run is known to be the agent of that run, and
has no power in another name. Over HTTP it is the same as under `strict`."""
RULES = """## In words

- **A command** proves its agent with the token of a run (`PALAVER_TOKEN`), which `palaver run` gives to its
  program. Inside a run, acts with power count only in the name of the agent of that run, `palaver run` starts
  programs only as that agent, and `palaver open`, `palaver up` with its dashboard, `palaver install service`
  and `palaver trust` are refused, whichever bus they are for. On a bus that does not know its token, a
  program starts no other and has no power in any name; on a bus that was created inside its run it has that
  of a process outside ([decision](../adr/0051-a-run-is-known-on-every-bus.md)).
- **The token of a run that has ended** is refused to every command but those that only look (`bad-token`,
  exit 4), under either policy and whatever name is used
  ([decision](../adr/0056-the-token-of-an-ended-run-does-nothing.md)).
- **A line of a file** proves nothing, whichever agent the protocol lets write that file: every process of the
  user can. Where that is good enough, the mount says so: `identity = "open"` under `[mounts.NAME]`. A line
  without power is in the log, has no effect, and its author is told.
- **Over HTTP** only the session of the person counts, which a sign-in link of `palaver open` starts. The
  token of a run is refused there.
- **A command that is refused** writes nothing, exits with 4 (`not-permitted`), and says what to do instead.
  A reply is not refused: without power it is delivered, and the mail that it answers stays open.
- **Who leads** is decided by leads and by the person, under either policy: a role, a handle, a list or a
  mount that would change it is refused to others. Inside a run, under either policy, only an agent that leads
  another gives it a role, a handle or a level, and none that does not lead gives itself one.
- **Every event** records the chain: `actor` is the name that was claimed, `auth` how it is known, and
  `inside` the run and its agent, if the process carried a token; of a token of another bus, its digest.
- **Who may** is about the policy `strict`. Where it is open, every agent may retire and kill agents, redact,
  and change lists and mounts; outside of runs it may also give handles, roles and levels. `policy.leads`
  names the agents that lead; the manager of an office and the director of a swarm lead their teams. They and
  the person may do with any task what its owner may."""


def power_page() -> str:
    """Return the page."""
    rows = [
        (f"`{act}`", row.about, row.who, f"`{_command(row.command)}`", _others(row.surfaces))
        for act, row in POWERS.items()
    ]
    acts = _table(("act", "what it does", "who may", "command", "also"), rows)
    parts = ["# Power", NOTICE, LEAD, f"## The acts\n\n{acts}", RULES, STRICT, _cells("strict"), OPEN]
    return "\n\n".join([*parts, _cells("open")]) + "\n"


def _command(command: str) -> str:
    return command if command.startswith("co ") else f"palaver {command}"


def _others(surfaces: Iterable[str]) -> str:
    return ", ".join(SURFACES[each] for each in surfaces) or "no other way"


def _cells(policy: str) -> str:
    # The policy is nothing to HTTP: there the access check asks for the session.
    showings = [each for each in SHOWINGS if policy == "strict" or each.surface != HTTP]
    heads = [f"{SURFACES[each.surface]}: {each.about}" for each in showings]
    shown = {True: "counts", False: "no effect", None: ""}
    rows = [(f"`{act}`", *(shown[counts(act, each, policy)] for each in showings)) for act in POWERS]
    return _table(("act", *heads), rows)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(heads)
    lines = [f"| {' | '.join(line)} |" for line in (head, *map(list, rows))]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])
