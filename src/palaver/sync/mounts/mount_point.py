"""A mount of a bus: a dialect at a folder, with the files that are read there and the names used there."""

import fnmatch
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from palaver.bus import trust
from palaver.bus.config import config_store
from palaver.bus.root import Root
from palaver.dialects import DIALECTS, spec
from palaver.model.errors import Refusal
from palaver.model.event import text
from palaver.model.limits import CONFIG_BYTES
from palaver.model.mounted_files import Growth, Mount, Watched
from palaver.model.names import is_file_name
from palaver.model.secrets import find as find_secret
from palaver.model.secrets import masked
from palaver.model.spec import Detection, DialectSpec
from palaver.sync.foreign_file import Unfit, is_quiet, read_span

#: The code of a file that may be about to be correct.
UNSETTLED = "unsettled"
#: The code of a mount that is outside the project and not allowed on this machine.
OUTSIDE = "outside-project"
_MEND_HINTS = "correct it; until then the settings of the mount stay as they are"
# The settings that the bus itself reads; the others are for the dialect.
_OURS = ("dialect", "path", "prefix", "agents")


_NAMED = Unfit("secret", "its name seems to hold a secret, and would be in the log", "rename the file")


class MountListing(NamedTuple):
    """The files of a mount at one moment."""

    #: The files that exist, in the order in which they are read, and how each changes.
    files: list[tuple[str, Growth]]
    #: Why folders may not be used, and files with such names; that of the mount itself is "".
    unfit: dict[str, Unfit]
    has_board_files: bool
    #: Files that are not read, in the folder that is searched for misnamed ones.
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MountPoint:
    """One mount of a bus."""

    #: The `.palaver` folder of its bus.
    root: str
    #: The folder that holds it, without symbolic links.
    project: str
    name: str
    #: The folder, absolute.
    path: str
    dialect: DialectSpec
    #: The mount as its dialect sees it.
    mount: Mount
    #: The prefix of its names elsewhere on the bus: with `t2`, programmer is `t2/programmer`.
    prefix: str = ""
    #: The agents that live here according to the config.
    agents: tuple[str, ...] = ()

    def full(self, file: str) -> str:
        """Return the path of a file of the mount."""
        return f"{self.path}/{file}"

    def watched(self, *, has_board_files: bool) -> tuple[Watched, ...]:
        """Return the files that are read: those of the dialect, or the one that the setting `file` names."""
        named, usual = self.mount.settings.get("file", ""), self.dialect.watched
        if named and all(named != each.pattern for each in usual):
            return (Watched("", named, Growth.LOG),)
        if not has_board_files:
            return usual
        return tuple(dict.fromkeys((*usual, *[each.watched for each in self.dialect.board_files.codecs])))

    @property
    def has_board_files(self) -> bool:
        """Return True if the mount has files that show the board: some exist, or its settings say so."""
        files = self.dialect.board_files
        whose = self.mount.settings.get(files.setting, "")
        if whose in ("ours", "theirs"):
            return whose == "ours"
        if not files.signs:
            return bool(files.codecs)
        return any(map(os.path.exists, map(self.full, files.signs)))

    def listing(self) -> MountListing:
        """Return the files that exist now, and the folders that may not be used."""
        has_board_files = self.has_board_files
        if barred := self.barred():
            return MountListing([], {"": barred}, has_board_files)
        unfit: dict[str, Unfit] = {}
        names: dict[str, list[str]] = {}
        found: list[tuple[str, Growth]] = []
        for each in self.watched(has_board_files=has_board_files):
            folder = each.folder
            if folder not in names:
                names[folder] = []
                if folder and (barred := self.barred(folder)):
                    unfit[folder] = barred
                else:
                    with suppress(OSError):
                        there = sorted(os.listdir(self.full(folder)))
                        # The name of a file is in the log with each of its lines.
                        names[folder] = [name for name in there if not find_secret(name)]
                        unfit |= {masked(name): _NAMED for name in there if find_secret(name)}
            hidden = "." if each.growth is Growth.DROP else "/"
            start = f"{folder}/" if folder else ""
            fitting = fnmatch.filter(names[folder], each.pattern)
            found += [(start + name, each.growth) for name in fitting if not name.startswith(hidden)]
        return MountListing(found, unfit, has_board_files, self._others(names, found))

    def _others(self, names: Mapping[str, list[str]], found: list[tuple[str, Growth]]) -> tuple[str, ...]:
        """Return the files that are not read, but may be meant as files of the protocol."""
        misnamed = self.dialect.misnamed
        if not misnamed.code:
            return ()
        folder, read = misnamed.folder, {file for file, _ in found}
        visible = (name for name in names.get(folder, ()) if not name.startswith("."))
        return tuple(file for name in visible if (file := f"{folder}/{name}") not in read)

    def barred(self, folder: str = "") -> Unfit | None:
        """Return why a folder of the mount is neither read nor written, None if it may be.

        A symbolic link could lead anywhere; to use its target, mount the target.
        """
        if forbidden := self.forbidden():
            return forbidden
        if os.path.realpath(self.path) != self.path:
            return Unfit("symlink", "the mount is behind a symbolic link", "mount its target")
        if not os.path.isdir(self.path):
            way_out = f"restore it, or: palaver mount remove {self.name}"
            return Unfit("gone", "the folder of the mount does not exist", way_out)
        if folder and os.path.islink(self.full(folder)):
            return Unfit("symlink", "it is a symbolic link", "replace it with a folder")
        return None

    def forbidden(self) -> Unfit | None:
        """Return why the mount may not be used, None if it may.

        Settings are checked whenever they are used, not only when the config is read: they come from the log,
        which may be foreign.
        """
        file = self.mount.settings.get("file", "")
        if file and not is_file_name(file):
            return Unfit(
                "bad-file-name", f"the setting file = {file!r} is not a plain file name", "correct the config"
            )
        if "/.git/" in f"{self.path}/" or "/.palaver/" in f"{self.path}/":
            return Unfit("reserved-folder", "it is inside .git or .palaver", "mount another folder")
        if trust.is_within(self.path, self.project):
            return None
        if trust.is_mount_allowed(self.root, self.mount.dialect, file, self.path):
            return None
        why = "the folder is outside the project, and you did not allow it on this machine"
        return Unfit(
            OUTSIDE, why, f"allow it: palaver mount add {self.mount.dialect} {self.full(file).rstrip('/')}"
        )

    def changed_hints(self) -> dict[str, str]:
        """Return the settings that a file of the mount holds by now, if its dialect follows that file.

        Raise `Unfit` if that file is not what it should be.
        """
        detection = self.dialect.detection
        if not detection.follows_hints or detection.hints is None or self.barred():
            return {}
        if barred := self.barred(os.path.dirname(detection.hints[0])):
            raise barred
        found = read_hints(self.path, detection)
        return {key: value for key, value in found.items() if self.mount.settings.get(key) != value}

    def troubles(self) -> list[tuple[str, Unfit]]:
        """Return what of the mount cannot be used: the folder itself, or the file that tells its settings."""
        if barred := self.barred():
            return [(self.path, barred)]
        try:
            self.changed_hints()
        except Unfit as unfit:
            hints = self.dialect.detection.hints
            return [(self.full(hints[0]) if hints else self.path, unfit)] if unfit.code != UNSETTLED else []
        return []

    def growth(self, file: str) -> Growth:
        """Return how a file of the mount changes."""
        folder, _, name = file.rpartition("/")
        for each in self.watched(has_board_files=self.has_board_files):
            if each.folder == folder and fnmatch.fnmatchcase(name, each.pattern):
                return each.growth
        return Growth.LOG

    def folders(self) -> list[str]:
        """Return the folders that are watched."""
        watched = self.watched(has_board_files=self.has_board_files)
        below = {self.full(each.folder) for each in watched if each.folder}
        return [self.path, *sorted(below)]


