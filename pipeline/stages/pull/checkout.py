"""Checkout of upstream's docs folders: replaces folder and lock together, or not at all.

The new tree of files is built in a folder beside the old one. Then the two are swapped and the lock
is written, in this order:

    .NAME.new is complete
    NAME becomes .NAME.old
    .NAME.new becomes NAME
    the lock is written
    .NAME.old is removed

The invariant: at every moment, one of these folders has exactly the files that the lock describes.
So after an interrupted run, ``recover`` can move that folder to its place.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from pipeline.adapters.files import (
    WriteError,
    files_below,
    read_bytes,
    remove_files,
    remove_tree,
    write_if_changed,
)
from pipeline.core.pin.lock import (
    REFERENCE,
    Lock,
    SourceFile,
    format_lock,
    is_reference,
    parse_lock,
)
from pipeline.errors import InputError
from pipeline.log import Log
from pipeline.paths import Paths
from pipeline.report.counts import name_some
from pipeline.stages.pull.selection import changed_files, walk_folder
from pipeline.stages.pull.source import Source


class Checkout(Struct, frozen=True, kw_only=True):
    """Paths of a checkout and its lock, and of the two folders beside it that a swap uses."""

    docs: Path
    lock: Path
    # Copy of the lock of the last pull. git may change the lock, but never this copy.
    pulled: Path

    @classmethod
    def of(cls, paths: Paths) -> Checkout:
        """Return the checkout of the upstream of ``paths``. A symbolic link is resolved."""
        return cls(docs=paths.docs.resolve(), lock=paths.lock, pulled=paths.pulled)

    @property
    def new(self) -> Path:
        """Return the path of the tree that is being built."""
        return self.docs.with_name(f".{self.docs.name}.new")

    @property
    def old(self) -> Path:
        """Return the path of the previous tree, which exists until the new lock is written."""
        return self.docs.with_name(f".{self.docs.name}.old")


def read_old_lock(checkout: Checkout, log: Log) -> Lock | None:
    """Return the current lock; None if it is missing or damaged. Warn if it is damaged."""
    # The lock is committed, so a git merge may have left conflict marks in it.
    if not checkout.lock.exists():
        return None  # the first pull
    try:
        return parse_lock(read_bytes(checkout.lock), where=str(checkout.lock))
    except InputError as error:
        log.warn(f"{error.where}: {error.what}; the lock is replaced")
    return None


def update_checkout(checkout: Checkout, source: Source, old: Lock | None, log: Log) -> int:
    """Update checkout and lock to ``source``; return the number of changed files.

    Files that are up to date are not written. Raises WriteError, and the errors of reading the
    source. After an error, the old checkout is unchanged.
    """
    changed = 0
    # The checkout has the files of ``old``, or those of the last pull if git has changed the lock
    # since.
    known = (old, _sound_lock(checkout.pulled) or old) if old else ()
    if source.in_place:
        changed = _update_reference(checkout, source)
    elif source.read is not None:
        wrong = changed_files(checkout.docs, source.lock.files)
        vanished = _vanished(checkout, source.lock, known)
        changed = len(wrong) + len(vanished)
        # If upstream's docs have no files, none of them has changed. But the folder must exist.
        if changed or not checkout.docs.is_dir():
            _report_local_changes(checkout, source.lock, known, log)
            _swap(checkout, source.lock, source.read, changed=frozenset(wrong))
    # A swap has written the lock already. Without a swap, the lock may need a new ref or version.
    if write_if_changed(checkout.lock, format_lock(source.lock)):
        changed += 1
    write_if_changed(checkout.pulled, format_lock(source.lock))
    return changed


def _update_reference(checkout: Checkout, source: Source) -> int:
    """Update only the API reference in the checkout, and return the number of changed files.

    This is for upstreams that are the checkout itself: people edit all other files there.
    """
    files = [file for file in source.lock.files if is_reference(file.path)]
    paths = {checkout.docs / file.path for file in files}
    stale = [path for path in files_below(checkout.docs / REFERENCE, "") if path not in paths]
    remove_files(stale)
    changed = len(stale)
    for file in files:
        if source.read is not None:
            changed += write_if_changed(checkout.docs / file.path, source.read(file))
    return changed


def _sound_lock(path: Path) -> Lock | None:
    """Return the lock in a file; None if it is missing or damaged."""
    with suppress(InputError):
        return parse_lock(read_bytes(path), where=str(path))
    return None


def _vanished(checkout: Checkout, lock: Lock, known: Collection[Lock]) -> list[str]:
    """Return the files of the checkout that upstream no longer has.

    ``known`` are locks of earlier pulls. Without such a lock, it is unknown which files came from
    upstream, so no file is returned.
    """
    gone = set[str]().union(*map(_paths, known)) - _paths(lock)
    return [path for path in gone if (checkout.docs / path).exists()]


def _paths(lock: Lock) -> set[str]:
    return {file.path for file in lock.files}


def _report_local_changes(
    checkout: Checkout, lock: Lock, known: tuple[Lock, ...], log: Log
) -> None:
    """Report local edits and additions in the old checkout, which the pull will remove.

    Local changes do not stop the pull: the checkout is generated, and nobody should edit it.
    """
    if not known or not checkout.docs.is_dir():
        return
    old, last = known
    # A missing file is no local work, so restoring it loses nothing.
    changed = changed_files(checkout.docs, old.files)
    changed = [path for path in changed if (checkout.docs / path).exists()]
    pulled = set(_paths(last)).difference(changed_files(checkout.docs, last.files))
    edited = [path for path in changed if path not in pulled]
    if len(edited) < len(changed):
        log.note(f"the checkout had the docs of {last.ref}; those of {lock.ref} replace them")
    if edited:
        log.note(f"edits made by hand since the last pull are undone: {name_some(edited)}")
    there = {entry.path for entry in walk_folder(checkout.docs)}
    # Files that no lock lists. Files of the new commit are left out, because they are not removed.
    strange = sorted(there - _paths(old) - _paths(last) - _paths(lock))
    if strange:
        log.warn(f"removed files that are not upstream's: {name_some(strange)}")


def _swap(
    checkout: Checkout,
    lock: Lock,
    read: Callable[[SourceFile], bytes],
    *,
    changed: Collection[str],
) -> None:
    """Replace the checkout by the files of ``lock``, and write the lock.

    If that fails, the old checkout is restored. Files that are not ``changed`` become hard links to
    those of the old checkout, which is fast.
    """
    try:
        _remove(checkout.new)
        checkout.new.mkdir(parents=True)
        for file in lock.files:
            target = checkout.new / file.path
            # The paths are safe: ``select_files`` has rejected those that lead out of the folder.
            target.parent.mkdir(parents=True, exist_ok=True)
            if file.path in changed or not _link(checkout.docs / file.path, target):
                target.write_bytes(read(file))
        # From here on, ``recover`` relies on the order of steps in the module's docstring.
        if checkout.docs.is_dir():
            os.replace(checkout.docs, checkout.old)
        os.replace(checkout.new, checkout.docs)
        write_if_changed(checkout.lock, format_lock(lock))
    except OSError as error:
        raise _not_written(error, checkout) from error
    finally:
        # After a successful swap, this removes the old tree.
        recover(checkout)


def _not_written(error: OSError, checkout: Checkout) -> WriteError:
    """Return the error for a failed swap. If the disk is full, the hint says so."""
    way_out = "Fix what the message names"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        way_out = "The disk is full. Free some space"
    return WriteError(
        f"cannot be written: {error.strerror}",
        where=str(error.filename or checkout.docs),
        hint=f"{way_out} and run again; what was pulled before is untouched.",
    )


def _link(source: Path, target: Path) -> bool:
    """Create a hard link to a file; return False if the file system does not support that."""
    try:
        os.link(source, target)
    except OSError:
        return False
    return True


def recover(checkout: Checkout) -> None:
    """Finish or undo an interrupted swap.

    Afterwards, the checkout has the files that the lock describes. Raises WriteError.
    """
    try:
        if checkout.old.is_dir():
            if _is_complete(checkout):
                _remove(checkout.old)
            else:
                # The swap was interrupted. The lock still describes the old tree, so move the old
                # tree back.
                _remove(checkout.docs)
                os.replace(checkout.old, checkout.docs)
        _remove(checkout.new)
    except OSError as error:
        raise WriteError(
            f"cannot be repaired: {error.strerror}",
            where=str(checkout.docs),
            hint=(
                f"Fix what the message names and run again; {checkout.old} holds the old checkout."
            ),
        ) from error


def _is_complete(checkout: Checkout) -> bool:
    """Return whether the checkout has the files that the lock describes."""
    # This is part of a repair, so a lock that cannot be read is no error here.
    lock = _sound_lock(checkout.lock)
    if lock is None or not checkout.docs.is_dir():
        return False
    return not changed_files(checkout.docs, lock.files)


def _remove(folder: Path) -> None:
    if folder.is_dir():
        remove_tree(folder)
