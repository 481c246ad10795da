"""split: split the pulled pages into messages, and update the catalogues. Skip unchanged pages.

``status`` calls the same code as a dry run, and other commands update the catalogues first.

The input is all pages of the run. The output is a row of the report for each page; rows of
unchanged pages come from memos. A memo maps a page and a key to an earlier result; the key is a
digest of all inputs of that result. There are three memos.

``updated`` has the pages whose catalogue is up to date. Its key covers our code, the configuration,
and the page's documents. It also covers catalogues and memory files, depending on the page:

- A *settled* page has a translation of every message, so an update takes no texts from other pages.
  Its key covers only its own catalogue and memory file.
- For any other page, an update looks for texts in all catalogues. The key of such a page covers all
  catalogues and memory files.
- The key of every page also covers the catalogues of pages that upstream has dropped.

``merged`` has the merge result of each page. ``common`` has the commit that is checked out in git.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.adapters.memo import Memo, code_digest, digest_of
from pipeline.adapters.version_control import checked_out, tracked_though_ignored
from pipeline.commands.options import add_shared, run_of
from pipeline.commands.pages import pages_of_run
from pipeline.commands.run_lock import run_lock
from pipeline.core.pin.lock import Lock, Page
from pipeline.core.results import PageResult
from pipeline.log import Log
from pipeline.report.result import RunResult, apart
from pipeline.run import Run
from pipeline.stages.merge.incremental import MergedPage
from pipeline.stages.pull.stage import read_pulled
from pipeline.stages.update.locale import Locale

if TYPE_CHECKING:
    from pipeline.core.catalog.update import Updated
    from pipeline.core.document.reader import SplitPage


# Libraries that parse pages and catalogues, or compare texts. A new version may change results, so
# the versions are part of all keys.
_LIBRARIES = ("docutils", "markdown-it-py", "mdit-py-plugins", "polib", "rapidfuzz")


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of ``split``."""
    add_shared(parser, "name", "--release", "--pages", "--check")


def run_command(arguments: Namespace, log: Log) -> RunResult:
    """Split the pages of one upstream."""
    return split(run_of(arguments, log))


def split(run: Run) -> RunResult:
    """Split the pages and update the catalogues, under the run lock."""
    with run_lock(run):
        return update_pulled(run)


def update_pulled(run: Run) -> RunResult:
    """Update the catalogues of all locales, and return the result. The caller holds the lock."""
    lock = read_pulled(run)
    run = run.with_lock(lock.markdown, substitutions=lock.substitutions)
    pages = pages_of_run(run, lock)
    by_locale: dict[str, tuple[PageResult, ...]] = {}
    changes: list[str] = []
    for name in run.locales:
        # This command does not merge, but the memos have earlier merge results of unchanged pages.
        # Keep these.
        locale = Locale(run, name)
        memos = LocaleMemos(locale)
        updated = update_locale(locale, pages, memos, lock=lock)
        # Do not remember pages with damaged catalogues, so that the next run reads them again.
        known = {
            page: made for page, made in updated.pages.items() if page not in locale.unreadable
        }
        memos.record(pages, known, updated.dropped)
        rows = []
        for page in pages:
            made = updated.pages[page.name]
            # Prefer the row after a merge: it counts rejected translations as missing, because
            # readers do not see them.
            rows.append(made.merged or made.row)
        by_locale[name] = tuple(rows)
        changes += locale.changes
    guides, reference = apart(by_locale, is_named=bool(run.pages))
    result = RunResult.of(run, lock, changes=changes)
    return replace(result, pages=guides, reference=reference)


class UpdatedPage(Struct, frozen=True, kw_only=True):
    """Page with an up-to-date catalogue, and its rows of the report.

    ``row`` is the result of split and update. ``merged`` is the result of a merge, which counts
    rejected translations as missing; it is None if there was no merge. ``links`` are the targets of
    the page's links. The docstring of the module explains ``is_settled``.
    """

    row: PageResult
    is_settled: bool = False
    links: tuple[tuple[str, str], ...] = ()  # page and fragment
    merged: PageResult | None = None


