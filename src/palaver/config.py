"""`.palaver/config.toml`: written by us, edited by people.

    version = 1
    person = "ada"                    # who speaks when a command is typed at a terminal

    [lists]
    reviewers = ["bob", "@qa"]        # mail to "reviewers" goes to each

    [alias]
    boss = "project-a/supervisor"     # two names, one agent

    [policy]
    identity = "open"                 # or "strict": a claimed name has no power
    manager = "auto"                  # who approves and accepts: a name, or "auto" for the bus itself
    leads = ["td"]                    # who else may do with any task what its owner may
    lease = 14400                     # seconds that a claim counts without a sign of life; 0 is for ever
    approval = false                  # whether claims wait for approval, where a task does not say
    parallel = true                   # false: one task at a time for each agent
    talk = "report"                   # or "refuse" (as in collab), "ignore": a task for who waits, or is busy
    operations = "operations"         # to whom the patrol escalates
    ceo = "ceo"                       # and to whom, if that does not help; without one, the person
    unseen = "report"                 # or "release": the work of a silent agent whose program we do not run

    [deadlines]                       # how long anything may last, in seconds; docs/reference/deadlines.md
    nudge = 300

    [mounts.office]                   # a file protocol at a folder; see `palaver mount`
    dialect = "office"
    path = "."

Commands are never read from here: a bus may arrive with a cloned repository. They belong in the user's own
config, `~/.config/palaver/config.toml` (`bus/user_config.py`).

Reading is total: every mistake is a refusal with line, reason and way out. Writing keeps people's
comments.
"""

import re
import tomllib
from collections.abc import Collection
from typing import Final

from palaver.dialects import DIALECTS, spec
from palaver.model.deadlines import MOST, USUAL
from palaver.model.errors import BadConfig, BadName
from palaver.model.limits import CONFIG_BYTES, DEPTH, WARNINGS
from palaver.model.mounts import MOUNT_SETTINGS
from palaver.model.names import address, is_file_name, name
from palaver.model.spec import Setting, SettingKind

VERSION: Final = 1
IDENTITIES: Final = ("open", "strict")
# The last two are read by those who run programs: `runs/settings.py`.
_KEYS: Final = (
    *("version", "person", "lists", "alias", "policy", "mounts", "deadlines", "notify"),
    *("runs", "health"),
)
# What the policy is where nobody has written one.
LEASE_SECONDS: Final = 14_400
_WORK: Final = {
    "manager": "",
    "leads": [],
    "lease": LEASE_SECONDS,
    "approval": False,
    "parallel": True,
    # As the dialect has it: `views/policy.py`.
    "talk": "",
    "operations": "operations",
    "ceo": "ceo",
    "unseen": "report",
}
_POLICY: Final = ("identity", *_WORK)
_WORDS: Final = {"talk": ("refuse", "report", "ignore"), "unseen": ("report", "release")}
#: Settings that name a command, and therefore count only in the user's own config.
COMMANDS: Final = (("notify", "command"), ("runs", "worker"))
COMMANDS_BELONG: Final = "commands are run only from your own config, ~/.config/palaver/config.toml"


class Config:
    """What the config says, checked."""

    __slots__ = ("alias", "deadlines", "identity", "lists", "mounts", "person", "warnings", "work")

    def __init__(
        self,
        *,
        person: str = "",
        lists: dict[str, list[str]],
        alias: dict[str, str],
        identity: str,
        mounts: dict[str, dict[str, str]],
        warnings: list[str],
        work: dict[str, object],
        deadlines: dict[str, float],
    ) -> None:
        """Take every setting, and what was found that does no harm."""
        self.person = person
        self.lists = lists
        self.alias = alias
        self.identity = identity
        self.mounts = mounts
        self.warnings = warnings
        # The policy of work: who leads, how long a claim counts.
        self.work = work
        # What is not as usual: docs/reference/deadlines.md.
        self.deadlines = deadlines

    def plain(self) -> dict[str, object]:
        """Return what goes into the log."""
        return {
            "person": self.person,
            "lists": self.lists,
            "alias": self.alias,
            "policy": {"identity": self.identity, **self.work},
            "mounts": self.mounts,
            "deadlines": self.deadlines,
        }


def parse(data: bytes, path: str) -> Config:
    """Return the config that the bytes say, or refuse with line, reason and way out."""
    if len(data) > CONFIG_BYTES:
        raise BadConfig(
            f"{path}: cannot be a config", f"it is longer than {CONFIG_BYTES} bytes", "look at the file"
        )
    text, fields = _toml(data, path)
    reader = _Reader(path, text)
    version = fields.get("version", VERSION)
    if version != VERSION or type(version) is not int:
        raise reader.wrong(
            "version", f"it must be {VERSION}, not {version!r}", "upgrade palaver, or set it back"
        )
    policy = reader.table(fields, "policy")
    identity = policy.get("identity", IDENTITIES[0])
    if identity not in IDENTITIES:
        raise reader.wrong(
            "identity", f"{identity!r} is none of {', '.join(IDENTITIES)}", "choose one of them"
        )
    deadlines, notify = reader.table(fields, "deadlines"), reader.table(fields, "notify")
    warnings = [
        *(*reader.strangers(fields, _KEYS), *reader.strangers(policy, _POLICY)),
        *(*reader.strangers(deadlines, tuple(USUAL)), *reader.strangers(notify, ("command",))),
        *reader.commands(fields),
    ]
    mounts, odd = reader.mounts(fields)
    warnings += odd
    person = fields.get("person", "")
    return Config(
        person="" if person == "" else reader.named("person", person),
        lists=reader.lists(fields),
        alias=reader.aliases(fields),
        identity=str(identity),
        mounts=mounts,
        warnings=warnings,
        work=reader.work(policy),
        deadlines={key: reader.lasting(key, value) for key, value in deadlines.items() if key in USUAL},
    )


