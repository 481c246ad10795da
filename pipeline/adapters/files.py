"""Reading, writing and removing of files.

Content is bytes. This module writes every file that another process may read, or that must survive
a kill. Invariant: at any moment such a file has its complete old or its complete new content.
"""

from __future__ import annotations

import errno
import itertools
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipeline.errors import InputError, PipelineError, check_limit
from pipeline.limits import FILE_BYTES, FOUND_FILES, OWN_BYTES, Limit

_TEMPORARY = ".*.????????.tmp"  # temporary names of files that are being written


class WriteError(PipelineError):
    """A file cannot be written; its previous content is untouched."""


def read_bytes(path: Path, *, limit: Limit | None = None) -> bytes:
    """Return the content of ``path``. Raises InputError if it cannot be read.

    Also raises InputError for a file larger than ``limit``. If ``limit`` is None, the limit for the
    file's suffix applies (``FILE_BYTES``); most suffixes have no limit.
    """
    try:
        with path.open("rb") as file:
            limit = limit or FILE_BYTES.get(path.suffix)
            if limit:
                size = os.fstat(file.fileno()).st_size
                check_limit(size, limit, where=str(path))
            return file.read()
    except OSError as error:
        raise _read_error(path, error) from error


def read_own(path: Path, limit: Limit = OWN_BYTES) -> bytes | None:
    """Return the content of a file that only the pipeline writes.

    Return None if the file is missing, unreadable, or larger than ``limit``.
    """
    try:
        return read_bytes(path, limit=limit)
    except InputError:
        return None


def copy_file(source: str | Path, target: str | Path) -> str:
    """Copy a file with its mode and times; return the target, as ``shutil.copytree`` requires.

    Raises InputError, before anything is copied, if the file is too large to be read afterwards.
    """
    limit = FILE_BYTES.get(Path(source).suffix, OWN_BYTES)
    check_limit(os.stat(source).st_size, limit, where=str(source))
    return str(shutil.copy2(source, target))


def write_if_changed(path: Path, data: bytes, *, dry: bool = False, flush: bool = True) -> bool:
    """Write ``data`` to ``path`` if the file has other content; return whether it had.

    With ``dry``, compare only. With ``flush=False``, writing is faster, but a crash of the machine
    may leave an empty file. So pass ``flush=False`` only for files that are verified when they are
    read, and that can be created again. Raises WriteError.
    """
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        pass  # missing or unreadable: write it
    if not dry:
        _write_atomic(path, data, is_due=lambda: True, flush=flush)
    return True


def replace_if_unchanged(path: Path, data: bytes, *, before: bytes | None) -> bool:
    """Write ``data`` to ``path`` if the file still contains ``before``; return whether it did.

    ``before`` is None if there was no such file. Use this for files that people may edit during a
    run: an edited file stays, and the next run reads it. A person who saves the file between the
    last check and the replacement still loses that edit. Raises WriteError.
    """
    return _write_atomic(path, data, is_due=lambda: _content(path) == before)


