"""pull: bring upstream's docs folder here, file for file, at one commit, and write down what was
pulled.

The new tree is built in a folder beside the old one, then the two are swapped and the lock is
written, in this order:

    .NAME.new complete → NAME becomes .NAME.old → .NAME.new becomes NAME → lock written → .NAME.old goes

Whatever stops a run, the tree that the lock describes is there whole; ``_recover`` puts it back in
its place.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.adapters.files import WriteError, read_bytes, write_if_changed
from pipeline.adapters.upstream import (
    Address,
    Kind,
    Repository,
    TreeEntry,
    open_repository,
    read_address,
    without_password,
)
from pipeline.config import UPSTREAM_VARIABLE, Upstream
from pipeline.core.pin.lock import (
    Commit,
    Lock,
    SourceFile,
    blob_id,
    format_lock,
    is_safe_path,
    listing_id,
    pages_of,
    parse_lock,
)
from pipeline.errors import ConfigError, InputError, UpstreamError
from pipeline.log import Log
from pipeline.run import Run

_LINK, _SUBMODULE, _REGULAR = "120000", "160000", ("100644", "100755", "100664")
_NAMED = 5  # files that one line of the log names


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a checkout lies, and the two folders beside it that a pull uses on its way."""

    docs: Path
    lock: Path

    @property
    def new(self) -> Path:
        return self.docs.with_name(f".{self.docs.name}.new")

    @property
    def old(self) -> Path:
        return self.docs.with_name(f".{self.docs.name}.old")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What upstream has: the lock to be, and how to read its files. ``read`` is None if all is in
    place."""

    lock: Lock
    read: Callable[[SourceFile], bytes] | None = None


def pull(run: Run, *, ref: str | None = None) -> Lock:
    """Make the checkout equal upstream's docs folder at ``ref`` (default: the configured one), then
    write the lock.

    Writes nothing that is there already; a dry run writes nothing but the private git cache.
    Raises UpstreamError, ConfigError and WriteError; the old checkout is then as it was.
    """
    place = _place(run)
    with run.log.step("pull") as step:
        if not run.dry:
            _recover(place)
        old = _old_lock(place, run.log)
        with _open_upstream(run, ref=ref, old=old) as found:
            changed = 0 if run.dry else _write(place, found, old, run.log)
        files = f"{len(found.lock.files)} files"
        written = f"{changed} written" if changed else "nothing to write"
        step.result = f"{found.lock.ref or run.name} → {found.lock.commit[:7]}, {files}, {written}"
    return found.lock


def read_at(run: Run, *, ref: str | None = None) -> Commit:
    """What ``pull`` would pull at ``ref``, and the documents of its pages, by path. Raises as it
    does.

    Writes nothing but the private git cache.
    """
    place = _place(run)
    with _open_upstream(run, ref=ref, old=_old_lock(place, run.log)) as found:
        read = found.read or (lambda file: read_bytes(place.docs / file.path))
        documents: dict[str, bytes] = {}
        for page in pages_of(found.lock.files):
            for file in page.files:
                documents[file.path] = read(file)
        return Commit(lock=found.lock, documents=documents)


def check_has_refs(run: Run) -> None:
    """Raise UpstreamError if the upstream is a plain folder: it has one state, and no other to go
    to or compare with."""
    if _address(run).kind is Kind.FOLDER:
        raise UpstreamError(
            "is a plain folder, which has no releases",
            where=run.upstream.url,
            hint="Give a repository, a bundle or a URL.",
        )


def list_tags(run: Run) -> frozenset[str]:
    """The tags that the upstream has. Raises UpstreamError, also for a plain folder."""
    check_has_refs(run)
    with _repository(run) as repository:
        return repository.tags()


def count_commits(run: Run, before: Lock, after: Lock) -> tuple[int, int] | None:
    """How many commits lead to ``after`` only, and to ``before`` only; None where the history is
    not here."""
    if _address(run).kind is Kind.FOLDER:
        return None
    with _repository(run) as repository:
        return repository.distance(before.commit, after.commit)


def fixed(run: Run) -> Upstream:
    """The upstream with an address that means the same from every folder, and leaves the same in
    the lock."""
    url = _address(run).url
    return replace(run.upstream, url=url, url_replaced=True, configured_url=_locked_url(run))


def read_pulled(run: Run) -> Lock:
    """The lock of what is pulled, without asking upstream. Raises UpstreamError if the checkout is
    not what it says."""
    place = _place(run)
    _recover(place)
    again = f"Run: nox -s pull -- {run.name}"
    if not place.lock.exists() or not place.docs.is_dir():
        raise UpstreamError(f"nothing has been pulled yet from {run.name!r}", hint=again)
    lock = parse_lock(read_bytes(place.lock), where=str(place.lock))
    if lock.jax != run.settings.jax:
        raise UpstreamError(
            f"was pulled for JAX {lock.jax}, but the project pins {run.settings.jax}",
            where=str(place.lock),
            hint=again,
        )
    if wrong := _drift(place.docs, lock.files):
        raise UpstreamError(
            f"is not what the lock says: {_names(wrong)}", where=str(place.docs), hint=again
        )
    return lock


def _place(run: Run) -> _Place:
    # Resolved: a linked folder is written where it is.
    return _Place(docs=run.paths.docs.resolve(), lock=run.paths.lock)


def _address(run: Run) -> Address:
    """What the upstream's URL means. One of the configuration is relative to the project, one of a
    person to where they are."""
    base = Path.cwd() if run.upstream.url_replaced else run.settings.root
    return read_address(run.upstream.url, base=base)


def _repository(run: Run) -> AbstractContextManager[Repository]:
    """The upstream's repository; what is fetched from it goes to a private one."""
    store = (run.paths.cache / "git" / f"{run.name}.git").resolve()
    return open_repository(_address(run), store=store, way_out=_way_out(run.upstream))


