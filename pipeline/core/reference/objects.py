"""Record of an API reference: the reST of each directive, and the docstring of each object.

``adapters.reference`` returns the record, once for a release, and ``pull`` stores it with
upstream's files. Each docstring is stored once, as a document of one page that shows it. The record
and its documents depend on the request only, so a second pull writes the same bytes.
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
# In the reST of a directive, the name of an object between two marks replaces its docstring.
MARK = "\N{OBJECT REPLACEMENT CHARACTER}"


class Directive(msgspec.Struct, frozen=True, kw_only=True):
    """A directive on a page, and the reST that autodoc generates for it."""

    page: str
    directive: str  # "autofunction"
    argument: str  # "jax.jit"
    # The generated reST, with ``MARK`` instead of docstrings.
    lines: tuple[str, ...] = ()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A row in a table of autosummary."""

    page: str
    name: str  # as the page has it
    object: str  # full name of the object
    signature: str = ""


class Object(msgspec.Struct, frozen=True, kw_only=True):
    """A documented object."""

    what: str  # autodoc's kind (function, class, method …) or "option"
    doc: str = ""  # docstring; "" in the stored record
    # Path of the docstring's document in the docs folder; "" without one.
    document: str = ""
    # Path of its module, from the folder above the package: pkg/sub/module.py.
    file: str = ""
    line: int = 0  # line in ``file``
    types: dict[str, str] = {}  # types of parameters, from annotations


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A name on a page whose docstring Sphinx could not read, or only in part."""

    page: str
    name: str
    line: int = 0  # line of the page; 0 if unknown
    problem: str = ""  # "" means that the package has no such name

    def place(self, lock: Lock) -> str:
        """Return file and line of upstream's page: ``lamps.rst:12``; without a line, the page."""
        if not self.line:
            return self.page
        files = [page.files for page in lock.pages if page.name == self.page]
        for file in chain.from_iterable(files):
            if file.path.endswith((".rst", ".md")):
                return f"{file.path}:{self.line}"
        return self.page

    @property
    def text(self) -> str:
        """Return the problem as a sentence."""
        if self.problem:
            return f"{self.name} cannot be read: {self.problem}"
        return f"{self.name} is documented, but the package does not have it"


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of ``adapters.reference`` to a request."""

    key: str = ""  # digest of the request
    settings: dict[str, Any] = {}  # settings of autodoc and napoleon
    pages: dict[str, str] = {}  # reST of pages that autosummary has added, by name
    directives: tuple[Directive, ...] = ()
    rows: tuple[Row, ...] = ()
    objects: dict[str, Object] = {}  # by full name
    failures: tuple[Failure, ...] = ()


def read_record(data: bytes, *, where: str) -> Record:
    """Parse the JSON of a record. Raises InputError."""
    try:
        return msgspec.json.decode(data, type=Record)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(
            f"is not a record of an API reference: {error}",
            where=where,
            hint="Delete it, and pull again.",
        ) from error


def files_of(record: Record) -> dict[str, bytes]:
    """Return the files to store for a record, by path: its docstrings, and the record itself.

    The stored record has the paths of docstrings instead of their texts.
    """
    files: dict[str, bytes] = {}
    paths: dict[str, str] = {}  # paths by docstring
    documents: dict[str, str] = {}  # paths by name of the object
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

    If only tables list an object, readers see the first paragraph of its docstring.
    """
    pages: dict[str, str] = {}
    for directive in record.directives:
        for name in names_in(directive):
            is_own = directive.page.endswith(f"/{name}")
            # If several pages show an object, use the page that is named after it.
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
    """Return the docstring of an object; "" if it only repeats the signature."""
    last = name.rpartition(".")[2]
    if found.doc.startswith(f"{last}(") and "\n" not in found.doc.strip():
        return ""
    return found.doc.strip("\n")
