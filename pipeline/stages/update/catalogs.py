"""update: every page's catalogue in one locale, brought up to date with what was split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, remove_files, replace_if_unchanged
from pipeline.adapters.memo import Memo, code_digest, digest_of
from pipeline.core.catalog.lineage import read_redirects
from pipeline.core.catalog.update import Catalogs, Updated, update_catalogs, wanted_entries
from pipeline.core.document.read import SplitPage
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.paths import Paths
from pipeline.run import Run


def update_catalog_files(
    run: Run,
    pages: Sequence[SplitPage],
    *,
    locale: str,
    lock: Lock,
    opened: Mapping[str, Catalog] | None = None,
) -> Catalogs:
    """Bring the catalogues of ``pages`` up to date and write those that changed, unless the run is dry.

    ``opened`` stand for files of the same pages that a dry run has not written.

    A catalogue that cannot be read is a finding; its file is left as it is. That of a page that upstream dropped
    keeps what is nowhere else, as obsolete; it is removed when all of it lives on in other catalogues.
    """
    paths = run.paths
    with run.log.step("update") as step:
        files = _read_catalogs(run, locale, known={page.page.name for page in pages}, lock=lock)
        files.catalogs.update(opened or {})
        gone = sorted(files.catalogs.keys() - _upstream(lock))
        wanted = {
            page.page.name: wanted_entries(page.page.name, page.documents)
            for page in pages
            if not _is_unsafe(page, files)
        }
        project = f"{lock.url.rstrip('/').rpartition('/')[2]} docs"

        def header(page: str, existing: Mapping[str, str]) -> Mapping[str, str]:
            return po.standard_header(
                project=project, page=page, locale=locale, date=lock.date, existing=existing
            )

        result = update_catalogs(
            files.catalogs, wanted, header=header, gone=gone, redirects=_redirects(paths)
        )
        changes = _write(paths, locale, files, result, dry=run.dry)
        for page in gone:
            if result[page].catalog.entries:
                _add(
                    files.findings,
                    page,
                    _gone(page, paths.catalog(locale, page).relative_to(paths.root).as_posix()),
                )
        step.result = _summary(result)
    by_page = files.catalogs | {page: updated.catalog for page, updated in result.items()}
    by_page = {page: catalog for page, catalog in by_page.items() if catalog.entries}
    return Catalogs(
        by_page=by_page, findings=files.findings, changes=changes, counts=result, data=files.data
    )


@dataclass(frozen=True, slots=True)
class _Files:
    """The catalogues of a locale as they were read, with the bytes of their files, and what there is to say about them."""

    catalogs: dict[str, Catalog] = field(default_factory=dict)
    data: dict[str, bytes] = field(default_factory=dict)
    findings: dict[str, tuple[Finding, ...]] = field(default_factory=dict)


def _read_catalogs(run: Run, locale: str, *, known: set[str], lock: Lock) -> _Files:
    """Every catalogue of the locale, also of pages that are not in this run.

    A file that was read before is known by its digest: most runs come for one page, and need the texts of all.
    """
    paths = run.paths
    folder = paths.catalogs(locale)
    upstream = _upstream(lock)
    code = code_digest(("polib",))
    memo = Memo(paths.memo(locale, "catalogs"), po.ReadCatalog)
    files = _Files()
    for path in sorted(folder.rglob("*.po")):
        page = path.relative_to(folder).as_posix().removesuffix(".po")
        is_told = page in known or page not in upstream
        try:
            data = files.data[page] = read_bytes(path)
            key = digest_of(code, data)
            read = memo.recall(page, key)
            if read is None:
                read = po.read_catalog(data, where=run.shown(path))
                memo.keep(page, key, read)
        except InputError as error:
            if is_told:
                _add(files.findings, page, Finding.of(error, page=page))
            continue
        files.catalogs[page] = read.catalog
        if is_told:
            _add(files.findings, page, *(replace(finding, page=page) for finding in read.findings))
    if not run.dry:
        memo.keep_only(files.catalogs.keys())
        memo.save()
    return files


def _add(findings: dict[str, tuple[Finding, ...]], page: str, *more: Finding) -> None:
    if more:
        findings[page] = (*findings.get(page, ()), *more)


def _upstream(lock: Lock) -> set[str]:
    """The names of all documents that upstream has, also of those that are no page of this run."""
    return {file.path.rpartition(".")[0] for file in lock.files}


def _is_unsafe(page: SplitPage, files: _Files) -> bool:
    """Whether the catalogue must stay as it is: it, or a document of the page, cannot be read.

    The messages of an unreadable document are not gone, they are only not seen.
    """
    if len(page.documents) < len(page.page.files):
        return True
    return page.page.name in files.findings and page.page.name not in files.catalogs


def _redirects(paths: Paths) -> dict[str, str]:
    """Where upstream sends the readers of old pages; a hint only, so that a file that cannot be read is no matter."""
    path = paths.docs / "conf.py"
    return read_redirects(read_bytes(path).decode("utf-8", "replace")) if path.is_file() else {}


def _write(
    paths: Paths, locale: str, files: _Files, result: Mapping[str, Updated], *, dry: bool
) -> tuple[str, ...]:
    """Write what changed, then remove what is empty: a run that is killed between leaves a translation twice, never nowhere.

    A file that someone saved since it was read stays as it is, and then nothing is removed either.
    """
    changes: list[Path] = []
    removed: list[Path] = []
    edited: list[str] = []
    for page, updated in result.items():
        path, before = paths.catalog(locale, page), files.data.get(page)
        data = po.format_catalog(updated.catalog) if updated.catalog.entries else None
        if data is None and before is not None and page in files.catalogs:
            removed.append(path)
        elif data is not None and data != before:
            if dry or replace_if_unchanged(path, data, before=before):
                changes.append(path)
                files.data[page] = data
            else:
                edited.append(page)
                files.data.pop(page, None)
    for page in edited:
        _add(
            files.findings,
            page,
            _edited(page, paths.catalog(locale, page).relative_to(paths.root).as_posix()),
        )
    removed = [] if edited else removed
    if not dry:
        remove_files(removed)
    return tuple(path.relative_to(paths.root).as_posix() for path in (*changes, *removed))


def _summary(result: Mapping[str, Updated]) -> str:
    counts: Counter[str] = Counter()
    for updated in result.values():
        counts.update(
            {
                state: getattr(updated, state)
                for state in ("kept", "carried", "fuzzy", "new", "obsolete")
            }
        )
    return (
        ", ".join(f"{count} {state}" for state, count in counts.items() if count) or "no messages"
    )


def _edited(page: str, where: str) -> Finding:
    return Finding(
        code="catalogue-edited",
        severity=Severity.WARNING,
        where=where,
        text="the catalogue was saved by someone else during this run; it is left as it is",
        page=page,
        hint="Run again: then it is brought up to date with the edit in it.",
    )


def _gone(page: str, where: str) -> Finding:
    return Finding(
        code="page-gone",
        severity=Severity.WARNING,
        where=where,
        text="upstream has no such page any more; the catalogue is kept",
        page=page,
        hint="It goes on serving equal texts of other pages. When nothing in it is of use, delete it and its memory.",
    )
