"""Upstream's English at the pinned commit and at older ones, for opening memories.

A memory has digests instead of English. ``English`` returns the entries of a page at a commit, with
their English. ``rebuild_catalog`` restores the catalogue of a memory, as far as the English is
available. All other entries stay in the memory and are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field

from pipeline.adapters.files import read_bytes
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.document.reader import read_document
from pipeline.core.memory import record as core
from pipeline.core.memory.file import editing_fields, public_team
from pipeline.core.memory.opening import Opened, open_memory
from pipeline.core.memory.record import Memory, Place, digest, english_of, layout_of
from pipeline.core.memory.releases import at_release
from pipeline.core.pin.lock import Lock, Page, SourceFile, is_reference, pages_of
from pipeline.core.reference import files_of, read_record
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError, UpstreamError
from pipeline.folders import OUTSIDE, is_outside
from pipeline.paths import Paths
from pipeline.reading import Reading
from pipeline.run import Run
from pipeline.stages.update.locale import Locale, catalog_header

if TYPE_CHECKING:
    from pipeline.adapters.upstream.repository import Repository


class _OlderCommit(Struct, frozen=True, kw_only=True):
    """The pages of an older commit, or of its API reference. ``read`` returns a document."""

    commit: str
    pages: Mapping[str, Page]
    read: Callable[[SourceFile], bytes]


class English(Struct, kw_only=True, dict=True):
    """Upstream's English at the pinned commit, and at the older commits in upstream's history.

    Pages are read on demand and cached.
    """

    paths: Paths
    lock: Lock
    # Entries of the pages that this run has already split.
    split: Mapping[str, Sequence[Entry]]
    repository: Callable[[], Repository | None]  # None if upstream is a plain folder
    reading: Reading  # how to parse documents
    # Caches, by page, or by commit and page.
    pinned: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    older: dict[tuple[str, str], tuple[Entry, ...] | None] = field(default_factory=dict)
    # Keys: a commit, and whether the pages of its API reference are meant.
    commits: dict[tuple[str, bool], _OlderCommit | UpstreamError] = field(default_factory=dict)

    def at_pin(self, page: str) -> tuple[Entry, ...] | None:
        """Return the entries of ``page`` at the pinned commit; None if there is no such page."""
        if page not in self.pinned:
            if page in self.split:
                self.pinned[page] = tuple(self.split[page])
            elif page in self._listed:
                # The page is not part of this run, but texts may have moved to or from it.
                self.pinned[page] = _wanted(
                    self._listed[page], self._read_checked_out, self.reading
                )
        return self.pinned.get(page)

    def at(self, commit: str, page: str, *, layout: str = "") -> tuple[Entry, ...]:
        """Return the entries of ``page`` at ``commit`` (or at a ref); empty without such a page.

        If the configured docs folders have changed, the name may match several pages. In that case,
        prefer the page with this ``layout`` (see ``Memory.layout``). Raises UpstreamError if the
        commit is unavailable.
        """
        pages = self._pages_at(commit, page)
        for wanted in pages:
            if layout_of(wanted) == layout:
                return wanted
        return pages[0] if pages else ()

    def texts_at(self, commit: str, page: str) -> dict[str, str]:
        """Return the English of ``page`` at ``commit`` (or at a ref) by digest.

        If the name matches several pages, all are included. Raises UpstreamError like ``at``.
        """
        texts: dict[str, str] = {}
        for wanted in self._pages_at(commit, page):
            texts.update(texts_by_digest(wanted))
        return texts

    def _pages_at(self, commit: str, page: str) -> list[tuple[Entry, ...]]:
        """Return the entries of all pages at ``commit`` that the name ``page`` may mean."""
        found: list[tuple[Entry, ...]] = []
        for name in self.lock.docs.names_of(page):
            wanted = self._one_at(commit, name)
            if wanted is not None:
                found.append(wanted)
        return found

    def _one_at(self, commit: str, page: str) -> tuple[Entry, ...] | None:
        """Return the entries of exactly this page at ``commit``, or None."""
        if commit in (self.lock.commit, self.lock.ref):
            return self.at_pin(page)
        if (commit, page) not in self.older:
            older = self._commit(commit, of_reference=is_reference(page))
            self.older[commit, page] = None
            if page in older.pages:
                wanted = _wanted(older.pages[page], older.read, self.reading)
                self.older[commit, page] = wanted
        return self.older[commit, page]

    def commit_of(self, ref: str) -> str:
        """Return the commit of ``ref`` in this upstream. ``ref`` may itself be a commit.

        Raises UpstreamError.
        """
        if ref in (self.lock.commit, self.lock.ref):
            return self.lock.commit
        return self._commit(ref).commit

    def texts_at_pin(self) -> dict[str, str]:
        """Return all English of the pinned commit, by digest."""
        for page in self._listed:
            self.at_pin(page)
        texts: dict[str, str] = {}
        # The loop above has read and split all pages that were not in the cache.
        for entries in self.pinned.values():
            texts.update(texts_by_digest(entries))
        return texts

    @cached_property
    def _listed(self) -> dict[str, Page]:
        """Return all pages of the lock, by name."""
        return {page.name: page for page in pages_of(self.lock.files)}

    def _read_checked_out(self, file: SourceFile) -> bytes:
        return read_bytes(self.paths.docs / file.path)

    def _commit(self, commit: str, *, of_reference: bool = False) -> _OlderCommit:
        """Return an older commit, from the cache if possible. Raises UpstreamError."""
        key = (commit, of_reference)
        # Errors are cached, too: without a network, each attempt takes time to fail.
        if key not in self.commits:
            fetch = self._fetch_docstrings if of_reference else self._fetch
            try:
                self.commits[key] = fetch(commit)
            except UpstreamError as error:
                self.commits[key] = error
        known = self.commits[key]
        if isinstance(known, UpstreamError):
            raise known
        return known

    def _fetch(self, commit: str) -> _OlderCommit:
        """Fetch an older commit and return its listing. Raises UpstreamError."""
        repository = self.repository()
        if repository is None:
            raise UpstreamError(
                f"a plain folder has no history: its content at {commit[:12]} is unknown"
            )
        # Fetch the docs folders that are configured now, because the memory uses their page names.
        found = repository.resolve(commit)
        entries = repository.fetch(found, self.lock.docs, needs_all=False)
        files = [SourceFile(path=entry.path, blob=entry.blob) for entry in entries]
        # Pages may include files from outside the docs folders. Get their versions at that commit.
        outside = [file.path for file in self.lock.files if is_outside(file.path)]
        if outside:
            places = [self.lock.docs.place_of(path) for path in outside]
            for entry in repository.fetch_places(found, places):
                path = f"{OUTSIDE}/{entry.path}"
                files.append(SourceFile(path=path, blob=entry.blob))
        pages = {page.name: page for page in pages_of(files)}
        return _OlderCommit(commit=found, pages=pages, read=lambda file: repository.read(file.blob))

    def _fetch_docstrings(self, commit: str) -> _OlderCommit:
        """Return the docstrings of an older commit (or ref). Raises UpstreamError.

        Docstrings are not read from git. They are available only if a pull in this clone has stored
        them.
        """
        path = self.paths.docstrings(commit)
        if not path.is_file():
            commit = self._commit(commit).commit
            path = self.paths.docstrings(commit)
        if not path.is_file():
            raise UpstreamError(f"the docstrings of {commit[:12]} have not been read in this clone")
        documents = files_of(read_record(read_bytes(path), where=str(path)))
        files = [SourceFile(path=path, blob="") for path in documents]
        pages = {page.name: page for page in pages_of(files)}
        return _OlderCommit(commit=commit, pages=pages, read=lambda file: documents[file.path])


def texts_by_digest(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the English of ``entries`` by digest."""
    return {digest(entry.msgid): entry.msgid for entry in entries}


