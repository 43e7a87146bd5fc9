"""Values of a config, checked: a wrong one is refused with the line that it is in."""

import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Final

from palaver.bus.config.key_lines import deep_line, key_lines, open_line
from palaver.model.deadlines import DEFAULTS, MOST
from palaver.model.errors import BadConfig, BadName
from palaver.model.limits import CONFIG_BYTES, DEPTH, WARNINGS
from palaver.model.masking.masks import clip
from palaver.model.names import address, name

#: Settings that name a command, and therefore count only in the user's own config.
COMMANDS: Final = (("notify", "command"), ("runs", "worker"))
COMMANDS_BELONG: Final = "commands are run only from your own config, ~/.config/palaver/config.toml"


def parse_toml(data: bytes, path: str) -> tuple[str, dict[str, object]]:
    """Return the text of a config and its tables, or refuse it with the line."""
    if len(data) > CONFIG_BYTES:
        why = f"it is longer than {CONFIG_BYTES} bytes"
        raise BadConfig(f"{path}: cannot be a config", why, "look at the file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise BadConfig(f"{path}:{line}: not TOML", "it is not UTF-8", "save it as UTF-8") from fault
    # The parser takes quadratic time for such a key.
    if text.count(".") > DEPTH and (deep := deep_line(text, DEPTH)):
        raise BadConfig(f"{path}:{deep}: not a config", "its keys are nested too deeply", "fix it")
    try:
        return text, tomllib.loads(text)
    except RecursionError as fault:
        raise BadConfig(f"{path}: not a config", "it is nested too deeply", "fix it") from fault
    except ValueError as fault:
        found = re.search(r"line (\d+)", str(fault))
        line = int(found.group(1)) if found else open_line(text)
        raise BadConfig(
            f"{path}:{line}: not TOML", str(fault), "fix the line; the settings in force stay"
        ) from fault


class ConfigReader:
    """Checks the values of one file, or of one of its tables."""

    def __init__(self, path: str, text: str, table: str = "", places: tuple[str, ...] = ()) -> None:
        """Take the path and the text of the file, and the name of the table.

        `places` are the tables where a key may be written, if that is not the table that refusals name.
        """
        self._path = path
        self._text = text
        self._prefix = f"{table}." if table else ""
        self._places = places or (table,)

    def at(self, *places: str) -> "ConfigReader":
        """Return a reader of keys that are written in one of these tables."""
        return ConfigReader(self._path, self._text, self._prefix.rstrip("."), places)

    def below(self, key: str) -> tuple[str, ...]:
        """Return where a table is written."""
        return tuple(f"{table}.{key}" if table else key for table in self._places)

    def wrong(self, key: str, why: str, way_out: str) -> BadConfig:
        """Return the refusal of a setting, with the line where it is written."""
        return BadConfig(f"{self._place(key)}: cannot use '{self._prefix}{clip(key, 80)}'", why, way_out)

    def _place(self, key: str) -> str:
        """Return the line of a key; that of the table if the key is missing there."""
        lines = key_lines(self._text)
        # Where most of it is known: the table may be there without the key.
        _, line = max(
            (known - len(each), line) for each in self.below(key) for known, line in [lines.find(each)]
        )
        return f"{self._path}:{line}" if line else self._path

    def table(self, fields: Mapping[str, object], key: str, prefix: str = "") -> dict[str, object]:
        """Return a table; empty if there is none."""
        value = fields.get(key, {})
        if not isinstance(value, dict):
            shown = f"{prefix}{key}"
            raise self.wrong(shown, "it must be a table", f"write [{shown}] on a line of its own")
        return value

    def named(self, key: str, value: object, check: Callable[[str], str] = name) -> str:
        """Return a setting that is an agent's name."""
        if not isinstance(value, str):
            raise self.wrong(key, "it must be a name in quotes", 'write it as "name"')
        try:
            return check(value)
        except BadName as bad:
            raise self.wrong(key, f"{value!r}: {bad.why}", bad.way_out) from bad

    def addressed(self, key: str, value: object) -> str:
        """Return a setting that is an address."""
        return self.named(key, value, address)

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

    def text(self, key: str, value: object) -> str:
        """Return a setting that is one line of text."""
        if not isinstance(value, str) or "\0" in value or "\n" in value:
            raise self.wrong(key, "it must be a text in quotes", f'write {key} = "…"')
        return value

    def number(self, key: str, value: object, least: float, most: float, usual: float) -> float:
        """Return a setting that is a number between two bounds."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            why = f"it must be a number from {least:.10g} to {most:.10g}"
            raise self.wrong(key, why, f"write {key.rpartition('.')[2]} = {usual:g}")
        return float(value)

    def duration(self, key: str, value: object) -> float:
        """Return a deadline: a number of seconds, or of times."""
        # Without a pause there would be no other work, and without a gap no time would pass.
        least = 0.001 if key in ("patrol", "gap") else 0
        return self.number(key, value, least, MOST, DEFAULTS[key])

    def words(self, key: str, value: object) -> tuple[str, ...]:
        """Return a command: a list of words, started as it is written, without a shell."""
        if not isinstance(value, list) or not all(
            type(each) is str and each and "\0" not in each for each in value
        ):
            shown = key.rpartition(".")[2]
            raise self.wrong(key, "a command is a list of words", f'write {shown} = ["program", "word"]')
        return tuple(value)

    def folder(self, key: str, value: object) -> str:
        """Return an absolute path; `~` is the home of the user."""
        path = os.path.expanduser(value) if isinstance(value, str) and "\0" not in value else "."
        if path and not path.startswith("/"):
            why = "it must be an absolute path in quotes"
            raise self.wrong(key, why, "write an absolute path, or one that begins with ~/")
        return os.path.normpath(path) if path else ""

    def refuse_unknown(self, fields: Mapping[str, object], known: Collection[str], prefix: str = "") -> None:
        """Refuse a setting that does not exist."""
        for key in fields:
            if key not in known:
                raise self.wrong(f"{prefix}{key}", "unknown setting", f"use one of {', '.join(known)}")

    def commands(self, fields: dict[str, object]) -> list[str]:
        """Return a warning for each command: the config of a bus may not name any."""
        checks = self.table(self.table(fields, "health"), "checks", "health.")
        found = [f"{table}.{key}" for table, key in COMMANDS if key in self.table(fields, table)]
        found += [
            f"health.checks.{name}"
            for name, each in checks.items()
            if isinstance(each, dict) and "command" in each
        ]
        return [f"{self._place(key)}: {key} is ignored: {COMMANDS_BELONG}" for key in found[:WARNINGS]]

    def unread(self, fields: dict[str, object], known: tuple[str, ...]) -> list[str]:
        """Return a warning for each key that nothing reads."""
        warnings = []
        for key in [key for key in fields if key not in known][:WARNINGS]:
            close = get_close_matches(key[:80], known, n=1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            warnings.append(f"{self._place(key)}: unknown setting '{clip(key, 80)}'{hint}")
        return warnings