def write_atomic(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` through a temporary file beside it. Raises WriteError."""
    _write_atomic(path, data, is_due=lambda: True)


def append_text(path: Path, text: str) -> None:
    """Append ``text`` to a file that other programs write to as well. Raises WriteError."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise _write_error("written", path, error) from error


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write_atomic(
    path: Path, data: bytes, *, is_due: Callable[[], bool], flush: bool = True
) -> bool:
    # Shorten the name: a page's name plus the token could be too long for the file system.
    # Do not use ``tempfile``: if Ctrl-C interrupted its call, the name of the new file would be
    # unknown here, so the file could not be removed.
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            file.write(data)
            if flush:
                # Without these two calls, a crash may leave an empty file with the new name.
                file.flush()
                os.fsync(file.fileno())
        # Other users may read built files, whatever the umask of this user.
        temporary.chmod(0o644)
        if not is_due():  # checked last, as close to the replacement as possible
            return False
        os.replace(temporary, path)  # atomic within a folder
    except OSError as error:
        raise _write_error("written", path, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return True


def remove_abandoned(folders: Iterable[Path]) -> None:
    """Remove temporary files of interrupted runs below ``folders``.

    The caller must make sure that no other run writes to ``folders`` now. Raises WriteError.
    """
    for folder in folders:
        remove_files(list(folder.rglob(_TEMPORARY)))


def remove_abandoned_beside(folder: Path) -> None:
    """Remove temporary files directly in ``folder``; see ``remove_abandoned``."""
    remove_files(list(folder.glob(_TEMPORARY)))


def files_below(folder: Path, *suffixes: str) -> list[Path]:
    """Return the files below ``folder`` with one of ``suffixes`` (``.html``), sorted.

    Raises the errors of ``paths_below``.
    """
    # Sort by the parts of each path. As whole texts, "a.md" would come before "a/b.md".
    return list(map(Path, sorted(paths_below(folder, *suffixes), key=_parts)))


def _parts(path: str) -> list[str]:
    return path.split("/")


def paths_below(folder: Path, *suffixes: str) -> Iterator[str]:
    """Yield the paths of the files below ``folder`` with one of ``suffixes``, unsorted.

    The paths contain ``/`` on every system. Links to folders are not followed. Missing folders, and
    folders with too long a path, are skipped. Any other folder that cannot be listed raises
    InputError; otherwise the caller would believe that the folder is empty. (``os.walk`` and
    ``Path.rglob`` fail for folders nested a thousand deep, and ``rglob`` takes five times as long.)
    """
    count = 0
    pending: list[str | Path] = [folder]
    while pending:
        path = pending.pop()
        try:
            with os.scandir(path) as found:
                entries = list(found)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
                continue
            raise _read_error(Path(path), error) from error
        count += len(entries)
        check_limit(count, FOUND_FILES, where=str(folder))
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif entry.name.endswith(suffixes) and not _leads_to_folder(entry):
                yield entry.path.replace(os.sep, "/")


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a link to a folder."""
    # ``entry.is_dir`` raises an error for a circular link; ``isdir`` returns False.
    return entry.is_symlink() and os.path.isdir(entry.path)


def is_inside(path: Path, folder: Path) -> bool:
    """Return whether ``path`` is ``folder`` or inside it, after resolving all links."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    # A link that leads to itself, or a name that is too long or invalid.
    except (OSError, RuntimeError, ValueError):
        return False


def remove_files(paths: Iterable[Path]) -> None:
    """Remove files, and the folders around them that are then empty. Raises WriteError."""
    for path in paths:
        try:
            path.unlink(missing_ok=True)
            _remove_empty_folders(path)
        except OSError as error:
            raise _write_error("removed", path, error) from error


def remove_tree(folder: Path) -> None:
    """Remove ``folder`` with all its content, if it exists. Raises OSError.

    ``shutil.rmtree`` is not enough, because untrusted code may have created the content. Folders
    may be nested deeper than a path or Python's stack can be, or lack permissions. Links are
    removed, not followed.
    """
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink(missing_ok=True)
        return
    # Move the folders of the second level up to the first until none is left, so no path becomes
    # long. With the random token, the new names differ from all existing ones.
    token = secrets.token_hex(8)
    numbers = itertools.count()
    while subfolders := _empty_of_files(folder):
        for subfolder in subfolders:
            for inner in _empty_of_files(subfolder):
                _permit(inner)  # required for moving it
                inner.rename(folder / f"{token}-{next(numbers)}")
            subfolder.rmdir()
    folder.rmdir()


def _empty_of_files(folder: Path) -> list[Path]:
    """Remove all files and links in ``folder``; return its subfolders."""
    _permit(folder)
    with os.scandir(folder) as found:
        entries = list(found)
    subfolders: list[Path] = []
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            subfolders.append(Path(entry.path))
        else:
            os.unlink(entry.path)
    return subfolders


def _permit(folder: Path) -> None:
    """Restore the owner's permissions of ``folder``, which untrusted code may have removed."""
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        folder.chmod(0o700)


@contextmanager
def scratch_folder(prefix: str, parent: str | Path) -> Iterator[Path]:
    """Yield a new folder in ``parent``; remove it afterwards, if possible."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        yield folder
    finally:
        with suppress(OSError):
            remove_tree(folder)


def _remove_empty_folders(path: Path) -> None:
    """Remove the empty folders around ``path``, innermost first."""
    for folder in path.parents:
        if not folder.exists():
            continue  # removed by another process; its parent may be empty now
        if any(folder.iterdir()):
            return
        folder.rmdir()


@contextmanager
def hold_lock(
    path: Path, *, on_wait: Callable[[], None], timeout: float = 3600.0
) -> Iterator[None]:
    """Hold the file ``path`` as a lock; the system releases the lock if this process dies.

    If another process holds the lock, call ``on_wait`` and wait up to ``timeout`` seconds. Raises
    WriteError if the lock is not free by then or cannot be created.
    """
    from filelock import FileLock, Timeout

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            on_wait()
            lock.acquire(timeout=timeout)
    except Timeout as error:
        raise WriteError(
            f"another run has held the lock for {timeout:.0f} s",
            where=str(path),
            hint="Wait until it ends, or stop it; then the lock is free.",
        ) from error
    except OSError as error:
        raise _write_error("locked", path, error) from error
    try:
        yield
    finally:
        lock.release()


def _read_error(path: Path, error: OSError) -> InputError:
    return InputError(
        f"cannot be read: {error.strerror}",
        where=str(path),
        hint="Check that the file exists and may be read.",
    )


def _write_error(action: str, path: Path, error: OSError) -> WriteError:
    return WriteError(f"cannot be {action}: {error.strerror}", where=str(path), hint=_hint(error))


def _hint(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full. Free some space and run again; nothing was half-written."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (
            "The folder is read-only for this user. "
            "Change its permissions and run again; nothing was half-written."
        )
    return "Fix the cause and run again; nothing was half-written."
