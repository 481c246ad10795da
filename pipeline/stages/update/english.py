"""Upstream's English, at the pin and at older commits, and memories joined with it again.

The memory holds digests only, and this is where its English comes from. Pages and commits come in;
the messages that a page asked for there come out. ``rebuilt`` gives the catalogue of a memory as it
was, as far as its English can be had. What cannot be joined stays in the memory and is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING

from pipeline.adapters.files import read_bytes
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.document.reader import SplitPage, read_document
from pipeline.core.memory import record as core
from pipeline.core.memory.file import editing_fields, public_team
from pipeline.core.memory.opening import Opened, open_memory
from pipeline.core.memory.record import Memory, Place, digest, english_of, layout_of
from pipeline.core.pin.lock import Lock, Page, SourceFile, pages_of
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError, UpstreamError
from pipeline.findings import Finding, Severity
from pipeline.folders import OUTSIDE, is_outside
from pipeline.paths import Paths
from pipeline.reading import Reading
from pipeline.run import Run
from pipeline.stages.update.locale import Workspace, catalog_header

if TYPE_CHECKING:
    from pipeline.adapters.upstream import Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class _OlderCommit:
    """The pages of an older commit, and the repository that their documents are read from."""

    commit: str
    repository: Repository
    pages: Mapping[str, Page]


@dataclass(kw_only=True)
class English:
    """Upstream's English: of the pin, and of any older commit as far as its history can be had.

    Everything is read when it is asked for, and once.
    """

    paths: Paths
    lock: Lock
    pages: Mapping[str, SplitPage]  # those that this run has split already
    repository: Callable[[], Repository | None]  # None: upstream is a plain folder
    reading: Reading  # how documents are written
    # What was read so far, by page, or by commit and page.
    pinned: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    older: dict[tuple[str, str], tuple[Entry, ...] | None] = field(default_factory=dict)
    commits: dict[str, _OlderCommit | UpstreamError] = field(default_factory=dict)

    def at_pin(self, page: str) -> tuple[Entry, ...] | None:
        """What ``page`` asks for at the pin; None if there is no such page."""
        if page not in self.pinned:
            split = self.pages.get(page)
            if split is not None:
                self.pinned[page] = wanted_entries(page, split.documents)
            elif page in self._listed:
                # This run is not about that page, but some of its texts may have come from there.
                self.pinned[page] = _wanted(
                    self._listed[page], self._read_checked_out, self.reading
                )
        return self.pinned.get(page)

    def at(self, commit: str, page: str, *, layout: str = "") -> tuple[Entry, ...]:
        """What ``page`` asked for at ``commit``, or at a ref; nothing if it had no such page.

        The name may be of a time when other docs folders were configured. Where it then means
        several pages, it is the one with this ``layout``, or else the first.
        Raises UpstreamError if the commit cannot be had.
        """
        pages = self._pages_at(commit, page)
        for wanted in pages:
            if layout_of(wanted) == layout:
                return wanted
        return pages[0] if pages else ()

    def texts_at(self, commit: str, page: str) -> dict[str, str]:
        """All English by digest that ``page`` asked for at ``commit``, or at a ref.

        It is that of every page that the name may mean. Raises UpstreamError as ``at`` does.
        """
        texts: dict[str, str] = {}
        for wanted in self._pages_at(commit, page):
            texts.update(texts_by_digest(wanted))
        return texts

    def _pages_at(self, commit: str, page: str) -> list[tuple[Entry, ...]]:
        """What the pages asked for at ``commit`` that ``page`` may be called now."""
        found: list[tuple[Entry, ...]] = []
        for name in self.lock.docs.names_of(page):
            wanted = self._one_at(commit, name)
            if wanted is not None:
                found.append(wanted)
        return found

    def _one_at(self, commit: str, page: str) -> tuple[Entry, ...] | None:
        """What the page of today's name ``page`` asked for; None if there was none."""
        if commit in (self.lock.commit, self.lock.ref):
            return self.at_pin(page)
        if (commit, page) not in self.older:
            self.older[commit, page] = self._at_older(self._commit(commit), page)
        return self.older[commit, page]

    def commit_of(self, ref: str) -> str:
        """The commit that ``ref`` (or a commit) names here. Raises UpstreamError."""
        if ref in (self.lock.commit, self.lock.ref):
            return self.lock.commit
        return self._commit(ref).commit

    def texts_at_pin(self) -> dict[str, str]:
        """All English of the pin by digest."""
        for page in self._listed:
            self.at_pin(page)
        texts: dict[str, str] = {}
        # Most of it is known by now; what is not is read and split here.
        for entries in self.pinned.values():
            texts.update(texts_by_digest(entries))
        return texts

    @cached_property
    def _listed(self) -> dict[str, Page]:
        """Every page of the lock, also those that this run has not split."""
        return {page.name: page for page in pages_of(self.lock.files)}

    def _read_checked_out(self, file: SourceFile) -> bytes:
        return read_bytes(self.paths.docs / file.path)

    def _at_older(self, commit: _OlderCommit, page: str) -> tuple[Entry, ...] | None:
        """What ``page`` asked for at an older commit; None if it had no such page."""
        if page not in commit.pages:
            return None
        return _wanted(
            commit.pages[page],
            lambda file: commit.repository.read(file.blob),
            self.reading,
        )

    def _commit(self, commit: str) -> _OlderCommit:
        """An older commit. One that cannot be had is asked for once, and refused from then on."""
        # Without network every question takes its time to fail, and there are many of them.
        if commit not in self.commits:
            try:
                self.commits[commit] = self._fetch(commit)
            except UpstreamError as error:
                self.commits[commit] = error
        known = self.commits[commit]
        if isinstance(known, UpstreamError):
            raise known
        return known

    def _fetch(self, commit: str) -> _OlderCommit:
        """The listing of an older commit, whose files are here then. Raises UpstreamError."""
        repository = self.repository()
        if repository is None:
            raise UpstreamError(
                f"a plain folder has no history: what was there at {commit[:12]} is not known"
            )
        # A lock of other docs folders is not looked for: the memory knows pages by their names.
        found = repository.resolve(commit)
        entries = repository.fetch(found, self.lock.docs, needs_all=False)
        files = [SourceFile(path=entry.path, blob=entry.blob) for entry in entries]
        # What pages include today from outside of the docs, as it was then.
        outside = [file.path for file in self.lock.files if is_outside(file.path)]
        if outside:
            places = [self.lock.docs.place_of(path) for path in outside]
            for entry in repository.fetch_places(found, places):
                path = f"{OUTSIDE}/{entry.path}"
                files.append(SourceFile(path=path, blob=entry.blob))
        pages = {page.name: page for page in pages_of(files)}
        return _OlderCommit(commit=found, repository=repository, pages=pages)


