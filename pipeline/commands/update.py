"""Split and update for one locale: only the pages that have changed since the last run.

All pages of the run come in; what is known of them comes out. Either nothing is read at all, or
every catalogue is: an update looks for texts that have moved between pages.

``updated`` knows the pages whose catalogue is up to date, under all that decides that: our code,
the configuration, the documents of the page, catalogues and memory. Of a page that is settled, with
a translation for each of its messages, its own catalogue and memory decide: it takes nothing from
others. A page that is not gets nothing new from an update while no catalogue has changed: all that
it could take over it has taken by then. ``merged`` knows what merge made of each page, and of what.
``common`` has what no page's key has: what git had checked out, and the files of dropped pages.
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


# They read pages and catalogues, or compare texts: another version may do so in another way.
_LIBRARIES = ("docutils", "markdown-it-py", "mdit-py-plugins", "polib", "rapidfuzz")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatedPage:
    """A page whose catalogue is up to date.

    ``row`` is what split and update have to say of it, ``links`` is where its links point to.
    ``merged`` is what merge had to say besides, if it came that far: a translation that it refused
    counts as none. It ``is_settled`` if no other catalogue can change it.
    """

    row: PageResult
    is_settled: bool = False
    links: tuple[tuple[str, str], ...] = ()  # page and fragment
    merged: PageResult | None = None


class Known:
    """The memos of one locale.

    A run of a few pages reads them and keeps nothing, since it cannot speak for the others.
    """

    def __init__(self, run: Run, locale: str) -> None:
        """Open the memos; what another version of our code has found out counts no more."""
        self._run = run
        # As the files are called that a run has written.
        self._catalogs = run.shown(run.paths.catalogs(locale))
        self._memories = run.shown(run.paths.memories(locale))
        self.code = digest_of(code_digest(_LIBRARIES), repr(run.upstream), locale)
        self.merged = Memo(run.paths.memo(locale, "merged"), MergedPage)
        self._updated = Memo(run.paths.memo(locale, "updated"), UpdatedPage)
        self._common = Memo(run.paths.memo(locale, "common"), str)
        self._before: dict[str, str] = {}  # what ``updated`` has digested

    def updated(self, pages: Sequence[Page]) -> dict[str, UpdatedPage]:
        """Those of ``pages`` whose catalogue is up to date, by name; none if a page has gone since.

        Others may be made from one that has gone, so that then every page is looked at again.
        """
        self._before = self._digests()
        # Git may have put catalogues there that look as the last run has left them.
        root = self._run.settings.root
        is_elsewhere = self._common.recall("HEAD", checked_out(root)) is None
        if is_elsewhere and tracked_though_ignored(root, self._catalogs):
            return {}
        # Those of pages that upstream has dropped may have changed, or gone.
        others = self._key_of_others(pages, self._before)
        if self._common.recall("others", others) is None:
            return {}
        every = self._key_of_all(self._before)
        found: dict[str, UpdatedPage] = {}
        for page in pages:
            keys = self._keys(page, self._before, every)
            known = self._updated.recall(page.name, *keys)
            if known is not None:
                found[page.name] = known
        # Rows without files are of pages that were dropped before, and kept for their findings.
        names = {page.name for page in pages}
        for name, known in self._updated.items():
            if name not in names and known.row.files:
                return {}
        return found

    def dropped(self) -> tuple[PageResult, ...]:
        """What was said of catalogues whose page upstream has dropped: rows without documents."""
        return tuple(
            known.row for _, known in self._updated.items() if not known.row.files
        )

    def links_elsewhere(self, pages: Sequence[Page]) -> list[tuple[str, str]]:
        """Page and fragment of each link on other pages, as the last run of all pages knew them.

        None for a run of all pages: what stands on no page any more links to nothing.
        """
        if not self._run.pages:
            return []
        names = {page.name for page in pages}
        links: list[tuple[str, str]] = []
        for name, known in self._updated.items():
            if name not in names:
                links += known.links
        return links

    def keep(
        self,
        pages: Sequence[Page],
        updated: Mapping[str, UpdatedPage],
        dropped: Sequence[PageResult],
        *,
        changes: Collection[str],
    ) -> None:
        """Know all pages of ``updated`` from now on. Call it when everything is written.

        ``changes`` are the files that were, relative to the root: of all others counts what they
        were before the run, for somebody may have saved one meanwhile. A dry run keeps nothing, nor
        does one of a few pages.
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
            self._updated.keep(page.name, key, known)
        # Under no key: nothing is asked of them but whether they are there.
        for row in dropped:
            self._updated.keep(row.page, "", UpdatedPage(row=replace(row, update=None)))
        names = [page.name for page in pages]
        self._updated.keep_only([*names, *(row.page for row in dropped)])
        self.merged.keep_only(names)
        self._common.keep("HEAD", checked_out(self._run.settings.root), "")
        self._common.keep("others", others, "")
        self._common.save()
        self._updated.save()
        self.merged.save()

    def _digests(self) -> dict[str, str]:
        """The digest of each catalogue and each file of the memory, by its path.

        The docs are not part of it: pull sees to it that the checkout is what the lock says, and
        each page's key has the documents of the page.
        """
        digests: dict[str, str] = {}
        for folder in (self._catalogs, self._memories):
            found = digests_of_files(self._run.settings.root / folder, ".po")
            digests |= {f"{folder}/{name}": digest for name, digest in found.items()}
        return digests

    def _key_of_all(self, digests: Mapping[str, str]) -> str:
        """What changes when any catalogue or memory does: texts may move between pages."""
        there = {path: digest for path, digest in digests.items() if digest}
        return digest_of(*chain.from_iterable(sorted(there.items())))

    def _key_of_others(self, pages: Sequence[Page], digests: Mapping[str, str]) -> str:
        """What changes when a catalogue or memory does that is of none of ``pages``."""
        folders = (self._catalogs, self._memories)
        own = {f"{folder}/{page.name}.po" for page in pages for folder in folders}
        return self._key_of_all(
            {path: digest for path, digest in digests.items() if path not in own}
        )

    def _keys(
        self, page: Page, digests: Mapping[str, str], every: str
    ) -> tuple[str, str]:
        """What changes when anything does that the page is made from: of a settled page, of others.

        ``every`` stands for all catalogues and memories.
        """
        documents = digest_of(self.code, repr(page.files))
        catalog = digests.get(f"{self._catalogs}/{page.name}.po", "")
        memory = digests.get(f"{self._memories}/{page.name}.po", "")
        return f"{documents} {catalog} {memory}", f"{documents} {every}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatedLocale:
    """The pages of one locale after their update.

    ``splits`` are the pages that this run has read, ``catalogs`` what it has updated.
    """

    pages: Mapping[str, UpdatedPage]
    # What is left of pages that upstream does not have any more.
    dropped: tuple[PageResult, ...]
    splits: Mapping[str, SplitPage] = field(default_factory=dict)
    catalogs: Catalogs | None = None

    @property
    def readable(self) -> Mapping[str, UpdatedPage]:
        """The pages but those whose catalogue cannot be read: the next run reads these again."""
        unreadable = self.catalogs.unreadable if self.catalogs else {}
        return {
            name: page for name, page in self.pages.items() if name not in unreadable
        }

    @property
    def changes(self) -> tuple[str, ...]:
        """The files written, relative to the root."""
        if self.catalogs is None:
            return ()
        return self.catalogs.changes


