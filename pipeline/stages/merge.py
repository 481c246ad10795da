"""merge: translations into upstream's documents, guarded; English wherever there is none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.config import Upstream
from pipeline.core.catalog.standing import update_counts, with_classes
from pipeline.core.catalog.update import Catalogs, count_catalog, translations_of, wanted_entries
from pipeline.core.checks.base import Subject
from pipeline.core.checks.blocking import blocking_problem
from pipeline.core.document.attribution import attribution
from pipeline.core.document.compose import Frame, Rejected
from pipeline.core.document.compose import merge as merge_document
from pipeline.core.document.read import SplitPage
from pipeline.core.myst import targets as anchors
from pipeline.core.pin.lock import Lock, SourceFile, blob_id
from pipeline.core.results import MergedPage, PageResult
from pipeline.entries import Catalog
from pipeline.errors import GuardError
from pipeline.findings import Finding, Severity
from pipeline.paths import Paths
from pipeline.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPages:
    """What the stage made of every page, the files it wrote, relative to the root, and what the next run may go by."""

    pages: tuple[PageResult, ...]
    changes: tuple[str, ...]
    known: Mapping[str, MergedPage]


def merge(
    run: Run,
    pages: Sequence[SplitPage],
    catalogs: Catalogs,
    *,
    locale: str,
    lock: Lock,
    known: Mapping[str, MergedPage] | None = None,
) -> MergedPages:
    """Write ``merged/<path>`` for every document that can be read, if it changed.

    A translation in which a check finds an error, or that the guard refuses, is a finding, and its message stays English.
    A document that would differ from upstream all the same is not written. A page stays as it is if it is ``known`` to be made of the same
    catalogue and documents.
    """
    linked = anchors.linked_anchors(_texts(pages))
    stage = _Stage(run.paths, locale, run.upstream, lock, linked, run.dry)
    results: list[PageResult] = []
    merged: dict[str, MergedPage] = {}
    with run.log.step("merge") as step:
        for page in pages:
            name = page.page.name
            key = stage.key(page, catalogs)
            made = stage.recall((known or {}).get(name), key) or stage.merge(page, catalogs, key)
            if key:
                merged[name] = made
            findings = tuple(
                dict.fromkeys(
                    (*page.findings, *catalogs.findings.get(name, ()), *made.result.findings)
                )
            )
            results.append(
                replace(made.result, findings=findings, update=update_counts(catalogs, name))
            )
        done = sum(result.translated for result in results)
        step.result = f"{done} of {sum(result.messages for result in results)} messages translated, {len(stage.changes)} files written"
    return MergedPages(pages=tuple(results), changes=tuple(stage.changes), known=merged)


@dataclass(frozen=True)
class _Stage:
    """One run for one locale. ``changes`` are the files that it has written."""

    paths: Paths
    locale: str
    upstream: Upstream
    lock: Lock
    linked: Mapping[str, frozenset[str]]
    dry: bool
    changes: list[str] = field(default_factory=list)

    def key(self, page: SplitPage, catalogs: Catalogs) -> str:
        """Digest of all that is read for the page; empty if its catalogue is not the file that lies there."""
        name = page.page.name
        data = catalogs.data.get(name, b"") if name in catalogs.by_page else b""
        if self.dry or (name in catalogs.by_page and not data):
            return ""
        frames = [(file, self._attribution(file.path)) for file in page.page.files]
        known = repr((frames, sorted(self.linked.get(name, ()))))
        return hashlib.blake2b(known.encode() + data, digest_size=20).hexdigest()

    def recall(self, last: MergedPage | None, key: str) -> MergedPage | None:
        """What was made then, if it is what would be made now, and all of it is there."""
        if last is None or not key or last.key != key:
            return None
        written = ((self.paths.merged(self.locale) / file.path, file.blob) for file in last.outputs)
        return (
            last
            if all(path.is_file() and blob_id(read_bytes(path)) == blob for path, blob in written)
            else None
        )

    def merge(self, page: SplitPage, catalogs: Catalogs, key: str) -> MergedPage:
        """Make the page's documents."""
        name = page.page.name
        catalog = catalogs.by_page.get(name) or Catalog(
            entries=wanted_entries(name, page.documents)
        )
        where = _Where(
            self.paths.catalog(self.locale, name).relative_to(self.paths.root).as_posix(), catalog
        )
        sound, findings = _without_errors(catalog, name, where, self.upstream.ignored(name))
        refused: set[str] = set()
        outputs: list[SourceFile] = []
        for document in page.documents:
            frame = Frame(
                attribution=self._attribution(document.path),
                anchors=self.linked.get(name, frozenset()),
            )
            try:
                merged = merge_document(document, translations_of(sound), frame)
            except GuardError as error:
                findings.append(Finding.of(error, page=name))
                continue
            refused.update(one.message.msgid for one in merged.rejected)
            findings += _rejections(page, where, merged.rejected)
            path = self.paths.merged(self.locale) / document.path
            outputs.append(SourceFile(path=document.path, blob=blob_id(merged.data)))
            if write_if_changed(path, merged.data, dry=self.dry):
                self.changes.append(path.relative_to(self.paths.root).as_posix())
        return MergedPage(
            key=key, outputs=tuple(outputs), result=_result(page, sound, findings, refused)
        )

    def _attribution(self, path: str) -> str:
        url, license_name = self.upstream.page_url, self.upstream.license
        return attribution(
            locale=self.locale, path=path, lock=self.lock, page_url=url, license_name=license_name
        )


def _texts(pages: Sequence[SplitPage]) -> Iterator[tuple[str, str]]:
    return (
        (page.page.name, unit.split.text)
        for page in pages
        for document in page.documents
        for unit in document.units
    )


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


def _without_errors(
    catalog: Catalog, page: str, where: _Where, ignored: Set[str]
) -> tuple[Catalog, list[Finding]]:
    """The catalogue without the translations that are broken, and what is wrong with these."""
    findings = []
    entries = list(catalog.entries)
    for at, entry in enumerate(entries):
        if entry.is_translated and (error := blocking_problem(Subject(entry, page), ignored)):
            check, problem = error
            entries[at] = replace(entry, msgstr="")
            text = f"{problem.text}; the message is left in English"
            line = where.line(entry.msgid)
            findings.append(
                Finding(
                    code=check.code,
                    severity=Severity.ERROR,
                    where=line,
                    text=text,
                    page=page,
                    hint=problem.hint,
                )
            )
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


def _result(
    page: SplitPage, catalog: Catalog, findings: Sequence[Finding], refused: Set[str]
) -> PageResult:
    """What readers see: a message whose translation was refused counts as not translated."""
    title = page.title
    shown = tuple(
        replace(entry, msgstr="") if entry.msgid in refused else entry for entry in catalog.entries
    )
    result = PageResult(
        page=page.page.name,
        files=page.page.files,
        title=anchors.plain_title(translations_of(catalog).get(title, title)),
        code_cells=len(page.documents[0].code) if page.documents else 0,
        findings=tuple(dict.fromkeys(findings)),
    )
    shown_catalog = replace(catalog, entries=shown)
    return with_classes(count_catalog(result, shown_catalog), shown_catalog)
