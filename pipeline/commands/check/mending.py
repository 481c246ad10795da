"""Mend what needs no judgement in a catalogue.

A file goes in; it is written only if mending changes it, and if nobody has saved it meanwhile. One
of ours gets our layout and header as well. In one of another project nothing changes but the
translations that are mended.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pipeline.adapters import po
from pipeline.adapters.files import replace_if_unchanged
from pipeline.commands.check.catalogs import ReadFile, wanted_header
from pipeline.core.checks.run import fix_entry
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.log import Log

_Key = tuple[str | None, str]  # msgctxt and msgid


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A catalogue after mending. ``diff`` is empty if the file stays as it was."""

    read: ReadFile
    diff: str = ""


def mend(read: ReadFile, log: Log) -> Mended:
    """Mend what needs no judgement, and write the file if that changes it."""
    file = read.file
    mended = _mended_msgstrs(read)
    data = _ours(read, mended) if file.is_ours else _of_others(read, mended)
    if data == read.data:
        return Mended(read=read)
    # Read again: lines have moved, and findings name them. What cannot be read is not written.
    try:
        again = po.read_catalog(data, where=file.name, takes_plurals=not file.is_ours)
    except InputError:
        return Mended(read=read)
    if not replace_if_unchanged(file.path, data, before=read.data):
        log.warn(
            f"{file.name} was saved by someone else meanwhile: it is left as it is"
        )
        return Mended(read=read)
    new = ReadFile(file=file, data=data, catalog=again.catalog)
    return Mended(read=new, diff=_diff(file.name, read.data, data))


def _mended_msgstrs(read: ReadFile) -> dict[_Key, str]:
    """What becomes of the finished translations that can be mended.

    Fuzzy ones are a person's to look at, obsolete ones nobody's, and plural forms a program's.
    """
    checks = read.checks.checks
    mended: dict[_Key, str] = {}
    for subject in read.subjects:
        msgstr = fix_entry(subject, checks)
        if msgstr != subject.entry.msgstr:
            mended[_key(subject.entry)] = msgstr
    return mended


def _key(entry: Entry) -> _Key:
    """What an entry of a catalogue is told by."""
    return entry.context, entry.msgid


def _ours(read: ReadFile, mended: Mapping[_Key, str]) -> bytes:
    """One of our catalogues with mended translations, in our layout, with a complete header."""
    entries: list[Entry] = []
    for entry in read.catalog.entries:
        msgstr = mended.get(_key(entry), entry.msgstr)
        entries.append(replace(entry, msgstr=msgstr))
    return po.format_catalog(
        replace(read.catalog, header=wanted_header(read), entries=tuple(entries))
    )


def _of_others(read: ReadFile, mended: Mapping[_Key, str]) -> bytes:
    """The bytes of another project's catalogue, with mended translations and all else as it was."""
    lines: dict[int, str] = {}
    for entry in read.catalog.entries:
        if _key(entry) in mended:
            lines[entry.line] = mended[_key(entry)]
    return po.replace_msgstrs(read.data, lines)


def _diff(name: str, old: bytes, new: bytes) -> str:
    """What mending has changed, as ``git diff`` would show it."""
    lines = difflib.unified_diff(
        old.decode("utf-8", "replace").split("\n"),
        new.decode("utf-8", "replace").split("\n"),
        f"a/{name}",
        f"b/{name}",
        n=2,
        lineterm="",
    )
    return "".join(f"{line}\n" for line in lines)
