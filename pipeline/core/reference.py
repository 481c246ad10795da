"""The API reference of a package: directives on its pages, and the docstrings that they show.

Pages of a reference contain directives such as ``.. autofunction:: jax.jit``. ``listing`` searches
the text of upstream's pages for these directives, without Sphinx. ``adapters.reference`` runs
Sphinx on the directives, once for each release, and returns the record: the reST of each directive,
and the documented objects. ``pull`` stores the record with upstream's files.

Each docstring becomes a document (``core.document.rst.docstring``). It belongs to one page that
shows the docstring, and is split and merged like any other document. The record and the documents
depend only on the request to ``adapters.reference``, so a second pull writes the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.pin.lock import DOCSTRING_SUFFIX, REFERENCE, Lock
from pipeline.errors import InputError
from pipeline.folders import fault_of_path

PATH = f"{REFERENCE}/reference.json"
# In the reST of a directive, the name of an object between two of these marks stands for the
# docstring of the object.
MARK = "\N{OBJECT REPLACEMENT CHARACTER}"
# Prefixes of the names of settings that autodoc and napoleon use.
_SETTINGS = ("autodoc_", "autoclass_", "napoleon_", "add_module_names", "python_")
_DIRECTIVE = re.compile(r"([ \t]*)\.\. ([\w-]+)::")
_MODULE = ("module", "currentmodule")
# reST in a MyST page: a fence with the directive eval-rst.
_EVALUATED = re.compile(
    r"^(?P<fence>`{3,}|:{3,})[ ]*\{eval-rst\}[^\n]*\n(?P<rst>.*?)^(?P=fence)",
    re.DOTALL | re.MULTILINE,
)


def settings_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of autodoc and napoleon among all settings (``values``) of a conf.py."""
    return {name: value for name, value in values.items() if name.startswith(_SETTINGS)}


def listing(path: str, text: str, *, others: Collection[str] = ()) -> str:
    """Return the reST of the page's directives that list objects; "" if there are none.

    Directives of autodoc and autosummary list objects. ``others`` are the names of further
    directives that list objects, from the configuration. The directives ``module`` and
    ``currentmodule`` are kept as well. All other lines become empty, so that each directive keeps
    its line number.
    """
    rst = text
    if path.endswith(".md"):
        rst = _evaluated(text)
    lines: list[str] = []
    indent: int | None = None  # indent of the directive that contains the line
    has_list = False
    for line in rst.split("\n"):
        words = line.lstrip(" \t")
        if words and (indent is None or len(line) - len(words) <= indent):
            indent = None
            match = _DIRECTIVE.match(line)
            is_list = match and (match[2].startswith("auto") or match[2] in others)
            if match and (is_list or match[2] in _MODULE):
                indent = len(match[1])
                has_list |= bool(is_list)
        lines.append("" if indent is None else line[indent:].rstrip())
    return "\n".join(lines).rstrip("\n") + "\n" if has_list else ""


def _evaluated(text: str) -> str:
    """Return the reST in a MyST page; all other lines become empty."""
    rst, end = "", 0
    for match in _EVALUATED.finditer(text):
        rst += "\n" * text.count("\n", end, match.start("rst")) + match["rst"]
        end = match.end("rst")
    return rst


class Directive(Struct, frozen=True, kw_only=True):
    """A directive on a page, and the reST that autodoc generates for it."""

    page: str
    directive: str  # "autofunction"
    argument: str  # "jax.jit"
    # The generated reST, with ``MARK`` instead of docstrings.
    lines: tuple[str, ...] = ()


class Row(Struct, frozen=True, kw_only=True):
    """A row in a table of autosummary."""

    page: str
    name: str  # as the page has it
    object: str  # full name of the object
    signature: str = ""


class Object(Struct, frozen=True, kw_only=True):
    """A documented object."""

    what: str  # autodoc's kind (function, class, method …) or "option"
    doc: str = ""  # docstring; "" in the stored record
    # Path of the docstring's document in the docs folder; "" without one.
    document: str = ""
    # Path of the object's module, from the folder above the package: pkg/sub/module.py.
    file: str = ""
    line: int = 0  # line in ``file``
    types: dict[str, str] = {}  # types of parameters, from annotations


class Failure(Struct, frozen=True, kw_only=True):
    """A name on a page whose docstring Sphinx could not read, or could read only in part."""

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


class Record(Struct, frozen=True, kw_only=True):
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
        objects[name] = replace(found, doc="", document=documents.get(name, ""))
    stored = msgspec.json.encode(replace(record, objects=objects), order="sorted")
    files[PATH] = msgspec.json.format(stored, indent=1) + b"\n"
    return files


def _docstrings(record: Record) -> list[tuple[str, str, str]]:
    """Return page, name and text of each docstring that readers see, sorted.

    If an object is listed only in tables, readers see the first paragraph of its docstring.
    """
    pages: dict[str, str] = {}
    for directive in record.directives:
        for name in names_in(directive):
            is_own = directive.page.endswith(f"/{name}")
            # If several pages show an object, use the page that is named after it.
            if is_own or name not in pages:
                pages[name] = directive.page
    found = [(page, name, _prose_of(record.objects[name], name)) for name, page in pages.items()]
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