class LocaleMemos:
    """Memos of one locale.

    A run of a few pages reads the memos but does not save them, because a memo must have all pages.
    """

    def __init__(self, locale: Locale) -> None:
        """Open the memos. Ignore entries that another version of our code has written."""
        run, name = locale.run, locale.name
        self._run = run
        self._locale = locale
        # Folders relative to the root, like the paths in ``digests``.
        self._catalogs = run.shown(run.paths.catalogs(name))
        self._memories = run.shown(run.paths.memories(name))
        self.code = digest_of(code_digest(_LIBRARIES), repr(run.upstream), name)
        self.merged = Memo(run.paths.memo(name, "merged"), MergedPage)
        self._updated = Memo(run.paths.memo(name, "updated"), UpdatedPage)
        self._common = Memo(run.paths.memo(name, "common"), str)

    def up_to_date(self, pages: Sequence[Page]) -> dict[str, UpdatedPage]:
        """Return the pages among ``pages`` whose catalogue is up to date, by name.

        Return none if upstream has dropped a page since the last run. All pages are then updated,
        because any of them may reuse translations of the dropped page.
        """
        digests = self._locale.digests()
        # If git tracks the catalogues and has checked out another commit, update all pages:
        # catalogues that look unchanged may have been replaced.
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
        # If a recorded page has files but is not in ``pages``, upstream has dropped it since the
        # last run. (Rows of pages that were dropped before have no files; they are recorded for
        # their findings.)
        names = {page.name for page in pages}
        for name, known in self._updated.items():
            if name not in names and known.row.files:
                return {}
        return found

    def dropped(self) -> tuple[PageResult, ...]:
        """Return the recorded rows of pages that upstream has dropped. Such rows have no files."""
        return tuple(known.row for _, known in self._updated.items() if not known.row.files)

    def links_elsewhere(self, pages: Sequence[Page]) -> list[tuple[str, str]]:
        """Return page and fragment of each link on pages outside ``pages``, from the last full run.

        Return none for a run of all pages, which reads all links itself.
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
        """Record all pages of ``updated``. Call this after all files are written.

        The keys use the digests of the files as this run has read or written them. If a person has
        saved a file since, the next run sees the difference. A dry run and a run of a few pages
        record nothing.
        """
        if self._run.dry or self._run.pages:
            return
        keys = self._keys(pages, self._locale.digests())
        for name, known in updated.items():
            key = keys[name].settled if known.is_settled else keys[name].unsettled
            self._updated.put(name, key, known)
        # Store dropped pages with an empty key: they are never looked up by key.
        for row in dropped:
            self._updated.put(row.page, "", UpdatedPage(row=replace(row, update=None)))
        self._updated.keep_only([*updated, *(row.page for row in dropped)])
        self.merged.keep_only(updated)
        self._common.put("HEAD", checked_out(self._run.settings.root), "")
        self._common.save()
        self._updated.save()
        self.merged.save()

    def _keys(self, pages: Sequence[Page], digests: Mapping[str, str]) -> dict[str, _Keys]:
        """Return the keys of each page. ``digests`` has all catalogues and memory files by path."""
        folders = (self._catalogs, self._memories)
        own = {page.name: tuple(f"{folder}/{page.name}.po" for folder in folders) for page in pages}
        # ``others`` are the files of pages that upstream has dropped.
        every = _digest_of_files(digests, digests)
        others = _digest_of_files(digests, digests.keys() - chain.from_iterable(own.values()))
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
    """The two keys that a page may have in the memo ``updated``: it is settled, or it is not."""

    settled: str
    unsettled: str


def _digest_of_files(digests: Mapping[str, str], paths: Iterable[str]) -> str:
    return digest_of(*chain.from_iterable((path, digests[path]) for path in sorted(paths)))


class UpdatedLocale(Struct, frozen=True, kw_only=True):
    """Pages of one locale after their update.

    ``splits`` are the pages that this run has split. ``updates`` are the changes of their
    catalogues. Both lack the pages whose rows come from the memo.
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

    With ``thorough``, also read the catalogues of unchanged pages, and count their entries.
    """
    run = locale.run
    found = memos.up_to_date(pages)
    # A user who names pages wants them updated, even if the memo has them.
    if thorough or run.pages:
        found = {}
    stale = [page for page in pages if page.name not in found]
    if not stale:
        run.log.note(f"nothing changed for {locale.name} since the last run")
        return UpdatedLocale(pages=found, dropped=memos.dropped())
    # Import these only here: they load slowly, and a run without changes needs none of them.
    from pipeline.core.catalog.counts import count_catalog, is_settled
    from pipeline.stages.split import split
    from pipeline.stages.update.stage import update

    splits = split(run, stale)
    updates = update(locale, splits, lock)
    # Count the same entries as a merge would, for commands that do not merge.
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
            row=count_catalog(row, catalog),
            links=_links_of(page),
            # A page with findings is not settled: the next run must update the page again, because
            # only an update reports these findings.
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

    Links to whole pages have no fragment, so they are left out.
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
    """Return the rows of dropped pages: those that have a catalogue, but are not in ``pages``."""
    names = {*locale.findings, *updates} - pages.keys()
    rows = []
    for name in sorted(names):
        findings = locale.findings_of(name)
        counts = updates[name].counts if name in updates else None
        rows.append(PageResult(page=name, findings=findings, update=counts))
    return tuple(rows)
