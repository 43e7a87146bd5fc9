"""`.palaver/config.toml`: the settings of a bus, edited by you and by commands.

    version = 1
    person = "ada"                    # the speaker when a command is typed at a terminal
    daemon = "manual"                 # or "auto": a command that finds no daemon leaves one behind
    daemon_idle = 3600                # seconds without use after which such a daemon ends

    [lists]
    reviewers = ["bob", "@qa"]        # mail to "reviewers" goes to each member

    [alias]
    boss = "project-a/supervisor"     # another name of an agent

    [policy]
    identity = "open"                 # or "strict": a claimed name has no power
    manager = "auto"                  # who approves and accepts: a name, or "auto" for the bus itself
    leads = ["td"]                    # others who may do with any task what its owner may
    lease = 14400                     # seconds that a claim lasts without a sign of life; 0 is for ever
    approval = false                  # true: claims wait for approval, unless a task says otherwise
    parallel = true                   # false: one task at a time for each agent
    talk = "report"                   # or "refuse", "ignore": a task for an agent that is busy or waiting
    operations = "operations"         # whom the patrol escalates to
    ceo = "ceo"                       # whom it escalates to next; without one, the person
    unseen = "report"                 # or "release": tasks of a silent agent that no run was started for

    [deadlines]                       # how long things may take, in seconds; docs/reference/deadlines.md
    nudge = 300

    [mounts.office]                   # a file protocol at a folder; see `palaver mount`
    dialect = "office"
    path = "."

Commands are never read from here: a bus may arrive with a cloned repository. They belong in your own config,
`~/.config/palaver/config.toml` (`bus/config/user_config.py`).

Every mistake is refused with its line, the reason and the way out. Commands that edit the file keep your
comments.
"""

from dataclasses import dataclass
from typing import Final

from palaver.bus.config.config_reader import ConfigReader, parse_toml
from palaver.bus.config.mount_config import read_mounts
from palaver.model.deadlines import DEFAULTS
from palaver.model.limits import WAIT_SECONDS

