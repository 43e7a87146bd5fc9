"""Editing the config by command: one key of one table; everything else stays as people wrote it."""

from dataclasses import replace

from palaver.bus.config import config_file
from palaver.bus.config.config_file import Config
from palaver.model.errors import BadConfig


def with_list(data: bytes, path: str, listed: str, members: list[str] | None) -> bytes:
    """Return the config with a list set, or taken out; everything else stays as people wrote it."""
    found = config_file.parse(data, path)
    lists = {name: each for name, each in found.lists.items() if name != listed}
    lists |= {listed: members} if members is not None else {}
    return _edited(data, path, ("lists", listed), members, replace(found, lists=lists))


def with_mount(data: bytes, path: str, mount: str, settings: dict[str, str] | None) -> bytes:
    """Return the config with a mount set, or taken out; everything else stays as people wrote it."""
    found = config_file.parse(data, path)
    mounts = {name: each for name, each in found.mounts.items() if name != mount}
    mounts |= {mount: settings} if settings is not None else {}
    return _edited(data, path, ("mounts", mount), settings, replace(found, mounts=mounts))


def _edited(data: bytes, path: str, place: tuple[str, str], value: object, wanted: Config) -> bytes:
    """Return the config with one key of one table set, or taken out if the value is None."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    section, key = place
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
        found = config_file.parse(fresh, path)
    except (TOMLKitError, BadConfig, ValueError) as fault:
        raise _uneditable(path, str(fault)) from fault
    if found.plain() != wanted.plain():
        raise _uneditable(path, "something else would change with it")
    return fresh


def _uneditable(path: str, why: str) -> BadConfig:
    return BadConfig(f"{path}: cannot change it here", why, "edit the file by hand")
