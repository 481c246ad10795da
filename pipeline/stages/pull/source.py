"""What upstream has at a ref: the lock that would describe it, and a way to read its files.

A source is a commit of a git repository, or a plain folder as it is. Nothing is written here but
the private git cache, and nothing is read from a source that lies where its checkout is to be.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from pipeline.adapters.files import is_inside, read_bytes
from pipeline.adapters.upstream import (
    Address,
    Kind,
    Repository,
    TreeEntry,
    address_of,
    open_upstream,
    without_password,
)
from pipeline.config import Upstream
from pipeline.core.pin.lock import Lock, SourceFile, blob_id, listing_id
from pipeline.errors import ConfigError, UpstreamError
from pipeline.folders import WHOLE
from pipeline.log import Log
from pipeline.reading import Dialect, dialect_of
from pipeline.run import Run
from pipeline.stages.pull.selection import REGULAR, accept, complete, drift, walk_folder

_NAMED = 8  # folders that a hint names


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What upstream has: the lock to be, and how to read its files.

    ``read`` is None if the checkout holds all of them already.
    """

    lock: Lock
    read: Callable[[SourceFile], bytes] | None = None


@contextmanager
def open_source(
    run: Run, docs: Path, *, ref: str | None, old: Lock | None
) -> Iterator[Source]:
    """Find out what upstream has at ``ref``, and keep it open for reading.

    ``docs`` is the checkout, ``old`` what was pulled there the last time; without ``ref`` the
    configured one counts. Raises ConfigError and UpstreamError.
    """
    upstream = run.upstream
    # Before anything is opened: no git runs for an upstream that is refused.
    address = address_of(run.settings, upstream)
    _check_apart(address, upstream, docs)
    # What is not known yet is empty, and filled in below by what upstream has.
    lock = Lock(
        url=locked_url(run),
        ref=upstream.ref if ref is None else ref,
        commit="",
        date="",
        version=run.version,
        package=run.package,
        docs=upstream.docs,
        files=(),
    )
    with open_upstream(run.settings, upstream) as repository:
        if repository is None:
            yield _folder_source(Path(address.url), lock, docs, run.log)
        else:
            known = old if old and _is_whole(old, lock, docs) else None
            yield _git_source(repository, lock, known, run.log)


def locked_url(run: Run) -> str:
    """The upstream's address as it may be committed: no path of this machine, no password."""
    upstream, root = run.upstream, run.settings.root
    url = upstream.url
    if upstream.url_replaced:
        # A bundle on this machine stands for the configured address, and has the same commits.
        url = upstream.configured_url
    if Path(url).is_absolute() and Path(url).is_relative_to(root):
        return Path(url).relative_to(root).as_posix()
    return without_password(url)


def _check_apart(address: Address, upstream: Upstream, docs: Path) -> None:
    """Refuse to overwrite what is to be read, and to copy a folder into itself."""
    if address.kind is Kind.REMOTE:
        return
    source = Path(address.url).resolve()
    is_overwritten = source.is_relative_to(docs)
    if address.kind is Kind.FOLDER:
        # Nothing is copied from a folder that is the checkout itself.
        if source == docs and upstream.docs == WHOLE:
            return
        # A folder that holds the checkout would grow by its own copy with every pull. Of git that
        # is no danger: it reads commits, and the checkout is in none.
        for name in upstream.docs.names:
            is_overwritten |= docs.is_relative_to(source / name)
    if is_overwritten:
        raise ConfigError(
            f"the upstream {upstream.name!r} and its checkout {docs} lie in one another",
            where=str(source),
            hint="Move the upstream to another folder.",
        )


def _is_whole(old: Lock, lock: Lock, docs: Path) -> bool:
    """Whether the checkout is of the same folders as ``lock``, and holds all that ``old`` says."""
    return old.docs == lock.docs and not drift(docs, old.files)


def _git_source(
    repository: Repository, lock: Lock, known: Lock | None, log: Log
) -> Source:
    """The commit that ``lock.ref`` names; ``known`` describes a checkout that is whole."""
    with _transfer_progress(log) as progress:
        # A full commit that is checked out whole needs no git at all, any other ref one question.
        if known and known.commit == lock.ref:
            commit = lock.ref
        else:
            commit = repository.resolve(lock.ref, progress)
        if known and known.commit == commit:
            return Source(
                lock=replace(
                    lock,
                    commit=commit,
                    date=known.date,
                    files=known.files,
                    markdown=known.markdown,
                    substitutions=known.substitutions,
                    refused=known.refused,
                    included=known.included,
                    excluded=known.excluded,
                )
            )
        entries = repository.fetch(commit, lock.docs, progress)
    markdown = _markdown(repository.names(commit, lock.docs))
    # The date is that of the commit: a second run writes the same lock.
    accepted = accept(entries, log)
    lock = replace(
        lock,
        commit=commit,
        date=repository.date(commit),
        files=accepted.files,
        refused=accepted.refused,
        markdown=markdown,
    )

    def read(file: SourceFile) -> bytes:
        return repository.read(file.blob)

    lock = complete(
        lock, read, lambda places: repository.fetch_places(commit, places), log
    )
    return Source(lock=lock, read=read)


