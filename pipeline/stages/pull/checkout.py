"""The checkout: upstream's docs folder as it was pulled, with the lock that describes it.

The new tree is built in a folder beside the old one, then the two are swapped and the lock is
written, in this order:

    .NAME.new is complete
    NAME becomes .NAME.old
    .NAME.new becomes NAME
    the lock is written
    .NAME.old goes

Whatever stops a run, the tree that the lock describes is there whole; ``recover`` puts it back in
its place.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from pipeline.adapters.files import WriteError, remove_tree, write_if_changed
from pipeline.core.pin.lock import Lock, SourceFile, format_lock, parse_lock
from pipeline.errors import InputError
from pipeline.log import Log
from pipeline.report.counts import name_some
from pipeline.run import Run
from pipeline.stages.pull.selection import drift, walk_folder
from pipeline.stages.pull.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """Where a checkout lies, and the two folders beside it that a pull uses on its way."""

    docs: Path
    lock: Path
    pulled: Path  # the lock again, where git does not change it

    @classmethod
    def of(cls, run: Run) -> Checkout:
        """The checkout of the run's upstream. A linked folder is written where it is."""
        paths = run.paths
        return cls(docs=paths.docs.resolve(), lock=paths.lock, pulled=paths.pulled)

    @property
    def new(self) -> Path:
        """The tree that is being built."""
        return self.docs.with_name(f".{self.docs.name}.new")

    @property
    def old(self) -> Path:
        """The tree that was there before, until the lock of the new one is written."""
        return self.docs.with_name(f".{self.docs.name}.old")


def read_old_lock(checkout: Checkout, log: Log) -> Lock | None:
    """The lock of what was pulled the last time; None, with a warning, for one that is damaged."""
    # Git may have left its conflict marks in it: it is committed.
    try:
        return parse_lock(checkout.lock.read_bytes(), where=str(checkout.lock))
    except InputError as error:
        log.warn(f"{error.where}: {error.what}; it is written anew")
    except OSError:
        pass  # the first pull
    return None


def update_checkout(
    checkout: Checkout, source: Source, old: Lock | None, log: Log
) -> int:
    """Make checkout and lock those of ``source``; return how many files were written or removed.

    Writes nothing that is there already. Raises WriteError, and what reading the source raises; the
    old checkout is then as it was.
    """
    changed = 0
    # What the docs may be of: the lock that git has checked out, or that of the last pull.
    known = (old, _last_pulled(checkout) or old) if old else ()
    if source.read is not None:
        wrong = drift(checkout.docs, source.lock.files)
        vanished = _vanished(checkout, source.lock, known)
        changed = len(wrong) + len(vanished)
        # A docs folder without any file has nothing that could be wrong, but must be there.
        if changed or not checkout.docs.is_dir():
            _tell_what_is_lost(checkout, source.lock, known, log)
            _swap(checkout, source.lock, source.read, changed=frozenset(wrong))
    # After a swap the lock is there already; without one it may still have another ref or JAX.
    if write_if_changed(checkout.lock, format_lock(source.lock)):
        changed += 1
    write_if_changed(checkout.pulled, format_lock(source.lock))
    return changed


def _last_pulled(checkout: Checkout) -> Lock | None:
    """The lock that the last pull wrote; None if it is not known."""
    try:
        return parse_lock(checkout.pulled.read_bytes(), where=str(checkout.pulled))
    except (InputError, OSError):
        return None


def _vanished(checkout: Checkout, lock: Lock, known: Collection[Lock]) -> list[str]:
    """Files that upstream does not have any more, but the checkout has.

    A checkout without a lock is not ours: nobody can say what in it was upstream's.
    """
    gone = set[str]().union(*map(_paths, known)) - _paths(lock)
    return [path for path in gone if (checkout.docs / path).exists()]


def _paths(lock: Lock) -> set[str]:
    return {file.path for file in lock.files}