VERSION: Final = 1
IDENTITIES: Final = ("open", "strict")
DAEMONS: Final = ("manual", "auto")
# `runs/run_config.py` reads the last two.
_KEYS: Final = (
    *("version", "person", "daemon", "daemon_idle", "lists", "alias", "policy", "mounts", "deadlines"),
    *("notify", "runs", "health"),
)
LEASE_SECONDS: Final = 14_400
IDLE_SECONDS: Final = 3_600
#: The defaults of the policy.
USUAL_POLICY: Final = {
    "manager": "",
    "leads": [],
    "lease": LEASE_SECONDS,
    "approval": False,
    "parallel": True,
    # By the conventions of the dialect.
    "talk": "",
    "operations": "operations",
    "ceo": "ceo",
    "unseen": "report",
}
_CHOICES: Final = {"talk": ("refuse", "report", "ignore"), "unseen": ("report", "release")}
_NAMES: Final = ("manager", "operations", "ceo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of a bus, checked."""

    person: str
    lists: dict[str, list[str]]
    alias: dict[str, str]
    identity: str
    mounts: dict[str, dict[str, str]]
    #: Settings that nothing reads.
    warnings: list[str]
    #: The policy of work: who leads, how long a claim lasts.
    work: dict[str, object]
    #: The deadlines that differ from the defaults.
    deadlines: dict[str, float]
    #: Whether a command starts the daemon, and how long that one may be idle. Not for the log: it says what
    #: this machine does.
    daemon: str
    daemon_idle: float

    def plain(self) -> dict[str, object]:
        """Return the settings for the log."""
        return {
            "person": self.person,
            "lists": self.lists,
            "alias": self.alias,
            "policy": {"identity": self.identity, **self.work},
            "mounts": self.mounts,
            "deadlines": self.deadlines,
        }


def parse(data: bytes, path: str) -> Config:
    """Return the config, or refuse it with the line, the reason and the way out."""
    text, fields = parse_toml(data, path)
    reader = ConfigReader(path, text)
    version = fields.get("version", VERSION)
    if version != VERSION or type(version) is not int:
        raise reader.wrong(
            "version", f"it must be {VERSION}, not {version!r}", "upgrade palaver, or set it back"
        )
    policy, deadlines = reader.table(fields, "policy"), reader.table(fields, "deadlines")
    of_policy, of_deadlines = reader.at("policy"), reader.at("deadlines")
    mounts, unread = read_mounts(reader, reader.table(fields, "mounts"))
    person = fields.get("person", "")
    return Config(
        person="" if person == "" else reader.named("person", person),
        lists=_lists(reader.at("lists"), reader.table(fields, "lists")),
        alias=_aliases(reader.at("alias"), reader.table(fields, "alias")),
        identity=of_policy.choice("identity", policy.get("identity", IDENTITIES[0]), IDENTITIES),
        mounts=mounts,
        warnings=[
            *(*reader.unread(fields, _KEYS), *of_policy.unread(policy, ("identity", *USUAL_POLICY))),
            *of_deadlines.unread(deadlines, tuple(DEFAULTS)),
            *reader.at("notify").unread(reader.table(fields, "notify"), ("command",)),
            *(*reader.commands(fields), *unread),
        ],
        work={key: _policy(of_policy, key, policy) for key in USUAL_POLICY},
        deadlines={
            key: of_deadlines.duration(key, value) for key, value in deadlines.items() if key in DEFAULTS
        },
        daemon=reader.choice("daemon", fields.get("daemon", DAEMONS[0]), DAEMONS),
        daemon_idle=reader.number(
            "daemon_idle", fields.get("daemon_idle", IDLE_SECONDS), 1, WAIT_SECONDS, IDLE_SECONDS
        ),
    )


def _lists(reader: ConfigReader, table: dict[str, object]) -> dict[str, list[str]]:
    """Return the distribution lists."""
    lists: dict[str, list[str]] = {}
    for key, members in table.items():
        if not isinstance(members, list):
            raise reader.wrong(key, "a list is written in brackets", f'write {key} = ["name", …]')
        lists[reader.once(key, lists)] = [reader.addressed(key, member) for member in members]
    return lists


def _aliases(reader: ConfigReader, table: dict[str, object]) -> dict[str, str]:
    aliases: dict[str, str] = {}
    for key, value in table.items():
        aliases[reader.once(key, aliases)] = reader.addressed(key, value)
    return aliases


def _policy(reader: ConfigReader, key: str, policy: dict[str, object]) -> object:
    """Return one setting of the policy, or its default."""
    usual = USUAL_POLICY[key]
    value = policy.get(key, usual)
    if type(value) is not type(usual) or (type(value) is int and not 0 <= value < 1 << 31):
        kinds = {str: "a name in quotes", list: "names in brackets", bool: "true or false"}
        raise reader.wrong(key, f"it must be {kinds.get(type(usual), 'a number of seconds')}", "fix it")
    if key in _CHOICES and key in policy:
        return reader.choice(key, value, _CHOICES[key])
    if isinstance(value, list):
        return [reader.addressed(key, each) for each in value]
    return reader.addressed(key, value) if key in _NAMES and value else value


FRESH: Final = """\
# Palaver's settings. Edit them; every command sees the change. All of them: docs/reference/config.md
version = {version}

# The speaker when a command is typed at a terminal and no agent is named.
person = "{person}"

# Distribution lists: mail to the name goes to each member.
[lists]
# reviewers = ["bob", "@qa"]

# Other names of agents.
[alias]

[policy]
# "open": a name in a shared place is taken as claimed, and shown as claimed. "strict": it has no power.
identity = "open"
# Who approves claims and accepts work beside a task's owner: a name, or "auto" for the bus itself.
# manager = "auto"
"""


def fresh(person: str) -> str:
    """Return the first config of a bus."""
    return FRESH.format(version=VERSION, person=person)
