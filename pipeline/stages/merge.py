"""merge: translations into upstream's documents, guarded; English wherever there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

from pipeline.adapters import po
from pipeline.adapters.files import write_if_changed
from pipeline.config import Upstream
from pipeline.core import anchors
from pipeline.core.attribution import attribution
from pipeline.core.checks.base import Subject
from pipeline.core.checks.blocking import blocking_problem
from pipeline.core.compose import Frame, Rejected
from pipeline.core.compose import merge as merge_document
from pipeline.core.document import Document, SplitPage
from pipeline.core.standing import update_counts, with_classes
from pipeline.core.update import Catalogs, count_catalog, translations_of, wanted_entries
from pipeline.errors import GuardError
from pipeline.log import Log
from pipeline.model import Catalog, Finding, Lock, PageResult, Severity
from pipeline.paths import Paths


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPages:
    """What the stage made of every page, and the files it wrote or removed, relative to the root."""

    pages: tuple[PageResult, ...]
    changes: tuple[str, ...]


def merge(
    paths: Paths,
    pages: Sequence[SplitPage],
    catalogs: Catalogs,
    *,
    locale: str,
    upstream: Upstream,
    lock: Lock,
    log: Log,
    dry: bool = False,
) -> MergedPages:
    """Write ``merged/<path>`` for every document that can be read, if it changed.

    A translation in which a check finds an error, or that the guard refuses, is a finding, and its message stays English.
    A document that would differ from upstream all the same is not written.
    """
    linked = anchors.linked_anchors(_texts(pages))
    results: list[PageResult] = []
    changes: list[str] = []
    with log.step("merge") as step:
        for page in pages:
            catalog = catalogs.by_page.get(page.page.name) or Catalog(entries=wanted_entries(page.page.name, page.documents))
            where = _Where(paths.catalog(locale, page.page.name).relative_to(paths.root).as_posix(), catalog)
            sound, broken = _without_errors(catalog, page.page.name, where, upstream.ignored(page.page.name))
            refused: set[str] = set()
            findings = [*page.findings, *catalogs.findings.get(page.page.name, ()), *broken]
            for document in page.documents:
                frame = Frame(attribution=_attribution(document, upstream, lock, locale), anchors=linked.get(page.page.name, frozenset()))
                try:
                    merged = merge_document(document, translations_of(sound), frame)
                except GuardError as error:
                    findings.append(Finding.of(error, page=page.page.name))
                    continue
                refused.update(one.message.msgid for one in merged.rejected)
                findings += _rejections(page, where, merged.rejected)
                path = paths.merged(locale) / document.path
                if write_if_changed(path, merged.data, dry=dry):
                    changes.append(path.relative_to(paths.root).as_posix())
            result = _result(page, sound, findings, refused)
            results.append(replace(result, update=update_counts(catalogs, page.page.name)))
        done = sum(result.translated for result in results)
        step.result = f"{done} of {sum(result.messages for result in results)} messages translated, {len(changes)} files written"
    return MergedPages(pages=tuple(results), changes=tuple(changes))


def _texts(pages: Sequence[SplitPage]) -> Iterator[tuple[str, str]]:
    return ((page.page.name, unit.split.text) for page in pages for document in page.documents for unit in document.units)


def _attribution(document: Document, upstream: Upstream, lock: Lock, locale: str) -> str:
    return attribution(locale=locale, path=document.path, lock=lock, page_url=upstream.page_url, license_name=upstream.license)


@dataclass(frozen=True)
class _Where:
    """Where the entries of a catalogue stand in its file, as it lies on disk; found out when it is asked for."""

    name: str
    catalog: Catalog

    def line(self, msgid: str) -> str:
        return f"{self.name}:{self._lines.get(msgid, 1)}"

    @cached_property
    def _lines(self) -> dict[str, int]:
        written = po.read_catalog(po.format_catalog(self.catalog), where=self.name).catalog
        return {entry.msgid: entry.line for entry in written.entries if entry.is_translated}


def _without_errors(catalog: Catalog, page: str, where: _Where, ignored: Set[str]) -> tuple[Catalog, list[Finding]]:
    """The catalogue without the translations that are broken, and what is wrong with these."""
    findings = []
    entries = list(catalog.entries)
    for at, entry in enumerate(entries):
        if entry.is_translated and (error := blocking_problem(Subject(entry, page), ignored)):
            check, problem = error
            entries[at] = replace(entry, msgstr="")
            text = f"{problem.text}; the message is left in English"
            line = where.line(entry.msgid)
            findings.append(Finding(code=check.code, severity=Severity.ERROR, where=line, text=text, page=page, hint=problem.hint))
    return (replace(catalog, entries=tuple(entries)) if findings else catalog), findings


def _rejections(page: SplitPage, where: _Where, rejected: Sequence[Rejected]) -> list[Finding]:
    """A finding for each translation that the guard refused."""
    return [
        Finding(
            code=one.refusal.code,
            severity=Severity.ERROR,
            where=where.line(one.message.msgid),
            text=f"the translation {one.refusal.text}; it is left in English ({one.place})",
            page=page.page.name,
            hint=one.refusal.hint,
        )
        for one in rejected
    ]


def _result(page: SplitPage, catalog: Catalog, findings: Sequence[Finding], refused: Set[str]) -> PageResult:
    """What readers see: a message whose translation was refused counts as not translated."""
    title = page.title
    shown = tuple(replace(entry, msgstr="") if entry.msgid in refused else entry for entry in catalog.entries)
    result = PageResult(
        page=page.page.name,
        files=page.page.files,
        title=anchors.plain_title(translations_of(catalog).get(title, title)),
        code_cells=len(page.documents[0].code) if page.documents else 0,
        findings=tuple(dict.fromkeys(findings)),
    )
    shown_catalog = replace(catalog, entries=shown)
    return with_classes(count_catalog(result, shown_catalog), shown_catalog)
