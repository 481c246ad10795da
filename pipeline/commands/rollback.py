"""Rollback of a failed upgrade, and a scratch copy in which a dry run tries an upgrade.

The rollback restores the docs, the lock, the catalogues, the memory, and the *base* of the memory.
The copy has the same files, except the docs. The base is the file ``memory.json``: by comparing
with it, the next run sees whether the catalogue or the memory has changed. A catalogue that a
person saves during the upgrade is never replaced by an older version.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.adapters.files import WriteError, copy_file
from pipeline.adapters.version_control import link_repository
from pipeline.core.catalog.origins import CARRIED, STATES
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.paths import Paths
from pipeline.run import Run


@contextmanager
def scratch_copy(run: Run) -> Iterator[Path]:
    """Yield the root of a temporary copy of the files that a sync reads, except the docs.

    The copy shares the project's git repository, because a sync asks git which commit is checked
    out. It also shares the caches of a pull: git objects, environments and docstrings.
    """
    paths = run.paths
    with tempfile.TemporaryDirectory(prefix="jax-docs-zh-") as name:
        # Resolve the path, because the temporary folder is a symbolic link on some systems.
        root = link_repository(paths.root, Path(name).resolve())
        try:
            for place in _written_by_sync(run):
                if place.exists():
                    _copy(place, root / place.relative_to(paths.root))
            cache = Paths(root, paths.name).cache
            cache.mkdir(parents=True)
            for shared in ("git", "environments", "docstrings"):
                (paths.cache / shared).mkdir(parents=True, exist_ok=True)
                (cache / shared).symlink_to((paths.cache / shared).resolve())
        except OSError as error:
            raise _not_copied(error, root) from error
        yield root


@contextmanager
def restoring(run: Run) -> Iterator[None]:
    """Run the body, and restore all files if it raises.

    The files are docs, lock, catalogues, memory, and the memory's base. During the upgrade the old
    files are kept under ``build/upgrade/`` as hard links, which take no space. A catalogue is not
    restored if it has a translation that no old catalogue had: a person saved it meanwhile.
    """
    kept = _kept(run)
    _keep(run, kept)
    try:
        yield
    except BaseException:
        run.log.warn("the upgrade did not finish: the old files are being restored")
        try:
            # Ignore Ctrl-C, because a half-finished rollback would be worse than none.
            with _undisturbed():
                _put_back(run, kept)
        except OSError as error:
            # Do not remove the old files: they are now the only complete copy.
            raise WriteError(
                f"cannot be restored: {error.strerror}",
                where=str(error.filename or run.paths.root),
                hint=f"The old files are in {kept.root}: copy them back, or run sync.",
            ) from error
        shutil.rmtree(kept.root, ignore_errors=True)
        raise
    shutil.rmtree(kept.root, ignore_errors=True)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore SIGINT and SIGTERM while the body runs."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, signal.SIG_IGN) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def discard_kept(run: Run) -> None:
    """Remove the old files that a killed upgrade has left. Call it after a successful sync."""
    if not run.dry:
        shutil.rmtree(_kept(run).root, ignore_errors=True)


def _kept(run: Run) -> Paths:
    """Return the paths at which an upgrade keeps the old files."""
    return Paths(run.paths.build / "upgrade", run.name)


def _keep(run: Run, kept: Paths) -> None:
    """Link or copy to ``kept`` every file that an upgrade may change. Raises WriteError."""
    paths = run.paths
    try:
        # Remove old files that a killed run has left, because they are out of date.
        shutil.rmtree(kept.root, ignore_errors=True)
        for place in (paths.docs, *_written_by_sync(run)):
            if place.exists():
                _copy(place, kept.root / place.relative_to(paths.root), linked=True)
    except OSError as error:
        raise _not_copied(error, kept.root) from error


def _written_by_sync(run: Run) -> tuple[Path, ...]:
    """Return the files and folders that a sync writes and the next sync reads, except the docs."""
    paths = run.paths
    bases = map(paths.memory_state, run.locales)
    return (paths.lock, paths.root / "translations", *bases)


def _copy(source: Path, target: Path, *, linked: bool = False) -> None:
    """Copy a file or a folder; with ``linked``, create hard links instead."""
    target.parent.mkdir(parents=True, exist_ok=True)
    copy = _link_or_copy if linked else copy_file
    if source.is_dir():
        shutil.copytree(source, target, copy_function=copy)
    else:
        copy(str(source), str(target))


def _link_or_copy(source: str, target: str) -> str:
    """Hard-link a file, or copy it if that fails. Return the target, as ``copytree`` requires."""
    # A link keeps the old content, because the pipeline replaces files and never edits them in
    # place.
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        copy_file(source, target)
    return target


def _put_back(run: Run, kept: Paths) -> None:
    """Restore every file from ``kept``."""
    paths, locales = run.paths, run.locales
    # Remove the new base first. Otherwise, if the rollback is killed, the next run compares the old
    # memory with the new base, and takes the missing entries for deleted ones.
    for locale in locales:
        paths.memory_state(locale).unlink(missing_ok=True)
    docs = paths.docs.resolve()  # if the folder is a symbolic link, the link is kept
    shutil.rmtree(docs, ignore_errors=True)  # before anything is written, to free space
    if kept.docs.exists():
        shutil.move(kept.docs, docs)
    _replace(paths.lock, kept.lock)
    for locale in locales:
        _put_back_catalogs(run, kept, locale)
    memory = Path("translations") / "memory"
    for path in _files(paths.root / memory) | _files(kept.root / memory):
        _replace(paths.root / memory / path, kept.root / memory / path)
    # Restore the base last, because it asserts that memory and catalogues agree.
    for locale in locales:
        _replace(paths.memory_state(locale), kept.memory_state(locale))


def _put_back_catalogs(run: Run, kept: Paths, locale: str) -> None:
    """Restore the catalogues of a locale, except those that a person edited meanwhile."""
    new, old = run.paths.catalogs(locale), kept.catalogs(locale)
    known: set[str] = set()
    # Collect the translations of all catalogues: an update may move one to another page.
    for path in old.rglob("*.po"):
        known |= _translations(path)
    for path in _files(new) | _files(old):
        current = new / path
        if current.exists() and not _translations(current) <= known:
            run.log.warn(
                f"{current}: was edited during the upgrade and is not restored; "
                "the next sync updates it to the pin"
            )
        else:
            _replace(current, old / path)


def _replace(path: Path, kept: Path) -> None:
    """Restore ``path`` from ``kept``, or remove it if there was no such file."""
    if not kept.exists():
        path.unlink(missing_ok=True)
        return
    # If both paths are links to one file, there is nothing to restore, and os.replace() would leave
    # both links.
    if path.exists() and path.samefile(kept):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    os.replace(kept, path)


def _files(folder: Path) -> set[Path]:
    """Return the paths of all files below a folder, relative to it. The folder may be missing."""
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def _translations(path: Path) -> set[str]:
    """Return the translations in a catalogue that a person may have written.

    A file that cannot be parsed counts as one translation, so that it is not replaced.
    """
    from pipeline.adapters import po  # every sync imports this module

    data = path.read_bytes()
    try:
        entries = po.read_catalog(data, where=str(path)).catalog.entries
    except InputError:
        return {data.decode("utf-8", "replace")}
    return {entry.msgstr for entry in entries if entry.msgstr and not _is_ours(entry)}


def _is_ours(entry: Entry) -> bool:
    """Return whether an update has produced the translation, for example from a similar one."""
    # A finished entry may still have an old "fuzzy: …" note, so such notes count only if the entry
    # is fuzzy.
    ours = STATES if entry.fuzzy else (CARRIED,)
    return any(note.startswith(ours) for note in entry.notes)


def _not_copied(error: OSError, where: Path) -> WriteError:
    """Return the error for a failed copy. At this point the upgrade has changed nothing.

    ``where`` is used if the system error names no file.
    """
    return WriteError(
        f"cannot be copied: {error.strerror}",
        where=str(error.filename or where),
        hint="Free some space or correct the permissions, and run again; nothing has changed.",
    )