def update_locale(
    run: Run,
    pages: Sequence[Page],
    known: Known,
    *,
    locale: str,
    lock: Lock,
    thorough: bool = False,
) -> UpdatedLocale:
    """Bring the catalogues of ``pages`` up to date.

    A ``thorough`` run looks at all of them, and counts what it kept.
    """
    # Asked in any case: what it has digested is what this run begins with.
    found = known.updated(pages)
    # Who names pages wants them looked at, whatever is known of them.
    if thorough or run.pages:
        found = {}
    stale = [page for page in pages if page.name not in found]
    if not stale:
        run.log.note(f"nothing changed for {locale} since the last run")
        return UpdatedLocale(pages=found, dropped=known.dropped())
    # From here on something is to be done: what reads Markdown and compares texts is loaded now.
    from pipeline.core.catalog.counts import count_catalog, is_settled, with_classes
    from pipeline.stages.merge.page import links_of
    from pipeline.stages.split import split
    from pipeline.stages.update.stage import update

    splits = split(run, stale)
    catalogs = update(run, splits, locale=locale, lock=lock)
    # The same counts as merge makes, for commands that do not merge.
    for page in splits:
        name = page.page.name
        # A page without any prose has no catalogue.
        catalog = catalogs.shown(name) or Catalog()
        told = catalogs.findings.get(name, ())
        row = PageResult(
            page=name,
            files=page.page.files,
            title=page.title,
            findings=(*page.findings, *told),
        )
        found[name] = UpdatedPage(
            row=with_classes(count_catalog(row, catalog), catalog),
            links=links_of(page),
            # What an update has told of is told of once: the next one looks again.
            is_settled=not told and is_settled(catalog),
        )
    return UpdatedLocale(
        pages=found,
        splits={page.page.name: page for page in splits},
        catalogs=catalogs,
        dropped=_dropped(catalogs, found),
    )


def _dropped(
    catalogs: Catalogs, pages: Mapping[str, UpdatedPage]
) -> tuple[PageResult, ...]:
    """What there is to say of catalogues whose page is none of ``pages``."""
    from pipeline.core.catalog.counts import update_counts

    names = {*catalogs.findings, *catalogs.counts} - pages.keys()
    rows = []
    for name in sorted(names):
        findings = catalogs.findings.get(name, ())
        counts = update_counts(catalogs, name)
        rows.append(PageResult(page=name, findings=findings, update=counts))
    return tuple(rows)
