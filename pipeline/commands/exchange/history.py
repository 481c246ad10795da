"""What git knows of a catalogue that came back without an export of ours.

In go its entries, out come the version of ours that it was made from, and what became of its page.
The versions are those of the memory. Where git has none nothing is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from pipeline.core.catalog.exchange import Words
from pipeline.core.memory.opening import open_memory
from pipeline.entries import Catalog, Entry
from pipeline.filenames import fault_of_path
from pipeline.run import Run
from pipeline.stages.update.checkouts import memories_in_git
from pipeline.stages.update.files import CatalogFiles
from pipeline.stages.update.rebuild import texts_in
from pipeline.stages.update.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The version of ours that a catalogue was made from, and all translations of any version."""

    base: Catalog | None  # None if git has none
    words: Set[Words]


def history_of(
    run: Run, locale: str, page: str, *, ours: Catalog, theirs: Sequence[Entry]
) -> History:
    """Return what git knows of the catalogue ``theirs``.

    It was made from the version that has most of its translations; of several, the newest.
    """
    texts = texts_in(ours) | texts_in(Catalog(entries=tuple(theirs)))
    returned = _words(theirs)
    best: Catalog | None = None
    most = -1
    known: set[Words] = set()
    for memory in memories_in_git(Workspace.of(run, locale), page):
        version = open_memory(memory, (), texts=texts, header={}).catalog
        words = _words(version.entries)
        known |= words
        if len(words & returned) > most:
            best, most = version, len(words & returned)
    return History(base=best, words=known)


def _words(entries: Iterable[Entry]) -> set[Words]:
    return {
        (entry.context, entry.msgid, entry.msgstr) for entry in entries if entry.msgstr
    }


def is_gone(run: Run, locale: str, page: str) -> bool:
    """Return whether ``page`` has no catalogue any more, and git knows that it had a memory.

    The name comes from a stranger's file.
    """
    if fault_of_path(page) or run.paths.catalog(locale, page).exists():
        return False
    return any(memories_in_git(Workspace.of(run, locale), page))


def successor_of(run: Run, locale: str, page: str, entries: Sequence[Entry]) -> str:
    """Return the page that has most of the messages of one that is gone, or ``page`` itself.

    Upstream has renamed it, if most of them stand on one page now.
    """
    messages = _live(entries)
    files = CatalogFiles(run=run, locale=locale)
    files.read_all()
    shared = Counter(
        {
            name: len(messages & _live(catalog.entries))
            for name, catalog in files.catalogs.items()
        }
    )
    ((name, count),) = shared.most_common(1) or [(page, 0)]
    return name if count * 2 > len(messages) else page


def _live(entries: Iterable[Entry]) -> set[str]:
    return {entry.msgid for entry in entries if not entry.obsolete}
