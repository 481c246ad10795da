"""Selection of upstream's files: which entries are taken, and what pages include from elsewhere.

The entries of a git tree or of a plain folder come in. Files with the ids of their contents come
out, sorted by path. No path that leads out of the folder comes out. A page may include documents
from outside of the docs folders: those are taken as well, by the same rules as all that is pulled.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from pipeline.adapters.upstream import TreeEntry
from pipeline.core.document.contents import Inclusion, inclusions
from pipeline.core.document.limits import PAGE_LENGTH
from pipeline.core.document.outline import outline_places
from pipeline.core.execution.notebook import text_with_contents
from pipeline.core.pin.lock import (
    PAGE_SUFFIXES,
    Included,
    Lock,
    RefusedFile,
    SourceFile,
    blob_id,
    page_path,
    pages_of,
)
from pipeline.core.pin.sphinx_config import (
    excluded_pages,
    has_substitutions,
    read_exclude_patterns,
    sphinx_values,
)
from pipeline.errors import InputError
from pipeline.filenames import fault_of_extent, fault_of_path, shortened
from pipeline.folders import OUTSIDE, Folders, is_outside
from pipeline.log import Log, printable

# What git writes into a tree: https://git-scm.com/docs/git-fast-import, "filemodify".
_FOLDER = "040000"
_LINK = "120000"
_SUBMODULE = "160000"
REGULAR = "100644"
_REGULAR = (REGULAR, "100755", "100664")  # the last one is of old gits only


def walk_folder(folder: Path, *, below: str = "") -> Iterator[TreeEntry]:
    """What lies under ``folder``, as git would list it; the paths begin with ``below``.

    What is hidden is not looked into, nor is a folder that lies too deep: it is an entry itself,
    with a slash at the end. Raises OSError.
    """
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if _is_hidden(entry.name):
            continue
        path = f"{below}{entry.name}"
        # Links come first: a link to a folder would count as that folder.
        if entry.is_symlink():
            yield TreeEntry(mode=_LINK, blob="", path=path)
        elif entry.is_dir() and fault_of_extent(f"{path}/"):
            yield TreeEntry(mode=_FOLDER, blob="", path=f"{path}/")
        elif entry.is_dir():
            yield from walk_folder(Path(entry.path), below=f"{path}/")
        elif entry.is_file():
            blob = blob_id(Path(entry.path).read_bytes())
            yield TreeEntry(mode=REGULAR, blob=blob, path=path)
        else:
            # Git has no mode for it: "accept" leaves it out.
            yield TreeEntry(mode="device", blob="", path=path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What a docs folder holds, sorted by path."""

    files: tuple[SourceFile, ...]
    refused: tuple[RefusedFile, ...]  # files whose names some system cannot hold


def accept(entries: Iterable[TreeEntry], log: Log) -> Accepted:
    """Sort the entries into files that are pulled and files that cannot be; hidden ones are none.

    The log warns of other things that are left out: a page may refer to them.
    """
    files: dict[str, SourceFile] = {}
    refused: dict[str, RefusedFile] = {}
    for entry in entries:
        fault = fault_of_path(entry.path)
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
            path = shortened(printable(entry.path).replace("\n", "\\n"))
            refused[path] = RefusedFile(path=path, rule=fault)
        else:
            files[entry.path] = SourceFile(path=entry.path, blob=entry.blob)
    return Accepted(
        files=tuple(files[path] for path in sorted(files)),
        refused=tuple(refused[path] for path in sorted(refused)),
    )


def _is_hidden(name: str) -> bool:
    """Whether a file or folder is none of the docs: tools keep theirs under such names."""
    # The names of the folder itself and of the one above are no hidden files, but an attack.
    return (name.startswith(".") and name not in (".", "..")) or name == "__pycache__"


def drift(folder: Path, files: Iterable[SourceFile]) -> list[str]:
    """The paths of those ``files`` that ``folder`` lacks, or holds with another content.

    Every file is read: a time or a size proves nothing after a switch of branches.
    """
    return [
        file.path for file in files if not _is_intact(folder / file.path, file.blob)
    ]


def _is_intact(path: Path, blob: str) -> bool:
    try:
        return blob_id(path.read_bytes()) == blob
    except OSError:
        return False


