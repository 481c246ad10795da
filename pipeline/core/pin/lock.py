"""The lock: what was pulled, as text with one file per line, and the pages that its files make up.

A lock is committed, and people merge it: so what it says is checked before any path in it is used.
It also says which files were refused for their names, so that every command reports the same.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Any
from unicodedata import normalize

import msgspec
from msgspec import Meta

from pipeline.errors import InputError
from pipeline.filenames import fault_of_path
from pipeline.findings import Finding, Severity
from pipeline.folders import Folders, fault_in
from pipeline.reading import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One upstream document. ``path`` is POSIX, relative to the docs folder, with suffix."""

    path: str
    blob: str  # git blob id of the content (40 hex digits), also for plain folders


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedFile:
    """A file of upstream's, or a folder (with a slash at the end), that was not pulled."""

    path: str  # as people can read it: escaped, and shortened in its middle
    rule: str  # that it breaks, in words

    @property
    def may_be_page(self) -> bool:
        """Whether readers may miss a page for it."""
        return self.path.endswith(("/", *PAGE_SUFFIXES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Included:
    """A document that readers find within other pages only, and those pages."""

    page: str  # its name, as if it was a page
    within: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One upstream page: a single document, or a jupytext pair (``.ipynb`` first, then ``.md``).

    ``name`` is the path under the docs folder without suffix.
    """

    name: str
    files: tuple[SourceFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """What was pulled, as written to ``upstream/<name>.lock``."""

    url: str
    ref: str
    commit: str  # 40 hex digits; for a plain folder the digest of its listing
    date: str  # ISO 8601 with offset, of the commit; empty for a plain folder
    # That of ``package`` that the pages are executed with; may be empty.
    version: str
    docs: Folders  # those of the repository that were pulled
    # Every file that was pulled, assets included, sorted by path.
    files: tuple[SourceFile, ...]
    package: str = ""  # what the docs are of, as people write it
    # Files that upstream has and no system could hold, each with the rule that it breaks.
    refused: tuple[RefusedFile, ...] = ()
    # Which Markdown the repository says that its docs are in; empty: MyST.
    markdown: str = ""
    substitutions: bool = False  # whether MyST puts values in the place of {{ name }}
    # What pages include that is no page of upstream's site: it lies outside of the docs folders,
    # or upstream excludes it.
    included: tuple[Included, ...] = ()
    excluded: tuple[str, ...] = ()  # documents that upstream's site leaves out

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages of upstream's site, sorted by name, and what these include."""
        excluded = frozenset(self.excluded)
        return tuple(page for page in pages_of(self.files) if page.name not in excluded)

    @property
    def unpublished(self) -> frozenset[str]:
        """The names of all documents that are no page of their own on upstream's site."""
        return frozenset((*self.excluded, *(one.page for one in self.included)))

    @property
    def release(self) -> str:
        """What the docs are of, with its version: ``JAX 0.10.2``; empty if none is pinned."""
        return f"{self.package} {self.version}" if self.package and self.version else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """What upstream has at one commit.

    That is the lock that would describe it, and the documents of its pages by path.
    """

    lock: Lock
    documents: Mapping[str, bytes]


# In the order in which a page lists its documents.
PAGE_SUFFIXES = (".ipynb", ".md", ".rst")

ASSETS = "_static"  # Sphinx's usual name, and that of themes' own files
_ID = re.compile(r"[0-9a-f]{40}")
_TEXTS = ("url", "ref", "commit", "date", "version", "package")

# Texts get onto terminals and into headers of catalogues.
_Plain = Annotated[str, Meta(pattern=r"\A[^\x00-\x1f\x7f\ud800-\udfff]*\Z")]


class _File(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A lock as JSON has it."""

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
    """The id that git gives a blob with this content (40 hex digits).

    ``b"tea\\n"`` → ``a01ebc3…``, as ``git hash-object`` says.
    """
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)  # not joined with the head: that would copy every file
    return digest.hexdigest()


def listing_id(files: Iterable[SourceFile]) -> str:
    """What stands for the commit where there is no git: 40 hex digits, of the names and blobs.

    So a plain folder has another one as soon as any file in it changes, comes or goes.
    """
    listing = "".join(f"{file.blob} {file.path}\n" for file in files)
    return hashlib.sha1(listing.encode("utf-8"), usedforsecurity=False).hexdigest()


def format_lock(lock: Lock) -> bytes:
    """``lock`` as JSON in UTF-8: keys sorted, indented by 1, LF, final newline.

    Each file is a line, so that git can merge two locks: ``"guide/tea.md": "a01ebc3…"``.
    """
    data: dict[str, Any] = {key: getattr(lock, key) for key in _TEXTS}
    names = lock.docs.names
    data["docs"] = list(names) if lock.docs.are_several else names[0]
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
    return (
        json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    ).encode("utf-8")


def parse_lock(data: bytes, *, where: str) -> Lock:
    """The inverse of ``format_lock``. ``where`` names the file in complaints.

    Raises InputError, whatever is wrong with ``data``: the first thing that is found.
    """
    try:
        table = json.loads(data.decode("utf-8"), object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as error:
        raise _malformed(f"is not a lock: {error}", where) from error
    try:
        file = msgspec.convert(table, _File)
    except ValueError as error:  # also of half a surrogate pair
        raise _malformed(f"is not a lock: {error}", where) from error
    included = [
        Included(page=page, within=within)
        for page, within in sorted(file.included.items())
    ]
    return Lock(
        **{key: getattr(file, key) for key in _TEXTS},
        docs=_folders(file.docs, where),
        files=_files(file.files, where),
        refused=tuple(
            RefusedFile(path=path, rule=rule)
            for path, rule in sorted(file.refused.items())
        ),
        markdown=file.markdown or "",
        substitutions=file.substitutions,
        included=tuple(included),
        excluded=file.excluded,
    )


def pages_of(files: Iterable[SourceFile]) -> tuple[Page, ...]:
    """The pages among ``files``, sorted by name.

    ``x.ipynb`` and ``x.md`` are one page, with the notebook first. What lies in a folder of assets
    is none: Sphinx copies it as it is. Of files whose paths differ only by how accents are encoded
    one makes the page: see ``hidden_twins``.
    """
    documents: dict[str, list[SourceFile]] = defaultdict(list)
    for path, file in _documents(files).items():
        documents[path.rpartition(".")[0]].append(file)
    pages: list[Page] = []
    for name in sorted(documents):
        # ".ipynb" comes before ".md" in the alphabet, too.
        files_of_page = sorted(
            documents[name], key=lambda file: PurePosixPath(file.path).suffix
        )
        pages.append(Page(name=name, files=tuple(files_of_page)))
    return tuple(pages)


def hidden_twins(files: Iterable[SourceFile]) -> tuple[SourceFile, ...]:
    """The documents that are none of a page, since another one has the same path in NFC."""
    files = tuple(files)
    shown = {file.path for file in _documents(files).values()}
    documents = filter(_is_document, files)
    return tuple(file for file in documents if file.path not in shown)


def page_path(path: str) -> str:
    """A path as pages have it: in NFC, as Sphinx reads it. macOS writes ``é`` as two characters."""
    return normalize("NFC", path)


def _documents(files: Iterable[SourceFile]) -> dict[str, SourceFile]:
    """The documents of pages by their path in NFC; of several the one that is so written."""
    documents: dict[str, SourceFile] = {}
    for file in files:
        if _is_document(file):
            path = page_path(file.path)
            if path not in documents or file.path == path:
                documents[path] = file
    return documents


def _is_document(file: SourceFile) -> bool:
    """Whether a file is a page, or one of two that make a page."""
    path = PurePosixPath(file.path)
    return path.suffix in PAGE_SUFFIXES and ASSETS not in path.parts


def _folders(value: str | tuple[str, ...], where: str) -> Folders:
    """The docs folders of a lock: a text, or a list of several."""
    names = (value,) if isinstance(value, str) else value
    fault = fault_in(names)
    if fault is not None:
        raise _malformed(f"'docs' cannot be right: {fault.what}", where)
    return Folders(names)


def _files(table: Mapping[str, str], where: str) -> tuple[SourceFile, ...]:
    """The files of a lock, sorted by path: ``{"guide/tea.md": "a01ebc3…"}``.

    Every path will be written to, so each is looked at.
    """
    for path, blob in table.items():
        fault = fault_of_path(path)
        if fault:
            raise _malformed(f"names a file that cannot be: {path!r}: {fault}", where)
        if not _ID.fullmatch(blob):
            raise _malformed(
                f"the blob of {path!r} must be 40 hex digits, not {blob!r}", where
            )
    return tuple(SourceFile(path=path, blob=table[path]) for path in sorted(table))


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, in which no key occurs twice.

    git may have merged two lines of one key into it. Raises ValueError.
    """
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key occurs twice")
    return table


def _malformed(what: str, where: str) -> InputError:
    """The complaint about a lock that a hand or a merge has damaged."""
    return InputError(
        what,
        where=where,
        hint="Restore it from version control, or delete it and pull again",
    )


def names_at_risk(lock: Lock, selects: Callable[[str], bool]) -> Iterator[Finding]:
    """Yield a finding for each name in ``lock`` that some system cannot hold.

    A page that ``selects`` leaves out is none that readers miss.
    """
    for file in lock.refused:
        name = file.path.rpartition(".")[0] or file.path
        yield _refused_name(file, is_missed=file.may_be_page and selects(name))
    hidden = hidden_twins(lock.files)
    yield from map(_hidden_by_twin, hidden)
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


def _hidden_by_twin(file: SourceFile) -> Finding:
    """A document that another one keeps from readers: both have one name in NFC."""
    return Finding(
        code="same-name",
        severity=Severity.WARNING,
        where=ascii(file.path)[1:-1],
        text="is left out: another file has this name, with its accents encoded otherwise",
        page=page_path(file.path).rpartition(".")[0],
        hint="On some systems the two are one file. Ask upstream to rename one of them.",
    )


def _names_alike(files: Iterable[SourceFile]) -> Iterator[Finding]:
    """Names like ``Guide.md`` and ``guide.md``: macOS and Windows have one file for both."""
    seen: dict[str, str] = {}
    for file in files:
        key = unicodedata.normalize("NFC", file.path).casefold()
        other = seen.setdefault(key, file.path)
        if other != file.path:
            yield Finding(
                code="names-alike",
                severity=Severity.WARNING,
                where=file.path,
                text=f"differs from {other} only by case, or by how accents are spelt: "
                "on some systems one hides the other",
                hint="Ask upstream to rename one of them.",
            )
