"""Merge of one page: applies its catalogue to its documents, and leaves out broken translations.

A split page and its catalogue come in. Merged documents and a row of the report go out. A message
with a broken translation stays English and is reported. A document that fails the guard is not
written and is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain

from pipeline.core.catalog.counts import count_catalog, with_classes
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.checks.engine import blocking_problem
from pipeline.core.checks.model import Subject
from pipeline.core.document.landing import landings_to_json
from pipeline.core.document.markdown import anchors
from pipeline.core.document.merge import PageExtras, Rejected, merge
from pipeline.core.document.message import UNWRITABLE
from pipeline.core.document.prose import count_words
from pipeline.core.document.reader import SplitPage
from pipeline.core.pin.lock import blob_id
from pipeline.core.results import PageResult
from pipeline.entries import Catalog, Entry, translations_of
from pipeline.errors import GuardError
from pipeline.findings import Finding, Severity
from pipeline.stages.merge.files import MergedDocument, MergedFiles, MergedPage


def merge_page(
    files: MergedFiles, page: SplitPage, catalog: Catalog, linked: frozenset[str]
) -> MergedPage:
    """Merge the documents of a page and write them; return the result.

    ``linked`` are the fragments that links of any page point to; their headings keep the English
    anchors.
    """
    name = page.page.name
    if not catalog.entries:
        # Nothing is translated, but the messages still count.
        catalog = Catalog(entries=wanted_entries(name, page.documents))
    where = files.run.shown(files.run.paths.catalog(files.locale, name))
    sound, findings = _without_errors(
        catalog, name, where, files.run.upstream.ignored(name)
    )
    refused: set[str] = set()
    documents: list[MergedDocument] = []
    for document in page.documents:
        extras = PageExtras(
            attribution=files.attribution(document.path), anchors=linked
        )
        try:
            merged = merge(document, translations_of(sound), extras)
        except GuardError as error:
            # A bug of the pipeline: keep the file of an earlier run rather than write a wrong one.
            findings.append(Finding.of(error, page=name))
            continue
        refused.update(rejected.message.msgid for rejected in merged.rejected)
        findings += _rejections(page, catalog, where, merged.rejected)
        blocks = landings_to_json(merged.blocks)
        files.write(files.merged(document.path), merged.data)
        files.write(files.blocks(document.path), blocks)
        record = MergedDocument(
            path=document.path,
            blob=blob_id(merged.data),
            blocks=blob_id(blocks),
            # Unchanged English needs no line about the source of a translation.
            attribution=extras.attribution if merged.translated else "",
        )
        documents.append(record)
    findings += _unknown_sections(page, sound, where)
    return MergedPage(
        row=_result(page, sound, findings, refused), documents=tuple(documents)
    )


def _line_of(entry: Entry, where: str) -> str:
    """Return ``FILE:LINE`` of an entry in the catalogue ``where``."""
    return f"{where}:{entry.line or 1}"


def _without_errors(
    catalog: Catalog, page: str, where: str, ignored: Set[str]
) -> tuple[Catalog, list[Finding]]:
    """Return the catalogue without broken translations, and a finding for each of them."""
    findings = []
    entries = list(catalog.entries)
    for at, entry in enumerate(entries):
        # Fuzzy entries are never merged.
        if not entry.is_translated:
            continue
        problem = blocking_problem(Subject(entry, page), ignored)
        if problem is None:
            continue
        # Dropped from the merge only: the catalogue on disk keeps the translation.
        entries[at] = replace(entry, msgstr="")
        findings.append(
            Finding(
                code=problem.code,
                severity=Severity.ERROR,
                where=_line_of(entry, where),
                text=f"{problem.text}; the message is left in English",
                page=page,
                hint=problem.hint,
            )
        )
    if not findings:
        return catalog, []  # the usual case: return the catalogue uncopied
    return replace(catalog, entries=tuple(entries)), findings


def _rejections(
    page: SplitPage, catalog: Catalog, where: str, rejected: Sequence[Rejected]
) -> Iterator[Finding]:
    """Yield a finding for each translation that the guard refused."""
    # Several entries of a message differ in their context; the last one counts.
    places = {
        entry.msgid: _line_of(entry, where)
        for entry in catalog.entries
        if entry.is_translated
    }
    for rejection in rejected:
        refusal = rejection.refusal
        yield Finding(
            code=refusal.code,
            severity=Severity.ERROR,
            where=places.get(rejection.message.msgid, f"{where}:1"),
            text=f"the translation {refusal.text}; it is left in English ({rejection.place})",
            page=page.page.name,
            hint=refusal.hint,
        )


def _unknown_sections(
    page: SplitPage, catalog: Catalog, where: str
) -> Iterator[Finding]:
    """Yield a finding for each translation whose msgctxt is not a section of its message.

    No finding is given if the translation is used anyway: without an entry that has no msgctxt, the
    first entry applies to all sections.
    """
    with_context = [
        entry
        for entry in catalog.entries
        if entry.is_translated and entry.context is not None
    ]
    if not with_context:
        return  # the usual case
    sections: dict[str, list[str]] = {}
    for document in page.documents:
        for message in chain.from_iterable(
            unit.split.messages for unit in document.units
        ):
            sections.setdefault(message.msgid, []).append(message.section)
    # The translations as a merge looks them up, by bare msgid.
    used = translations_of(catalog)
    for entry in with_context:
        known = sections.get(entry.msgid, [])
        if entry.context in known or used[entry.msgid] == entry.msgstr:
            continue
        named = ", ".join(f"“{section}”" for section in dict.fromkeys(known))
        yield Finding(
            code="unknown-section",
            severity=Severity.WARNING,
            where=_line_of(entry, where),
            text=f"the message does not stand in “{entry.context}”; its translation is not used",
            page=page.page.name,
            hint=f"Write as msgctxt where it stands: {named}.",
        )


def _code_cells(page: SplitPage) -> int:
    """Return how many code cells the page has; 0 if it is no notebook."""
    for document in page.documents:
        # In a jupytext pair, the .ipynb comes first: it is the one that is executed.
        if document.is_notebook:
            return len(document.code)
    return 0


def _rest_words(page: SplitPage) -> int:
    """Return how many words of the page stay English by configuration."""
    units = page.documents[0].units if page.documents else ()
    rest = chain.from_iterable(unit.split.rest for unit in units)
    return sum(count_words(message.msgid, message.markup) for message in rest)


def _result(
    page: SplitPage, catalog: Catalog, findings: Sequence[Finding], refused: Set[str]
) -> PageResult:
    """Return the page's row of the report, which counts what readers see.

    A message whose translation was refused counts as untranslated.
    """
    shown = list(catalog.entries)
    for at, entry in enumerate(shown):
        if entry.msgid in refused:
            shown[at] = replace(entry, msgstr="")
    title = translations_of(catalog).get(page.title, page.title)
    result = PageResult(
        page=page.page.name,
        files=page.page.files,
        # A heading may hold a lone surrogate, but a report must not.
        title=UNWRITABLE.sub("?", anchors.plain_title(title)),
        rest_words=_rest_words(page),
        code_cells=_code_cells(page),
        findings=tuple(dict.fromkeys(findings)),
    )
    shown_catalog = replace(catalog, entries=tuple(shown))
    return with_classes(count_catalog(result, shown_catalog), shown_catalog)
