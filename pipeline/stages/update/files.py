"""The catalogues of a locale as files: read with what there is to say of them, written if changed.

A file that somebody saves while a run is at work is not overwritten, and no file is removed before
what stood in it is written elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes, remove_files, replace_if_unchanged
from pipeline.adapters.memo import Memo, code_digest, digest_of
from pipeline.core.catalog.update import Updated
from pipeline.entries import Catalog
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.run import Run

_READS_WITH = ("polib",)  # what decides how a catalogue is read, beside our own code


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogFiles:
    """The catalogues of one locale, by page.

    ``catalogs`` is what they hold, ``data`` the bytes of their files, ``findings`` what a person
    should know of them. A file that cannot be read is in ``data`` and ``findings`` only.
    ``unreadable`` are those whose catalogue is of the memory: their file is never written.
    """

    run: Run
    locale: str
    catalogs: dict[str, Catalog] = field(default_factory=dict)
    data: dict[str, bytes] = field(default_factory=dict)
    findings: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)

    def path(self, page: str) -> Path:
        """The file of a page's catalogue."""
        return self.run.paths.catalog(self.locale, page)

    def tell(self, page: str, *findings: Finding) -> None:
        """Add to what there is to say of a page."""
        if findings:
            self.findings[page] = (*self.findings.get(page, ()), *findings)

    def read_all(self) -> None:
        """Read every catalogue of the locale, also of pages that are not in this run.

        A file that was read before is known by its digest: most runs come for one page, and need
        the texts of all.
        """
        folder = self.run.paths.catalogs(self.locale)
        memo = self._memo()
        for path in sorted(folder.rglob("*.po")):
            # By their place: a header may say anything.
            page = path.relative_to(folder).as_posix().removesuffix(".po")
            try:
                self.data[page] = read_bytes(path)
                read = self._read(page, memo)
            except InputError as error:
                # Its bytes stay known: they say that there is a file that must not be written.
                self.tell(page, Finding.of(error, page=page))
                continue
            self.catalogs[page] = read.catalog
            self.tell(page, *(replace(finding, page=page) for finding in read.findings))
        self._save(memo)

    def stand_in(self, opened: Mapping[str, Catalog]) -> None:
        """Let ``opened`` stand for files that cannot be read, or that a dry run has not written."""
        for page, catalog in opened.items():
            if page in self.data and page not in self.catalogs:
                self.unreadable.add(page)
            elif not self.run.dry:
                continue  # it was written, or somebody has mended it meanwhile
            self.catalogs[page] = catalog

    def write(self, updated: Mapping[str, Updated]) -> tuple[str, ...]:
        """Write what changed, then remove what is empty; return these files, relative to the root.

        In this order a run that is killed between leaves a translation twice, never nowhere. A file
        that someone saved since it was read stays as it is, and then nothing is removed either.
        """
        written: list[str] = []
        edited: list[str] = []
        removed: list[Path] = []
        for page, result in updated.items():
            if page in self.unreadable:
                continue
            before = self.data.get(page)
            if not result.catalog.entries:
                # One that could not be read is not empty, it is only not seen.
                if before is not None and page in self.catalogs:
                    removed.append(self.path(page))
                continue
            data = po.format_catalog(result.catalog)
            if data == before:
                continue
            if self.run.dry or replace_if_unchanged(
                self.path(page), data, before=before
            ):
                written.append(page)
                self.data[page] = data
            else:
                edited.append(page)
                # What it holds now is not known: whatever is made of this page is no use to keep.
                self.data.pop(page, None)
        for page in edited:
            self.tell(page, _edited(page, self.run.shown(self.path(page))))
        if edited:
            # What was to be removed may live on in nothing but the file that was not written.
            removed = []
        if not self.run.dry:
            remove_files(removed)
        self._know(written)
        return tuple(map(self.run.shown, [*map(self.path, written), *removed]))

    def _read(self, page: str, memo: Memo[po.ReadCatalog]) -> po.ReadCatalog:
        data = self.data[page]
        key = digest_of(code_digest(_READS_WITH), data)
        read = memo.recall(page, key)
        if read is None:
            read = po.read_catalog(data, where=self.run.shown(self.path(page)))
            memo.keep(page, key, read)
        return read

    def _know(self, pages: list[str]) -> None:
        """Know the files that were just written as well: the next run reads them from the memo."""
        if not pages:
            return
        memo = self._memo()
        for page in pages:
            self._read(page, memo)
        self._save(memo)

    def _memo(self) -> Memo[po.ReadCatalog]:
        return Memo(self.run.paths.memo(self.locale, "catalogs"), po.ReadCatalog)

    def _save(self, memo: Memo[po.ReadCatalog]) -> None:
        # Files that are gone are forgotten, or the memo would grow for ever.
        if not self.run.dry:
            memo.keep_only(self.data.keys())
            memo.save()


def _edited(page: str, where: str) -> Finding:
    return Finding(
        code="catalogue-edited",
        severity=Severity.WARNING,
        where=where,
        text="the catalogue was saved by someone else during this run; it is left as it is",
        page=page,
        hint="Run again: then it is brought up to date with the edit in it.",
    )