def _old_lock(place: _Place, log: Log) -> Lock | None:
    try:
        return parse_lock(place.lock.read_bytes(), where=str(place.lock))
    except InputError as error:
        log.warn(f"{error.where}: {error.what}; it is written anew")
    except OSError:
        pass  # the first pull
    return None


@contextmanager
def _open_upstream(run: Run, *, ref: str | None, old: Lock | None) -> Iterator[_Found]:
    """Find out what upstream has at ``ref`` (default: the configured one), and keep it open for
    reading."""
    upstream = run.upstream
    if upstream.docs != "." and not is_safe_path(upstream.docs):
        hint = 'Write a folder inside it like "docs" or "a/docs", without a slash at the end.'
        raise ConfigError(
            f"docs = {upstream.docs!r} is not a folder inside the repository",
            where=upstream.name,
            hint=hint,
        )
    address = _address(run)
    lock = Lock(
        url=_locked_url(run),
        ref=upstream.ref if ref is None else ref,
        commit="",
        date="",
        jax=run.settings.jax,
        docs=upstream.docs,
        files=(),
    )
    place = _place(run)
    if address.kind is not Kind.REMOTE:
        _check_apart(Path(address.url).resolve(), address.kind, upstream, place.docs)
    if address.kind is Kind.FOLDER:
        yield _find_in_folder(address, lock, place, run.log)
        return
    with _repository(run) as repository:
        yield _find_in_git(repository, lock, old, place, run.log)


def _check_apart(source: Path, kind: Kind, upstream: Upstream, docs: Path) -> None:
    """Refuse to overwrite what is to be read, and to copy a folder into itself."""
    if source == docs and kind is Kind.FOLDER and upstream.docs == ".":
        return
    copied = source / upstream.docs if kind is Kind.FOLDER else source
    if source.is_relative_to(docs) or (kind is Kind.FOLDER and docs.is_relative_to(copied)):
        raise ConfigError(
            f"the upstream {upstream.name!r} and its checkout {docs} lie in one another",
            where=str(source),
            hint="Move the upstream to another folder.",
        )


def _find_in_git(
    repository: Repository, lock: Lock, old: Lock | None, place: _Place, log: Log
) -> _Found:
    known = old if old and old.docs == lock.docs and not _drift(place.docs, old.files) else None
    with _transfer_progress(log) as progress:
        # A full commit that is checked out whole needs no git at all, and any other ref one
        # question.
        commit = (
            lock.ref
            if known and known.commit == lock.ref
            else repository.resolve(lock.ref, progress)
        )
        if known and known.commit == commit:
            return _Found(lock=replace(lock, commit=commit, date=known.date, files=known.files))
        entries = repository.fetch(commit, lock.docs, progress)
    files = _accept(entries, log)
    lock = replace(lock, commit=commit, date=repository.date(commit), files=files)
    return _Found(lock=lock, read=lambda file: repository.read(file.blob))


