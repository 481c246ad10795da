"""Lock of an upstream: the commit and the files that were pulled, and the pages of these files.

The lock is the file ``upstream/<name>.lock``. People commit and merge it, so its content is
validated before any path in it is used. It also records files that were refused because of their
names, so that every command reports the same findings.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from posixpath import splitext
from typing import Annotated, Any
from unicodedata import normalize

import msgspec
from msgspec import Meta, Struct

from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.folders import Folders, fault_in, fault_of_path
from pipeline.reading import Dialect


class SourceFile(Struct, frozen=True, kw_only=True):
    """One pulled file."""

    path: str  # with "/" and suffix, relative to the folder of pulled files
    blob: str  # git blob id of the content (40 hex digits), even if upstream is a plain folder


class RefusedFile(Struct, frozen=True, kw_only=True):
    """An upstream file or folder that was not pulled because of its name."""

    # The path for display: escaped, and shortened in the middle if it is long. The path of a folder
    # ends with "/".
    path: str
    rule: str  # the violated rule, in words

    @property
    def may_be_page(self) -> bool:
        """Return whether the file may be a page, or the folder may contain pages."""
        return self.path.endswith(("/", *PAGE_SUFFIXES))


class Included(Struct, frozen=True, kw_only=True):
    """A document that is no page, but that pages include."""

    page: str  # its name, as if it were a page
    within: tuple[str, ...]  # names of the pages that include it


class Page(Struct, frozen=True, kw_only=True):
    """One upstream page: a document, a jupytext pair, or a folder of docstrings.

    A jupytext pair is one page in two documents, such as ``x.ipynb`` and ``x.md``.
    """

    # Path of the document without suffix; for docstrings, path of their folder.
    name: str
    files: tuple[SourceFile, ...]  # of a pair, the .ipynb comes first


class Lock(Struct, frozen=True, kw_only=True, dict=True):
    """Content of ``upstream/<name>.lock``."""

    url: str
    ref: str
    commit: str  # 40 hex digits; for a plain folder, the digest of its files (``listing_id``)
    date: str  # of the commit, ISO 8601 with offset; "" for a plain folder
    version: str  # version of ``package`` that code runs on; "" if none is pinned
    docs: Folders  # the docs folders that were pulled
    # All pulled files, with images and others, sorted by path.
    files: tuple[SourceFile, ...]
    package: str = ""  # display name of the package that the docs describe: "JAX"
    refused: tuple[RefusedFile, ...] = ()
    # Markdown dialect of the docs, as detected in upstream's repository; "" for MyST.
    markdown: str = ""
    substitutions: bool = False  # whether MyST replaces {{ name }} by a value
    # Documents that pages include, but that are no pages of upstream's site. They are outside of
    # the docs folders, or upstream excludes them.
    included: tuple[Included, ...] = ()
    # Names of documents that are no pages of upstream's site, and that no page includes.
    excluded: tuple[str, ...] = ()

    @cached_property
    def pages(self) -> tuple[Page, ...]:
        """The pages of upstream's site, and documents that they include, sorted by name."""
        excluded = frozenset(self.excluded)
        return tuple(page for page in pages_of(self.files) if page.name not in excluded)

    @cached_property
    def unpublished(self) -> frozenset[str]:
        """The names of all documents that are no pages of upstream's site."""
        return frozenset((*self.excluded, *(one.page for one in self.included)))

    @property
    def release(self) -> str:
        """Return the package with its version: ``JAX 0.10.2``; "" if no version is pinned."""
        return f"{self.package} {self.version}" if self.package and self.version else ""


class Commit(Struct, frozen=True, kw_only=True):
    """Upstream at one commit: its lock, and the content of its documents by path."""

    lock: Lock
    documents: Mapping[str, bytes]


# Suffixes of documents, in the order in which a page lists them.
PAGE_SUFFIXES = (".ipynb", ".md", ".rst")
# Folder of the API reference in the pulled docs. Each folder below it is a page, and the docstrings
# in it are the page's documents.
REFERENCE = "_api"
DOCSTRING_SUFFIX = ".docstring"

ASSETS = "_static"  # name of folders with files that Sphinx copies unchanged
_ID = re.compile(r"[0-9a-f]{40}")
_TEXTS = ("url", "ref", "commit", "date", "version", "package")

# Text without control characters and surrogates, because terminals and catalogues show it.
_Plain = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f\ud800-\udfff]*\Z")]


