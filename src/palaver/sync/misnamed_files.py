"""Files that are meant as files of a protocol, but have another name: nobody reads them, and that is told.

Their lines are no messages.
"""

from palaver.model.limits import BLOCK_BYTES
from palaver.model.mounted_files import Provenance, Source
from palaver.sync.foreign_file import Unfit, is_quiet, read_span
from palaver.sync.intake.file_events import FilePlace, LineNote
from palaver.sync.intake.mount_intake import ChangedFile, MountIntake
from palaver.views.query import has_own_key


def report_misnamed(intake: MountIntake, file: ChangedFile) -> bool:
    """Report a file once if its name is wrong; return False if it is too early to tell.

    A file that was just written may be the copy of an editor, which renames it.
    """
    mounted, resolver = intake.mounted, intake.resolver
    key = f"misnamed:{mounted.name}:{file.name}"
    if has_own_key(intake.db, key):
        return True
    try:
        content, found = read_span(file.path, 0, BLOCK_BYTES)
    except Unfit:
        # It is none of our files.
        return True
    # What was there before the mount is in the summary; what is added to it is news.
    key_of_history = f"{key}:{found.st_size}"
    if has_own_key(intake.db, key_of_history):
        return True
    if not (intake.history or is_quiet(found)):
        return False
    source = Source(
        path=file.name,
        content=content,
        mount=mounted.mount,
        provenance=Provenance.NONE,
        is_known=resolver.names.is_known,
    )
    misnamed = mounted.dialect.misnamed
    meant = misnamed.find(source)
    if meant is None:
        return True
    author, registered = resolver.known_author(meant.author) if not intake.history else ("", [])
    note = LineNote(
        code=misnamed.code,
        said=meant.message,
        fix=meant.fix,
        line=1,
        rule=next((rule.name for rule in mounted.dialect.rules if rule.code == misnamed.code), ""),
        author=author,
        others=tuple(each for each in (resolver.caretaker,) if author and each != author),
        wrong=file.name,
    )
    place = FilePlace(mount=mounted.name, file=file.name, gen=0, history=intake.history)
    noted = resolver.findings.note(place, note)
    for each in noted:
        each.key = key_of_history if intake.history else key
    intake.batch.drafts += [*registered, *noted]
    return True