def _wanted(page: Page, read: Callable[[SourceFile], bytes], reading: Reading) -> tuple[Entry, ...]:
    """Return the entries of ``page``; documents that cannot be read are skipped."""
    # A page may have two documents, a notebook and its Markdown. One of them is enough.
    documents = []
    for file in page.files:
        try:
            documents.append(read_document(file.path, read(file), reading))
        except InputError:
            # For the pinned commit, ``split`` reports the error. An older commit cannot be fixed.
            continue
    return wanted_entries(page.name, documents)


@contextmanager
def open_english(run: Run, split: Mapping[str, Sequence[Entry]], lock: Lock) -> Iterator[English]:
    """Yield upstream's English; its repository stays open until the context ends.

    ``split`` has the entries of the pages that this run has already split.
    """
    with ExitStack() as stack:

        @cache
        def repository() -> Repository | None:
            """Return the repository. It is opened only if needed: most runs need no old commits."""
            from pipeline.adapters.upstream.repository import (
                CHECK_ADDRESS,
                open_upstream,
            )

            opened = open_upstream(run.settings, run.upstream, unreachable_hint=CHECK_ADDRESS)
            return stack.enter_context(opened)

        yield English(
            paths=run.paths,
            lock=lock,
            split=split,
            repository=repository,
            reading=run.upstream.reading,
        )