class _File(Struct, kw_only=True, forbid_unknown_fields=True):
    """Schema of a lock in JSON."""

    url: _Plain
    ref: _Plain
    commit: Annotated[str, Meta(pattern=r"\A[0-9a-f]{40}\Z")]
    date: _Plain
    version: _Plain
    docs: str | tuple[str, ...]
    files: dict[str, str]
    package: _Plain
    markdown: Dialect | None = None
    substitutions: bool = False
    refused: dict[_Plain, _Plain] = {}
    included: dict[_Plain, tuple[_Plain, ...]] = {}
    excluded: tuple[_Plain, ...]


def blob_id(data: bytes) -> str:
    r"""Return the id that git gives a blob with this content (40 hex digits).

    ``b"tea\n"`` → ``a01ebc3…``, like ``git hash-object``.
    """
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    # Add the data separately: joining it with the head would copy it.
    digest.update(data)
    return digest.hexdigest()


def listing_id(files: Iterable[SourceFile]) -> str:
    """Return the id of the state of a plain folder, 40 hex digits, instead of a commit id.

    It is a digest of names and blobs, so it changes if any file is changed, added or removed.
    """
    listing = "".join(f"{file.blob} {file.path}\n" for file in files)
    return hashlib.sha1(listing.encode("utf-8"), usedforsecurity=False).hexdigest()


