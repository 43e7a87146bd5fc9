"""The mounts of a config: which settings each may have is in the spec of its dialect."""

from collections.abc import Mapping
from typing import Final

from palaver.bus.config.config_reader import ConfigReader
from palaver.dialects import DIALECTS, spec
from palaver.model.clock_text import is_offset
from palaver.model.names import is_file_name
from palaver.model.spec import Setting, SettingKind

#: The settings that a mount of any dialect may have.
MOUNT_SETTINGS: Final = (
    Setting("dialect", "the protocol"),
    Setting(
        "path", "the folder, relative to the one that holds `.palaver` unless absolute; `~` is your home"
    ),
    Setting(
        "prefix",
        "the prefix of its names elsewhere on the bus: with `t2`, programmer is `t2/programmer`",
        SettingKind.NAME,
    ),
    Setting("agents", "agents that live there before they write anything, as a list", SettingKind.NAMES),
    Setting(
        "identity",
        "as in the policy, for mail from this mount: `open` or `strict`",
        SettingKind.CHOICE,
        ("open", "strict"),
    ),
    Setting(
        "approval",
        "as in the policy, for tasks that this mount is the first to name",
        SettingKind.CHOICE,
        ("true", "false"),
    ),
    Setting(
        "parallel",
        "as in the policy, for claims from this mount, and for tasks for agents that live there",
        SettingKind.CHOICE,
        ("true", "false"),
    ),
    Setting("lease", "as in the policy, for tasks that this mount is the first to name", SettingKind.SECONDS),
    Setting(
        "talk",
        "as in the policy, for tasks for agents that live there; some dialects refuse them by default",
        SettingKind.CHOICE,
        ("refuse", "report", "ignore"),
    ),
)


def mount_settings(dialect: str) -> tuple[Setting, ...]:
    """Return the settings that a mount of a dialect may have."""
    return (*MOUNT_SETTINGS, *spec(dialect).settings)


def read_mounts(
    reader: ConfigReader, tables: dict[str, object]
) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return the mounts by name, and a warning for each setting that nothing reads."""
    mounts: dict[str, dict[str, str]] = {}
    warnings: list[str] = []
    mounted = reader.at("mounts")
    for key, fields in tables.items():
        if not isinstance(fields, dict):
            raise mounted.wrong(key, "a mount is a table", f"write [mounts.{key}] on a line of its own")
        name = mounted.once(key, mounts)
        if "/" in name:
            raise mounted.wrong(key, "the name of a mount has no '/'", "use a plain name")
        dialect = fields.get("dialect")
        if not isinstance(dialect, str) or dialect not in DIALECTS:
            known = ", ".join(DIALECTS)
            way_out = f'write dialect = "{next(iter(DIALECTS))}"'
            raise mounted.wrong(f"{key}.dialect", f"it is none of {known}", way_out)
        if not isinstance(fields.get("path"), str) or not fields["path"]:
            raise mounted.wrong(key, "it has no path", 'write path = "folder", from the folder of the bus')
        own = reader.at(f"mounts.{key}")
        settings = {each.name: each for each in mount_settings(dialect)}
        mounts[name] = {
            key: _value(own, setting, fields[key]) for key, setting in settings.items() if key in fields
        }
        warnings += own.unread(fields, tuple(settings))
    return mounts, warnings


def checked_settings(dialect: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a new mount as the log has them; unknown ones stay as they are."""
    reader = ConfigReader("settings", "")
    known = [each for each in mount_settings(dialect) if each.name in settings]
    return {**settings, **{each.name: _value(reader, each, settings[each.name]) for each in known}}


def _value(reader: ConfigReader, setting: Setting, value: object) -> str:
    """Return a setting as the log has it: a list as its words with commas between."""
    key, kind = setting.name, setting.kind
    if kind is SettingKind.CHOICE:
        return reader.choice(key, value, setting.choices)
    if kind is SettingKind.SECONDS:
        return _seconds(reader, key, value)
    if kind is SettingKind.NAMES:
        # A command has them as one text.
        words = value.split(",") if isinstance(value, str) else value
        listed = words if isinstance(words, list) else [words]
        return ",".join(reader.named(key, each) for each in map(_stripped, listed) if each != "")
    text = reader.text(key, value)
    if kind in (SettingKind.NAME, SettingKind.SPELLED) and text:
        found = reader.named(key, text)
        return text if kind is SettingKind.SPELLED else found
    if kind is SettingKind.ZONE and text and not is_offset(text):
        raise reader.wrong(key, f"{text[:40]!r} is not an offset from UTC", f'write {key} = "+02:00"')
    if kind is SettingKind.FILE and text and not is_file_name(text):
        why = "it must be the name of a file in the mounted folder, without '/', not hidden and not too long"
        raise reader.wrong(key, why, f'write {key} = "NAME.md"')
    return text


def _stripped(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def _seconds(reader: ConfigReader, key: str, value: object) -> str:
    word = str(value).lower() if isinstance(value, bool | int | str) else ""
    if not word.isdecimal() or int(word) >= 1 << 31:
        raise reader.wrong(key, f"{value!r} is not a number of seconds", "write a whole number")
    return word
