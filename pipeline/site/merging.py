"""One page merged once more, and where its messages have landed.

``merge`` writes both for every page, and the site reads them. It merges by itself in two cases: a
preview shows fuzzy translations, which are in no merged page; and a merged page may come without
the file of its landings. Nothing is written here.
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.adapters import files, po
from pipeline.core.checks.engine import blocking_problem
from pipeline.core.checks.model import Subject
from pipeline.core.document import merge
from pipeline.core.document.landing import Landed, landings_from_json
from pipeline.core.document.markdown import anchors
from pipeline.core.document.merge import Frame, Merged
from pipeline.core.document.reader import Document, read_document
from pipeline.core.pin.lock import page_path
from pipeline.core.results import PageResult
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.errors import GuardError, InputError
from pipeline.site.plan import Site


def landings_of(site: Site, page: PageResult) -> tuple[Landed, ...]:
    """Where every message of a page's document has landed.

    A page that ``merge`` could not write is upstream's: all of its messages stay in English. One
    that cannot be split has none. Raises InputError.
    """
    path = page.files[0].path
    # Without the merged page its landings would be those of an older one.
    if not (site.paths.merged(site.locale) / path).is_file():
        try:
            return merge.merge(_upstream_document(site, path), {}).blocks
        except InputError:
            return ()  # split has told of it; perhaps it can be shown all the same
    file = site.paths.blocks(site.locale) / f"{path}.json"
    if file.is_file():
        try:
            return landings_from_json(files.read_bytes(file), where=str(file))
        except InputError:
            pass  # damaged, or of another version of ours: the documents say the same
    try:
        return merge_again(site, page).blocks
    except GuardError:
        # The merged page is an older one then. Its blocks that are English are shown as blocks.
        return merge.merge(_upstream_document(site, path), {}).blocks


def merge_again(site: Site, page: PageResult, *, with_fuzzy: bool = False) -> Merged:
    """A page's document with the translations that readers see; ``with_fuzzy``, also the others.

    Raises InputError if the document cannot be read, GuardError if it cannot be merged.
    """
    document = _upstream_document(site, page.files[0].path)
    ignored = site.upstream.ignored(page.page)
    shown: list[Entry] = []
    for entry in catalog_entries(site, page.page):
        finished = entry
        if with_fuzzy and not entry.obsolete:
            finished = replace(entry, fuzzy=False)
        # What a check keeps from any page is kept from a preview too.
        if finished.is_translated and blocking_problem(
            Subject(finished, page.page), ignored
        ):
            continue
        shown.append(finished)
    # As ``merge`` chooses them, in all else.
    translations = translations_of(Catalog(entries=tuple(shown)))
    return merge.merge(document, translations, _frame(site, document))


def catalog_entries(site: Site, page: str) -> tuple[Entry, ...]:
    """The entries of a page's catalogue; none if there is none, or one that cannot be read."""
    path = site.paths.catalog(site.locale, page)
    try:
        return po.read_catalog(files.read_bytes(path), where=str(path)).catalog.entries
    except InputError:
        return ()  # update has told of a catalogue that is broken


def _upstream_document(site: Site, path: str) -> Document:
    """A document as it was pulled, in English. Raises InputError."""
    data = files.read_bytes(site.paths.docs / path)
    return read_document(path, data, site.upstream.reading)


def _frame(site: Site, document: Document) -> Frame:
    """The attribution, and the anchors that links of this very page point to.

    ``merge`` knows the links of all pages. Here they are not needed: the site gives every heading
    its English anchor anyway.
    """
    name = page_path(document.path).rpartition(".")[0]
    linked = anchors.linked_anchors((name, unit.split.text) for unit in document.units)
    return Frame(
        attribution=site.attribution(document.path),
        anchors=linked.get(name, frozenset()),
    )