def _tell_what_is_lost(
    checkout: Checkout, lock: Lock, known: tuple[Lock, ...], log: Log
) -> None:
    """Name what people changed in the old checkout, or put there: nobody else has it.

    It is a note and a warning, not a refusal: the checkout is made by us and is no place to work.
    """
    if not known or not checkout.docs.is_dir():
        return
    old, last = known
    # What is missing was removed by hand, and nothing of it is lost.
    changed = drift(checkout.docs, old.files)
    changed = [path for path in changed if (checkout.docs / path).exists()]
    pulled = set(_paths(last)).difference(drift(checkout.docs, last.files))
    edited = [path for path in changed if path not in pulled]
    if len(edited) < len(changed):
        log.note(f"the docs were of {last.ref}: pulled anew at {lock.ref}")
    if edited:
        log.note(f"restored, edited by hand since the last pull: {name_some(edited)}")
    there = {entry.path for entry in walk_folder(checkout.docs)}
    # What the new commit has as well is not removed, whoever put it there.
    strange = sorted(there - _paths(old) - _paths(last) - _paths(lock))
    if strange:
        log.warn(f"removed, not upstream's: {name_some(strange)}")


def _swap(
    checkout: Checkout,
    lock: Lock,
    read: Callable[[SourceFile], bytes],
    *,
    changed: Collection[str],
) -> None:
    """Replace the checkout by the files of ``lock``, and the lock too.

    On any failure the old ones are back. Files that are not ``changed`` are those of the old
    checkout: they get a second name, which costs next to nothing.
    """
    try:
        _remove(checkout.new)
        checkout.new.mkdir(parents=True)
        for file in lock.files:
            target = checkout.new / file.path
            # The paths are safe: a source accepts none that leads out of the folder.
            target.parent.mkdir(parents=True, exist_ok=True)
            if file.path in changed or not _link(checkout.docs / file.path, target):
                target.write_bytes(read(file))
        # From here on the order is that of the module's first lines: "recover" counts on it.
        if checkout.docs.is_dir():
            os.replace(checkout.docs, checkout.old)
        os.replace(checkout.new, checkout.docs)
        write_if_changed(checkout.lock, format_lock(lock))
    except OSError as error:
        raise _not_written(error, checkout) from error
    finally:
        # The end of a swap that succeeded, too: the old tree goes.
        recover(checkout)


def _not_written(error: OSError, checkout: Checkout) -> WriteError:
    """What is told when a swap fails. A full disk is by far the likeliest reason."""
    way_out = "Mend what the message names"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        way_out = "The disk is full. Free some space"
    return WriteError(
        f"cannot be written: {error.strerror}",
        where=str(error.filename or checkout.docs),
        hint=f"{way_out} and run again; what was pulled before is untouched.",
    )


def _link(source: Path, target: Path) -> bool:
    """Give a file a second name; False where the file system has no such thing."""
    try:
        os.link(source, target)
    except OSError:
        return False
    return True


def recover(checkout: Checkout) -> None:
    """Finish or undo a swap that a run has not brought to its end.

    Afterwards the tree that the lock describes is in its place. Raises WriteError.
    """
    try:
        if checkout.old.is_dir():
            if _is_complete(checkout):
                _remove(checkout.old)
            else:
                # Half of the way: the new tree is in its place, and the lock is of the old one.
                _remove(checkout.docs)
                os.replace(checkout.old, checkout.docs)
        _remove(checkout.new)
        # A lock that was being written when the run was killed.
        for lock in (checkout.lock, checkout.pulled):
            for temporary in lock.parent.glob(f".{lock.name}.*.tmp"):
                temporary.unlink()
    except OSError as error:
        raise WriteError(
            f"cannot be repaired: {error.strerror}",
            where=str(checkout.docs),
            hint=(
                f"Mend what the message names and run again; {checkout.old} holds the old checkout."
            ),
        ) from error


def _is_complete(checkout: Checkout) -> bool:
    """Whether the tree in its place is the one that the lock describes."""
    # Asked in the middle of a repair: whatever cannot be read is not complete.
    try:
        lock = parse_lock(checkout.lock.read_bytes(), where=str(checkout.lock))
    except (InputError, OSError):
        return False
    return checkout.docs.is_dir() and not drift(checkout.docs, lock.files)


def _remove(folder: Path) -> None:
    if folder.is_dir():
        remove_tree(folder)
