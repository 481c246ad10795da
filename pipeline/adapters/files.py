"""Reading and writing files: bytes only, atomic, only when changed.

Every file that others may read, or that must survive a kill, is written here. A reader sees the old
content or the new one, never a part.
"""

from __future__ import annotations

import errno
import itertools
import os
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipeline.errors import InputError, PipelineError

_TEMPORARY = ".*.????????.tmp"  # names of files that are being written


class WriteError(PipelineError):
    """A file cannot be written; what was there before is untouched."""


def read_bytes(path: Path) -> bytes:
    """The content of ``path``. Raises InputError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            where=str(path),
            hint="Check that the file exists and may be read.",
        ) from error


def write_if_changed(
    path: Path, data: bytes, *, dry: bool = False, flush: bool = True
) -> bool:
    """Make ``path`` hold ``data``; return whether it did not before. With ``dry``, only tell.

    Atomic: a reader, or the next run after a kill, sees the old content or the new one. Without
    ``flush``, a crash of the machine may leave an empty file: for what is proved before it is read,
    and made again if it is not what was written. Raises WriteError.
    """
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        pass  # missing or unreadable: to be written
    if not dry:
        _write_atomic(path, data, is_due=lambda: True, flush=flush)
    return True


def replace_if_unchanged(path: Path, data: bytes, *, before: bytes | None) -> bool:
    """Write ``data`` to ``path`` unless its content is no longer ``before``; return whether it was.

    ``before`` is None if there was no such file. This is for files that people edit while a run
    computes: their edit stays, and the next run takes it up. What is left to chance is the moment
    between the last look and the replacement. Raises WriteError.
    """
    return _write_atomic(path, data, is_due=lambda: _content(path) == before)


def write_atomic(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``, by way of a temporary file beside it. Raises WriteError."""
    _write_atomic(path, data, is_due=lambda: True)


def append_text(path: Path, text: str) -> None:
    """Add ``text`` at the end of a file that others write to as well. Raises WriteError."""
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
    # Long names of pages would make one that is too long for the file system. It is known before
    # the file is there: tempfile would make a file that nobody knows of if Ctrl-C came just then.
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            file.write(data)
            if flush:
                # Else a crash may leave the new name with no content.
                file.flush()
                os.fsync(file.fileno())
        temporary.chmod(0o644)  # whatever the umask: others may read what is built
        if not is_due():  # asked last, as near to the replacement as can be
            return False
        os.replace(temporary, path)  # atomic, within one folder
    except OSError as error:
        raise _write_error("written", path, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return True


def remove_abandoned(folders: Iterable[Path]) -> None:
    """Remove what runs that were killed have left below ``folders``: files half-written.

    Only for whoever keeps other runs out of them. Raises WriteError.
    """
    for folder in folders:
        remove_files(list(folder.rglob(_TEMPORARY)))


def files_below(folder: Path, *suffixes: str) -> list[Path]:
    """The files below ``folder`` with one of ``suffixes`` (``.html``), sorted.

    Links to folders are not followed. What cannot be read, or has a path that is too long, is
    skipped. ``os.walk`` and ``Path.rglob`` fail where folders are nested a thousand deep, and
    ``rglob`` takes five times as long.
    """
    paths: list[Path] = []
    pending: list[str | Path] = [folder]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as found:
            for entry in found:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif entry.name.endswith(suffixes) and not entry.is_dir():
                    paths.append(Path(entry.path))
    return sorted(paths)


def is_inside(path: Path, folder: Path) -> bool:
    """Return whether ``path`` leads into ``folder``, or to it, when all links are followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    # Links in a circle, a name that is too long, or no name of a file at all.
    except (OSError, RuntimeError, ValueError):
        return False


def remove_files(paths: Iterable[Path]) -> None:
    """Remove files, and the folders that are empty then. Raises WriteError."""
    for path in paths:
        try:
            path.unlink(missing_ok=True)
            _remove_empty_folders(path)
        except OSError as error:
            raise _write_error("removed", path, error) from error


def remove_tree(folder: Path) -> None:
    """Remove ``folder`` and all that is in it, if it is there. Raises OSError.

    What strangers' code has made may be nested deeper than a path or Python's stack can be, or lack
    permissions. Links are removed, and not followed.
    """
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink(missing_ok=True)
        return
    # What is two levels below moves up to the first one, so that no path becomes long. No name that
    # is there already begins with the random part.
    token = secrets.token_hex(8)
    numbers = itertools.count()
    while subfolders := _empty_of_files(folder):
        for subfolder in subfolders:
            for inner in _empty_of_files(subfolder):
                _permit(inner)  # it could not be moved otherwise
                inner.rename(folder / f"{token}-{next(numbers)}")
            subfolder.rmdir()
    folder.rmdir()


def _empty_of_files(folder: Path) -> list[Path]:
    """Remove all that is in ``folder`` but the folders; return these."""
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
    """Give a folder of ours the permissions that whoever made it may have taken away."""
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        folder.chmod(0o700)


@contextmanager
def scratch_folder(prefix: str, parent: str | Path) -> Iterator[Path]:
    """Make a folder in ``parent`` that is gone afterwards, as far as it can be removed."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        yield folder
    finally:
        with suppress(OSError):
            remove_tree(folder)


def _remove_empty_folders(path: Path) -> None:
    """Remove the folders around ``path`` that hold nothing, from the innermost on."""
    for folder in path.parents:
        if not folder.exists():
            continue  # somebody was faster; the one around it may be empty now
        if any(folder.iterdir()):
            return
        folder.rmdir()


@contextmanager
def hold_lock(
    path: Path, *, on_wait: Callable[[], None], timeout: float = 3600.0
) -> Iterator[None]:
    """Hold ``path`` as a lock between processes; it is free again when its holder dies.

    If another run holds it, call ``on_wait`` and wait up to ``timeout`` seconds. Raises WriteError.
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
            hint="Wait for it to end, or end it; the lock goes with it.",
        ) from error
    except OSError as error:
        raise _write_error("locked", path, error) from error
    try:
        yield
    finally:
        lock.release()


def _write_error(action: str, path: Path, error: OSError) -> WriteError:
    return WriteError(
        f"cannot be {action}: {error.strerror}", where=str(path), hint=_hint(error)
    )


def _hint(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            "The disk is full. Free some space and run again; nothing was half-written."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (
            "The folder is read-only for this user. "
            "Change its permissions and run again; nothing was half-written."
        )
    return "Mend what the message names and run again; nothing was half-written."