def texts_by_digest(entries: Sequence[Entry]) -> dict[str, str]:
    """The English of ``entries``, by its digest."""
    return {digest(entry.msgid): entry.msgid for entry in entries}


def _wanted(
    page: Page, read: Callable[[SourceFile], bytes], reading: Reading
) -> tuple[Entry, ...]:
    """What ``page`` asks for, as far as its documents can be read."""
    # Of a pair one list is made, whichever of the two can be read.
    documents = []
    for file in page.files:
        try:
            documents.append(read_document(file.path, read(file), reading))
        except InputError:
            continue  # split says so for the pin; an older commit cannot be mended
    return wanted_entries(page.name, documents)


@contextmanager
def open_english(run: Run, pages: Sequence[SplitPage], lock: Lock) -> Iterator[English]:
    """Upstream's English, with its repository kept open for as long as the body takes."""
    with ExitStack() as stack:

        @cache
        def repository() -> Repository | None:
            """Opened when it is asked for: most runs need the pin alone."""
            from pipeline.adapters.upstream import CHECK_ADDRESS, open_upstream

            opened = open_upstream(run.settings, run.upstream, way_out=CHECK_ADDRESS)
            return stack.enter_context(opened)

        yield English(
            paths=run.paths,
            lock=lock,
            pages={page.page.name: page for page in pages},
            repository=repository,
            reading=run.upstream.reading,
        )


@dataclass(slots=True, kw_only=True)
class _Sought:
    """The English that is looked for, and the reasons why some of it cannot be had, each once."""

    texts: dict[str, str] = field(default_factory=dict)  # digest → English
    reasons: dict[str, None] = field(default_factory=dict)

    def note(self, error: UpstreamError) -> None:
        """Remember why a commit cannot be had."""
        reason = f"{error.where}: {error.what}" if error.where else error.what
        self.reasons[reason] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """What the page of a memory asks for. ``is_exact``: at the memory's own commit, or the same."""

    wanted: tuple[Entry, ...]
    is_exact: bool


def rebuilt(
    work: Workspace, english: English, memory: Memory, *, local: Catalog | None = None
) -> Opened:
    """The catalogue of a memory at its own commit, or at the pin if that commit cannot be had.

    ``local`` is the working catalogue, if there is one: it is full of English as well.
    """
    sought = _Sought()
    page = _page_of(english, memory, sought)
    # The nearest sources first: history is asked for what is in none of the others.
    sought.texts.update(texts_by_digest(page.wanted))
    if local is not None:
        sought.texts.update(texts_in(local))
    _look_where_notes_lead(english, memory, sought)
    if _lacks_english(memory, sought.texts):
        sought.texts.update(english.texts_at_pin())
    header = _header(work, english, memory, is_exact=page.is_exact)
    team = local.header.get("Language-Team", "") if local is not None else ""
    if team and public_team(team) == header["Language-Team"]:
        header["Language-Team"] = team  # with its address, which is not in the memory
    opened = open_memory(
        memory,
        page.wanted,
        texts=sought.texts,
        header=header,
    )
    # They stay in the memory as they are: another upstream, or a later run, may have their English.
    nowhere = [entry for entry in opened.missing if _never_stood(entry, sought.texts)]
    lost = [entry for entry in opened.missing if entry not in nowhere]
    if lost:
        work.tell(_not_recovered(work, memory, lost, sought.reasons))
    if nowhere:
        work.tell(_never_upstreams(work, memory, nowhere))
    return opened


