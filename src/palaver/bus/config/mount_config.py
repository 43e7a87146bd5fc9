"""The mounts of a config: which settings each may have is in the spec of its dialect."""

from palaver.bus.config.config_reader import ConfigReader
from palaver.dialects import DIALECTS, spec
from palaver.model.mounts import MOUNT_SETTINGS
from palaver.model.names import is_file_name
from palaver.model.spec import Setting, SettingKind


def mount_settings(dialect: str) -> tuple[Setting, ...]:
    """Return the settings that a mount of a dialect may have."""
    return (*MOUNT_SETTINGS, *spec(dialect).settings)


def read_mounts(
    reader: ConfigReader, tables: dict[str, object]
) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return the mounts by name, and a warning for each setting that nothing reads."""
    mounts: dict[str, dict[str, str]] = {}
    warnings: list[str] = []
    for key, fields in tables.items():
        if not isinstance(fields, dict):
            raise reader.wrong(key, "a mount is a table", f"write [mounts.{key}] on a line of its own")
        name = reader.once(key, mounts)
        if "/" in name:
            raise reader.wrong(key, "the name of a mount has no '/'", "use a plain name")
        dialect = fields.get("dialect")
        if not isinstance(dialect, str) or dialect not in DIALECTS:
            known = ", ".join(DIALECTS)
            raise reader.wrong(
                key, f"its dialect is none of {known}", f'write dialect = "{next(iter(DIALECTS))}"'
            )
        if not isinstance(fields.get("path"), str) or not fields["path"]:
            raise reader.wrong(key, "it has no path", 'write path = "folder", from the folder of the bus')
        settings = {each.name: each for each in mount_settings(dialect)}
        mounts[name] = {
            key: _value(reader, setting, fields[key]) for key, setting in settings.items() if key in fields
        }
        warnings += reader.unread(fields, tuple(settings))
    return mounts, warnings


def _value(reader: ConfigReader, setting: Setting, value: object) -> str:
    """Return a setting as the log has it: a list as its words with commas between."""
    key, kind = setting.name, setting.kind
    if kind is SettingKind.CHOICE:
        return reader.choice(key, value, setting.choices)
    if kind is SettingKind.SECONDS:
        return _seconds(reader, key, value)
    if kind is SettingKind.NAMES and isinstance(value, list):
        return ",".join(reader.named(key, each) for each in value)
    if not isinstance(value, str) or "\0" in value or "\n" in value:
        raise reader.wrong(key, "it must be a text in quotes", f'write {key} = "…"')
    if kind is SettingKind.NAME and value:
        return reader.named(key, value)
    if kind is SettingKind.FILE and value and not is_file_name(value):
        why = "it must be the name of a file in the mounted folder, without '/' and not hidden"
        raise reader.wrong(key, why, f'write {key} = "NAME.md"')
    return value


def _seconds(reader: ConfigReader, key: str, value: object) -> str:
    word = str(value).lower() if isinstance(value, bool | int | str) else ""
    if not word.isdecimal() or int(word) >= 1 << 31:
        raise reader.wrong(key, f"{value!r} is not a number of seconds", "write a whole number")
    return word
