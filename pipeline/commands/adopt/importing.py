"""A colleague's catalogue: its translations by msgid, or by digest as the memory has them.

In goes a file of gettext's, out come the rows of its report. No version is looked for: a catalogue
holds the English that it was written for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pipeline.adapters import po
from pipeline.commands.adopt.copies import CopyFile
from pipeline.commands.adopt.filling import Filling
from pipeline.commands.adopt.versions import Versions
from pipeline.core.adoption.evidence import HAN
from pipeline.core.adoption.history import Version, only_version
from pipeline.core.adoption.result import AdoptedCopy
from pipeline.core.catalog.origins import Copy
from pipeline.core.memory.record import digest
from pipeline.core.memory.redact import restore
from pipeline.core.pin.lock import Page
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError

_DIGEST = re.compile(r"[0-9a-f]{32}")
_FEWEST = 0.02  # share of its entries that must be of upstream's text


def import_catalog(
    file: CopyFile,
    filling: Filling,
    versions: Versions,
    origin: Callable[[str, Version], Copy],
) -> AdoptedCopy:
    """Take in the translations of a catalogue.

    Raises InputError if it is none, has no Chinese, or is not of upstream's text.
    """
    catalog = po.read_catalog(file.text.encode(), where=file.name).catalog
    entries = [entry for entry in catalog.entries if HAN.search(entry.msgstr)]
    if not entries:
        raise InputError(
            "has no Chinese translation",
            where=file.name,
            hint="Give a catalogue whose msgstr are filled in.",
        )
    known = _known_texts(filling, versions, catalog)
    opened = (_opened(entry, known) for entry in entries)
    readable = [entry for entry in opened if entry is not None]
    page = _page_of(readable, filling)
    if not page or len(readable) < _FEWEST * len(entries):
        raise InputError(
            f"is of another project: none of its {len(entries)} translations is of upstream's text",
            where=file.name,
            hint="Give a catalogue of these docs, with upstream's English or its digests as msgid.",
        )
    # Nobody says which version a colleague had, and nothing needs to know it.
    pin = versions.lock
    version = only_version(Page(name=page, files=()), pin.commit, pin.date)
    rows = filling.fill_catalog(readable, origin(file.name, version))
    return AdoptedCopy(
        file=file.name,
        form=file.shown_form,
        encoding=file.encoding,
        page=page,
        rows=rows,
    )


def _known_texts(
    filling: Filling, versions: Versions, catalog: Catalog
) -> dict[str, str]:
    """Return English by digest: of all catalogues, and of the page that the header names.

    The history is read only if there are digests that no catalogue knows.
    """
    texts: dict[str, str] = {}
    for known in filling.catalogs.values():
        for entry in known.entries:
            for text in filter(None, (entry.msgid, entry.previous)):
                texts[digest(text)] = text
    codes = {entry.msgid for entry in catalog.entries if _DIGEST.fullmatch(entry.msgid)}
    page = catalog.header.get("Project-Id-Version", "").rpartition(" ")[2]
    if not codes <= texts.keys():
        for candidate in versions.candidates(versions.history.family(page)):
            for block in candidate.blocks:
                texts[digest(block.text)] = block.text
    return texts


def _opened(entry: Entry, known: Mapping[str, str]) -> Entry | None:
    """Return an entry with its English; None if it has digests that nobody knows.

    Marks of long atoms in its Chinese become those of the English again.
    """
    code = entry.written_for
    if not _DIGEST.fullmatch(code):
        return entry
    english = known.get(code)
    chinese = restore(entry.msgstr, english)
    if english is None or chinese is None:
        return None
    return replace(entry, msgid=english, msgstr=chinese, fuzzy=False, previous=None)


def _page_of(entries: Sequence[Entry], filling: Filling) -> str:
    """Return the page that most of the entries are of; empty if they are of none.

    A colleague's file may be called anything, and have entries of several pages.
    """
    texts = {entry.written_for for entry in entries}
    votes: Counter[str] = Counter()
    for page, catalog in sorted(filling.catalogs.items(), reverse=True):
        votes[page] = sum(entry.msgid in texts for entry in catalog.entries)
    page = max(votes, key=votes.__getitem__, default="")
    return page if votes[page] else ""
