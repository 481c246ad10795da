"""Page as it is on disk: its document and catalogue, HTML and JSON for the browser, and edits.

The text that the user types is checked, previewed and fixed here as well.

The server itself stores no translations: they are only in the catalogues. An edit changes an entry
only if the entry is still as the user saw it.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, replace_if_unchanged
from pipeline.adapters.html.images import PageFolder
from pipeline.adapters.version_control import person_in_git
from pipeline.commands.check.checker import read_terms
from pipeline.commands.check.entries import CheckRules, check_entries
from pipeline.commands.check.files import CatalogFile, ReadFile
from pipeline.commands.run_lock import run_lock
from pipeline.core.checks.engine import blocking_problem, fix_entry, subjects_of
from pipeline.core.checks.model import Subject
from pipeline.core.checks.table import checks_of
from pipeline.core.document.guard import Refusal
from pipeline.core.document.merge import Merged, merge
from pipeline.core.document.message import Markup
from pipeline.core.document.prose import atoms_of
from pipeline.core.document.reader import Document, Unit
from pipeline.core.glossary.glossary import Glossary
from pipeline.core.pin.lock import Page
from pipeline.core.word_diff import pattern_of_words, word_diff
from pipeline.core.workbench.editing import Edited, cleaned, stamp_of
from pipeline.core.workbench.marks import MarkedHtml
from pipeline.core.workbench.page_messages import Block, State, blocks_of, excerpt_of
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.report.chinese import in_chinese
from pipeline.run import Run
from pipeline.stages.split import split_page

_TRIES = 5  # attempts to save; if all fail, some program keeps saving the file
# Lock for the threads of this process. The run lock is for other processes.
_SAVING = threading.Lock()
Json = dict[str, Any]
_ENGLISH = pattern_of_words()  # splits English into words; only Chinese needs a list of terms


class OpenPage(Struct, frozen=True, kw_only=True, dict=True):
    """Page with its catalogue, merged with its translations."""

    page: str
    locale: str
    folder: PageFolder  # folder of its images
    outputs: Path | None  # the executed notebook, if there is one
    document: Document
    read: ReadFile
    merged: Merged
    blocks: tuple[Block, ...]

    @cached_property
    def marked(self) -> MarkedHtml:
        """Return the page as HTML in which messages are marked. Rendering is slow, so cache it."""
        from pipeline.stages.publish.marked_page import render_marked

        return render_marked(self.document, self.merged, folder=self.folder, outputs=self.outputs)

    @property
    def progress(self) -> tuple[int, int]:
        """Return the number of finished entries and of all entries, as ``status`` counts them.

        An entry that occurs several times on the page counts once.
        """
        live = self.read.catalog.live
        return sum(entry.is_translated for entry in live), len(live)

    @property
    def refused(self) -> int:
        """Return the number of finished entries that pages do not show, because of errors."""
        refused = (block for block in self.blocks if block.state is State.REFUSED)
        return len({(block.entry.context, block.entry.msgid) for block in refused})


def read_documents(run: Run, page: Page) -> Document:
    """Return the document of a page. If there are two, return the notebook.

    Raises InputError if no document of the page is readable.
    """
    split = split_page(run.paths, page, run.upstream.reading)
    if split.documents:
        return split.documents[0]  # the notebook comes first
    first = split.findings[0]
    raise InputError(first.text, where=first.where, hint=first.hint)


def open_page(run: Run, document: Document, page: str, *, locale: str) -> OpenPage:
    """Return the page with its catalogue. Raises InputError if the catalogue is unreadable."""
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
    # Leave out translations with errors, as a build does.
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


def read_catalog(run: Run, page: str, *, locale: str) -> ReadFile:
    """Return the catalogue of a page, or an empty one if there is none. Raises InputError."""
    path = run.paths.catalog(locale, page)
    file = CatalogFile(path=path, name=run.shown(path), page=page, locale=locale)
    if not path.is_file():
        return ReadFile(file=file, data=b"", catalog=Catalog())
    data = read_bytes(path)
    read = po.read_catalog(data, where=file.name)
    return ReadFile(file=file, data=data, catalog=read.catalog, remarks=read.findings)


class Change(Protocol):
    """Function that changes a catalogue. ``stamp`` has header fields: translator and date."""

    def __call__(self, catalog: Catalog, /, *, stamp: Mapping[str, str]) -> Edited: ...


def save(run: Run, page: str, change: Change, *, locale: str) -> Edited:
    """Make a change in the catalogue of a page, under the run lock, and return the result.

    If another program saves the file at the same time, read the file again, so that both edits are
    kept. Raises InputError for an unreadable catalogue, and ConflictError as the change does.
    """
    when = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M%z")
    stamp = stamp_of(person_in_git(run.settings.root), when)
    with _SAVING, run_lock(run):
        for _ in range(_TRIES):
            read = read_catalog(run, page, locale=locale)
            result = change(read.catalog, stamp=stamp)
            if result.catalog is read.catalog:
                return result
            data = po.format_catalog(result.catalog)
            if replace_if_unchanged(read.file.path, data, before=read.data):
                return result
    raise InputError(
        "is saved by another program again and again",
        where=read.file.name,
        hint="End that program, and save again.",
    )


def glossary_of(run: Run, locale: str) -> Glossary | None:
    """Return the glossary of a locale, or None if there is none. Raises InputError."""
    paths = [path for path in run.paths.glossaries(locale) if path.is_file()]
    stamps = tuple((path, path.stat().st_mtime_ns) for path in paths)
    return _glossary(stamps)


@lru_cache(maxsize=2)  # reading a glossary takes longer than checking a message
def _glossary(stamps: tuple[tuple[Path, int], ...]) -> Glossary | None:
    return read_terms(path for path, _ in stamps)


def page_json(page: OpenPage) -> Json:
    """Return all messages of a page, in order, as JSON."""
    blocks = []
    # A message may occur several times on a page. The field "first" of each occurrence has the
    # number of the first occurrence.
    first: dict[tuple[str | None, str], int] = {}
    for block in page.blocks:
        number = first.setdefault((block.entry.context, block.entry.msgid), block.number)
        blocks.append({**block_json(block), "first": number})
    return {
        "page": page.page,
        "file": page.read.file.name,
        "progress": page.progress,
        "refused": page.refused,
        "blocks": blocks,
        "remarks": [finding_json(remark) for remark in page.read.remarks],
    }


def block_json(block: Block) -> Json:
    """Return a message for the list of messages."""
    fields: Json = {
        "number": block.number,
        "state": str(block.state),
        "kind": str(block.message.kind),
        "section": block.message.section,
        **entry_json(block.entry),
    }
    if block.refusal is not None:
        fields["refusal"] = to_builtins(block.refusal)
    return fields


def entry_json(entry: Entry) -> Json:
    """Return an entry as JSON. The editor sends it back with an edit, to detect conflicts."""
    return {
        "msgid": entry.msgid,
        "context": entry.context,
        "msgstr": entry.msgstr,
        "fuzzy": entry.fuzzy,
        "line": entry.line,
    }


def message_json(page: OpenPage, block: Block, glossary: Glossary | None) -> Json:
    """Return help for translating a message as JSON: atoms, notes, terms, diff of the English."""
    message, entry = block.message, block.entry
    fields: Json = {
        "atoms": atoms_of(message.msgid, message.markup),
        "notes": list(entry.notes[1:]),  # the first note has kind and section
        "comments": list(entry.comments),
        "terms": [],
        "diff": [],
    }
    if entry.fuzzy and entry.previous and entry.previous != message.msgid:
        pieces = word_diff(entry.previous, message.msgid, _ENGLISH)
        fields["diff"] = [(piece.part, piece.text) for piece in pieces]
    if glossary is not None:
        fields["terms"] = _terms_json(glossary, message.msgid, message.markup)
    # Fill the cache of excerpts now, so that the first preview is fast.
    excerpt_of(page.document, unit_of(page, block), message)
    return fields


def _terms_json(glossary: Glossary, english: str, markup: Markup) -> list[Json]:
    """Return the glossary terms that occur in a message, as JSON."""
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


def finding_json(finding: Finding) -> Json:
    """Return a finding as JSON, with its texts in English and in Chinese."""
    chinese = in_chinese(finding)
    words = {"text": chinese.text, "hint": chinese.hint}
    return {**to_builtins(finding), "chinese": words}


def unit_of(page: OpenPage, block: Block) -> Unit:
    """Return the unit of markup (a paragraph, a table) that contains a message."""
    return [unit for unit, _ in page.document.messages()][block.number]


def check_rules_for(run: Run, locale: str) -> CheckRules:
    """Return the checks and the glossary of a locale. Raises InputError for a bad glossary."""
    return CheckRules(
        checks=checks_of(locale),
        glossary=glossary_of(run, locale),
        ignore=run.settings.ignore,
        is_whole=False,
    )


def preview_json(page: OpenPage, block: Block, msgstr: str, rules: CheckRules) -> Json:
    """Return the preview of a translation on its page, and its findings."""
    from pipeline.stages.publish.marked_page import render_message

    text = cleaned(msgstr)
    findings = findings_of(page, (finished(block.entry, text),), rules) if text else []
    excerpt = excerpt_of(page.document, unit_of(page, block), block.message)
    merged = merge(excerpt.document, {block.message.msgid: text})
    html = render_message(excerpt.document, merged, excerpt.index, folder=page.folder)
    # The guard may reject the translation although no check reports an error. Add its message.
    if merged.rejected and not any(found.is_error for found in findings):
        refusal = merged.rejected[0].refusal
        findings.append(Finding(severity=Severity.ERROR, **to_builtins(refusal)))
    return {"html": html, "findings": list(map(finding_json, findings))}


def fixed_json(page: OpenPage, block: Block, msgstr: str) -> Json:
    """Return the translation with all safe fixes; it may be unchanged."""
    text = cleaned(msgstr)
    for subject in _subjects(page, (finished(block.entry, text),)):
        text = fix_entry(subject, checks_of(page.locale).checks)
    return {"msgstr": text}


def findings_of(page: OpenPage, entries: Sequence[Entry], rules: CheckRules) -> list[Finding]:
    """Return the findings of the checks for some entries of a page."""
    return check_entries([(page.read, _subjects(page, entries))], rules).findings


def _subjects(page: OpenPage, entries: Sequence[Entry]) -> list[Subject]:
    """Return the translated ``entries`` as subjects, which is the form that the checks read.

    An entry of a reST page has a note that names its markup. Without such a note, it is Markdown.
    """
    return subjects_of(entries, page.page, Markup.MARKDOWN)


def finished(entry: Entry, msgstr: str) -> Entry:
    """Return the entry as it will be once ``msgstr`` is saved."""
    return replace(entry, msgstr=msgstr, fuzzy=False, previous=None)