def view_of(run: Run, english: English) -> Callable[[Memory], Memory] | None:
    """Return a function that converts a page's memory to a release beside the pin.

    The memory files describe the pinned release. Return None in a run of that release.
    """

    def at_this_release(shared: Memory) -> Memory:
        wanted = english.at_pin(shared.page) or ()
        codes = dict.fromkeys(digest(entry.msgid) for entry in wanted)
        head = Memory(
            upstream=shared.upstream,
            locale=shared.locale,
            page=shared.page,
            commit=english.lock.commit,
            ref=english.lock.ref,
            layout=layout_of(wanted),
            entries=tuple(Entry(msgid=code) for code in codes),
        )
        return at_release(shared, head)

    return at_this_release if run.upstream.is_beside else None


class _Lookup(Struct, kw_only=True):
    """English that was found so far, and the reasons why some English is unavailable."""

    texts: dict[str, str] = field(default_factory=dict)  # digest → English
    reasons: dict[str, None] = field(default_factory=dict)

    def note(self, error: UpstreamError) -> None:
        """Record why a commit is unavailable."""
        reason = f"{error.where}: {error.what}" if error.where else error.what
        self.reasons[reason] = None


class _Page(Struct, frozen=True, kw_only=True):
    """Entries of a memory's page.

    ``is_exact`` is true for the entries at the memory's commit. If that commit is unavailable, the
    entries are those at the pinned commit, and ``is_exact`` is false.
    """

    wanted: tuple[Entry, ...]
    is_exact: bool


def rebuild_catalog(
    locale: Locale, english: English, memory: Memory, *, local: Catalog | None = None
) -> Opened:
    """Return the catalogue that a memory gives, and the entries whose English is unavailable.

    The catalogue describes the page at the memory's commit, or at the pinned commit if the memory's
    commit is unavailable. ``local`` is the working catalogue, if any, which is another source of
    English. Report entries without English as a finding.
    """
    sought = _Lookup()
    page = _page_of(english, memory, sought)
    # The fastest sources come first. Only English that they lack is searched for in the history.
    sought.texts.update(texts_by_digest(page.wanted))
    if local is not None:
        sought.texts.update(texts_in(local))
    _read_noted_places(english, memory, sought)
    if _lacks_english(memory, sought.texts):
        sought.texts.update(english.texts_at_pin())
    header = _header(locale, english, memory, is_exact=page.is_exact)
    team = local.header.get("Language-Team", "") if local is not None else ""
    if team and public_team(team) == header["Language-Team"]:
        header["Language-Team"] = team  # with the URL, which the memory does not store
    opened = open_memory(
        memory,
        page.wanted,
        texts=sought.texts,
        header=header,
    )
    # Missing entries stay in the memory. A later run or another upstream may have their English.
    nowhere = [entry for entry in opened.missing if _has_no_place(entry, sought.texts)]
    lost = [entry for entry in opened.missing if entry not in nowhere]
    if lost:
        _report_lost(locale, memory, lost, sought.reasons)
    if nowhere:
        # Nobody can fix these: upstream never had their English.
        where = _first_line(locale, memory, nowhere)
        locale.report_row("memory-without-english", memory.page, where=where, count=len(nowhere))
    return opened


def page_at(english: English, memory: Memory) -> tuple[Entry, ...] | None:
    """Return the entries of a memory's page at its own commit; None if that is unavailable."""
    page = _page_of(english, memory, _Lookup())
    return page.wanted if page.is_exact else None


def _page_of(english: English, memory: Memory, sought: _Lookup) -> _Page:
    """Return the page at the memory's commit, or at the pinned commit if that is unavailable.

    If the page is equal at both commits, git is not needed. Most pages are equal in most runs.
    """
    pinned = english.at_pin(memory.page)
    # The layout is a digest of the messages in order, so equal layouts mean equal pages.
    if pinned is not None and core.layout_of(pinned) == memory.layout:
        return _Page(wanted=pinned, is_exact=True)
    try:
        wanted = english.at(memory.commit, memory.page, layout=memory.layout)
        return _Page(wanted=wanted, is_exact=True)
    except UpstreamError as error:
        sought.note(error)
    named = page_under_ref(english, memory)
    if named is not None:
        return _Page(wanted=named, is_exact=True)
    return _Page(wanted=pinned or (), is_exact=False)