def format_lock(lock: Lock) -> bytes:
    """Return ``lock`` as JSON in UTF-8: keys sorted, indented by 1, LF, final newline.

    Each file is one line, so that git can merge two locks: ``"guide/tea.md": "a01ebc3…"``.
    """
    data: dict[str, Any] = {key: getattr(lock, key) for key in _TEXTS}
    names = lock.docs.names
    data["docs"] = list(names) if lock.docs.has_several else names[0]
    if lock.markdown:
        data["markdown"] = lock.markdown
    if lock.substitutions:
        data["substitutions"] = True
    if lock.refused:
        data["refused"] = {file.path: file.rule for file in lock.refused}
    data["excluded"] = list(lock.excluded)
    if lock.included:
        data["included"] = {one.page: list(one.within) for one in lock.included}
    data["files"] = {file.path: file.blob for file in lock.files}
    return (json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode("utf-8")


# Cached, because several parts of a run read the locks of its upstream and of other releases.
@lru_cache(maxsize=4)
def parse_lock(data: bytes, *, where: str) -> Lock:
    """Parse the bytes of a lock: the inverse of ``format_lock``.

    Raises InputError for the first fault in ``data``. ``where`` is the file's name in errors.
    """
    try:
        table = json.loads(data.decode("utf-8"), object_pairs_hook=_without_duplicates)
        file = msgspec.convert(table, _File)
    # ValueError: also raised for a lone surrogate.
    except (ValueError, RecursionError) as error:
        raise _malformed(f"is not a lock: {error}", where) from error
    included = [
        Included(page=page, within=within) for page, within in sorted(file.included.items())
    ]
    return Lock(
        **{key: getattr(file, key) for key in _TEXTS},
        docs=_folders(file.docs, where),
        files=_files(file.files, where),
        refused=tuple(
            RefusedFile(path=path, rule=rule) for path, rule in sorted(file.refused.items())
        ),
        markdown=file.markdown or "",
        substitutions=file.substitutions,
        included=tuple(included),
        excluded=file.excluded,
    )


def pages_of(files: Iterable[SourceFile]) -> tuple[Page, ...]:
    """Return the pages among ``files``, sorted by name.

    ``x.ipynb`` and ``x.md`` are one page, with the notebook first. Files in ``_static`` are no
    pages. If two paths differ only in the encoding of accents, one of them is used; see
    ``hidden_duplicates``.
    """
    documents: dict[str, list[SourceFile]] = defaultdict(list)
    for path, file in _documents(files).items():
        documents[page_name(path)].append(file)
    pages: list[Page] = []
    for name in sorted(documents):
        # Sorting by suffix puts ".ipynb" before ".md".
        files_of_page = sorted(documents[name], key=lambda file: splitext(file.path)[1])
        pages.append(Page(name=name, files=tuple(files_of_page)))
    return tuple(pages)


def is_reference(path: str) -> bool:
    """Return whether a file or page belongs to the API reference."""
    return path.startswith(f"{REFERENCE}/")


def page_name(path: str) -> str:
    """Return the name of a document's page: the document's path without suffix.

    For a docstring, it is the path of the docstring's folder.
    """
    separator = "/" if path.endswith(DOCSTRING_SUFFIX) else "."
    return page_path(path).rpartition(separator)[0]


def hidden_duplicates(files: Iterable[SourceFile]) -> tuple[SourceFile, ...]:
    """Return the documents that are left out, because another one has the same path in NFC.

    NFC is a normal form of Unicode: ``é`` as one character instead of ``e`` and an accent.
    """
    files = tuple(files)
    shown = {file.path for file in _documents(files).values()}
    documents = filter(_is_document, files)
    return tuple(file for file in documents if file.path not in shown)


def page_path(path: str) -> str:
    """Return a path in NFC, as Sphinx does; macOS writes ``é`` as two characters."""
    return normalize("NFC", path)


def _documents(files: Iterable[SourceFile]) -> dict[str, SourceFile]:
    """Return the documents by their path in NFC.

    If several have the same path, use the document whose own path is in NFC, otherwise the first.
    """
    documents: dict[str, SourceFile] = {}
    for file in files:
        if _is_document(file):
            path = page_path(file.path)
            if path not in documents or file.path == path:
                documents[path] = file
    return documents


def _is_document(file: SourceFile) -> bool:
    """Return whether a file is a page or one of the documents of a page."""
    suffix = splitext(file.path)[1]
    if suffix == DOCSTRING_SUFFIX:
        return is_reference(file.path)
    return suffix in PAGE_SUFFIXES and ASSETS not in file.path.split("/")


def _folders(value: str | tuple[str, ...], where: str) -> Folders:
    """Return the docs folders of a lock: one as a string, or several as a list."""
    names = (value,) if isinstance(value, str) else value
    fault = fault_in(names)
    if fault is not None:
        raise _malformed(f"'docs' is invalid: {fault.what}", where)
    return Folders(names)


def _files(table: Mapping[str, str], where: str) -> tuple[SourceFile, ...]:
    """Return the files of a lock, sorted by path, from ``{"guide/tea.md": "a01ebc3…"}``.

    Raises InputError for an invalid path or blob: files will be written to these paths.
    """
    for path, blob in table.items():
        fault = fault_of_path(path)
        if fault:
            raise _malformed(f"has an invalid path: {path!r}: {fault}", where)
        if not _ID.fullmatch(blob):
            raise _malformed(f"the blob of {path!r} must be 40 hex digits, not {blob!r}", where)
    return tuple(SourceFile(path=path, blob=table[path]) for path in sorted(table))


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Raises ValueError if a key occurs twice.

    A git merge may leave two lines with the same key.
    """
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key occurs twice")
    return table


def _malformed(what: str, where: str) -> InputError:
    """Return the error for a lock damaged by an edit or a merge."""
    return InputError(
        what,
        where=where,
        hint="Restore it from version control, or delete it and pull again",
    )


def names_at_risk(lock: Lock, selects: Callable[[str], bool]) -> Iterator[Finding]:
    """Yield a finding for each file in ``lock`` whose name is a problem on some system.

    A refused file is an error if, judged by its name, it may be a page and ``selects`` accepts it.
    All other findings are warnings.
    """
    for file in lock.refused:
        name = file.path.rpartition(".")[0] or file.path
        yield _refused_name(file, is_missed=file.may_be_page and selects(name))
    hidden = hidden_duplicates(lock.files)
    for twin in hidden:
        # This document is left out, because another has the same path in NFC.
        where, page = ascii(twin.path)[1:-1], page_name(twin.path)
        yield Finding.from_table("same-name", where=where, page=page)
    yield from _names_alike(file for file in lock.files if file not in hidden)


def _refused_name(file: RefusedFile, *, is_missed: bool) -> Finding:
    return Finding(
        code="refused-name",
        severity=Severity.ERROR if is_missed else Severity.WARNING,
        where=file.path,
        text=f"was not pulled: {file.rule}",
        hint="Ask upstream to rename it, or exclude the page in the configuration.",
        exit_code=InputError.exit_code,
    )


def _names_alike(files: Iterable[SourceFile]) -> Iterator[Finding]:
    """Yield warnings about names such as ``Guide.md`` and ``guide.md``.

    On macOS and Windows, both are the same file.
    """
    seen: dict[str, str] = {}
    for file in files:
        key = unicodedata.normalize("NFC", file.path).casefold()
        other = seen.setdefault(key, file.path)
        if other != file.path:
            yield Finding.from_table("names-alike", where=file.path, other=other)