@contextmanager
def _transfer_progress(log: Log) -> Iterator[Callable[[float, float], None]]:
    """Percent of the longest phase so far; nothing is drawn unless something is transferred."""
    shown = 0
    advance: Callable[..., None] | None = None
    with ExitStack() as stack:

        def report(done: float, total: float) -> None:
            nonlocal shown, advance
            if advance is None:
                advance = stack.enter_context(log.progress("transfer", total=100))
            # Git counts each of its phases from 0 on: a bar that goes back would say nothing.
            percent = round(100 * done / total)
            if percent > shown:
                advance(percent - shown)
                shown = percent

        yield report


def _folder_source(root: Path, lock: Lock, docs: Path, log: Log) -> Source:
    """The docs folders below ``root``, as they are now."""
    for name in lock.docs.names:
        if not (root / name).is_dir():
            raise UpstreamError(
                f"has no folder {name!r}",
                where=str(root),
                hint=f"{_folders_in(root)} Set 'docs' in the configuration.",
            )
        if not is_inside(root / name, root):
            raise UpstreamError(
                f"has a link in the place of the folder {name!r}, which leads out of it",
                where=str(root),
                hint="Name the folder that the link leads to.",
            )
    # Where the paths of files count from.
    folder = root / lock.docs.root
    if lock.ref:
        log.note(
            f"{root} is a plain folder: taken as it is, whether it is {lock.ref} or not"
        )
    try:
        entries = [
            entry
            for name, prefix in lock.docs.placed
            for entry in walk_folder(root / name, below=prefix)
        ]
    except OSError as error:
        raise UpstreamError(
            f"cannot be read: {error.strerror}",
            where=str(error.filename or folder),
            hint="Check the permissions.",
        ) from error
    accepted = accept(entries, log)
    # A folder has no commit and no date: the digest of its listing tells one state from another.
    places = {root, folder, *(root / name for name in lock.docs.names)}
    names = {path.name for place in places for path in place.iterdir()}
    lock = replace(
        lock,
        files=accepted.files,
        refused=accepted.refused,
        markdown=_markdown(names),
    )

    def read(file: SourceFile) -> bytes:
        place = root / lock.docs.place_of(file.path)
        return _read_stable(place, file)

    lock = complete(lock, read, lambda places: list(_files_at(root, places)), log)
    lock = replace(lock, commit=listing_id(lock.files))
    if folder.resolve() == docs:
        return Source(lock=lock)
    return Source(lock=lock, read=read)


def _files_at(root: Path, places: Sequence[str]) -> Iterator[TreeEntry]:
    """The files at ``places`` below ``root``; none that a link on the way leads to."""
    for place in places:
        path = root / place
        # The last of the folders above is the root itself, which may be a link.
        above = [root / folder for folder in PurePosixPath(place).parents][:-1]
        is_linked = any(one.is_symlink() for one in (path, *above))
        if path.is_file() and not is_linked:
            blob = blob_id(read_bytes(path))
            yield TreeEntry(mode=REGULAR, blob=blob, path=place)


def _markdown(names: Collection[str]) -> str:
    """What the lock says of the dialect: nothing of the usual one."""
    dialect = dialect_of(names)
    return "" if dialect is Dialect.MYST else str(dialect)


def _folders_in(root: Path) -> str:
    """``Folders there: a, b.``"""
    # The slash stands for folders; hidden ones are not where docs are.
    names = sorted(path.name for path in root.glob("[!.]*/"))
    if not names:
        return "It has no folders."
    return f"Folders there: {', '.join(names[:_NAMED])}."


def _read_stable(path: Path, file: SourceFile) -> bytes:
    """The file as it was listed; a folder can change while it is read."""
    # A lock that describes something else than the checkout would be refused by the next command.
    data = read_bytes(path)
    if blob_id(data) != file.blob:
        raise UpstreamError(
            "changed while it was read",
            where=str(path),
            hint="Run again.",
        )
    return data