@contextmanager
def _transfer_progress(log: Log) -> Iterator[Callable[[float, float], None]]:
    """Percent of the longest phase so far; nothing is drawn unless something is transferred."""
    shown = 0
    advance: Callable[..., None] | None = None
    with ExitStack() as stack:

        def report(done: float, total: float) -> None:
            nonlocal shown, advance
            advance = advance or stack.enter_context(log.progress("transfer", total=100))
            percent = round(100 * done / total)
            if percent > shown:
                advance(percent - shown)
                shown = percent

        yield report


def _accept(entries: Iterable[TreeEntry], log: Log) -> tuple[SourceFile, ...]:
    """The entries that are files inside the docs folder, sorted; the log tells which were left out."""
    files = {}
    for entry in entries:
        if entry.mode == _LINK:
            log.warn(f"{entry.path}: a symbolic link, left out")
        elif entry.mode == _SUBMODULE:
            log.warn(f"{entry.path}: a submodule, left out")
        elif entry.mode not in _REGULAR or not is_safe_path(entry.path):
            log.warn(f"{entry.path!r}: not a path inside the docs folder, left out")
        else:
            files[entry.path] = SourceFile(path=entry.path, blob=entry.blob)
    _warn_of_case(files, log)
    return tuple(files[path] for path in sorted(files))


def _warn_of_case(paths: Iterable[str], log: Log) -> None:
    seen: dict[str, str] = {}
    for path in paths:
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            log.warn(f"{other} and {path} differ only by case: on some systems one hides the other")


def _find_in_folder(address: Address, lock: Lock, place: _Place, log: Log) -> _Found:
    folder = Path(address.url) / lock.docs
    if not folder.is_dir():
        there = sorted(
            path.name
            for path in Path(address.url).iterdir()
            if path.is_dir() and not path.name.startswith(".")
        )
        hint = f"Folders there: {', '.join(there[:8])}." if there else "It has no folders."
        raise UpstreamError(
            f"has no folder {lock.docs!r}",
            where=address.url,
            hint=f"{hint} Set 'docs' in the configuration.",
        )
    if lock.ref:
        log.note(
            f"{address.url} is a plain folder: taken as it is, whether it is {lock.ref} or not"
        )
    try:
        entries = [TreeEntry(mode=mode, blob=blob, path=path) for path, mode, blob in _walk(folder)]
    except OSError as error:
        raise UpstreamError(
            f"cannot be read: {error.strerror}",
            where=str(error.filename or folder),
            hint="Check the permissions.",
        ) from error
    files = _accept(entries, log)
    lock = replace(lock, commit=listing_id(files), files=files)
    return _Found(
        lock=lock,
        read=None if folder.resolve() == place.docs else lambda file: _read_stable(folder, file),
    )