_MOST_FILES = 200  # from outside of the docs folders
_MOST_READINGS = 5000  # of files that are included, once for each page
_LARGEST = (
    4 * PAGE_LENGTH
)  # bytes of such a file: as many as a page's characters may have
_TAKEN = f"the folder {OUTSIDE} is kept for files from outside of the docs"
# The files at places of the repository, of those that it has.
FindPlaces = Callable[[Sequence[str]], Iterable[TreeEntry]]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A document that is read as a part of a page, and the document of the page itself."""

    page: str
    top: str  # paths count from it, as Sphinx has it
    path: str


@dataclass(kw_only=True)
class Inclusions:
    """All that is included, found by reading one document after the other."""

    docs: Folders
    read: Callable[[SourceFile], bytes]
    find: FindPlaces
    log: Log
    files: dict[str, SourceFile]  # by path
    refused: list[RefusedFile] = field(default_factory=list)
    # The pages that show a document as prose, by its name.
    shown: dict[str, dict[str, None]] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)
    _waiting: list[_Reading] = field(default_factory=list)
    _seen: set[_Reading] = field(default_factory=set)
    _known: dict[str, tuple[Inclusion, ...]] = field(default_factory=dict)  # by path

    def follow(self) -> None:
        """Read all pages, then what they include, until nothing new turns up."""
        for page in pages_of(self.files.values()):
            for file in page.files:
                self._waiting.append(_Reading(page.name, file.path, file.path))
        while self._waiting:
            found = [
                (
                    reading,
                    inclusion,
                    self.docs.place_meant(inclusion.target, reading.top),
                )
                for reading in self._waiting
                for inclusion in self._inclusions(reading.path)
            ]
            self._waiting = []
            new = dict.fromkeys(
                place for _, _, place in found if place and self._is_new(place)
            )
            left = max(_MOST_FILES - len(self._asked), 0)
            self.bring(tuple(new)[:left])
            for reading, inclusion, place in found:
                path = self.docs.pulled_path_of(place)
                if path in self.files:
                    self._note(reading, inclusion, path)

    def _inclusions(self, path: str) -> tuple[Inclusion, ...]:
        """Return what a document includes; nothing of a notebook that cannot be read."""
        if path not in self._known:
            data = self.read(self.files[path])
            try:
                text = text_with_contents(path, data, word=b"include")
            except InputError:
                text = ""  # split tells of it
            found = inclusions(text, is_rst=path.endswith(".rst"))
            self._known[path] = tuple(islice(found, _MOST_FILES))
        return self._known[path]

    def _note(self, reading: _Reading, inclusion: Inclusion, path: str) -> None:
        """Note that a page includes the file ``path``, and read that too if it is prose."""
        if not inclusion.is_prose or not path.endswith(PAGE_SUFFIXES[1:]):
            return
        # Of another language only with a word for who reads it.
        is_same = path.endswith(".rst") == reading.path.endswith(".rst")
        if is_same or inclusion.has_parser:
            name = page_path(path).rpartition(".")[0]
            self.shown.setdefault(name, {})[reading.page] = None
            further = _Reading(reading.page, reading.top, path)
            if further not in self._seen and len(self._seen) < _MOST_READINGS:
                self._seen.add(further)
                self._waiting.append(further)

    def _is_new(self, place: str) -> bool:
        """Return whether a place is outside of the docs folders, and has not been looked at."""
        return self.docs.path_of(place) is None and place not in self._asked

    def bring(self, places: Sequence[str]) -> None:
        """Take what is not here yet of ``places`` in, by the rules for all that is pulled."""
        absent = [place for place in places if self._is_new(place)]
        self._asked.update(absent)
        if not absent:
            return
        found = [
            replace(entry, path=f"{OUTSIDE}/{entry.path}")
            for entry in self.find(absent)
        ]
        accepted = accept(found, self.log)
        self.refused += accepted.refused
        for file in accepted.files:
            if len(self.read(file)) > _LARGEST:
                self.log.warn(f"{file.path}: too large to be included, left out")
            else:
                self.files[file.path] = file


def complete(
    lock: Lock, read: Callable[[SourceFile], bytes], find: FindPlaces, log: Log
) -> Lock:
    """Return the lock with all that its pages include, and with what upstream excludes.

    ``find`` looks for places outside of the docs folders. Raises what it and ``read`` raise.
    """
    # A folder of upstream's own that has the name would be mixed up with these.
    taken = [
        RefusedFile(path=file.path, rule=_TAKEN)
        for file in lock.files
        if is_outside(file.path)
    ]
    lock = replace(
        lock, files=tuple(file for file in lock.files if not is_outside(file.path))
    )
    found = Inclusions(
        docs=lock.docs,
        read=read,
        find=find,
        log=log,
        files={file.path: file for file in lock.files},
        refused=[*lock.refused, *taken],
    )
    found.follow()
    found.bring(outline_places(lock.docs))
    excluded = set(excluded_pages(pages_of(lock.files), _patterns(lock, read)))
    outside = {
        page.name for page in pages_of(found.files.values()) if is_outside(page.name)
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
        substitutions=_has_substitutions(lock, read),
    )


def _patterns(lock: Lock, read: Callable[[SourceFile], bytes]) -> list[str]:
    """Return the patterns of upstream's ``conf.py``, of each docs folder that has one."""
    patterns: list[str] = []
    for file in lock.files:
        for prefix in lock.docs.prefixes:
            if file.path == f"{prefix}conf.py":
                code = read(file).decode("utf-8", "replace")
                patterns += read_exclude_patterns(code, below=prefix)
    return patterns


def _has_substitutions(lock: Lock, read: Callable[[SourceFile], bytes]) -> bool:
    """Return whether upstream's site puts values in the place of ``{{ name }}``.

    A book of Jupyter's does, unless a ``conf.py`` says otherwise.
    """
    files = {file.path: file for file in lock.files}
    for prefix in lock.docs.prefixes:
        configuration = files.get(f"{prefix}conf.py")
        if configuration is None:
            if f"{prefix}_toc.yml" in files:
                return True
        elif has_substitutions(
            sphinx_values(read(configuration).decode("utf-8", "replace"))
        ):
            return True
    return False
