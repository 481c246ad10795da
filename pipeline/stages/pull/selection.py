"""Selection of upstream's files: the files to pull, and files that pages include.

The input is the entries of a git tree or of a plain folder. The output is files with blob ids,
sorted by path. The invariant: no path leads out of the folder. Pages may include files from outside
the docs folders, for example ``../CHANGELOG.md``. These are pulled by the same rules.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline import folders, limits
from pipeline.adapters.files import read_own
from pipeline.adapters.upstream.repository import TreeEntry
from pipeline.core.document.contents import Inclusion, inclusions
from pipeline.core.document.outline import outline_places
from pipeline.core.execution.code_cells import text_with_contents
from pipeline.core.pin.lock import (
    PAGE_SUFFIXES,
    REFERENCE,
    Included,
    Lock,
    RefusedFile,
    SourceFile,
    blob_id,
    is_reference,
    page_name,
    pages_of,
)
from pipeline.core.pin.sphinx_config import (
    excluded_pages,
    has_substitutions,
    read_exclude_patterns,
    sphinx_values,
)
from pipeline.errors import InputError, check_limit
from pipeline.folders import Folders
from pipeline.log import Log, printable

_TOO_MANY = "Name fewer or smaller folders in 'docs' of the configuration."
# Modes in a git tree: https://git-scm.com/docs/git-fast-import, "filemodify".
_FOLDER = "040000"
_LINK = "120000"
_SUBMODULE = "160000"
REGULAR = "100644"
# Modes of files. The last one is only in trees of old versions of git.
_REGULAR = (REGULAR, "100755", "100664")


def walk_folder(folder: Path, *, below: str = "") -> Iterator[TreeEntry]:
    """Yield the entries under ``folder`` as git would list them. Paths begin with ``below``.

    Hidden files and folders are skipped. A folder that is nested too deeply is yielded itself, with
    a final slash, instead of its files. Raises OSError.
    """
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if _is_hidden(entry.name):
            continue
        path = f"{below}{entry.name}"
        # Test for links first, because a link to a folder also counts as a folder.
        if entry.is_symlink():
            yield TreeEntry(mode=_LINK, blob="", path=path)
        elif entry.is_dir() and folders.fault_of_extent(f"{path}/"):
            yield TreeEntry(mode=_FOLDER, blob="", path=f"{path}/")
        elif entry.is_dir():
            yield from walk_folder(Path(entry.path), below=f"{path}/")
        elif entry.is_file():
            check_limit(entry.stat().st_size, limits.UPSTREAM_BYTES, where=entry.path)
            blob = blob_id(Path(entry.path).read_bytes())
            yield TreeEntry(mode=REGULAR, blob=blob, path=path)
        else:
            # git has no mode for a device or a socket. ``select_files`` leaves these out.
            yield TreeEntry(mode="device", blob="", path=path)


class Accepted(Struct, frozen=True, kw_only=True):
    """Result of ``select_files``, sorted by path."""

    files: tuple[SourceFile, ...]  # the files to pull
    refused: tuple[RefusedFile, ...]  # files whose names some file system cannot store


def select_files(entries: Iterable[TreeEntry], log: Log, *, where: str) -> Accepted:
    """Divide entries into files to pull and refused files. Hidden files are skipped.

    Links, submodules and devices are left out. Warn about them, because a page may refer to one.
    Raises InputError, with the place ``where``, if there are too many entries.
    """
    files: dict[str, SourceFile] = {}
    refused: dict[str, RefusedFile] = {}
    for count, entry in enumerate(entries, start=1):
        check_limit(count, limits.UPSTREAM_FILES, where=where, hint=_TOO_MANY)
        fault = folders.fault_of_path(entry.path)
        # A link may lead anywhere on this machine, and a submodule to another repository.
        if entry.mode == _LINK:
            log.warn(f"{entry.path}: a symbolic link, left out")
        elif entry.mode == _SUBMODULE:
            log.warn(f"{entry.path}: a submodule, left out")
        elif entry.mode not in (_FOLDER, *_REGULAR):
            log.warn(f"{entry.path!r}: neither a file nor a folder, left out")
        elif any(map(_is_hidden, entry.path.split("/"))):
            continue
        elif fault:
            path = folders.shortened(printable(entry.path).replace("\n", "\\n"))
            refused[path] = RefusedFile(path=path, rule=fault)
        else:
            files[entry.path] = SourceFile(path=entry.path, blob=entry.blob)
    return Accepted(
        files=tuple(files[path] for path in sorted(files)),
        refused=tuple(refused[path] for path in sorted(refused)),
    )


def _is_hidden(name: str) -> bool:
    """Return whether a file or folder is hidden: ``.git``, or ``__pycache__``."""
    # "." and ".." in a path are an attack, which ``fault_of_path`` reports.
    return (name.startswith(".") and name not in (".", "..")) or name == "__pycache__"


def changed_files(folder: Path, files: Iterable[SourceFile]) -> list[str]:
    """Return the paths of ``files`` that ``folder`` lacks or has with other content.

    Every file is read. After a switch of branches, times and sizes prove nothing.
    """
    return [file.path for file in files if not _is_intact(folder / file.path, file.blob)]


def _is_intact(path: Path, blob: str) -> bool:
    data = read_own(path, limits.UPSTREAM_BYTES)
    return data is not None and blob_id(data) == blob


# Folders that the pipeline uses for its own files, and why it refuses upstream's files in them.
_TAKEN = {
    folders.OUTSIDE: f"the folder {folders.OUTSIDE} is kept for files from outside of the docs",
    REFERENCE: f"the folder {REFERENCE} is kept for the API reference",
}
# Returns the files at the given paths of the repository. Missing files are left out.
FindPlaces = Callable[[Sequence[str]], Iterable[TreeEntry]]


class _Reading(Struct, frozen=True):
    """A document to read: the document of a page, or one that the page includes."""

    page: str
    top: str  # path of the page's own document; paths in included documents are relative to it
    path: str  # path of the document to read


class Inclusions(Struct, kw_only=True):
    """Search for the files that pages include, directly or through other included files.

    Paths in ``files`` are those of pulled files; a "place" is a path in upstream's repository.
    """

    docs: Folders
    read: Callable[[SourceFile], bytes]
    find: FindPlaces
    log: Log
    files: dict[str, SourceFile]  # by path
    refused: list[RefusedFile] = field(default_factory=list)
    # For each included document by name, the pages that include it as prose.
    shown: dict[str, dict[str, None]] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)
    _waiting: list[_Reading] = field(default_factory=list)
    _seen: set[_Reading] = field(default_factory=set)
    _known: dict[str, tuple[Inclusion, ...]] = field(default_factory=dict)  # by path

    def follow(self) -> None:
        """Read all pages, then the files that they include, and so on."""
        for page in pages_of(self.files.values()):
            for file in page.files:
                self._waiting.append(_Reading(page.name, file.path, file.path))
        while self._waiting:
            found = [
                (
                    reading,
                    inclusion,
                    self.docs.resolve_target(inclusion.target, reading.top),
                )
                for reading in self._waiting
                for inclusion in self._inclusions(reading.path)
            ]
            self._waiting = []
            new = dict.fromkeys(place for _, _, place in found if place and self._is_new(place))
            left = max(limits.INCLUDED_FILES - len(self._asked), 0)
            self.fetch_places(tuple(new)[:left])
            for reading, inclusion, place in found:
                path = self.docs.pulled_path_of(place)
                if path in self.files:
                    self._note(reading, inclusion, path)

    def _inclusions(self, path: str) -> tuple[Inclusion, ...]:
        """Return the include directives of a document; none for an unreadable notebook."""
        if path not in self._known:
            data = self.read(self.files[path])
            try:
                text = text_with_contents(path, data, word=b"include")
            except InputError:
                text = ""  # ``split`` reports it
            found = inclusions(text, is_rst=path.endswith(".rst"))
            self._known[path] = tuple(islice(found, limits.INCLUDED_FILES))
        return self._known[path]

    def _note(self, reading: _Reading, inclusion: Inclusion, path: str) -> None:
        """If a page includes the file ``path`` as prose, record that, and read the file later."""
        if not inclusion.is_prose or not path.endswith(PAGE_SUFFIXES[1:]):
            return
        # A Markdown file in a reST page, or the reverse, is prose only if the directive names a
        # parser.
        is_same = path.endswith(".rst") == reading.path.endswith(".rst")
        if is_same or inclusion.has_parser:
            name = page_name(path)
            self.shown.setdefault(name, {})[reading.page] = None
            further = _Reading(reading.page, reading.top, path)
            if further not in self._seen and len(self._seen) < limits.INCLUDED_READINGS:
                self._seen.add(further)
                self._waiting.append(further)

    def _is_new(self, place: str) -> bool:
        """Return whether a place is outside the docs folders and was not looked up before."""
        return self.docs.path_of(place) is None and place not in self._asked

    def fetch_places(self, places: Sequence[str]) -> None:
        """Add the files at new ``places``, by the rules for all pulled files."""
        absent = [place for place in places if self._is_new(place)]
        self._asked.update(absent)
        if not absent:
            return
        found = [
            replace(entry, path=f"{folders.OUTSIDE}/{entry.path}") for entry in self.find(absent)
        ]
        accepted = select_files(found, self.log, where=folders.OUTSIDE)
        self.refused += accepted.refused
        for file in accepted.files:
            if len(self.read(file)) > limits.INCLUDED_BYTES:
                self.log.warn(f"{file.path}: too large to be included, left out")
            else:
                self.files[file.path] = file


def add_included(
    lock: Lock, read: Callable[[SourceFile], bytes], find: FindPlaces, log: Log
) -> Lock:
    """Add included files, excluded pages, and an outline outside the docs folders to the lock.

    An outline is a file with the order of the pages, such as ``mkdocs.yml``. ``find`` returns files
    outside the docs folders. Raises the errors of ``find`` and ``read``.
    """
    # If a folder of upstream's has the name of one of our folders, the files in it are refused.
    taken = [
        RefusedFile(path=file.path, rule=_TAKEN[file.path.partition("/")[0]])
        for file in lock.files
        if _is_ours(file.path)
    ]
    lock = replace(lock, files=tuple(file for file in lock.files if not _is_ours(file.path)))
    found = Inclusions(
        docs=lock.docs,
        read=read,
        find=find,
        log=log,
        files={file.path: file for file in lock.files},
        refused=[*lock.refused, *taken],
    )
    found.follow()
    found.fetch_places(outline_places(lock.docs))
    configured = configurations(lock, read)
    patterns: list[str] = []
    for prefix, code in configured.items():
        patterns += read_exclude_patterns(code, below=prefix)
    excluded = set(excluded_pages(pages_of(lock.files), patterns))
    outside = {
        page.name for page in pages_of(found.files.values()) if folders.is_outside(page.name)
    }
    included = [
        Included(page=name, within=tuple(pages))
        for name, pages in sorted(found.shown.items())
        if name in excluded | outside
    ]
    excluded |= outside
    excluded.difference_update(one.page for one in included)
    return replace(
        lock,
        files=tuple(found.files[path] for path in sorted(found.files)),
        refused=tuple(sorted(found.refused, key=lambda file: file.path)),
        included=tuple(included),
        excluded=tuple(sorted(excluded)),
        substitutions=_has_substitutions(lock, configured),
    )


def _is_ours(path: str) -> bool:
    """Return whether a path is in a folder that the pipeline uses for its own files."""
    return folders.is_outside(path) or is_reference(path)


def configurations(lock: Lock, read: Callable[[SourceFile], bytes]) -> dict[str, str]:
    """Return the code of upstream's ``conf.py`` in each docs folder that has one, by prefix."""
    configured: dict[str, str] = {}
    for file in lock.files:
        prefix, is_configuration, rest = file.path.rpartition("conf.py")
        if is_configuration and not rest and prefix in lock.docs.prefixes:
            configured[prefix] = read(file).decode("utf-8", "replace")
    return configured


def _has_substitutions(lock: Lock, configured: Mapping[str, str]) -> bool:
    """Return whether upstream's site replaces ``{{ name }}`` by values (MyST substitutions).

    A docs folder with a ``conf.py`` enables substitutions by a setting. Without a ``conf.py``, a
    Jupyter Book, which has a ``_toc.yml``, enables them by default. Return True if any docs folder
    enables substitutions.
    """
    paths = {file.path for file in lock.files}
    for prefix in lock.docs.prefixes:
        if prefix not in configured and f"{prefix}_toc.yml" in paths:
            return True
    return any(map(has_substitutions, map(sphinx_values, configured.values())))
