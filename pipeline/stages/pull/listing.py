"""The files of a docs folder: which entries are taken, and whether a folder holds what it should.

In go the entries of a git tree or of a plain folder. Out come files with the ids of their contents,
sorted by path. No path that leads out of the folder comes out.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters.upstream import TreeEntry
from pipeline.core.pin.lock import RefusedFile, SourceFile, blob_id
from pipeline.filenames import fault_of_extent, fault_of_path, shortened
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
