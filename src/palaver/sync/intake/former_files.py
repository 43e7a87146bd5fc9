"""What a file was before: it may have been renamed, or its folder mounted under another name.

A file is known by its place on the disk as well as by its name, so nothing is recorded a second time because
somebody calls it differently.
"""

import os
from collections.abc import Callable

from palaver.model.event import REPLACED, ROTATED, original_file
from palaver.sync.intake.file_events import hashed
from palaver.sync.intake.mount_intake import MountIntake
from palaver.views.files import known_files
from palaver.views.files.known_files import KnownFile


def former_files(
    intake: MountIntake, file: str, mark: str, content: Callable[[int, int], bytes]
) -> list[KnownFile]:
    """Return what the log has of a file under other names, or in earlier mounts of its folder.

    A file that was deleted may have left its inode to another one. So a file that is known by its inode alone
    must still have the last bytes that were read. A replaced file is kept for what it gains, and for no more.
    """
    if file.startswith(REPLACED):
        return []
    mounted = intake.mounted
    found: dict[int, KnownFile] = {}
    for each in known_files.former(intake.db, mounted.name, mounted.path, file, mark):
        has_last_bytes = each.length and hashed(content(each.offset, each.length)) == each.sha
        if each.file.startswith(REPLACED) or (each.file != file and not has_last_bytes):
            continue
        found[each.number] = each
        original = intake.sources.get(original_file(each.file)) if each.file.startswith(ROTATED) else None
        if original is not None and original.file != file:
            # What was read before the rotation is among what that file held.
            found[original.number] = original
    return [*found.values()]


def find_renamed(intake: MountIntake, file: str, mark: str) -> str:
    """Return the path of a file that had the place of `file`, and was renamed in its folder; else nothing.

    If its new name is one that the dialect reads, it is a file like any other.
    """
    device, _, inode = mark.partition(":")
    folder = os.path.dirname(intake.mounted.full(file))
    read = {intake.mounted.full(name) for name, _ in intake.listing.files}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if str(entry.inode()) == inode and entry.path not in read:
                    found = entry.stat(follow_symlinks=False)
                    return entry.path if str(found.st_dev) == device else ""
    except OSError:
        # The folder, or the file, is gone.
        return ""
    return ""
