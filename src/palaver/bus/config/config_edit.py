"""Editing the config by command: one key of one table; everything else stays as people wrote it."""

import tomlkit
from tomlkit.exceptions import TOMLKitError

from palaver.bus.config import config_file
from palaver.model.errors import BadConfig


def edit(data: bytes, path: str, section: str, key: str, value: object) -> bytes:
    """Return the config with one key of one table set, or removed if the value is None."""
    wanted = _with(config_file.parse(data, path).plain(), section, key, value)
    try:
        document = tomlkit.parse(data.decode("utf-8-sig"))
        tables = document.setdefault(section, tomlkit.table(is_super_table=section == "mounts"))
        # People may have written it with capitals.
        written = next((each for each in tables if each.lower() == key), key)
        if value is None:
            tables.pop(written, None)
        else:
            tables[written] = value
        fresh = tomlkit.dumps(document).encode()
        found = config_file.parse(fresh, path).plain()
    except (TOMLKitError, BadConfig, ValueError) as fault:
        raise _uneditable(path, str(fault)) from fault
    if found != wanted:
        raise _uneditable(path, "something else would change with it")
    return fresh


def _with(settings: dict[str, object], section: str, key: str, value: object) -> dict[str, object]:
    table = settings[section]
    assert isinstance(table, dict), "a config has these tables"
    kept = {name: each for name, each in table.items() if name != key}
    return {**settings, section: kept if value is None else {**kept, key: value}}


def _uneditable(path: str, why: str) -> BadConfig:
    return BadConfig(f"{path}: cannot change it here", why, "edit the file by hand")
