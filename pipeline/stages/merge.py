"""merge: translations into upstream's documents, guarded; English wherever there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from pipeline.adapters import po
from pipeline.adapters.files import write_if_changed
from pipeline.config import Upstream
from pipeline.core import anchors
from pipeline.core.attribution import attribution
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

    A translation that the guard refuses is a finding, and its message stays English. A document that
    would differ from upstream all the same is not written.
    """
    linked = anchors.linked_anchors(_texts(pages))
    results: list[PageResult] = []
    changes: list[str] = []
    with log.step("merge") as step:
        for page in pages:
            catalog = catalogs.by_page.get(page.page.name) or Catalog(entries=wanted_entries(page.page.name, page.documents))
            refused: set[str] = set()
            findings = [*page.findings, *catalogs.findings.get(page.page.name, ())]
            for document in page.documents:
                frame = Frame(attribution=_attribution(document, upstream, lock, locale), anchors=linked.get(page.page.name, frozenset()))
                try:
                    merged = merge_document(document, translations_of(catalog), frame)
                except GuardError as error:
                    findings.append(Finding.of(error, page=page.page.name))
                    continue
                refused.update(one.message.msgid for one in merged.rejected)
                findings += _rejections(paths, locale, page, catalog, merged.rejected)
                path = paths.merged(locale) / document.path
                if write_if_changed(path, merged.data, dry=dry):
                    changes.append(path.relative_to(paths.root).as_posix())
            result = _result(page, catalog, findings, refused)
            results.append(replace(result, update=update_counts(catalogs, page.page.name)))
        done = sum(result.translated for result in results)
        step.result = f"{done} of {sum(result.messages for result in results)} messages translated, {len(changes)} files written"
    return MergedPages(pages=tuple(results), changes=tuple(changes))


def _texts(pages: Sequence[SplitPage]) -> Iterator[tuple[str, str]]:
    return ((page.page.name, unit.split.text) for page in pages for document in page.documents for unit in document.units)


def _attribution(document: Document, upstream: Upstream, lock: Lock, locale: str) -> str:
    return attribution(locale=locale, path=document.path, lock=lock, page_url=upstream.page_url, license_name=upstream.license)


def _rejections(paths: Paths, locale: str, page: SplitPage, catalog: Catalog, rejected: Sequence[Rejected]) -> list[Finding]:
    """A finding for each refused translation, at its line in the catalogue as it lies on disk."""
    if not rejected:
        return []
    path = paths.catalog(locale, page.page.name).relative_to(paths.root).as_posix()
    written = po.read_catalog(po.format_catalog(catalog), where=path).catalog
    lines = {entry.msgid: entry.line for entry in written.entries if entry.is_translated}
    return [
        Finding(
            code=one.refusal.code,
            severity=Severity.ERROR,
            where=f"{path}:{lines.get(one.message.msgid, 1)}",
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
