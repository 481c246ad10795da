"""merge: translations into upstream's documents, guarded; English wherever there is none.

Beside each merged document, in ``blocks/``, it writes where every message has landed. A page whose
documents and catalogue are those of the last run stays as it is; if only the commit is another one,
its attribution line is edited.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, write_if_changed
from pipeline.adapters.memo import Memo, digest_of
from pipeline.core.catalog.standing import update_counts, with_classes
from pipeline.core.catalog.update import Catalogs, count_catalog, translations_of, wanted_entries
from pipeline.core.checks.base import Subject
from pipeline.core.checks.blocking import blocking_problem
from pipeline.core.document.attribution import attribution
from pipeline.core.document.compose import Frame, Rejected
from pipeline.core.document.compose import merge as merge_document
from pipeline.core.document.landing import landings_to_json
from pipeline.core.document.read import SplitPage
from pipeline.core.myst import targets as anchors
from pipeline.core.pin.lock import Lock, Page, blob_id
from pipeline.core.results import PageResult
from pipeline.entries import Catalog
from pipeline.errors import GuardError, InputError
from pipeline.findings import Finding, Severity
from pipeline.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedDocument:
    """One document as it was written: the blob ids of its two files, and the attribution that it
    carries, if any."""

    path: str
    blob: str
    blocks: str
    attribution: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPage:
    """What merge made of one page. ``row`` has merge's own findings only."""

    row: PageResult
    documents: tuple[MergedDocument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPages:
    """What the stage made of every page, and the files it wrote, relative to the root."""

    rows: tuple[PageResult, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToMerge:
    """What the stages before have to say of the pages of one locale.

    ``read`` gives a page's documents and messages, for a page that is not known. ``linked`` are the
    fragments that links point to, by page; ``code`` stands for all that decides about a merge
    besides documents and catalogue.
    """

    pages: Sequence[Page]
    read: Callable[[Page], SplitPage]
    catalogs: Catalogs
    findings: Mapping[str, tuple[Finding, ...]]
    linked: Mapping[str, frozenset[str]]
    code: str


def merge(
    run: Run, work: ToMerge, *, locale: str, lock: Lock, memo: Memo[MergedPage]
) -> MergedPages:
    """Write ``merged/<path>`` for every document that can be read, if it changed.

    A translation in which a check finds an error, or that the guard refuses, is a finding, and its
    message stays English. A document that would differ from upstream all the same is not written.
    """
    merger = _Merger(run, locale, lock)
    rows: list[PageResult] = []
    with run.log.step("merge") as step:
        for page in work.pages:
            linked = work.linked.get(page.name, frozenset())
            data = work.catalogs.data.get(page.name)
            if data is None and page.name not in work.catalogs.by_page:
                data = merger.catalog_bytes(page.name)
            # Without the bytes of its file a catalogue has no key: somebody is saving it at this
            # moment.
            key = "" if data is None or run.dry else _key(work.code, page, data, linked)
            last = memo.recall(page.name, key) if key else None
            made = merger.made_again(last) if last else None
            if made is None:
                catalog = work.catalogs.by_page.get(page.name)
                made = merger.merge(work.read(page), catalog or merger.catalog(page.name), linked)
            if key:
                memo.keep(page.name, key, made)
            findings = (*work.findings.get(page.name, ()), *made.row.findings)
            rows.append(
                replace(
                    made.row,
                    findings=tuple(dict.fromkeys(findings)),
                    update=update_counts(work.catalogs, page.name),
                )
            )
        done = sum(row.translated for row in rows)
        total = sum(row.messages for row in rows)
        written = f"{len(merger.changes)} files written"
        step.result = f"{done} of {total} messages translated, {written}"
    return MergedPages(rows=tuple(rows), changes=tuple(merger.changes))


def _key(code: str, page: Page, catalog: bytes, linked: Set[str]) -> str:
    return digest_of(code, repr(page.files), repr(sorted(linked)), catalog)


class _Merger:
    """One pass for one locale. ``changes`` are the files that it has written."""

    def __init__(self, run: Run, locale: str, lock: Lock) -> None:
        self.run = run
        self.locale = locale
        self.lock = lock
        self.changes: list[str] = []

    def made_again(self, last: MergedPage) -> MergedPage | None:
        """The page as it was made the last time, with the attribution of this commit; None if that
        cannot be told."""
        documents: list[MergedDocument] = []
        edits: list[tuple[Path, bytes]] = []
        for document in last.documents:
            data = _intact(self._merged(document.path), document.blob)
            if data is None or _intact(self._blocks(document.path), document.blocks) is None:
                return None
            wanted = self._attribution(document.path)
            if not document.attribution or document.attribution == wanted:
                documents.append(document)
                continue
            edited = _readdressed(document.path, data, document.attribution, wanted)
            if edited is None:
                return None
            edits.append((self._merged(document.path), edited))
            documents.append(replace(document, blob=blob_id(edited), attribution=wanted))
        for path, edited in edits:
            self._write(path, edited)
        return replace(last, documents=tuple(documents))

    def merge(self, page: SplitPage, catalog: Catalog, linked: frozenset[str]) -> MergedPage:
        """Make the page's documents."""
        name = page.page.name
        if not catalog.entries:
            catalog = Catalog(entries=wanted_entries(name, page.documents))
        path = self.run.paths.catalog(self.locale, name)
        where = _Where(self.run.shown(path), catalog)
        sound, findings = _without_errors(catalog, name, where, self.run.upstream.ignored(name))
        refused: set[str] = set()
        documents: list[MergedDocument] = []
        for document in page.documents:
            frame = Frame(attribution=self._attribution(document.path), anchors=linked)
            try:
                merged = merge_document(document, translations_of(sound), frame)
            except GuardError as error:
                findings.append(Finding.of(error, page=name))
                continue
            refused.update(rejected.message.msgid for rejected in merged.rejected)
            findings += _rejections(page, where, merged.rejected)
            blocks = landings_to_json(merged.blocks)
            self._write(self._merged(document.path), merged.data)
            self._write(self._blocks(document.path), blocks)
            documents.append(
                MergedDocument(
                    path=document.path,
                    blob=blob_id(merged.data),
                    blocks=blob_id(blocks),
                    attribution=frame.attribution if merged.translated else "",
                )
            )
        return MergedPage(row=_result(page, sound, findings, refused), documents=tuple(documents))

    def catalog_bytes(self, page: str) -> bytes:
        """The catalogue of a page that this run has not updated; empty if it has none."""
        path = self.run.paths.catalog(self.locale, page)
        return path.read_bytes() if path.is_file() else b""

    def catalog(self, page: str) -> Catalog:
        """The same, read; an empty one if it cannot be, which update has told."""
        data = self.catalog_bytes(page)
        try:
            return po.read_catalog(data, where=page).catalog if data else Catalog()
        except InputError:
            return Catalog()

    def _merged(self, path: str) -> Path:
        return self.run.paths.merged(self.locale) / path

    def _blocks(self, path: str) -> Path:
        return self.run.paths.blocks(self.locale) / f"{path}.json"

    def _write(self, path: Path, data: bytes) -> None:
        if write_if_changed(path, data, dry=self.run.dry):
            self.changes.append(self.run.shown(path))

    def _attribution(self, path: str) -> str:
        return attribution(
            locale=self.locale,
            path=path,
            lock=self.lock,
            page_url=self.run.upstream.page_url,
            license_name=self.run.upstream.license,
        )


def _intact(path: Path, blob: str) -> bytes | None:
    """The file, if it is what was written."""
    if not path.is_file():
        return None
    data = read_bytes(path)
    return data if blob_id(data) == blob else None


def _readdressed(path: str, data: bytes, old: str, new: str) -> bytes | None:
    """A merged document with the attribution ``new`` in place of ``old``; None if it is not plain
    where that stands.

    A notebook holds the line as a JSON string, in which Chinese may stand as itself or escaped.
    Nothing else in the document can change by this, and the two lines differ by a commit at most:
    the guard's proof of the old document holds for the new one.
    """
    for written in _WRITTEN[PurePosixPath(path).suffix]:
        if data.count(written(old)) == 1:
            return data.replace(written(old), written(new))
    return None


def _as_it_is(text: str) -> bytes:
    return text.encode("utf-8")


def _as_rst(text: str) -> bytes:
    from pipeline.core.rst.inline import spaced  # docutils takes a while to load

    # reST wants white space around markup, also between Chinese and a link.
    return spaced(text).encode("utf-8")


def _as_json(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8")


def _as_ascii_json(text: str) -> bytes:
    return json.dumps(text)[1:-1].encode("ascii")


# How the attribution may stand in a document, by its suffix.
_WRITTEN: Mapping[str, tuple[Callable[[str], bytes], ...]] = {
    ".ipynb": (_as_json, _as_ascii_json),
    ".md": (_as_it_is,),
    ".rst": (_as_rst,),
}


def links_of(page: SplitPage) -> tuple[tuple[str, str], ...]:
    """The page and fragment that each link on ``page`` points to, sorted."""
    texts = []
    for document in page.documents:
        texts += [(page.page.name, unit.split.text) for unit in document.units]
    links: list[tuple[str, str]] = []
    for target, fragments in anchors.linked_anchors(texts).items():
        links += [(target, fragment) for fragment in fragments]
    return tuple(sorted(links))


@dataclass(frozen=True)
class _Where:
    """Where the entries of a catalogue stand in its file, as it lies on disk; found out when it is
    asked for."""

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
        error = blocking_problem(Subject(entry, page), ignored) if entry.is_translated else None
        if error is None:
            continue
        check, problem = error
        entries[at] = replace(entry, msgstr="")
        findings.append(
            Finding(
                code=check.code,
                severity=Severity.ERROR,
                where=where.line(entry.msgid),
                text=f"{problem.text}; the message is left in English",
                page=page,
                hint=problem.hint,
            )
        )
    if not findings:
        return catalog, []
    return replace(catalog, entries=tuple(entries)), findings


def _rejections(page: SplitPage, where: _Where, rejected: Sequence[Rejected]) -> Iterator[Finding]:
    """A finding for each translation that the guard refused."""
    for rejection in rejected:
        refusal = rejection.refusal
        yield Finding(
            code=refusal.code,
            severity=Severity.ERROR,
            where=where.line(rejection.message.msgid),
            text=f"the translation {refusal.text}; it is left in English ({rejection.place})",
            page=page.page.name,
            hint=refusal.hint,
        )


def _result(
    page: SplitPage, catalog: Catalog, findings: Sequence[Finding], refused: Set[str]
) -> PageResult:
    """What readers see: a message whose translation was refused counts as not translated."""
    shown = []
    for entry in catalog.entries:
        shown.append(replace(entry, msgstr="") if entry.msgid in refused else entry)
    title = translations_of(catalog).get(page.title, page.title)
    result = PageResult(
        page=page.page.name,
        files=page.page.files,
        title=anchors.plain_title(title),
        code_cells=len(page.documents[0].code) if page.documents else 0,
        findings=tuple(dict.fromkeys(findings)),
    )
    shown_catalog = replace(catalog, entries=tuple(shown))
    return with_classes(count_catalog(result, shown_catalog), shown_catalog)
