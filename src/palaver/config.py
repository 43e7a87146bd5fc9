"""`.palaver/config.toml`: written by us, edited by people.

    version = 1
    person = "ada"                    # who speaks when a command is typed at a terminal

    [lists]
    reviewers = ["bob", "@qa"]        # mail to "reviewers" goes to each

    [alias]
    boss = "project-a/supervisor"     # two names, one agent

    [policy]
    identity = "open"                 # or "strict": a claimed name has no power

Reading is total: every mistake is a refusal with line, reason and way out. Writing keeps people's
comments.
"""

import re
import tomllib
from typing import Final

from palaver.model.errors import BadConfig, BadName
from palaver.model.limits import CONFIG_BYTES
from palaver.model.names import address, name

VERSION: Final = 1
IDENTITIES: Final = ("open", "strict")
_KEYS: Final = ("version", "person", "lists", "alias", "policy")
_POLICY: Final = ("identity",)


class Config:
    """What the config says, checked."""

    __slots__ = ("alias", "identity", "lists", "person", "warnings")

    def __init__(
        self,
        *,
        person: str = "",
        lists: dict[str, list[str]],
        alias: dict[str, str],
        identity: str,
        warnings: list[str],
    ) -> None:
        """Take every setting, and what was found that does no harm."""
        self.person = person
        self.lists = lists
        self.alias = alias
        self.identity = identity
        self.warnings = warnings

    def plain(self) -> dict[str, object]:
        """Return what goes into the log."""
        return {
            "person": self.person,
            "lists": self.lists,
            "alias": self.alias,
            "policy": {"identity": self.identity},
        }


def parse(data: bytes, path: str) -> Config:
    """Return the config that the bytes say, or refuse with line, reason and way out."""
    if len(data) > CONFIG_BYTES:
        raise BadConfig(
            f"{path}: cannot be a config", f"it is longer than {CONFIG_BYTES} bytes", "look at the file"
        )
    try:
        text = data.decode("utf-8-sig")
        fields = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        line = re.search(r"line (\d+)", str(fault))
        where = f"{path}:{line.group(1)}" if line else path
        raise BadConfig(
            f"{where}: not TOML", str(fault), "mend the line; the settings in force stay"
        ) from fault
    reader = _Reader(path, text)
    version = fields.get("version", VERSION)
    if version != VERSION or isinstance(version, bool):
        raise reader.wrong(
            "version", f"it must be {VERSION}, not {version!r}", "upgrade palaver, or set it back"
        )
    policy = reader.table(fields, "policy")
    identity = policy.get("identity", IDENTITIES[0])
    if identity not in IDENTITIES:
        raise reader.wrong(
            "identity", f"{identity!r} is none of {', '.join(IDENTITIES)}", "choose one of them"
        )
    warnings = [*reader.strangers(fields, _KEYS), *reader.strangers(policy, _POLICY)]
    person = fields.get("person", "")
    if person:
        person = reader.named("person", person)
    return Config(
        person=str(person),
        lists=reader.lists(fields),
        alias=reader.aliases(fields),
        identity=str(identity),
        warnings=warnings,
    )


class _Reader:
    """Reads settings and says in which line a wrong one stands."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._lines = text.split("\n")

    def wrong(self, key: str, why: str, way_out: str) -> BadConfig:
        """Return the refusal of a setting."""
        pattern = re.compile(rf"""\s*\[?["']?{re.escape(key)}["']?\s*[\]=]""")
        for place, line in enumerate(self._lines, start=1):
            if pattern.match(line):
                return BadConfig(f"{self._path}:{place}: cannot use '{key}'", why, way_out)
        return BadConfig(f"{self._path}: cannot use '{key}'", why, way_out)

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
            lists[self.named(key, key)] = [self.addressed(key, member) for member in members]
        return lists

    def aliases(self, fields: dict[str, object]) -> dict[str, str]:
        """Return the aliases."""
        return {
            self.named(key, key): self.addressed(key, value)
            for key, value in self.table(fields, "alias").items()
        }

    def strangers(self, fields: dict[str, object], known: tuple[str, ...]) -> list[str]:
        """Return a warning for each key that nobody reads."""
        from difflib import get_close_matches

        warnings = []
        for key in fields:
            if key not in known:
                close = get_close_matches(key, known, n=1)
                hint = f"; did you mean '{close[0]}'?" if close else ""
                warnings.append(f"{self.wrong(key, '', '').what.replace('cannot use', 'nobody reads')}{hint}")
        return warnings


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
"""


def fresh(person: str) -> str:
    """Return the first config of a bus."""
    return FRESH.format(version=VERSION, person=person)


def with_list(text: str, listed: str, members: list[str] | None) -> str:
    """Return the config with a list set, or taken out; everything else stays as people wrote it."""
    import tomlkit

    document = tomlkit.parse(text)
    lists = document.setdefault("lists", tomlkit.table())
    if members is None:
        lists.pop(listed, None)
    else:
        lists[listed] = members
    return tomlkit.dumps(document)