def page_at(english: English, memory: Memory) -> tuple[Entry, ...] | None:
    """What the page of a memory asks for at the memory's own commit; None if that is not known."""
    page = _page_of(english, memory, _Sought())
    return page.wanted if page.is_exact else None


def _page_of(english: English, memory: Memory, sought: _Sought) -> _Page:
    """The page at the memory's commit, or at the pin if that commit cannot be had.

    If the page is the same at both, no history is asked: most runs need no git at all.
    """
    pinned = english.at_pin(memory.page)
    # The layout is a digest of the messages in their order: equal layout, equal page.
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
    """The page of a memory at the ref that its header names, if it is the very same page.

    The commit may be of a copy of upstream in which all commits have other ids. A ref may be
    anything, so that the digest of the page decides.
    """
    # Without a ref it is of a plain folder, which is at the pin or nowhere.
    if not memory.ref and english.lock.ref:
        return None
    try:
        wanted = english.at(memory.ref, memory.page, layout=memory.layout)
    except UpstreamError:
        return None
    return wanted if core.layout_of(wanted) == memory.layout else None


def texts_in(catalog: Catalog) -> dict[str, str]:
    """All English that a catalogue holds, by digest: also that which it was translated from."""
    texts = texts_by_digest(catalog.entries)
    for entry in catalog.entries:
        # Of a fuzzy entry: the message as it was when somebody translated it.
        if entry.previous:
            texts[digest(entry.previous)] = entry.previous
    return texts


def _look_where_notes_lead(english: English, memory: Memory, sought: _Sought) -> None:
    """Find the English that the memory's notes say the place of: ``seen: COMMIT PAGE``."""
    for entry in memory.entries:
        for code, place in english_of(entry):
            # One page of one commit often has many of them, so that most are known by now.
            if place is None or code in sought.texts:
                continue
            sought.texts.update(_texts_at(english, memory, place, sought))


def _texts_at(
    english: English, memory: Memory, place: Place, sought: _Sought
) -> dict[str, str]:
    """The English at a place, by digest; nothing if it cannot be had."""
    # A commit of the notes may be out of reach where that of the header is not. As with the
    # header's own, its ref does as well: the digests prove it.
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
    """Whether some English that the memory's entries need is in none of ``texts``."""
    # To read all pages of the pin for it takes seconds, so it is asked first.
    for entry in memory.entries:
        for code, _ in english_of(entry):
            if code not in texts:
                return True
    return False


def _never_stood(entry: Entry, texts: Mapping[str, str]) -> bool:
    """Whether the English that an entry lacks stood on no page of upstream's, as far as known."""
    # What is on the page needs no note of its place: that its English is not found is a loss.
    if not entry.obsolete and entry.msgid not in texts:
        return False
    return all(place is None for code, place in english_of(entry) if code not in texts)


def _header(
    work: Workspace, english: English, memory: Memory, *, is_exact: bool
) -> dict[str, str]:
    """The header of the catalogue: of the memory's time, or of the pin if it is made there."""
    fields = editing_fields(memory)
    header = catalog_header(english.lock, work.locale, memory.page, fields)
    # A catalogue that is rebuilt is the one that was stored, byte for byte.
    if is_exact and memory.project:
        header["Project-Id-Version"] = memory.project
    if is_exact and memory.date:
        header["POT-Creation-Date"] = memory.date
    return header


def _not_recovered(
    work: Workspace, memory: Memory, missing: Sequence[Entry], reasons: Iterable[str]
) -> Finding:
    # Entries without a translation have nothing that could be lost.
    translated = sum(bool(core.text_of(entry)) for entry in memory.entries)
    why = "; ".join(reasons) or "it stands nowhere in upstream's docs"
    return Finding(
        code="memory-not-recovered",
        severity=Severity.WARNING,
        where=_first_line(work, memory, missing),
        text=(
            f"{len(missing)} of {translated} translations could not be joined "
            f"to their English; they stay in the memory ({why})"
        ),
        page=memory.page,
        hint=(
            "Take an upstream whose history goes back to that commit (a full clone, for example); "
            "what is not joined is not shown."
        ),
    )


def _never_upstreams(
    work: Workspace, memory: Memory, missing: Sequence[Entry]
) -> Finding:
    """Nothing is wrong with them that anybody could mend: a note, and no warning."""
    return Finding(
        code="memory-without-english",
        severity=Severity.NOTE,
        where=_first_line(work, memory, missing),
        text=(
            f"{len(missing)} translations belong to English that was never upstream's; "
            "they stay in the memory, and are not shown"
        ),
        page=memory.page,
        hint="A msgid was edited or damaged once; nothing needs to be done.",
    )


def _first_line(work: Workspace, memory: Memory, missing: Sequence[Entry]) -> str:
    line = min(entry.line for entry in missing)
    return f"{work.files.memory_name(memory.page)}:{line}"