def _walk(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Path, git mode and blob id of what lies under ``folder``; hidden files and Python's caches do
    not count."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            if entry.is_symlink():
                yield entry.name, _LINK, ""
            elif entry.is_dir():
                yield from (
                    (f"{entry.name}/{path}", mode, blob)
                    for path, mode, blob in _walk(folder / entry.name)
                )
            elif entry.is_file():
                yield entry.name, _REGULAR[0], blob_id(Path(entry.path).read_bytes())
            else:
                yield entry.name, "device", ""


def _read_stable(folder: Path, file: SourceFile) -> bytes:
    """The file as it was listed; a folder can change while it is read."""
    data = read_bytes(folder / file.path)
    if blob_id(data) != file.blob:
        raise UpstreamError(
            "changed while it was read", where=str(folder / file.path), hint="Run again."
        )
    return data


def _write(place: _Place, found: _Found, old: Lock | None, log: Log) -> int:
    """Bring checkout and lock up to date; how many files were written or removed."""
    wrong = _drift(place.docs, found.lock.files) if found.read else []
    gone = (
        {file.path for file in old.files} - {file.path for file in found.lock.files}
        if old
        else set()
    )
    vanished = [path for path in sorted(gone) if found.read and (place.docs / path).exists()]
    if found.read and (wrong or vanished or not place.docs.is_dir()):
        _say_what_is_lost(place, found.lock, old, log)
        _swap(place, found.lock, found.read, changed=frozenset(wrong))
    locked = write_if_changed(place.lock, format_lock(found.lock))
    return len(wrong) + len(vanished) + locked


def _say_what_is_lost(place: _Place, lock: Lock, old: Lock | None, log: Log) -> None:
    if old is None or not place.docs.is_dir():
        return
    edited = [path for path in _drift(place.docs, old.files) if (place.docs / path).exists()]
    if edited:
        log.note(f"restored, edited by hand since the last pull: {_names(edited)}")
    known = {file.path for file in (*old.files, *lock.files)}
    strange = sorted(path for path, _, _ in _walk(place.docs) if path not in known)
    if strange:
        log.warn(f"removed, not upstream's: {_names(strange)}")


def _swap(
    place: _Place, lock: Lock, read: Callable[[SourceFile], bytes], *, changed: Collection[str]
) -> None:
    """Replace the checkout by the files of ``lock``, and the lock too. On any failure the old ones
    are back.

    Files that are not ``changed`` are those of the old checkout: they get a second name, which
    costs next to nothing.
    """
    try:
        _remove(place.new)
        place.new.mkdir(parents=True)
        for file in lock.files:
            target = place.new / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            if file.path in changed or not _link(place.docs / file.path, target):
                target.write_bytes(read(file))
        if place.docs.is_dir():
            os.replace(place.docs, place.old)
        os.replace(place.new, place.docs)
        write_if_changed(place.lock, format_lock(lock))
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        hint = "The disk is full. Free some space" if full else "Mend what the message names"
        hint += " and run again; what was pulled before is untouched."
        raise WriteError(
            f"cannot be written: {error.strerror}",
            where=str(error.filename or place.docs),
            hint=hint,
        ) from error
    finally:
        _recover(place)


def _link(source: Path, target: Path) -> bool:
    """Give a file a second name; False where the file system has no such thing."""
    try:
        os.link(source, target)
    except OSError:
        return False
    return True


def _recover(place: _Place) -> None:
    """Undo a swap that did not come to its end: the tree that the lock describes goes back to its
    place."""
    try:
        if place.old.is_dir():
            done = _is_complete(place)
            _remove(place.old if done else place.docs)
            if not done:
                os.replace(place.old, place.docs)
        _remove(place.new)
        for left in place.lock.parent.glob(f".{place.lock.name}.*.tmp"):
            left.unlink()
    except OSError as error:
        hint = f"Mend what the message names and run again; {place.old} holds the old checkout."
        raise WriteError(
            f"cannot be repaired: {error.strerror}", where=str(place.docs), hint=hint
        ) from error


def _is_complete(place: _Place) -> bool:
    try:
        lock = parse_lock(place.lock.read_bytes(), where=str(place.lock))
    except (InputError, OSError):
        return False
    return place.docs.is_dir() and not _drift(place.docs, lock.files)


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def _drift(docs: Path, files: Iterable[SourceFile]) -> list[str]:
    """Paths of the files that are missing under ``docs`` or have another content."""
    return [file.path for file in files if not _is_intact(docs / file.path, file.blob)]


def _is_intact(path: Path, blob: str) -> bool:
    try:
        return blob_id(path.read_bytes()) == blob
    except OSError:
        return False


def _names(paths: list[str]) -> str:
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(paths[:_NAMED]) + more


def _locked_url(run: Run) -> str:
    """The address as it may be committed: no path of this machine, no password."""
    upstream, root = run.upstream, run.settings.root
    url = upstream.configured_url if upstream.url_replaced else upstream.url
    if Path(url).is_absolute() and Path(url).is_relative_to(root):
        return Path(url).relative_to(root).as_posix()
    return without_password(url)


def _way_out(upstream: Upstream) -> str:
    if upstream.name == "jax":
        return f"Set {UPSTREAM_VARIABLE} to a clone, a bundle or a mirror of it, or run the sample: nox -s sync -- sample"
    return "Check the address and the network, and run again."
