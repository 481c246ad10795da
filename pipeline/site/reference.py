"""Pages of the API reference: the reST that autodoc makes, with translated docstrings.

autodoc must import the documented package, so the stage ``pull`` runs autodoc once. ``pull`` stores
the generated pages, and for each directive (``autofunction:: jax.jit``) the reST that autodoc made
(``core/reference``). In this reST, a mark is at the place of each docstring. This module replaces
the marks by the merged docstrings, converted as the Sphinx extension napoleon does: sections like
``Args:`` become fields. Sphinx then parses the result, so the build of a site does not import the
package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.adapters import files
from pipeline.adapters.sphinx import napoleon_lines
from pipeline.core.pin.lock import REFERENCE, Lock, page_name
from pipeline.core.reference import (
    MARK,
    PATH,
    Directive,
    Object,
    Record,
    Row,
    names_in,
    read_record,
)
from pipeline.core.results import PageResult
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.paths import Paths
from pipeline.site.texts import words

# Matches the end of a sentence: a full stop, or a full-width mark.
_SENTENCE = re.compile(r".+?(?:[\u3002\uff01\uff1f]|\.(?=\s|$)|$)", re.DOTALL)
# Lines with a heading that readers see: ".. rubric:: Examples", ":environment variable: ``JAX_X``"
_HEADING = re.compile(r"(\s*(?:\.\. rubric:: |:(?=[^:]+: )))([^:]+)(.*)")


class _Shown(Struct, frozen=True, kw_only=True):
    """Directives of one page that document objects, and the rows of its tables of objects."""

    directives: list[Directive] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)


class Reference(Struct, frozen=True, kw_only=True, dict=True):
    """The API reference of one locale. ``rows`` are the results of all pages, by name."""

    record: Record
    paths: Paths
    locale: str
    rows: Mapping[str, PageResult]

    @classmethod
    def of(cls, paths: Paths, locale: str, pages: Sequence[PageResult]) -> Reference | None:
        """Return the reference that was pulled; None if it is missing or damaged."""
        path = paths.docs / PATH
        if not path.is_file():
            return None
        try:
            record = read_record(files.read_bytes(path), where=str(path))
        except InputError:
            return None  # the next ``pull`` replaces the damaged file
        rows = {page.page: page for page in pages}
        return cls(record=record, paths=paths, locale=locale, rows=rows)

    @cached_property
    def shown(self) -> Mapping[str, _Shown]:
        """Directives and rows of each page, by name."""
        shown: dict[str, _Shown] = {}
        for directive in self.record.directives:
            shown.setdefault(directive.page, _Shown()).directives.append(directive)
        for row in self.record.rows:
            shown.setdefault(row.page, _Shown()).rows.append(row)
        return shown

    def pages(self) -> Iterator[PageResult]:
        """Yield a result for each generated page, even if its object has no docstring."""
        for name in sorted(self.record.pages):
            yield PageResult(page=name, title=name.rpartition("/")[2])

    def is_in_run(self, page: str) -> bool:
        """Return whether a run of a few pages has read all docstrings that ``page`` shows."""
        names = {page_name(path) for path in self._documents(page)}
        return bool(names) and names <= self.rows.keys()

    def findings(self, lock: Lock) -> Iterator[Finding]:
        """Yield a finding for each object that autodoc could not read."""
        for failure in self.record.failures:
            yield Finding(
                code="reference",
                severity=Severity.WARNING,
                where=failure.place(lock),
                text=failure.text,
                page=failure.page,
                hint="Upstream can fix it; all other names are shown.",
            )

    def documents(self, page: str) -> Iterator[PageResult]:
        """Yield a result for each docstring that a page shows, in order.

        All docstrings of a page are in one catalogue. Each result has the name of this catalogue.
        """
        counted: set[str] = set()
        for path in self._documents(page):
            name = page_name(path)
            row = self.rows.get(name, PageResult(page=name))
            files_of_row = [file for file in row.files if file.path == path]
            if name in counted:
                # Leave out the counts here: the first result has those of the whole catalogue.
                row = PageResult(page=name)
            counted.add(name)
            for file in files_of_row:
                yield replace(row, files=(file,), findings=())

    def _documents(self, page: str) -> list[str]:
        """Return the paths of the docstrings that a page shows, without duplicates.

        A table shows only the summary of a docstring. Such a docstring is included only if it is in
        the catalogue of this page.
        """
        found = self.shown.get(page, _Shown())
        names: list[str] = []
        for directive in found.directives:
            names += names_in(directive)
        paths = [self._object(name).document for name in names]
        for row in found.rows:
            path = self._object(row.object).document
            if page_name(path) == f"{REFERENCE}/{page}":
                paths.append(path)
        return [path for path in dict.fromkeys(paths) if path]

    def _object(self, name: str) -> Object:
        return self.record.objects.get(name, Object(what="data"))

    def source_of(self, path: str) -> tuple[str, int]:
        """Return file and line of the object that a docstring documents; "" and 0 if unknown."""
        return self._places.get(path, ("", 0))

    def place_of(self, page: str) -> tuple[str, int]:
        """Return file and line of the object that a page is about; "" and 0 if unknown."""
        found = self._object(page.rpartition("/")[2])
        return found.file, found.line

    @cached_property
    def _places(self) -> Mapping[str, tuple[str, int]]:
        places: dict[str, tuple[str, int]] = {}
        for found in self.record.objects.values():
            if found.file:
                places.setdefault(found.document, (found.file, found.line))
        return places

    def key_of(self, page: str) -> str:
        """Return a part of a page's key: all data of the record that the page shows, as text."""
        found = self.shown.get(page, _Shown())
        names = [name for one in found.directives for name in names_in(one)]
        names += [row.object for row in found.rows]
        objects = [*map(self._object, names), *self.place_of(page)]
        return repr((found, objects, self.record.settings, self.record.pages.get(page)))

    def summarized(self, page: str) -> Iterator[str]:
        """Yield the paths of the docstrings whose summaries a page shows in its tables."""
        for row in self.shown.get(page, _Shown()).rows:
            path = self._object(row.object).document
            if path:
                yield path

    def text_of(self, page: str) -> bytes:
        """Return the source of an object's page, as autosummary has generated it."""
        return self.record.pages[page].lstrip("\ufeff").encode("utf-8", "replace")

    def values_of(self, page: str) -> dict[str, Any]:
        """Return the data of a page for its record: ``directives`` and ``rows``; maybe empty.

        ``directives`` maps ``autofunction jax.jit`` to its reST. ``rows`` maps a name in a table to
        the full name, the signature and the summary of its object.
        """
        found = self.shown.get(page)
        if found is None:
            return {}
        return {
            "directives": {
                f"{one.directive} {one.argument}": list(self._expanded(one))
                for one in found.directives
            },
            "rows": {
                row.name: [row.object, row.signature, self._summary(row)] for row in found.rows
            },
        }

    def _expanded(self, directive: Directive) -> Iterator[tuple[str, list[str]]]:
        """Yield the lines of a directive in parts, each with its origin.

        A part is either one line that autodoc has written, without an origin, or the lines of one
        docstring. The origin of a docstring is ``file:line: name`` of its object.
        """
        for line in directive.lines:
            before, mark, rest = line.partition(MARK)
            if not mark:
                yield "", [self._translated_heading(line)]
                continue
            name = rest.partition(MARK)[0]
            found = self._object(name)
            lines = [f"{before}{inner}" if inner else "" for inner in self._docstring(name)]
            yield f"{found.file}:{found.line}: {name}" if found.file else name, lines

    def _docstring(self, name: str) -> list[str]:
        """Return the lines of an object's merged docstring, converted as by napoleon.

        Fields with types are added if upstream's autodoc adds them.
        """
        found = self._object(name)
        lines = napoleon_lines(
            self._merged(found).split("\n"),
            self.record.settings,
            what=found.what,
            name=name,
        )
        lines = [self._translated_heading(line) for line in lines]
        if self.record.settings.get("autodoc_typehints") in ("description", "both"):
            lines += _types(found, lines)
        return lines

    def _translated_heading(self, line: str) -> str:
        """Return a line. If it has a heading (``.. rubric:: Examples``), translate the heading."""
        match = _HEADING.fullmatch(line)
        if match is None:
            return line
        known = words(self.locale, "docstring headings")
        return match[1] + known.get(match[2].lower(), match[2]) + match[3]

    def _merged(self, found: Object) -> str:
        """Return the merged docstring of an object, or upstream's if it is not merged."""
        if not found.document:
            return ""
        path: Path = self.paths.merged(self.locale) / found.document
        if not path.is_file():
            path = self.paths.docs / found.document
        try:
            return files.read_bytes(path).decode("utf-8", "replace")
        except InputError:
            return ""

    def _summary(self, row: Row) -> str:
        """Return the first sentence of an object's docstring, as reST."""
        text = self._merged(self._object(row.object)).partition("\n\n")[0]
        match = _SENTENCE.match(" ".join(text.split()))
        return match[0] if match else ""


def _types(found: Object, lines: Sequence[str]) -> list[str]:
    """Return fields with the types of parameters that ``lines`` describe: ``:type x: Array``."""
    text = "\n".join(lines)
    fields: list[str] = []
    for name, type_ in found.types.items():
        if name != "return" and re.search(rf":param (?:\\\*)*{re.escape(name)}:", text):
            fields.append(f":type {name}: {type_}")
    if ":returns:" in text and "return" in found.types:
        fields.append(f":rtype: {found.types['return']}")
    return ["", *fields] if fields else []
