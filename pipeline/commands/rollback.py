"""Rollback of a failed upgrade, and a scratch copy for trying one.

It covers every file that a sync writes outside ``build/``. A file that a person saves during the
upgrade is never replaced by an older version.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.adapters.files import WriteError
from pipeline.adapters.version_control import link_repository
from pipeline.commands.signals import undisturbed
from pipeline.core.catalog.origins import CARRIED, STATES
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.paths import Paths
from pipeline.run import Run


@contextmanager
def scratch_copy(run: Run) -> Iterator[Path]:
    """Yield the root of a temporary copy of everything that a sync reads, except the docs.

    The copy shares the project's repository, which a sync asks for its checkout, and the caches of
    what a pull reads: git, environments and docstrings.
    """
    paths = run.paths
    with tempfile.TemporaryDirectory(prefix="jax-docs-zh-") as name:
        # Resolved, because the temporary folder is a symbolic link on some systems.
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
    """Restore all files if the body raises.

    This covers checkout, lock, catalogues, memory and its base. The old files are kept as hard
    links, which take no space. A catalogue stays as it is if it holds a translation that no old
    catalogue had: a person saved it in the meantime.
    """
    kept = _kept(run)
    _keep(run, kept)
    try:
        yield
    except BaseException:
        run.log.warn(
            "the upgrade did not come to its end: what was there before is put back"
        )
        try:
            # A half-finished rollback would be worse than none.
            with undisturbed():
                _put_back(run, kept)
        except OSError as error:
            # The kept files are not removed: they are the only complete copy now.
            raise WriteError(
                f"cannot be put back: {error.strerror}",
                where=str(error.filename or run.paths.root),
                hint=f"{kept.root} holds what was there before: copy it back, or run sync.",
            ) from error
        shutil.rmtree(kept.root, ignore_errors=True)
        raise
    shutil.rmtree(kept.root, ignore_errors=True)


def discard_kept(run: Run) -> None:
    """Remove what a killed upgrade has kept. Call it once the docs are at the pin again."""
    if not run.dry:
        shutil.rmtree(_kept(run).root, ignore_errors=True)


def _kept(run: Run) -> Paths:
    """Return the place of the files that an upgrade keeps."""
    return Paths(run.paths.build / "upgrade", run.name)


def _keep(run: Run, kept: Paths) -> None:
    """Link or copy every file that may change to ``kept``. Raises WriteError."""
    paths = run.paths
    try:
        # Leftovers of a killed run are older than the current files.
        shutil.rmtree(kept.root, ignore_errors=True)
        for place in (paths.docs, *_written_by_sync(run)):
            if place.exists():
                _copy(place, kept.root / place.relative_to(paths.root), linked=True)
    except OSError as error:
        raise _not_copied(error, kept.root) from error


def _written_by_sync(run: Run) -> tuple[Path, ...]:
    """Return what a sync of this upstream writes and reads again, except the checkout."""
    paths = run.paths
    bases = map(paths.memory_state, run.locales)
    return (paths.lock, paths.root / "translations", *bases)


def _copy(source: Path, target: Path, *, linked: bool = False) -> None:
    """Copy a file or a folder; with ``linked``, create hard links instead."""
    target.parent.mkdir(parents=True, exist_ok=True)
    copy = _link_or_copy if linked else shutil.copy2
    if source.is_dir():
        shutil.copytree(source, target, copy_function=copy)
    else:
        copy(str(source), str(target))


def _link_or_copy(source: str, target: str) -> str:
    """Hard-link a file, or copy it if that fails; return the target as ``copytree`` requires."""
    # The link keeps the old content, because every writer here replaces files and edits none in
    # place.
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copy2(source, target)
    return target


def _put_back(run: Run, kept: Paths) -> None:
    """Restore every file from ``kept``."""
    paths, locales = run.paths, run.locales
    # Remove the new base first: compared with it, work that the old memory lacks would look
    # deleted.
    for locale in locales:
        paths.memory_state(locale).unlink(missing_ok=True)
    docs = paths.docs.resolve()  # a symbolic link is kept
    shutil.rmtree(docs, ignore_errors=True)  # early, to free space
    if kept.docs.exists():
        shutil.move(kept.docs, docs)
    _replace(paths.lock, kept.lock)
    for locale in locales:
        _put_back_catalogs(run, kept, locale)
    memory = Path("translations") / "memory"
    for path in _files(paths.root / memory) | _files(kept.root / memory):
        _replace(paths.root / memory / path, kept.root / memory / path)
    # Restore the base last: it asserts that memory and catalogues agree with it.
    for locale in locales:
        _replace(paths.memory_state(locale), kept.memory_state(locale))


def _put_back_catalogs(run: Run, kept: Paths, locale: str) -> None:
    """Restore the catalogues of a locale, except those that a person edited meanwhile."""
    new, old = run.paths.catalogs(locale), kept.catalogs(locale)
    known: set[str] = set()
    # Collect from all catalogues, because an update may move a translation to another page.
    for path in old.rglob("*.po"):
        known |= _translations(path)
    for path in _files(new) | _files(old):
        current = new / path
        if current.exists() and not _translations(current) <= known:
            run.log.warn(
                f"{current}: was edited meanwhile and stays as it is; "
                "the next sync brings it to the pin"
            )
        else:
            _replace(current, old / path)


def _replace(path: Path, kept: Path) -> None:
    """Restore ``path`` from the kept file, or remove it if there is none."""
    if not kept.exists():
        path.unlink(missing_ok=True)
        return
    # os.replace() between two links of one file does nothing and leaves both.
    if path.exists() and path.samefile(kept):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    os.replace(kept, path)


def _files(folder: Path) -> set[Path]:
    """Return every file below ``folder``, relative to it; an empty set if the folder is missing."""
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def _translations(path: Path) -> set[str]:
    """Return every translation in a catalogue that a person wrote.

    A file that cannot be parsed counts as one translation, because it is somebody's work.
    """
    from pipeline.adapters import po  # every sync imports this module

    data = path.read_bytes()
    try:
        entries = po.read_catalog(data, where=str(path)).catalog.entries
    except InputError:
        return {data.decode("utf-8", "replace")}
    return {entry.msgstr for entry in entries if entry.msgstr and not _is_ours(entry)}


def _is_ours(entry: Entry) -> bool:
    """Return whether an update may have produced the translation from other people's texts."""
    # A finished entry may still carry a "fuzzy: …" note, so its state does not count.
    ours = STATES if entry.fuzzy else (CARRIED,)
    return any(note.startswith(ours) for note in entry.notes)


def _not_copied(error: OSError, where: Path) -> WriteError:
    """Return the error for a failed copy, raised before anything is changed.

    ``where`` is used if the system error names no file.
    """
    return WriteError(
        f"cannot be copied: {error.strerror}",
        where=str(error.filename or where),
        hint="Free some space or mend the permissions, and run again; nothing has changed.",
    )
