"""Split and update for one locale, limited to pages that changed since the last run.

The input is all pages of the run; the output is their rows, partly from memos. Either no catalogue
is read or all of them are, because an update looks for texts that moved between pages.

Three memos record earlier results:

``updated`` has the pages whose catalogue is up to date. Its key covers our code, the configuration,
the page's documents, catalogues and memory. For a settled page (every message translated) only its
own catalogue and memory count, since it takes nothing from other pages. For any other page all
catalogues count: while they are unchanged, an update finds nothing new in them.

``merged`` has the merge result of each page. ``common`` has what belongs to no page: the commit
checked out in git, and the files of dropped pages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from pipeline.adapters.memo import Memo, code_digest, digest_of, digests_of_files
from pipeline.adapters.version_control import checked_out, tracked_though_ignored
from pipeline.core.pin.lock import Lock, Page
from pipeline.core.results import PageResult
from pipeline.entries import Catalog
from pipeline.run import Run
from pipeline.stages.merge.files import MergedPage

if TYPE_CHECKING:
    from pipeline.core.catalog.update import Catalogs
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

    def __init__(self, run: Run, locale: str) -> None:
        """Open the memos. Entries of another version of our code are ignored."""
        self._run = run
        # Relative to the root, like the paths in ``changes``.
        self._catalogs = run.shown(run.paths.catalogs(locale))
        self._memories = run.shown(run.paths.memories(locale))
        self.code = digest_of(code_digest(_LIBRARIES), repr(run.upstream), locale)
        self.merged = Memo(run.paths.memo(locale, "merged"), MergedPage)
        self._updated = Memo(run.paths.memo(locale, "updated"), UpdatedPage)
        self._common = Memo(run.paths.memo(locale, "common"), str)
        self._before: dict[str, str] = {}  # digests at the time of ``updated``

    def up_to_date(self, pages: Sequence[Page]) -> dict[str, UpdatedPage]:
        """Return, by name, those of ``pages`` whose catalogue is up to date.

        Return nothing if a page was dropped since: others may reuse its texts, so all are updated.
        """
        self._before = self._digests()
        # After a checkout, git may have replaced catalogues by versions that look unchanged.
        root = self._run.settings.root
        is_elsewhere = self._common.get("HEAD", checked_out(root)) is None
        if is_elsewhere and tracked_though_ignored(root, self._catalogs):
            return {}
        # Catalogues of dropped pages may have changed or been removed.
        others = self._key_of_others(pages, self._before)
        if self._common.get("others", others) is None:
            return {}
        every = self._key_of_all(self._before)
        found: dict[str, UpdatedPage] = {}
        for page in pages:
            keys = self._keys(page, self._before, every)
            known = self._updated.get(page.name, *keys)
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
        *,
        changes: Collection[str],
    ) -> None:
        """Record all pages of ``updated``. Call it after everything is written.

        ``changes`` are the files that this run wrote, relative to the root. For all other files the
        digests from before the run count, because a person may have saved one meanwhile. A dry run
        and a run of a few pages record nothing.
        """
        if self._run.dry or self._run.pages:
            return
        digests = self._before
        if changes:
            now = self._digests()
            digests = digests | {path: now.get(path, "") for path in changes}
        every = self._key_of_all(digests)
        others = self._key_of_others(pages, digests)
        pages = [page for page in pages if page.name in updated]
        for page in pages:
            known = updated[page.name]
            settled, unsettled = self._keys(page, digests, every)
            key = settled if known.is_settled else unsettled
            self._updated.put(page.name, key, known)
        # Dropped pages need no key: only their presence is checked.
        for row in dropped:
            self._updated.put(row.page, "", UpdatedPage(row=replace(row, update=None)))
        names = [page.name for page in pages]
        self._updated.keep_only([*names, *(row.page for row in dropped)])
        self.merged.keep_only(names)
        self._common.put("HEAD", checked_out(self._run.settings.root), "")
        self._common.put("others", others, "")
        self._common.save()
        self._updated.save()
        self.merged.save()

    def _digests(self) -> dict[str, str]:
        """Return the digest of each catalogue and memory file, by path.

        The docs are not included: pull guarantees that the checkout matches the lock, and each
        page's key covers its documents.
        """
        digests: dict[str, str] = {}
        for folder in (self._catalogs, self._memories):
            found = digests_of_files(self._run.settings.root / folder, ".po")
            digests |= {f"{folder}/{name}": digest for name, digest in found.items()}
        return digests

    def _key_of_all(self, digests: Mapping[str, str]) -> str:
        """Return a key of all catalogues and memories, because texts may move between pages."""
        there = {path: digest for path, digest in digests.items() if digest}
        return digest_of(*chain.from_iterable(sorted(there.items())))

    def _key_of_others(self, pages: Sequence[Page], digests: Mapping[str, str]) -> str:
        """Return a key of all catalogues and memories that belong to none of ``pages``."""
        folders = (self._catalogs, self._memories)
        own = {f"{folder}/{page.name}.po" for page in pages for folder in folders}
        return self._key_of_all(
            {path: digest for path, digest in digests.items() if path not in own}
        )

    def _keys(
        self, page: Page, digests: Mapping[str, str], every: str
    ) -> tuple[str, str]:
        """Return the page's keys as settled and as unsettled page.

        ``every`` is the key of all catalogues and memories.
        """
        documents = digest_of(self.code, repr(page.files))
        catalog = digests.get(f"{self._catalogs}/{page.name}.po", "")
        memory = digests.get(f"{self._memories}/{page.name}.po", "")
        return f"{documents} {catalog} {memory}", f"{documents} {every}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatedLocale:
    """Pages of one locale after their update.

    ``splits`` are the pages that this run has read; ``catalogs`` the catalogues it updated.
    """

    pages: Mapping[str, UpdatedPage]
    # Rows of pages that upstream has dropped.
    dropped: tuple[PageResult, ...]
    splits: Mapping[str, SplitPage] = field(default_factory=dict)
    catalogs: Catalogs | None = None

    @property
    def readable(self) -> Mapping[str, UpdatedPage]:
        """Return the pages without unreadable catalogues; the next run retries those."""
        unreadable = self.catalogs.unreadable if self.catalogs else {}
        return {
            name: page for name, page in self.pages.items() if name not in unreadable
        }

    @property
    def changes(self) -> tuple[str, ...]:
        """Return the files written, relative to the root."""
        if self.catalogs is None:
            return ()
        return self.catalogs.changes


def update_locale(
    run: Run,
    pages: Sequence[Page],
    memos: LocaleMemos,
    *,
    locale: str,
    lock: Lock,
    thorough: bool = False,
) -> UpdatedLocale:
    """Update the catalogues of ``pages`` and return their rows.

    A ``thorough`` run reads all of them, also the unchanged ones, and counts their entries.
    """
    # Always called, because it records the digests that this run starts from.
    found = memos.up_to_date(pages)
    # A user who names pages wants them updated, whatever the memo has.
    if thorough or run.pages:
        found = {}
    stale = [page for page in pages if page.name not in found]
    if not stale:
        run.log.note(f"nothing changed for {locale} since the last run")
        return UpdatedLocale(pages=found, dropped=memos.dropped())
    # Imported late: parsers and matchers are slow to load, and an unchanged run needs none.
    from pipeline.core.catalog.counts import count_catalog, is_settled, with_classes
    from pipeline.stages.split import split
    from pipeline.stages.update.stage import update

    splits = split(run, stale)
    catalogs = update(run, splits, locale=locale, lock=lock)
    # The same counts as after a merge, for commands that do not merge.
    for page in splits:
        name = page.page.name
        # A page without prose has no catalogue.
        catalog = catalogs.shown(name) or Catalog()
        reported = catalogs.findings.get(name, ())
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
        catalogs=catalogs,
        dropped=_dropped(catalogs, found),
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
    catalogs: Catalogs, pages: Mapping[str, UpdatedPage]
) -> tuple[PageResult, ...]:
    """Return the rows of catalogues whose page is not in ``pages``."""
    from pipeline.core.catalog.counts import update_counts

    names = {*catalogs.findings, *catalogs.counts} - pages.keys()
    rows = []
    for name in sorted(names):
        findings = catalogs.findings.get(name, ())
        counts = update_counts(catalogs, name)
        rows.append(PageResult(page=name, findings=findings, update=counts))
    return tuple(rows)
