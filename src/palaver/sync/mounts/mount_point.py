"""A mount of a bus: a dialect at a folder, with the files that are read there and the names used there."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from palaver.bus import trust
from palaver.dialects import spec
from palaver.model.dialect import Growth, Mount, Watched
from palaver.model.event import text
from palaver.model.names import is_file_name
from palaver.model.spec import DialectSpec
from palaver.sync.opening import Unfit

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
    #: What the dialect is told.
    mount: Mount
    #: What the names of this mount are called by elsewhere: `t2` makes programmer `t2/programmer`.
    prefix: str = ""
    #: Who lives here by the config.
    agents: tuple[str, ...] = ()

    @property
    def dialect(self) -> DialectSpec:
        """Return the spec of its dialect."""
        return spec(self.mount.dialect)

    def full(self, file: str) -> str:
        """Return the path of a file of the mount."""
        return f"{self.path}/{file}"

    def watched(self) -> tuple[Watched, ...]:
        """Return what is read; a bus file of another name is one more."""
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
        """Yield the files that are there, in the order in which they are read."""
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
        """Return why nothing is read or written in a folder of the mount, if that is so.

        A link could lead anywhere; whoever wants it there mounts the place itself.
        """
        if forbidden := self.forbidden():
            return forbidden
        if os.path.realpath(self.path) != self.path:
            return Unfit("symlink", "the mount is behind a symbolic link", "mount the place that it leads to")
        if not os.path.isdir(self.path):
            way_out = f"bring it back, or: palaver mount remove {self.name}"
            return Unfit("gone", "the folder of the mount is not there", way_out)
        if folder and os.path.islink(self.full(folder)):
            return Unfit("symlink", "it is a symbolic link", "put the folder itself there")
        return None

    def forbidden(self) -> Unfit | None:
        """Return why the settings of the mount may not be followed, if that is so.

        They are checked whenever they are used, not only when they are read: the log may be a foreign one.
        """
        file = self.mount.settings.get("file", "")
        if file and not is_file_name(file):
            return Unfit(
                "bad-file-name", f"the setting file = {file!r} is no plain file name", "mend the config"
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
    """Return the mounts that the settings in force name; `root` is the folder of the bus."""
    return [_mount_point(root, name, dict(each)) for name, each in settings.items()]


def _mount_point(root: str, name: str, settings: dict[str, object]) -> MountPoint:
    told = {key: value for key, value in settings.items() if key not in _OURS and isinstance(value, str)}
    return MountPoint(
        root=root,
        project=os.path.realpath(os.path.dirname(root)),
        name=name,
        path=placed(root, text(settings, "path")),
        mount=Mount(dialect=text(settings, "dialect"), name=name, settings=told),
        prefix=text(settings, "prefix"),
        agents=tuple(each for each in text(settings, "agents").split(",") if each),
    )


def placed(root: str, path: str) -> str:
    """Return the folder of a mount: from the folder that holds `.palaver`, if not absolute; `~` is home."""
    return os.path.normpath(os.path.join(os.path.realpath(os.path.dirname(root)), os.path.expanduser(path)))
