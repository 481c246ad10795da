"""A memory as a catalogue again: its entries joined with upstream's English.

In goes the memory of one page, out comes the catalogue as it was, as far as its English can be had.
What cannot be joined stays in the memory and is a finding: no translation is lost by that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.core.memory import record as core
from pipeline.core.memory.file import editing_fields, public_team
from pipeline.core.memory.opening import Opened, open_memory
from pipeline.core.memory.record import Memory, Place, digest, english_of
from pipeline.entries import Catalog, Entry
from pipeline.errors import UpstreamError
from pipeline.findings import Finding, Severity
from pipeline.stages.update.catalogs import catalog_header
from pipeline.stages.update.english import English, texts_by_digest
from pipeline.stages.update.workspace import Workspace


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
