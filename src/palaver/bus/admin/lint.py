"""Lint: what is wrong with files of the five protocols. No bus is needed; the settings of a mount are used.

Files of one protocol are judged together, because some rules need two of them: a handoff, and the
assignment that names it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from palaver.model.errors import BadArguments, NotFound
from palaver.model.mounted_files import Finding, Mount, Parsed, Provenance, Source
from palaver.model.spec import DialectSpec

# What a dialect must see of a file to recognise it.
HEAD_BYTES = 4_096


def recognised(
    path: str, content: bytes, dialects: Mapping[str, DialectSpec], option: str = "--dialect"
) -> DialectSpec:
    """Return the dialect of a file, by its path and first bytes; refuse, and name the option that says it."""
    sure = {name: dialect.recognises(path, content[:HEAD_BYTES]) for name, dialect in dialects.items()}
    best = max(sure.values(), default=0)
    names = [name for name, score in sure.items() if score == best]
    if not best:
        raise BadArguments(
            f"cannot tell the dialect of {path}", "neither its name nor its content says", f"use {option} D"
        )
    if len(names) > 1:
        raise BadArguments(
            f"cannot tell the dialect of {path}", f"it could be {' or '.join(names)}", f"use {option} D"
        )
    return dialects[names[0]]


def likely(path: str, content: bytes, dialects: Mapping[str, DialectSpec]) -> bool:
    """Return True if a dialect recognises a file for certain, so that it need not be named."""
    return any(dialect.recognises(path, content[:HEAD_BYTES]) > 1 for dialect in dialects.values())


def named(name: str, dialects: Mapping[str, DialectSpec]) -> DialectSpec:
    """Return the dialect of this name, or refuse."""
    if name not in dialects:
        raise NotFound(f"there is no dialect '{name}'", "", f"use one of {', '.join(dialects)}")
    return dialects[name]


def judged(
    files: Sequence[tuple[str, bytes]],
    dialects: Mapping[str, DialectSpec],
    forced: str = "",
    mounts: Mapping[str, Mount] = MappingProxyType({}),
    is_ours: Callable[[str, bytes], bool] = lambda *_: False,
    *,
    is_known: Callable[[str, str], bool] = lambda *_: False,
) -> list[Finding]:
    """Return what the parsers and the rules find in the files, by file and line.

    `mounts` has the mount of each file that belongs to one: its settings name the agents, for example.
    `is_ours` says by path and bytes which entries the bus wrote itself: it does not judge its own lines.
    `is_known` says by path and name whom the bus knows; those to whom the files belong are known anyway.
    """
    by_dialect: dict[str, dict[str, tuple[Source, Parsed]]] = {}
    paths = [path for path, _ in files]
    for path, content in files:
        dialect = named(forced, dialects) if forced else recognised(path, content, dialects)
        mount = mounts.get(path)
        if mount is None or mount.dialect != dialect.name:
            mount = Mount(dialect=dialect.name)
        owners = frozenset(dialect.residents(mount, paths))
        source = Source(
            path=path,
            content=content,
            mount=mount,
            provenance=Provenance.NONE,
            is_known=partial(_is_somebody, owners, partial(is_known, path)),
        )
        by_dialect.setdefault(dialect.name, {})[path] = (source, dialect.parse(source))
    findings: set[Finding] = set()
    for name, group in by_dialect.items():
        together = {path: parsed for path, (_, parsed) in group.items()}
        for source, parsed in group.values():
            found = {*parsed.findings}
            for rule in dialects[name].rules:
                found.update(rule.check(source, parsed, together))
            findings |= _about_others(found, source, parsed, is_ours)
    return sorted(findings, key=lambda f: (f.place.path, f.place.line, f.place.offset, f.code, f.message))


def _is_somebody(owners: frozenset[str], is_known: Callable[[str], bool], name: str) -> bool:
    return name in owners or is_known(name)


def _about_others(
    findings: set[Finding], source: Source, parsed: Parsed, is_ours: Callable[[str, bytes], bool]
) -> set[Finding]:
    """Return the findings about entries that the bus did not write."""
    ends = {piece.start: piece.start + piece.length for piece in parsed.pieces}

    def entry(finding: Finding) -> bytes:
        start = finding.place.offset
        return source.content[start : ends.get(start, start)]

    return {finding for finding in findings if not is_ours(source.path, entry(finding))}
