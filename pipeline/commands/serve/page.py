"""A page as its files are now: document, catalogue, HTML, JSON for the browser, and edits.

Nothing is kept that is not as it was read: the files are the truth. A catalogue is only changed
where it still is as the person has seen it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, replace_if_unchanged
from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.version_control import person_in_git
from pipeline.commands.holding import only_this_run
from pipeline.commands.terms import read_terms
from pipeline.core.checks.engine import blocking_problem
from pipeline.core.checks.model import Subject
from pipeline.core.document.guard import Refusal
from pipeline.core.document.merge import Merged, merge
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import atoms_of
from pipeline.core.document.reader import Document, Unit
from pipeline.core.glossary.glossary import Glossary
from pipeline.core.pin.lock import Page
from pipeline.core.word_diff import Words, word_diff
from pipeline.core.workbench.blocks import Block, State, blocks_of, excerpt_of
from pipeline.core.workbench.editing import Conflict, Edited, stamp_of
from pipeline.core.workbench.marks import MarkedHtml
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.errors import InputError
from pipeline.findings import Finding
from pipeline.report.chinese import in_chinese
from pipeline.run import Run
from pipeline.stages.split import split_page

_TRIES = 5  # somebody who saves again and again is a program
# One at a time in this process; other processes are kept out by the lock of runs.
_SAVING = threading.Lock()
Told = dict[str, Any]
_ENGLISH = Words.of(())  # spaces part its words: no term need be known


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCatalog:
    """The catalogue of a page. ``name`` is its path as people read it."""

    path: Path
    name: str
    data: bytes  # that it was read from; empty if there is no file
    catalog: Catalog
    remarks: tuple[Finding, ...] = ()  # of the reader


@dataclass(frozen=True, kw_only=True)
class OpenPage:
    """A page with its catalogue."""

    page: str
    locale: str
    folder: PageFolder  # of its images
    outputs: Path | None
    document: Document
    read: OpenCatalog
    merged: Merged
    blocks: tuple[Block, ...]

    @cached_property
    def marked(self) -> MarkedHtml:
        """The page as HTML. It takes longer than all else, so nothing waits for it but the page."""
        from pipeline.stages.publish.marked_page import render_marked

        return render_marked(
            self.document, self.merged, folder=self.folder, outputs=self.outputs
        )

    @property
    def progress(self) -> tuple[int, int]:
        """How many entries are finished, and how many there are: as ``status`` counts them.

        An entry may stand in several places of the page.
        """
        live = [entry for entry in self.read.catalog.entries if not entry.obsolete]
        return sum(entry.is_translated for entry in live), len(live)

    @property
    def refused(self) -> int:
        """How many of the finished entries readers cannot be shown."""
        refused = (block for block in self.blocks if block.state is State.REFUSED)
        return len({(block.entry.context, block.entry.msgid) for block in refused})


def read_documents(run: Run, page: Page) -> Document:
    """Return the document of a page that is shown.

    Raises InputError if none of them can be read.
    """
    split = split_page(run.paths, page, run.upstream.reading)
    if split.documents:
        return split.documents[0]  # of a pair the notebook, which has outputs
    first = split.findings[0]
    raise InputError(first.text, where=first.where, hint=first.hint)


def open_page(run: Run, document: Document, page: str, *, locale: str) -> OpenPage:
    """Return the page with its catalogue. Raises InputError if the catalogue cannot be read."""
    read = read_catalog(run, page, locale=locale)
    refused: dict[str, Refusal] = {}
    ignored = run.upstream.ignored(page)
    for entry in read.catalog.entries:
        if not entry.is_translated:
            continue
        problem = blocking_problem(Subject(entry, page), ignored)
        if problem is not None:
            refusal = Refusal(problem.code, problem.text, problem.hint)
            refused[entry.msgid] = refusal
    translations = translations_of(read.catalog)
    sound = {key: text for key, text in translations.items() if key not in refused}
    merged = merge(document, sound)
    ran = run.paths.executed(locale) / f"{page}.ipynb"
    return OpenPage(
        page=page,
        locale=locale,
        folder=PageFolder.of(run.paths.docs, page),
        outputs=ran if ran.is_file() else None,
        document=document,
        read=read,
        merged=merged,
        blocks=blocks_of(document, read.catalog, merged, refused),
    )


def read_catalog(run: Run, page: str, *, locale: str) -> OpenCatalog:
    """Return the catalogue of a page, an empty one if there is none. Raises InputError."""
    path = run.paths.catalog(locale, page)
    name = run.shown(path)
    if not path.is_file():
        return OpenCatalog(path=path, name=name, data=b"", catalog=Catalog())
    data = read_bytes(path)
    read = po.read_catalog(data, where=name)
    return OpenCatalog(
        path=path,
        name=name,
        data=data,
        catalog=read.catalog,
        remarks=read.findings,
    )


class Change(Protocol):
    """What to do with a catalogue; ``stamp`` are fields of its header that say who did it."""

    def __call__(
        self, catalog: Catalog, /, *, stamp: Mapping[str, str]
    ) -> Edited | Conflict: ...


def save(run: Run, page: str, change: Change, *, locale: str) -> Edited | Conflict:
    """Make a change in a catalogue. A ``sync`` that is at work is waited for, and waits for this.

    A file that somebody saves at the same moment is read again, so that both edits are in it.
    Raises InputError for a catalogue that cannot be read.
    """
    when = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M%z")
    stamp = stamp_of(person_in_git(run.settings.root), when)
    with _SAVING, only_this_run(run):
        for _ in range(_TRIES):
            read = read_catalog(run, page, locale=locale)
            result = change(read.catalog, stamp=stamp)
            if isinstance(result, Conflict) or result.catalog is read.catalog:
                return result
            data = po.format_catalog(result.catalog)
            if replace_if_unchanged(read.path, data, before=read.data):
                return result
    raise InputError(
        "is saved by another program again and again",
        where=read.name,
        hint="End that program, and save again.",
    )


def glossary_of(run: Run, locale: str) -> Glossary | None:
    """Return the terms of a locale; None if there are none. Raises InputError."""
    paths = [path for path in run.paths.glossaries(locale) if path.is_file()]
    stamps = tuple((path, path.stat().st_mtime_ns) for path in paths)
    return _glossary(stamps)


@lru_cache(maxsize=2)  # its patterns take longer to make than all checks of a message
def _glossary(stamps: tuple[tuple[Path, int], ...]) -> Glossary | None:
    return read_terms(path for path, _ in stamps)


def tell_page(page: OpenPage) -> Told:
    """Return all messages of a page, in its order."""
    blocks = []
    # An entry may stand in several places: it is one message to whoever translates it.
    first: dict[tuple[str | None, str], int] = {}
    for block in page.blocks:
        number = first.setdefault(
            (block.entry.context, block.entry.msgid), block.number
        )
        blocks.append({**tell_block(block), "first": number})
    return {
        "page": page.page,
        "file": page.read.name,
        "progress": page.progress,
        "refused": page.refused,
        "blocks": blocks,
        "remarks": [tell_finding(remark) for remark in page.read.remarks],
    }


def tell_block(block: Block) -> Told:
    """Return what the list of messages needs."""
    told: Told = {
        "number": block.number,
        "state": str(block.state),
        "kind": str(block.message.kind),
        "section": block.message.section,
        **tell_entry(block.entry),
    }
    if block.refusal is not None:
        told["refusal"] = asdict(block.refusal)
    return told


def tell_entry(entry: Entry) -> Told:
    """Return an entry as an editor sees it, and shows it again to say what it has seen."""
    return {
        "msgid": entry.msgid,
        "context": entry.context,
        "msgstr": entry.msgstr,
        "fuzzy": entry.fuzzy,
        "line": entry.line,
    }


def tell_message(page: OpenPage, block: Block, glossary: Glossary | None) -> Told:
    """Return what a person needs who translates a message, but what is looked up in other pages."""
    message, entry = block.message, block.entry
    told: Told = {
        "atoms": atoms_of(message.msgid, message.markup),
        "notes": list(entry.notes[1:]),  # the first tells kind and section
        "comments": list(entry.comments),
        "terms": [],
        "diff": [],
    }
    if entry.fuzzy and entry.previous and entry.previous != message.msgid:
        pieces = word_diff(entry.previous, message.msgid, _ENGLISH)
        told["diff"] = [(piece.part, piece.text) for piece in pieces]
    if glossary is not None:
        told["terms"] = _tell_terms(glossary, message.msgid, message.markup)
    # Now, while the person reads: the first keystroke need not wait for it.
    excerpt_of(page.document, unit_of(page, block), message)
    return told


def _tell_terms(glossary: Glossary, english: str, markup: Markup) -> list[Told]:
    mentions = glossary.mentions(english, markup)
    terms = {mention.term.english: mention.term for mention in mentions}
    return [
        {
            "english": term.english,
            "renderings": [rendering.text for rendering in term.renderings],
            "avoided": [rendering.text for rendering in term.avoided],
            "note": term.note,
        }
        for term in terms.values()
    ]


def tell_finding(finding: Finding) -> Told:
    """Return a finding of a check, in both languages of the interface."""
    chinese = in_chinese(finding)
    words = {"text": chinese.text, "hint": chinese.hint}
    return {**asdict(finding), "chinese": words}


def unit_of(page: OpenPage, block: Block) -> Unit:
    """Return the unit that a block stands in."""
    for number, (unit, _) in enumerate(page.document.messages()):
        if number == block.number:
            return unit
    raise LookupError(block.number)
