"""Record of an API reference: what each directive stands for, and the docstring of each object.

Sphinx makes it once for a release (``adapters.reference``); it is pulled like upstream's files. A
docstring is stored once, as a document of the page that shows it first. The invariant: the record
and its documents depend on nothing but the request, so a second pull writes the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec
from msgspec import structs

from pipeline.core.pin.lock import DOCSTRING_SUFFIX, REFERENCE, Lock
from pipeline.errors import InputError
from pipeline.filenames import fault_of_path

PATH = f"{REFERENCE}/reference.json"
# Around the name of an object, in place of its docstring.
MARK = "\N{OBJECT REPLACEMENT CHARACTER}"


class Directive(msgspec.Struct, frozen=True, kw_only=True):
    """A directive on a page, and the reST that autodoc generates for it."""

    page: str
    directive: str  # "autofunction"
    argument: str
    lines: tuple[str, ...] = ()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a table of autosummary: the name as written, and the object that it leads to."""

    page: str
    name: str
    object: str
    signature: str = ""


class Object(msgspec.Struct, frozen=True, kw_only=True):
    """A documented object; ``what`` is autodoc's kind (function, class, method …) or ``option``."""

    what: str
    doc: str = ""  # as read; empty in the stored record
    document: str = (
        ""  # path of the docstring, below the docs folder; empty without one
    )
    file: str = ""  # module, relative to the package's root folder: pkg/sub/module.py
    line: int = 0
    types: dict[str, str] = {}  # of parameters, for descriptions


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A name that could not be read, or not in full, in line ``line`` of a page."""

    page: str
    name: str
    line: int = 0
    problem: str = ""  # empty: the package has no such name

    def place(self, lock: Lock) -> str:
        """Return the line of upstream's page: ``lamps.rst:12``; without one, the page."""
        if not self.line:
            return self.page
        files = [page.files for page in lock.pages if page.name == self.page]
        for file in chain.from_iterable(files):
            if file.path.endswith((".rst", ".md")):
                return f"{file.path}:{self.line}"
        return self.page

    @property
    def text(self) -> str:
        """The problem as a sentence."""
        if self.problem:
            return f"{self.name} cannot be read: {self.problem}"
        return f"{self.name} is documented, but not there"


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that Sphinx made of a request."""

    key: str = ""  # digest of the request
    settings: dict[str, Any] = {}
    pages: dict[str, str] = {}  # added by autosummary: reST by page
    directives: tuple[Directive, ...] = ()
    rows: tuple[Row, ...] = ()
    objects: dict[str, Object] = {}
    failures: tuple[Failure, ...] = ()


def read_record(data: bytes, *, where: str) -> Record:
    """Return the record in ``data``. Raises InputError."""
    try:
        return msgspec.json.decode(data, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(
            f"is no record of an API reference: {error}",
            where=where,
            hint="Delete it, and pull again.",
        ) from error


def files_of(record: Record) -> dict[str, bytes]:
    """Return the files of a record as read: its docstrings by path, and the record itself."""
    files: dict[str, bytes] = {}
    paths: dict[str, str] = {}  # by docstring
    documents: dict[str, str] = {}  # by object
    for page, name, text in _docstrings(record):
        path = f"{REFERENCE}/{page}/{name}{DOCSTRING_SUFFIX}"
        if text not in paths and not fault_of_path(path):
            paths[text] = path
            files[path] = text.encode("utf-8", "replace")
        documents[name] = paths.get(text, "")
    objects: dict[str, Object] = {}
    for name, found in record.objects.items():
        objects[name] = structs.replace(found, doc="", document=documents.get(name, ""))
    stored = msgspec.json.encode(
        structs.replace(record, objects=objects), order="sorted"
    )
    files[PATH] = msgspec.json.format(stored, indent=1) + b"\n"
    return files


def _docstrings(record: Record) -> list[tuple[str, str, str]]:
    """Return page, name and text of each docstring that readers see, sorted.

    Of an object that only tables list, they see the first paragraph.
    """
    pages: dict[str, str] = {}
    for directive in record.directives:
        for name in names_in(directive):
            is_own = directive.page.endswith(f"/{name}")
            # Of several pages that show an object, its own one counts.
            if is_own or name not in pages:
                pages[name] = directive.page
    found = [
        (page, name, _prose_of(record.objects[name], name))
        for name, page in pages.items()
    ]
    for row in record.rows:
        if row.object not in pages and row.object in record.objects:
            pages[row.object] = row.page
            text = _prose_of(record.objects[row.object], row.object)
            found.append((row.page, row.object, text.partition("\n\n")[0]))
    return sorted(docstring for docstring in found if docstring[2])


def names_in(directive: Directive) -> Iterator[str]:
    """Yield the names of the objects whose docstrings a directive shows, in order."""
    for line in directive.lines:
        words = line.split(MARK)
        if len(words) == 3:
            yield words[1]


def _prose_of(found: Object, name: str) -> str:
    """Return the docstring of an object; empty if it only repeats the signature."""
    last = name.rpartition(".")[2]
    if found.doc.startswith(f"{last}(") and "\n" not in found.doc.strip():
        return ""
    return found.doc.strip("\n")
