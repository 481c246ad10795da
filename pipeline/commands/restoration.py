"""Restoration after an upgrade that fails, and a scratch copy to try one in.

Everything that a sync writes outside ``build/`` is copied, or kept as it was. What a person saves
while a move is at work is never replaced by something older.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.adapters import po
from pipeline.adapters.files import WriteError
from pipeline.adapters.version_control import lend_repository
from pipeline.commands.signals import undisturbed
from pipeline.core.catalog.origins import CARRIED, STATES
from pipeline.entries import Entry
from pipeline.errors import InputError
from pipeline.paths import Paths
from pipeline.run import Run


@contextmanager
def scratch_copy(run: Run) -> Iterator[Path]:
    """The root of a copy of all that a sync reads but the docs, which it pulls.

    It is gone afterwards. The git cache is not copied but shared, and so is the project's own git:
    it is asked what it has checked out.
    """
    paths = run.paths
    with tempfile.TemporaryDirectory(prefix="jax-docs-zh-") as name:
        # Resolved: on some systems the folder for temporary files is a link.
        root = lend_repository(paths.root, Path(name).resolve())
        try:
            for folder in (
                *_written_by_sync(paths),
                *map(paths.memory_state, run.locales),
            ):
                if folder.exists():
                    _copy(folder, root / folder.relative_to(paths.root))
            (paths.cache / "git").mkdir(parents=True, exist_ok=True)
            cache = Paths(root, paths.name).cache
            cache.mkdir(parents=True)
            (cache / "git").symlink_to((paths.cache / "git").resolve())
        except OSError as error:
            raise _not_copied(error, root) from error
        yield root


@contextmanager
def restoring(run: Run) -> Iterator[None]:
    """Put everything back as it was if the body does not come to its end.

    That is checkout, lock, catalogues, memory and its base. The old files are kept as hard links,
    which need no space. A catalogue that holds a translation which was in none of them stays as it
    is: somebody saved it meanwhile.
    """
    kept = Paths(run.paths.build / "upgrade", run.name)
    _keep(run, kept)
    try:
        yield
    except BaseException:
        run.log.warn(
            "the upgrade did not come to its end: what was there before is put back"
        )
        try:
            # Half of it would be worse than nothing.
            with undisturbed():
                _put_back(run, kept)
        except OSError as error:
            # What is kept stays: it is the only whole copy now.
            raise WriteError(
                f"cannot be put back: {error.strerror}",
                where=str(error.filename or run.paths.root),
                hint=f"{kept.root} holds what was there before: copy it back, or run sync.",
            ) from error
        shutil.rmtree(kept.root, ignore_errors=True)
        raise
    shutil.rmtree(kept.root, ignore_errors=True)


def _keep(run: Run, kept: Paths) -> None:
    """Give all that may change a second name under ``kept``. Raises WriteError."""
    paths = run.paths
    places = [
        paths.docs,
        *_written_by_sync(paths),
        *map(paths.memory_state, run.locales),
    ]
    try:
        # Of a run that was killed: its files are older than what is there now.
        shutil.rmtree(kept.root, ignore_errors=True)
        for place in places:
            if place.exists():
                _copy(place, kept.root / place.relative_to(paths.root), linked=True)
    except OSError as error:
        raise _not_copied(error, kept.root) from error


def _written_by_sync(paths: Paths) -> tuple[Path, ...]:
    """Everything outside ``build/`` that a sync of this upstream writes, but the checkout."""
    return (paths.lock, paths.root / "translations")


def _copy(source: Path, target: Path, *, linked: bool = False) -> None:
    """Copy a file or a folder with all in it; ``linked``, by giving each file a second name."""
    target.parent.mkdir(parents=True, exist_ok=True)
    copy = _link_or_copy if linked else shutil.copy2
    if source.is_dir():
        shutil.copytree(source, target, copy_function=copy)
    else:
        copy(str(source), str(target))


def _link_or_copy(source: str, target: str) -> str:
    """Give a file a second name, or a copy where that cannot be; return it, as copytree wants."""
    # A link keeps the old content: whatever is written here replaces files, and edits none.
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copy2(source, target)
    return target


def _put_back(run: Run, kept: Paths) -> None:
    """Bring everything back from ``kept``."""
    paths, locales = run.paths, run.locales
    # First: with the base of the new memory, work that the old one lacks would look taken back.
    for locale in locales:
        paths.memory_state(locale).unlink(missing_ok=True)
    docs = paths.docs.resolve()  # a linked folder is restored where it is
    shutil.rmtree(docs, ignore_errors=True)  # early: it makes room
    if kept.docs.exists():
        shutil.move(kept.docs, docs)
    _replace(paths.lock, kept.lock)
    for locale in locales:
        _put_back_catalogs(run, kept, locale)
    memory = Path("translations") / "memory"
    for path in _files(paths.root / memory) | _files(kept.root / memory):
        _replace(paths.root / memory / path, kept.root / memory / path)
    # Last: a base says that memory and catalogues agree with it.
    for locale in locales:
        _replace(paths.memory_state(locale), kept.memory_state(locale))


def _put_back_catalogs(run: Run, kept: Paths, locale: str) -> None:
    """Bring the catalogues of a locale back, but for those that somebody has edited meanwhile."""
    new, old = run.paths.catalogs(locale), kept.catalogs(locale)
    known: set[str] = set()
    # Of all catalogues: a translation may have moved from one page to another.
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
    """Make ``path`` what it was: the kept file, or nothing."""
    if not kept.exists():
        path.unlink(missing_ok=True)
        return
    # To replace a file by another name of itself does nothing, and leaves both names.
    if path.exists() and path.samefile(kept):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    os.replace(kept, path)


def _files(folder: Path) -> set[Path]:
    """Every file below ``folder``, relative to it; none if there is no such folder."""
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def _translations(path: Path) -> set[str]:
    """Every msgstr that a person wrote into a catalogue.

    A file that is no catalogue counts as one msgstr: it is somebody's work, whatever it is.
    """
    data = path.read_bytes()
    try:
        entries = po.read_catalog(data, where=str(path)).catalog.entries
    except InputError:
        return {data.decode("utf-8", "replace")}
    return {entry.msgstr for entry in entries if entry.msgstr and not _is_ours(entry)}


def _is_ours(entry: Entry) -> bool:
    """Whether update may have made the msgstr, by changing or joining what people wrote."""
    # Some states are left behind by hand: "fuzzy: …" stays as a note when a person finishes it.
    ours = STATES if entry.fuzzy else (CARRIED,)
    return any(note.startswith(ours) for note in entry.notes)


def _not_copied(error: OSError, where: Path) -> WriteError:
    """What to raise before anything has been changed; the system may not name ``where``."""
    return WriteError(
        f"cannot be copied: {error.strerror}",
        where=str(error.filename or where),
        hint="Free some space or mend the permissions, and run again; nothing has changed.",
    )
