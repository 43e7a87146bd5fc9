"""Find in a folder that came from elsewhere what could lead out of it, or hold its reader up.

Only names and kinds are looked at. Nothing is opened but the folders themselves.
"""

import os
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from palaver.files.regular import kind_of


class Irregular(NamedTuple):
    """An entry that is neither a folder nor a file of its own."""

    path: str
    what: str


def find_irregular(folder: str, most: int, twins: str) -> Irregular | None:
    """Return the first such entry below a folder, None if there is none.

    More than `most` entries count as one. In the folder called `twins`, files may have several names.
    """
    count = 0
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in (*folders, *sorted(files)):
            path = f"{place}/{name}"
            try:
                found = os.lstat(path)
            except FileNotFoundError:
                # Git, at work at the same time, has removed its lock.
                continue
            is_file = S_ISREG(found.st_mode)
            if not is_file and not S_ISDIR(found.st_mode):
                return Irregular(path, f"is {kind_of(found.st_mode)}")
            if is_file and found.st_nlink > 1 and not place.startswith(twins):
                return Irregular(path, "is a hard link to a file that is also somewhere else")
            count += 1
            if count > most:
                return Irregular(folder, f"holds more than {most} files")
    return None
