"""The files of a docs folder: which entries are taken, and whether a folder holds what it should.

In go the entries of a git tree or of a plain folder. Out come files with the ids of their contents,
sorted by path. No path that leads out of the folder comes out.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from pipeline.adapters.upstream import TreeEntry
from pipeline.core.pin.lock import SourceFile, blob_id
from pipeline.folders import is_safe_path
from pipeline.log import Log

# What git writes into a tree: https://git-scm.com/docs/git-fast-import, "filemodify".
_LINK = "120000"
_SUBMODULE = "160000"
_REGULAR = ("100644", "100755", "100664")  # the last one is of old gits only


def walk_folder(folder: Path, *, below: str = "") -> Iterator[TreeEntry]:
    """What lies under ``folder``, as git would list it; the paths begin with ``below``.

    What is hidden is not looked into. Raises OSError.
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
        elif entry.is_dir():
            yield from walk_folder(Path(entry.path), below=f"{path}/")
        elif entry.is_file():
            blob = blob_id(Path(entry.path).read_bytes())
            yield TreeEntry(mode=_REGULAR[0], blob=blob, path=path)
        else:
            # Git has no mode for it: "accept" leaves it out, and says so.
            yield TreeEntry(mode="device", blob="", path=path)


def accept(entries: Iterable[TreeEntry], log: Log) -> tuple[SourceFile, ...]:
    """The entries that are files inside the docs folder, sorted by path; hidden ones are none.

    What is left out is told by the log: a page may refer to it.
    """
    files = {}
    for entry in entries:
        # A link may lead anywhere on this machine, and a submodule to another repository.
        if entry.mode == _LINK:
            log.warn(f"{entry.path}: a symbolic link, left out")
        elif entry.mode == _SUBMODULE:
            log.warn(f"{entry.path}: a submodule, left out")
        elif entry.mode not in _REGULAR or not is_safe_path(entry.path):
            log.warn(f"{entry.path!r}: not a path inside the docs folder, left out")
        elif not any(map(_is_hidden, entry.path.split("/"))):
            files[entry.path] = SourceFile(path=entry.path, blob=entry.blob)
    _warn_of_case(files, log)
    return tuple(files[path] for path in sorted(files))


def _is_hidden(name: str) -> bool:
    """Whether a file or folder is none of the docs: tools keep theirs under such names."""
    return name.startswith(".") or name == "__pycache__"


def _warn_of_case(paths: Iterable[str], log: Log) -> None:
    """Warn of names like ``Guide.md`` and ``guide.md`` in one folder."""
    # macOS and Windows have one file for both, and whichever is written last stays.
    seen: dict[str, str] = {}
    for path in paths:
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            log.warn(
                f"{other} and {path} differ only by case: on some systems one hides the other"
            )


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