def _toml(data: bytes, path: str) -> tuple[str, dict[str, object]]:
    """Return the text and what it says as TOML."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise BadConfig(f"{path}:{line}: not TOML", "it is not UTF-8", "save it as UTF-8") from fault
    for place, row in enumerate(text.split("\n"), start=1):
        # The parser takes time by the square of such a chain.
        if any(piece.count(".") > DEPTH for piece in re.split(r"[=,{}\[\]]", row.partition("#")[0])):
            raise BadConfig(f"{path}:{place}: not a config", "its keys are nested too deeply", "mend it")
    try:
        return text, tomllib.loads(text)
    except RecursionError as fault:
        raise BadConfig(f"{path}: not a config", "it is nested too deeply", "mend it") from fault
    except ValueError as fault:
        found = re.search(r"line (\d+)", str(fault))
        where = f"{path}:{found.group(1)}" if found else path
        raise BadConfig(
            f"{where}: not TOML", str(fault), "mend the line; the settings in force stay"
        ) from fault


class _Reader:
    """Reads settings and says in which line a wrong one stands."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._lines = text.split("\n")

    def wrong(self, key: str, why: str, way_out: str) -> BadConfig:
        """Return the refusal of a setting."""
        shown = key[:80]
        # At the start of a line if it is there, else inside one: an inline table, a dotted key.
        for start in (r"\s*\[?", r".*[.{,\s]"):
            pattern = re.compile(rf"""{start}["']?{re.escape(key)}["']?\s*[\]=.]""")
            for place, line in enumerate(self._lines, start=1):
                if pattern.match(line):
                    return BadConfig(f"{self._path}:{place}: cannot use '{shown}'", why, way_out)
        return BadConfig(f"{self._path}: cannot use '{shown}'", why, way_out)

    def table(self, fields: dict[str, object], key: str) -> dict[str, object]:
        """Return a table."""
        value = fields.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, "it must be a table", f"write [{key}] on a line of its own")
        return value

    def named(self, key: str, value: object) -> str:
        """Return a setting that is an agent's name."""
        if not isinstance(value, str):
            raise self.wrong(key, "it must be a name in quotes", 'write it as "name"')
        try:
            return name(value)
        except BadName as bad:
            raise self.wrong(key, bad.why, bad.way_out) from bad

    def addressed(self, key: str, value: object) -> str:
        """Return a setting that is an address."""
        if not isinstance(value, str):
            raise self.wrong(key, "it must be a name in quotes", 'write it as "name"')
        try:
            return address(value)
        except BadName as bad:
            raise self.wrong(key, f"{value!r}: {bad.why}", bad.way_out) from bad

    def lists(self, fields: dict[str, object]) -> dict[str, list[str]]:
        """Return the distribution lists."""
        lists: dict[str, list[str]] = {}
        for key, members in self.table(fields, "lists").items():
            if not isinstance(members, list):
                raise self.wrong(key, "a list is written in brackets", f'write {key} = ["name", …]')
            lists[self.once(key, lists)] = [self.addressed(key, member) for member in members]
        return lists

    def once(self, key: str, taken: Collection[str]) -> str:
        """Return a key that is a name, if no other key is the same name."""
        found = self.named(key, key)
        if found in taken:
            raise self.wrong(key, f"'{found}' is there twice; case does not count", "take one of them out")
        return found

    def aliases(self, fields: dict[str, object]) -> dict[str, str]:
        """Return the aliases."""
        aliases: dict[str, str] = {}
        for key, value in self.table(fields, "alias").items():
            aliases[self.once(key, aliases)] = self.addressed(key, value)
        return aliases

    def work(self, policy: dict[str, object]) -> dict[str, object]:
        """Return the policy of work, with what is usual where nothing is said."""
        found: dict[str, object] = {}
        for key, usual in _WORK.items():
            value = policy.get(key, usual)
            if type(value) is not type(usual) or (type(value) is int and not 0 <= value < 1 << 31):
                shown = {str: "a name in quotes", list: "names in brackets", bool: "true or false"}
                raise self.wrong(
                    key, f"it must be {shown.get(type(usual), 'a number of seconds')}", "mend it"
                )
            if key in _WORDS and key in policy and value not in _WORDS[key]:
                raise self.wrong(
                    key, f"{value!r} is none of {', '.join(map(str, _WORDS[key]))}", "choose one of them"
                )
            if type(value) is list:
                value = [self.addressed(key, each) for each in value]
            named = key in ("manager", "operations", "ceo")
            found[key] = self.addressed(key, value) if named and value else value
        return found

    def lasting(self, key: str, value: object) -> float:
        """Return how long something may last, or how often it may happen."""
        good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST
        # Without a pause there would be no other work, and without a gap no time would pass.
        if not good or (value == 0 and key in ("patrol", "gap")):
            usual = f"{USUAL[key]:g}"
            raise self.wrong(key, f"it must be a number of at most {MOST}", f"the usual is {usual}")
        return float(str(value))

    def commands(self, fields: dict[str, object]) -> list[str]:
        """Return a warning for each command: a bus's own config may not name any."""
        checks = self.table(self.table(fields, "health"), "checks")
        named = [
            *(f"{table}.{key}" for table, key in COMMANDS if key in self.table(fields, table)),
            *(
                f"health.checks.{name}"
                for name, each in checks.items()
                if isinstance(each, dict) and "command" in each
            ),
        ]
        return [f"{self._path}: {key} is ignored: {COMMANDS_BELONG}" for key in named[:WARNINGS]]

    def mounts(self, fields: dict[str, object]) -> tuple[dict[str, dict[str, str]], list[str]]:
        """Return the mounts, and what in them nobody reads."""
        mounts: dict[str, dict[str, str]] = {}
        odd: list[str] = []
        for key, value in self.table(fields, "mounts").items():
            if not isinstance(value, dict):
                raise self.wrong(key, "a mount is a table", f"write [mounts.{key}] on a line of its own")
            found = self.once(key, mounts)
            if "/" in found:
                raise self.wrong(key, "the name of a mount has no '/'", "use a plain name")
            mounts[found] = self._mount(key, value)
            odd += self.strangers(
                value, tuple(each.name for each in mount_settings(mounts[found]["dialect"]))
            )
        return mounts, odd

    def _mount(self, key: str, fields: dict[str, object]) -> dict[str, str]:
        dialect = fields.get("dialect")
        if not isinstance(dialect, str) or dialect not in DIALECTS:
            known = ", ".join(DIALECTS)
            raise self.wrong(
                key, f"its dialect is none of {known}", f'write dialect = "{next(iter(DIALECTS))}"'
            )
        if not isinstance(fields.get("path"), str) or not fields["path"]:
            raise self.wrong(key, "it has no path", 'write path = "folder", from the folder of the bus')
        return {
            setting.name: self._setting(setting, fields[setting.name])
            for setting in mount_settings(dialect)
            if setting.name in fields
        }

    def _setting(self, setting: Setting, value: object) -> str:
        """Return one setting of a mount; a list is written as its words with commas between."""
        key, kind = setting.name, setting.kind
        if kind is SettingKind.NAMES and isinstance(value, list):
            return ",".join(self.named(key, each) for each in value)
        if kind in (SettingKind.CHOICE, SettingKind.SECONDS):
            return self._word(setting, value)
        if not isinstance(value, str) or "\0" in value or "\n" in value:
            raise self.wrong(key, "it must be a text in quotes", f'write {key} = "…"')
        if kind is SettingKind.NAME and value:
            return self.named(key, value)
        if kind is SettingKind.FILE and value and not is_file_name(value):
            why = "it must be the name of a file in the mounted folder, without '/' and not hidden"
            raise self.wrong(key, why, f'write {key} = "NAME.md"')
        return value

    def _word(self, setting: Setting, value: object) -> str:
        """Return one of a setting's choices, or a number of seconds, as a word."""
        word = str(value).lower() if isinstance(value, bool | int | str) else ""
        if setting.kind is SettingKind.SECONDS:
            if not word.isdecimal() or int(word) >= 1 << 31:
                raise self.wrong(
                    setting.name, f"{value!r} is not a number of seconds", "write a whole number"
                )
        elif word not in setting.choices or (isinstance(value, str) and value != word):
            choices = ", ".join(setting.choices)
            raise self.wrong(setting.name, f"{value!r} is none of {choices}", "choose one of them")
        return word

    def strangers(self, fields: dict[str, object], known: tuple[str, ...]) -> list[str]:
        """Return a warning for each key that nobody reads."""
        from difflib import get_close_matches

        warnings = []
        for key in [key for key in fields if key not in known][:WARNINGS]:
            close = get_close_matches(key[:80], known, n=1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            warnings.append(f"{self.wrong(key, '', '').what.replace('cannot use', 'nobody reads')}{hint}")
        return warnings


def mount_settings(dialect: str) -> tuple[Setting, ...]:
    """Return the settings that a mount of a dialect may have."""
    return (*MOUNT_SETTINGS, *spec(dialect).settings)


FRESH: Final = """\
# Palaver's settings. Edit them; every command sees the change. All of them: docs/reference/config.md
version = {version}

# Who speaks when a command is typed at a terminal and no agent is named.
person = "{person}"

# Distribution lists: mail to the name goes to each member.
[lists]
# reviewers = ["bob", "@qa"]

# Two names, one agent.
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
