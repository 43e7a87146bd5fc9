"""Editing the config by command: one key of one table; everything else stays as people wrote it."""

from palaver import config
from palaver.config import Config
from palaver.model.errors import BadConfig


def with_list(data: bytes, path: str, listed: str, members: list[str] | None) -> bytes:
    """Return the config with a list set, or taken out; everything else stays as people wrote it."""
    wanted = config.parse(data, path)
    wanted.lists.pop(listed, None)
    if members is not None:
        wanted.lists[listed] = members
    return _edited(data, path, ("lists", listed), members, wanted)


def with_mount(data: bytes, path: str, mount: str, settings: dict[str, str] | None) -> bytes:
    """Return the config with a mount set, or taken out; everything else stays as people wrote it."""
    wanted = config.parse(data, path)
    wanted.mounts.pop(mount, None)
    if settings is not None:
        wanted.mounts[mount] = settings
    return _edited(data, path, ("mounts", mount), settings, wanted)


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
        found = config.parse(fresh, path)
    except (TOMLKitError, BadConfig, ValueError) as fault:
        raise _uneditable(path, str(fault)) from fault
    if found.plain() != wanted.plain():
        raise _uneditable(path, "something else would change with it")
    return fresh


def _uneditable(path: str, why: str) -> BadConfig:
    return BadConfig(f"{path}: cannot change it here", why, "edit the file by hand")
