"""Values of a config, checked: a wrong one is refused with the line that it is in."""

import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import Final

from palaver.model.deadlines import DEFAULTS, MOST
from palaver.model.errors import BadConfig, BadName
from palaver.model.limits import WARNINGS
from palaver.model.names import address, name

#: Settings that name a command, and therefore count only in the user's own config.
COMMANDS: Final = (("notify", "command"), ("runs", "worker"))
COMMANDS_BELONG: Final = "commands are run only from your own config, ~/.config/palaver/config.toml"


class ConfigReader:
    """Checks the values of one file."""

    def __init__(self, path: str, text: str) -> None:
        """Take the path and the text of the file."""
        self._path = path
        self._lines = text.split("\n")

    def wrong(self, key: str, why: str, way_out: str) -> BadConfig:
        """Return the refusal of a setting."""
        return BadConfig(f"{self._place(key)}: cannot use '{key[:80]}'", why, way_out)

    def _place(self, key: str) -> str:
        # At the start of a line if it is there, else inside one: an inline table, a dotted key.
        for start in (r"\s*\[?", r".*[.{,\s]"):
            pattern = re.compile(rf"""{start}["']?{re.escape(key)}["']?\s*[\]=.]""")
            for place, line in enumerate(self._lines, start=1):
                if pattern.match(line):
                    return f"{self._path}:{place}"
        return self._path

    def table(self, fields: dict[str, object], key: str) -> dict[str, object]:
        """Return a table; empty if there is none."""
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

    def choice(self, key: str, value: object, choices: tuple[str, ...]) -> str:
        """Return a setting that is one of a few words; true and false may be written without quotes."""
        word = str(value).lower() if isinstance(value, bool | int) else value
        if not isinstance(word, str) or word not in choices:
            raise self.wrong(key, f"{value!r} is none of {', '.join(choices)}", "choose one of them")
        return word

    def once(self, key: str, taken: Collection[str]) -> str:
        """Return a key that is a name, if no other key is the same name."""
        found = self.named(key, key)
        if found in taken:
            raise self.wrong(key, f"'{found}' is there twice; case does not count", "take one of them out")
        return found

    def duration(self, key: str, value: object) -> float:
        """Return a deadline: a number of seconds, or of times."""
        good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST
        # Without a pause there would be no other work, and without a gap no time would pass.
        if not good or (value == 0 and key in ("patrol", "gap")):
            usual = f"{DEFAULTS[key]:g}"
            raise self.wrong(key, f"it must be a number of at most {MOST}", f"the usual is {usual}")
        return float(str(value))

    def commands(self, fields: dict[str, object]) -> list[str]:
        """Return a warning for each command: the config of a bus may not name any."""
        checks = self.table(self.table(fields, "health"), "checks")
        found = [f"{table}.{key}" for table, key in COMMANDS if key in self.table(fields, table)]
        found += [
            f"health.checks.{name}"
            for name, each in checks.items()
            if isinstance(each, dict) and "command" in each
        ]
        return [f"{self._path}: {key} is ignored: {COMMANDS_BELONG}" for key in found[:WARNINGS]]

    def unread(self, fields: dict[str, object], known: tuple[str, ...]) -> list[str]:
        """Return a warning for each key that nothing reads."""
        warnings = []
        for key in [key for key in fields if key not in known][:WARNINGS]:
            close = get_close_matches(key[:80], known, n=1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            warnings.append(f"{self._place(key)}: nobody reads '{key[:80]}'{hint}")
        return warnings
