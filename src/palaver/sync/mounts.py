"""Mounts: a dialect at a folder, with the files that are read there and the names that are used there.

A bare module: `palaver send` on a bus with mounts imports it (see docs/adr/0006).
"""

import os
from _collections_abc import Callable, Iterator, Mapping

from palaver.bus import trust
from palaver.model.dialect import Growth, Mount, Watched
from palaver.model.event import text
from palaver.model.names import is_file_name
from palaver.model.spec import DialectSpec
from palaver.model.value import Value
from palaver.sync.opening import Unfit

Speaks = Callable[[str], DialectSpec]
#: The code of a mount that is outside the project and not allowed on this machine.
OUTSIDE = "outside-project"
# What the bus itself reads of a mount; the rest is the dialect's.
_OURS = ("dialect", "path", "prefix", "agents")
#: The task cards of an office first: its board may be older than they are.
BOARD = (Watched("tasks", "*.json", Growth.STATE), Watched("", "board.json", Growth.STATE))


class Mounted(Value):
    """One mount of a bus."""

    __slots__ = ("agents", "mount", "name", "path", "prefix", "project", "root", "speaks")

    def __init__(
        self,
        *,
        root: str,
        project: str,
        name: str,
        path: str,
        speaks: Speaks,
        mount: Mount,
        prefix: str = "",
        agents: tuple[str, ...] = (),
    ) -> None:
        """Take all that the settings say of it."""
        #: The `.palaver` folder of its bus.
        self.root = root
        #: The folder that holds it, without symbolic links.
        self.project = project
        self.name = name
        #: The folder, absolute.
        self.path = path
        #: Who knows its dialect, which is loaded when something is to be read or written here.
        self.speaks = speaks
        #: What the dialect is told.
        self.mount = mount
        #: What the names of this mount are called by elsewhere: `t2` makes programmer `t2/programmer`.
        self.prefix = prefix
        #: Who lives here by the config.
        self.agents = agents

    @property
    def dialect(self) -> DialectSpec:
        """Return the dialect."""
        return self.speaks(self.mount.dialect)

    @property
    def has_projections(self) -> bool:
        """Tell whether files here are written as a whole, to say what the bus says."""
        return self.has_board or (self.mount.dialect == "vermas" and os.path.isdir(self.full(".work")))

    def full(self, file: str) -> str:
        """Return the path of a file of the mount."""
        return f"{self.path}/{file}"

    def watched(self) -> tuple[Watched, ...]:
        """Return what is read; a bus file of another name is one more."""
        named = self.mount.settings.get("file", "")
        if named and all(named != each.pattern for each in self.dialect.watched):
            return (Watched("", named, Growth.LOG),)
        return (*self.dialect.watched, *BOARD) if self.has_board else self.dialect.watched

    @property
    def has_board(self) -> bool:
        """Tell whether an office keeps its tasks in files here: it has some, or its config says so."""
        if self.mount.dialect != "office":
            return False
        whose = self.mount.settings.get("board", "")
        there = os.path.isfile(self.full("board.json")) or os.path.isdir(self.full("tasks"))
        return whose == "ours" or (there and whose != "theirs")

    def files(self) -> Iterator[tuple[str, Growth]]:
        """Yield the files that are there, in the order in which they are read."""
        there: dict[str, list[str]] = {}
        for each in self.watched():
            folder, growth = each.folder, each.growth
            if folder not in there:
                there[folder] = self._names(folder)
            for name in there[folder]:
                if matches(name, each.pattern) and (growth is not Growth.DROP or not name.startswith(".")):
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
            if each.folder == folder and matches(name, each.pattern):
                return each.growth
        return Growth.LOG

    def folders(self) -> list[str]:
        """Return the folders that are watched."""
        found = {f"{self.path}/{each.folder}" if each.folder else self.path for each in self.watched()}
        return sorted({self.path, *found})


def mounted(root: str, settings: Mapping[str, Mapping[str, object]], speaks: Speaks) -> list[Mounted]:
    """Return the mounts that the settings in force name; `root` is the folder of the bus."""
    return [_one(root, name, dict(each), speaks) for name, each in settings.items()]


def _one(root: str, name: str, settings: dict[str, object], speaks: Speaks) -> Mounted:
    told = {key: value for key, value in settings.items() if key not in _OURS and isinstance(value, str)}
    return Mounted(
        root=root,
        project=os.path.realpath(os.path.dirname(root)),
        name=name,
        path=placed(root, text(settings, "path")),
        speaks=speaks,
        mount=Mount(dialect=text(settings, "dialect"), name=name, settings=told),
        prefix=text(settings, "prefix"),
        agents=tuple(each for each in text(settings, "agents").split(",") if each),
    )


def matches(name: str, pattern: str) -> bool:
    """Tell whether a file is called so: as `fnmatchcase` does, which is loaded for what is no plain `*`."""
    start, star, end = pattern.partition("*")
    if "*" in end or "?" in pattern or "[" in pattern:
        from fnmatch import fnmatchcase

        return fnmatchcase(name, pattern)
    if not star:
        return name == pattern
    return len(name) >= len(start) + len(end) and name.startswith(start) and name.endswith(end)


def placed(root: str, path: str) -> str:
    """Return the folder of a mount: from the folder that holds `.palaver`, if not absolute; `~` is home."""
    return os.path.normpath(os.path.join(os.path.realpath(os.path.dirname(root)), os.path.expanduser(path)))
