"""Merge of one page: inserts the translations of its catalogue into its documents.

``merge_page`` takes a split page and its catalogue, writes the merged documents, and returns a row
of the report. If a translation is broken, its message stays English. If a document fails the guard,
it is not written. Both are reported as findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import chain

from msgspec.structs import replace

from pipeline.core.catalog.counts import count_catalog
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
from pipeline.stages.merge.incremental import MergedDocument, MergedFiles, MergedPage


def merge_page(
    files: MergedFiles, page: SplitPage, catalog: Catalog, linked: frozenset[str]
) -> MergedPage:
    """Merge the documents of a page and write them; return the result.

    ``linked`` has the fragments of links to this page, such as ``pure-functions``. The headings
    with these names keep their English anchors, so that the links still work.
    """
    name = page.page.name
    if not catalog.entries:
        # Nothing is translated. Take entries from the documents, so that the messages are counted.
        catalog = Catalog(entries=wanted_entries(name, page.documents))
    where = files.run.shown(files.run.paths.catalog(files.locale, name))
    sound, findings = _without_errors(catalog, name, where, files.run.upstream.ignored(name))
    refused: set[str] = set()
    documents: list[MergedDocument] = []
    for document in page.documents:
        extras = PageExtras(attribution=files.attribution(document.path), anchors=linked)
        try:
            merged = merge(document, translations_of(sound), extras)
        except GuardError as error:
            # This is a bug of the pipeline. Keep the file of an earlier run instead of writing a
            # wrong one.
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
            # A document without a translation has no attribution.
            attribution=extras.attribution if merged.translated else "",
            stamps=files.stamps(document.path),
        )
        documents.append(record)
    findings += _unknown_sections(page, sound, where)
    return MergedPage(row=_result(page, sound, findings, refused), documents=tuple(documents))


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
        # Leave the translation out of the merge. It stays in the catalogue's file.
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
        return catalog, []  # the usual case needs no copy
    return replace(catalog, entries=tuple(entries)), findings


def _rejections(
    page: SplitPage, catalog: Catalog, where: str, rejected: Sequence[Rejected]
) -> Iterator[Finding]:
    """Yield a finding for each translation that the guard rejected."""
    # A message may have several entries with different contexts. Name the last one.
    places = {
        entry.msgid: _line_of(entry, where) for entry in catalog.entries if entry.is_translated
    }
    for rejection in rejected:
        refusal = rejection.refusal
        yield Finding(
            code=refusal.code,
            severity=Severity.ERROR,
            where=places.get(rejection.message.msgid, f"{where}:1"),
            text=f"the translation {refusal.text}; the message is left in English "
            f"({rejection.place})",
            page=page.page.name,
            hint=refusal.hint,
        )


def _unknown_sections(page: SplitPage, catalog: Catalog, where: str) -> Iterator[Finding]:
    """Yield a finding for each translation that is unused because its msgctxt fits no section.

    The msgctxt of an entry limits the entry to one section of the page. But if all entries of a
    message have a msgctxt, the first one is used in all sections without an entry of their own. So
    the first entry gets no finding.
    """
    with_context = [
        entry for entry in catalog.entries if entry.is_translated and entry.context is not None
    ]
    if not with_context:
        return  # the usual case
    sections: dict[str, list[str]] = {}
    for document in page.documents:
        for message in chain.from_iterable(unit.split.messages for unit in document.units):
            sections.setdefault(message.msgid, []).append(message.section)
    # The translation of each msgid that is used in sections without an entry of their own.
    used = translations_of(catalog)
    for entry in with_context:
        known = sections.get(entry.msgid, [])
        if entry.context in known or used[entry.msgid] == entry.msgstr:
            continue
        named = ", ".join(f"“{section}”" for section in dict.fromkeys(known))
        yield Finding.from_table(
            "unknown-section",
            where=_line_of(entry, where),
            page=page.page.name,
            section=entry.context,
            sections=named,
        )


def _code_cells(page: SplitPage) -> int:
    """Return the number of code cells of the page; 0 if it is not a notebook."""
    for document in page.documents:
        # The .ipynb of a jupytext pair comes first. It is the document that is executed.
        if document.is_notebook:
            return len(document.code)
    return 0


def _rest_words(page: SplitPage) -> int:
    """Return the number of words of the page that stay English by configuration."""
    units = page.documents[0].units if page.documents else ()
    rest = chain.from_iterable(unit.split.rest for unit in units)
    return sum(count_words(message.msgid, message.markup) for message in rest)


def _result(
    page: SplitPage, catalog: Catalog, findings: Sequence[Finding], refused: Set[str]
) -> PageResult:
    """Return the page's row of the report.

    The row counts what readers see: a message in ``refused`` counts as untranslated.
    """
    shown = list(catalog.entries)
    for at, entry in enumerate(shown):
        if entry.msgid in refused:
            shown[at] = replace(entry, msgstr="")
    title = translations_of(catalog).get(page.title, page.title)
    result = PageResult(
        page=page.page.name,
        files=page.page.files,
        # A heading may contain a lone surrogate, which cannot be written to a report.
        title=UNWRITABLE.sub("?", anchors.plain_title(title)),
        rest_words=_rest_words(page),
        code_cells=_code_cells(page),
        findings=tuple(dict.fromkeys(findings)),
    )
    return count_catalog(result, replace(catalog, entries=tuple(shown)))
