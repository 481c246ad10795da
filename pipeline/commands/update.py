"""Split and update for one locale, limited to pages that changed since the last run.

The input is all pages of the run; the output is their rows, partly from memos. Either no catalogue
is read or all of them are, because an update looks for texts that moved between pages.

Three memos record earlier results:

``updated`` has the pages whose catalogue is up to date. Its key covers our code, the configuration,
the page's documents, catalogues and memory. For a settled page (every message translated) only its
own catalogue and memory count, since it takes nothing from other pages. For any other page all
catalogues count: while they are unchanged, an update finds nothing new in them. Those of dropped
pages count for every page.

``merged`` has the merge result of each page, ``common`` the commit checked out in git.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from pipeline.adapters.memo import Memo, code_digest, digest_of
from pipeline.adapters.version_control import checked_out, tracked_though_ignored
from pipeline.core.pin.lock import Lock, Page
from pipeline.core.results import PageResult
from pipeline.stages.merge.files import MergedPage
from pipeline.stages.update.locale import Locale

if TYPE_CHECKING:
    from pipeline.core.catalog.update import Updated
    from pipeline.core.document.reader import SplitPage


# These libraries parse pages and catalogues or compare texts; a new version may change results.
_LIBRARIES = ("docutils", "markdown-it-py", "mdit-py-plugins", "polib", "rapidfuzz")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatedPage:
    """Page with an up-to-date catalogue.

    ``row`` is the result of split and update; ``links`` are the targets of its links. ``merged`` is
    the row after a merge, if there was one: it counts refused translations as missing.
    ``is_settled`` means that no other catalogue can change the page.
    """

    row: PageResult
    is_settled: bool = False
    links: tuple[tuple[str, str], ...] = ()  # page and fragment
    merged: PageResult | None = None


class LocaleMemos:
    """Memos of one locale.

    A run of a few pages reads the memos but does not save them, because it knows nothing of the
    other pages.
    """

    def __init__(self, locale: Locale) -> None:
        """Open the memos. Entries of another version of our code are ignored."""
        run, name = locale.run, locale.name
        self._run = run
        self._locale = locale
        # Relative to the root, like the paths in ``changes``.
        self._catalogs = run.shown(run.paths.catalogs(name))
        self._memories = run.shown(run.paths.memories(name))
        self.code = digest_of(code_digest(_LIBRARIES), repr(run.upstream), name)
        self.merged = Memo(run.paths.memo(name, "merged"), MergedPage)
        self._updated = Memo(run.paths.memo(name, "updated"), UpdatedPage)
        self._common = Memo(run.paths.memo(name, "common"), str)

    def up_to_date(self, pages: Sequence[Page]) -> dict[str, UpdatedPage]:
        """Return, by name, those of ``pages`` whose catalogue is up to date.

        Return nothing if a page was dropped since: others may reuse its texts, so all are updated.
        """
        digests = self._locale.digests()
        # After a checkout, git may have replaced catalogues by versions that look unchanged.
        root = self._run.settings.root
        is_elsewhere = self._common.get("HEAD", checked_out(root)) is None
        if is_elsewhere and tracked_though_ignored(root, self._catalogs):
            return {}
        keys = self._keys(pages, digests)
        found: dict[str, UpdatedPage] = {}
        for page in pages:
            known = self._updated.get(page.name, *keys[page.name])
            if known is not None:
                found[page.name] = known
        # A row without files is a page dropped in an earlier run, kept for its findings.
        names = {page.name for page in pages}
        for name, known in self._updated.items():
            if name not in names and known.row.files:
                return {}
        return found

    def dropped(self) -> tuple[PageResult, ...]:
        """Return the recorded rows of catalogues whose page was dropped; they have no files."""
        return tuple(
            known.row for _, known in self._updated.items() if not known.row.files
        )

    def links_elsewhere(self, pages: Sequence[Page]) -> list[tuple[str, str]]:
        """Return page and fragment of each link on pages outside ``pages``, from the last full run.

        Empty for a run of all pages: the memo has then only pages that no longer exist.
        """
        if not self._run.pages:
            return []
        names = {page.name for page in pages}
        links: list[tuple[str, str]] = []
        for name, known in self._updated.items():
            if name not in names:
                links += known.links
        return links

    def record(
        self,
        pages: Sequence[Page],
        updated: Mapping[str, UpdatedPage],
        dropped: Sequence[PageResult],
    ) -> None:
        """Record all pages of ``updated``. Call it after everything is written.

        The digests are those of the files as this run has read or written them, because a person
        may have saved one since. A dry run and a run of a few pages record nothing.
        """
        if self._run.dry or self._run.pages:
            return
        keys = self._keys(pages, self._locale.digests())
        for name, known in updated.items():
            key = keys[name].settled if known.is_settled else keys[name].unsettled
            self._updated.put(name, key, known)
        # Dropped pages need no key: only their presence is checked.
        for row in dropped:
            self._updated.put(row.page, "", UpdatedPage(row=replace(row, update=None)))
        self._updated.keep_only([*updated, *(row.page for row in dropped)])
        self.merged.keep_only(updated)
        self._common.put("HEAD", checked_out(self._run.settings.root), "")
        self._common.save()
        self._updated.save()
        self.merged.save()

    def _keys(
        self, pages: Sequence[Page], digests: Mapping[str, str]
    ) -> dict[str, _Keys]:
        """Return the keys of each page. ``digests`` are those of all catalogues and memories."""
        folders = (self._catalogs, self._memories)
        own = {
            page.name: tuple(f"{folder}/{page.name}.po" for folder in folders)
            for page in pages
        }
        # Texts may move between any two pages, also from pages that upstream has dropped.
        every = _digest_of_files(digests, digests)
        others = _digest_of_files(
            digests, digests.keys() - chain.from_iterable(own.values())
        )
        keys: dict[str, _Keys] = {}
        for page in pages:
            documents = digest_of(self.code, repr(page.files))
            files = " ".join(digests.get(path, "") for path in own[page.name])
            keys[page.name] = _Keys(
                settled=f"{documents} {files} {others}",
                unsettled=f"{documents} {every}",
            )
        return keys


class _Keys(NamedTuple):
    """Keys of a page in ``updated``, as a settled and as an unsettled page."""

    settled: str
    unsettled: str


def _digest_of_files(digests: Mapping[str, str], paths: Iterable[str]) -> str:
    return digest_of(
        *chain.from_iterable((path, digests[path]) for path in sorted(paths))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatedLocale:
    """Pages of one locale after their update.

    ``splits`` are the pages that this run has read; ``updates`` what it did with their catalogues.
    """

    pages: Mapping[str, UpdatedPage]
    # Rows of pages that upstream has dropped.
    dropped: tuple[PageResult, ...]
    splits: Mapping[str, SplitPage] = field(default_factory=dict)
    updates: Mapping[str, Updated] = field(default_factory=dict)


def update_locale(
    locale: Locale,
    pages: Sequence[Page],
    memos: LocaleMemos,
    *,
    lock: Lock,
    thorough: bool = False,
) -> UpdatedLocale:
    """Update the catalogues of ``pages`` and return their rows.

    A ``thorough`` run reads all of them, also the unchanged ones, and counts their entries.
    """
    run = locale.run
    found = memos.up_to_date(pages)
    # A user who names pages wants them updated, whatever the memo has.
    if thorough or run.pages:
        found = {}
    stale = [page for page in pages if page.name not in found]
    if not stale:
        run.log.note(f"nothing changed for {locale.name} since the last run")
        return UpdatedLocale(pages=found, dropped=memos.dropped())
    # Imported late: parsers and matchers are slow to load, and an unchanged run needs none.
    from pipeline.core.catalog.counts import count_catalog, is_settled, with_classes
    from pipeline.stages.split import split
    from pipeline.stages.update.stage import update

    splits = split(run, stale)
    updates = update(locale, splits, lock)
    # The same counts as after a merge, for commands that do not merge.
    for page in splits:
        name = page.page.name
        catalog = locale.shown_catalog(name)
        reported = locale.findings_of(name)
        row = PageResult(
            page=name,
            files=page.page.files,
            title=page.title,
            findings=(*page.findings, *reported),
        )
        found[name] = UpdatedPage(
            row=with_classes(count_catalog(row, catalog), catalog),
            links=_links_of(page),
            # Findings of an update are reported once, so the next run must look at the page again.
            is_settled=not reported and is_settled(catalog),
        )
    return UpdatedLocale(
        pages=found,
        splits={page.page.name: page for page in splits},
        updates=updates,
        dropped=_dropped(locale, updates, found),
    )


def _links_of(page: SplitPage) -> tuple[tuple[str, str], ...]:
    """Return the (page, fragment) pairs that the links on ``page`` point to, sorted.

    Links to whole pages are left out, because they do not depend on any heading.
    """
    from pipeline.core.document.markdown.anchors import linked_anchors

    texts: list[tuple[str, str]] = []
    for document in page.documents:
        # A link may point to its own page.
        texts += [(page.page.name, unit.split.text) for unit in document.units]
    links: list[tuple[str, str]] = []
    for target, fragments in linked_anchors(texts).items():
        links += [(target, fragment) for fragment in fragments]
    return tuple(sorted(links))


def _dropped(
    locale: Locale, updates: Mapping[str, Updated], pages: Mapping[str, UpdatedPage]
) -> tuple[PageResult, ...]:
    """Return the rows of catalogues whose page is not in ``pages``."""
    from pipeline.core.catalog.counts import update_counts

    names = {*locale.findings, *updates} - pages.keys()
    rows = []
    for name in sorted(names):
        findings = locale.findings_of(name)
        counts = update_counts(updates.get(name))
        rows.append(PageResult(page=name, findings=findings, update=counts))
    return tuple(rows)
