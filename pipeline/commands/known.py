"""What the last run found out of each page, so that this one need not find it out again.

``updated`` knows the pages whose catalogue is up to date, under all that decides that: our code,
the configuration, every catalogue, all of the memory, and the documents of the page. Such a page
gets nothing new from an update: all that it could take over from others it has taken by then.
``merged`` knows what merge made of each page, and of what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.adapters.memo import Memo, code_digest, digest_of, digest_of_files
from pipeline.core.pin.lock import Page
from pipeline.core.results import PageResult
from pipeline.run import Run
from pipeline.stages.merge.known import MergedPage

# They read pages and catalogues, or compare texts: another version may do so in another way.
_LIBRARIES = ("docutils", "markdown-it-py", "mdit-py-plugins", "polib", "rapidfuzz")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatedPage:
    """A page whose catalogue is up to date.

    ``row`` is what split and update have to say of it, ``links`` is where its links point to.
    ``merged`` is what merge had to say besides, if it came that far: a translation that it refused
    counts as none.
    """

    row: PageResult
    links: tuple[tuple[str, str], ...] = ()  # page and fragment
    merged: PageResult | None = None


class Known:
    """The memos of one locale.

    A run of a few pages reads them and keeps nothing, since it cannot speak for the others.
    """

    def __init__(self, run: Run, locale: str) -> None:
        """Open the memos; what another version of our code has found out counts no more."""
        self._run = run
        self._locale = locale
        self.code = digest_of(code_digest(_LIBRARIES), repr(run.upstream), locale)
        self.merged = Memo(run.paths.memo(locale, "merged"), MergedPage)
        self._updated = Memo(run.paths.memo(locale, "updated"), UpdatedPage)
        self._inputs_before = ""  # what ``updated`` has digested

    def updated(self, pages: Sequence[Page]) -> dict[str, UpdatedPage]:
        """Those of ``pages`` whose catalogue is up to date, by name; none if a page has gone since.

        Others may be made from one that has gone, so that then every page is looked at again.
        """
        # Once for all pages: to digest hundreds of files takes a moment.
        inputs = self._inputs_before = self._inputs()
        names = {page.name for page in pages}
        # One catalogue that was edited makes every key another one: texts may move between pages.
        found: dict[str, UpdatedPage] = {}
        for page in pages:
            known = self._updated.recall(page.name, self._key(inputs, page))
            if known is not None:
                found[page.name] = known
        # Rows without files are of pages that were dropped before, and kept for their findings.
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
        dropped: Sequence[PageResult] = (),
        *,
        wrote: bool,
    ) -> None:
        """Know all pages from now on. Call it when everything is written.

        A run that ``wrote`` catalogues and memory digests them anew. A dry run keeps nothing, nor
        does one of a few pages.
        """
        if self._run.dry or self._run.pages:
            return
        inputs = self._inputs() if wrote else self._inputs_before
        for page in pages:
            self._updated.keep(page.name, self._key(inputs, page), updated[page.name])
        # Under no key: nothing is asked of them but whether they are there.
        for row in dropped:
            self._updated.keep(row.page, "", UpdatedPage(row=replace(row, update=None)))
        names = [page.name for page in pages]
        self._updated.keep_only([*names, *(row.page for row in dropped)])
        self.merged.keep_only(names)
        self._updated.save()
        self.merged.save()

    def _inputs(self) -> str:
        """The digest of all that decides about every page.

        The docs are not part of it: pull sees to it that the checkout is what the lock says, and
        each page's key has the documents of the page.
        """
        paths = self._run.paths
        catalogs = digest_of_files(paths.catalogs(self._locale), ".po")
        memories = digest_of_files(paths.memories(self._locale), ".po")
        return digest_of(self.code, catalogs, memories)

    def _key(self, inputs: str, page: Page) -> str:
        """What changes when anything does that the page is made from."""
        return digest_of(inputs, repr(page.files))