def mount_points(root: str, settings: Mapping[str, Mapping[str, object]]) -> list[MountPoint]:
    """Return the mounts of the settings in force, except those of unknown dialects.

    `root` is the folder of the bus.
    """
    project = os.path.realpath(os.path.dirname(root))
    found: list[MountPoint] = []
    for name, each in settings.items():
        fields = {key: value for key, value in each.items() if isinstance(value, str)}
        dialect = fields.get("dialect", "")
        if dialect not in DIALECTS:
            continue
        prefix, agents = fields.get("prefix", ""), fields.get("agents", "").split(",")
        path = placed(root, fields.get("path", ""))
        for key in _OURS:
            fields.pop(key, None)
        point = MountPoint(
            root=root,
            project=project,
            name=name,
            path=path,
            dialect=spec(dialect),
            mount=Mount(dialect=dialect, name=name, settings=fields),
            prefix=prefix,
            agents=tuple(filter(None, agents)),
        )
        found.append(point)
    return found


def read_hints(folder: str, detection: Detection) -> dict[str, str]:
    """Return the settings that a file of the folder holds, if the dialect knows such a file.

    Raise `Unfit` if that file is not what it should be.
    """
    if detection.hints is None:
        return {}
    file, read = detection.hints
    try:
        content, found = read_span(f"{folder}/{file}", 0, CONFIG_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as fault:
        raise Unfit("unreadable", fault.strerror or str(fault), _MEND_HINTS) from fault
    if found.st_size > CONFIG_BYTES:
        raise Unfit("too-large", f"it is longer than {CONFIG_BYTES} bytes", _MEND_HINTS)
    try:
        return read(content.decode("utf-8", "replace"))
    except ValueError as fault:
        if not is_quiet(found):
            raise Unfit(UNSETTLED, "it may still be written to", "wait") from fault
        raise Unfit("bad-settings", str(fault), _MEND_HINTS) from fault


def unknown_dialects(settings: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Return the mounts whose dialect does not exist here, with its name.

    The settings come from the log, which may be foreign, or written by another release.
    """
    named = {name: text(dict(each), "dialect") for name, each in settings.items()}
    return {name: dialect for name, dialect in named.items() if dialect not in DIALECTS}


def placed(root: str, path: str) -> str:
    """Return the absolute folder of a mount; its path is relative to the folder that holds `.palaver`."""
    return os.path.normpath(os.path.join(os.path.realpath(os.path.dirname(root)), os.path.expanduser(path)))


def places_of_files(
    find_root: Callable[[], Root], paths: Mapping[str, str]
) -> dict[str, tuple[MountPoint, str]]:
    """Return the mount of each file that belongs to one of the bus, and its name there.

    `paths` has the path of each file. Without a bus, there are no mounts.
    """
    try:
        root = find_root()
        points = mount_points(root.path, config_store.read(root)[1].mounts)
    except Refusal:
        return {}
    real = {name: os.path.realpath(path) for name, path in paths.items()}
    return {
        name: (each, real[name].removeprefix(f"{each.path}/"))
        for name in paths
        for each in points
        if real[name].startswith(f"{each.path}/")
    }