def page_under_ref(english: English, memory: Memory) -> tuple[Entry, ...] | None:
    """Return the page of a memory at the ref in its header, if it has the same layout.

    The memory may have been made with a copy of upstream that has other commit ids. The ref may
    also have moved to another commit, so the layout, a digest of the page, is compared.
    """
    # A memory without a ref was made from a plain folder, so a repository cannot have its page.
    if not memory.ref and english.lock.ref:
        return None
    try:
        wanted = english.at(memory.ref, memory.page, layout=memory.layout)
    except UpstreamError:
        return None
    return wanted if core.layout_of(wanted) == memory.layout else None


def texts_in(catalog: Catalog) -> dict[str, str]:
    """Return all English in a catalogue by digest, including previous English."""
    texts = texts_by_digest(catalog.entries)
    for entry in catalog.entries:
        # A fuzzy entry has the English that its translation was written for.
        if entry.previous:
            texts[digest(entry.previous)] = entry.previous
    return texts


def _read_noted_places(english: English, memory: Memory, sought: _Lookup) -> None:
    """Read the English at the places in the memory's notes: ``seen: COMMIT PAGE``."""
    for entry in memory.entries:
        for code, place in english_of(entry):
            # One page has many texts, so most of them are known after the first note.
            if place is None or code in sought.texts:
                continue
            sought.texts.update(_texts_at(english, memory, place, sought))


def _texts_at(english: English, memory: Memory, place: Place, sought: _Lookup) -> dict[str, str]:
    """Return the English at a place by digest; empty if it is unavailable."""
    # If the commit is unavailable, its ref may be available. The page may differ at the ref, but
    # this does no harm: texts are found by their digest, so a wrong text is never used.
    refs = memory.known_refs
    commits = [place.commit]
    if place.commit in refs:
        commits.append(refs[place.commit])
    for commit in commits:
        try:
            return english.texts_at(commit, place.page)
        except UpstreamError as error:
            sought.note(error)
    return {}


def _lacks_english(memory: Memory, texts: Mapping[str, str]) -> bool:
    """Return whether ``texts`` lacks any English that the memory's entries need."""
    # This check saves seconds: the caller reads all pages at the pin only if English is missing.
    for entry in memory.entries:
        for code, _ in english_of(entry):
            if code not in texts:
                return True
    return False


def _has_no_place(entry: Entry, texts: Mapping[str, str]) -> bool:
    """Return True if nothing shows that upstream ever had the missing English of ``entry``.

    A note in the memory would show it: ``seen: COMMIT PAGE``.
    """
    # A live entry needs no note: its message was on the memory's own page.
    if not entry.obsolete and entry.msgid not in texts:
        return False
    return all(place is None for code, place in english_of(entry) if code not in texts)


def _header(locale: Locale, english: English, memory: Memory, *, is_exact: bool) -> dict[str, str]:
    """Return the header of the rebuilt catalogue.

    If ``is_exact`` (the page is from the memory's commit), project and date come from the memory.
    """
    fields = editing_fields(memory)
    header = catalog_header(english.lock, locale.name, memory.page, fields)
    # A rebuilt catalogue must equal the stored one, byte for byte.
    if is_exact and memory.project:
        header["Project-Id-Version"] = memory.project
    if is_exact and memory.date:
        header["POT-Creation-Date"] = memory.date
    return header


def _report_lost(
    locale: Locale, memory: Memory, missing: Sequence[Entry], reasons: Iterable[str]
) -> None:
    """Report entries whose English is unavailable here."""
    source = "Use an upstream whose history has that commit (for example a full clone)"
    if is_reference(memory.page):
        source = "To read them, upgrade to that release and back"
    locale.report_row(
        "memory-not-recovered",
        memory.page,
        where=_first_line(locale, memory, missing),
        missing=len(missing),
        # Entries without a translation cannot lose anything.
        translated=sum(bool(core.text_of(entry)) for entry in memory.entries),
        why="; ".join(reasons) or "upstream's docs do not have it",
        source=source,
    )


def _first_line(locale: Locale, memory: Memory, missing: Sequence[Entry]) -> str:
    line = min(entry.line for entry in missing)
    return f"{locale.memory_name(memory.page)}:{line}"
