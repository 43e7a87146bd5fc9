"""A mount of a bus: a dialect at a folder, with the files that are read there and the names used there."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from palaver.bus import trust
from palaver.dialects import DIALECTS, spec
from palaver.model.dialect import Growth, Mount, Watched
from palaver.model.event import text
from palaver.model.names import is_file_name
from palaver.model.spec import DialectSpec
from palaver.sync.foreign_file import Unfit

#: The code of a mount that is outside the project and not allowed on this machine.
OUTSIDE = "outside-project"
# The settings that the bus itself reads; the others are for the dialect.
_OURS = ("dialect", "path", "prefix", "agents")


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

    def watched(self) -> tuple[Watched, ...]:
        """Return the files that are read: those of the dialect, or the one that the setting `file` names."""
        named = self.mount.settings.get("file", "")
        if named and all(named != each.pattern for each in self.dialect.watched):
            return (Watched("", named, Growth.LOG),)
        if not self.has_board_files:
            return self.dialect.watched
        shown = (each.watched for each in self.dialect.board_files.codecs)
        return tuple(dict.fromkeys((*self.dialect.watched, *shown)))

    @property
    def has_board_files(self) -> bool:
        """Return True if the mount has files that show the board."""
        files = self.dialect.board_files
        return bool(files.codecs) and files.are_kept(self.mount, lambda file: os.path.exists(self.full(file)))

    def files(self) -> Iterator[tuple[str, Growth]]:
        """Yield the files that exist, in the order in which they are read."""
        there: dict[str, list[str]] = {}
        for each in self.watched():
            folder, growth = each.folder, each.growth
            if folder not in there:
                there[folder] = self._names(folder)
            for name in there[folder]:
                if fnmatchcase(name, each.pattern) and (
                    growth is not Growth.DROP or not name.startswith(".")
                ):
                    yield (f"{folder}/{name}" if folder else name), growth

    def _names(self, folder: str) -> list[str]:
        try:
            return [] if self.barred(folder) else sorted(os.listdir(self.full(folder)))
        except OSError:
            return []

    def barred(self, folder: str) -> Unfit | None:
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

    def growth(self, file: str) -> Growth:
        """Return how a file of the mount changes."""
        folder, _, name = file.rpartition("/")
        for each in self.watched():
            if each.folder == folder and fnmatchcase(name, each.pattern):
                return each.growth
        return Growth.LOG

    def folders(self) -> list[str]:
        """Return the folders that are watched."""
        found = {f"{self.path}/{each.folder}" if each.folder else self.path for each in self.watched()}
        return sorted({self.path, *found})


def mount_points(root: str, settings: Mapping[str, Mapping[str, object]]) -> list[MountPoint]:
    """Return the mounts of the settings in force, except those of unknown dialects.

    `root` is the folder of the bus.
    """
    unknown = unknown_dialects(settings)
    return [_mount_point(root, name, dict(each)) for name, each in settings.items() if name not in unknown]


def unknown_dialects(settings: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Return the mounts whose dialect does not exist here, with its name.

    The settings come from the log, which may be foreign, or written by another release.
    """
    named = {name: text(dict(each), "dialect") for name, each in settings.items()}
    return {name: dialect for name, dialect in named.items() if dialect not in DIALECTS}


def _mount_point(root: str, name: str, settings: dict[str, object]) -> MountPoint:
    own = {key: value for key, value in settings.items() if key not in _OURS and isinstance(value, str)}
    mount = Mount(dialect=text(settings, "dialect"), name=name, settings=own)
    return MountPoint(
        root=root,
        project=os.path.realpath(os.path.dirname(root)),
        name=name,
        path=placed(root, text(settings, "path")),
        dialect=spec(mount.dialect),
        mount=mount,
        prefix=text(settings, "prefix"),
        agents=tuple(each for each in text(settings, "agents").split(",") if each),
    )


def placed(root: str, path: str) -> str:
    """Return the absolute folder of a mount; its path is relative to the folder that holds `.palaver`."""
    return os.path.normpath(os.path.join(os.path.realpath(os.path.dirname(root)), os.path.expanduser(path)))
