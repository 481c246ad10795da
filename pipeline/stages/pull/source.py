"""Source of a pull: the lock that describes upstream at a ref, and a function that reads its files.

A source is a commit of a git repository, or the current state of a plain folder. This module writes
only to the private git cache. The invariant: a pull never overwrites the folder that it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters.files import is_inside, read_bytes
from pipeline.adapters.upstream.address import Address, Kind, without_password
from pipeline.adapters.upstream.repository import (
    Repository,
    TreeEntry,
    address_of,
    open_upstream,
)
from pipeline.config.settings import Upstream
from pipeline.core.pin.lock import (
    Lock,
    SourceFile,
    blob_id,
    is_reference,
    listing_id,
)
from pipeline.errors import ConfigError, UpstreamError
from pipeline.folders import WHOLE
from pipeline.limits import UPSTREAM_BYTES
from pipeline.log import Log
from pipeline.reading import Dialect, dialect_of
from pipeline.run import Run
from pipeline.stages.pull import selection

_NAMED = 8  # number of folders in a hint


class Source(Struct, frozen=True, kw_only=True):
    """The lock that will be written, and a function that reads its files.

    ``read`` is None if the checkout has all files of the lock already. ``in_place`` is true if
    upstream is a plain folder that is also the checkout: people edit the docs there.
    """

    lock: Lock
    read: Callable[[SourceFile], bytes] | None = None
    in_place: bool = False


@contextmanager
def open_source(run: Run, docs: Path, *, ref: str | None, old: Lock | None) -> Iterator[Source]:
    """Yield the source for upstream at ``ref``, open for reading.

    ``docs`` is the checkout, ``old`` the lock of the last pull. If ``ref`` is None, use the
    configured ref. Raises ConfigError and UpstreamError.
    """
    upstream = run.upstream
    # Check the address first, so that git never runs for a refused address.
    address = address_of(run.settings, upstream)
    _check_apart(address, upstream, docs)
    # The empty fields get their values below.
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
    """Return upstream's address for the lock, without password; relative if inside the project."""
    upstream, root = run.upstream, run.settings.root
    url = upstream.url
    if upstream.url_replaced:
        # ``JAX_DOCS_UPSTREAM`` has replaced the address. The lock records the configured address.
        url = upstream.configured_url
    if Path(url).is_absolute() and Path(url).is_relative_to(root):
        return Path(url).relative_to(root).as_posix()
    return without_password(url)


def _check_apart(address: Address, upstream: Upstream, docs: Path) -> None:
    """Raise ConfigError if a pull would overwrite its source, or copy the checkout into itself."""
    if address.kind is Kind.REMOTE:
        return
    source = Path(address.url).resolve()
    is_overwritten = source.is_relative_to(docs)
    if address.kind is Kind.FOLDER:
        # Nothing is copied if the folder is the checkout itself.
        if source == docs and upstream.docs == WHOLE:
            return
        # If the folder contains the checkout, each pull would copy the checkout into itself. With
        # git this cannot happen, because commits do not contain the checkout.
        for name in upstream.docs.names:
            is_overwritten |= docs.is_relative_to(source / name)
    if is_overwritten:
        raise ConfigError(
            f"the upstream {upstream.name!r} and its checkout {docs} overlap",
            where=str(source),
            hint="Move the upstream to another folder.",
        )


def _is_whole(old: Lock, lock: Lock, docs: Path) -> bool:
    """Return whether ``old`` has the same folders as ``lock``, and ``docs`` has all its files."""
    return old.docs == lock.docs and not selection.changed_files(docs, old.files)


def _git_source(repository: Repository, lock: Lock, known: Lock | None, log: Log) -> Source:
    """Return the source for the commit of ``lock.ref``.

    ``known`` is the lock of the checkout if the checkout is complete, otherwise None.
    """
    with _transfer_progress(log) as progress:
        # A commit id that is already checked out needs no git. Any other ref needs one request.
        if known and known.commit == lock.ref:
            commit = lock.ref
        else:
            commit = repository.resolve(lock.ref, progress)
        if known and known.commit == commit:
            package, version = lock.package, lock.version
            same = replace(known, url=lock.url, ref=lock.ref)
            return Source(lock=replace(same, package=package, version=version))
        entries = repository.fetch(commit, lock.docs, progress)
    markdown = _markdown(repository.names(commit, lock.docs))
    accepted = selection.select_files(entries, log, where=lock.url)
    # Use the date of the commit instead of today's, so that a second run writes the same lock.
    lock = replace(
        lock,
        commit=commit,
        date=repository.date(commit),
        files=accepted.files,
        refused=accepted.refused,
        markdown=markdown,
    )

    def read(file: SourceFile) -> bytes:
        return repository.read(file.blob, where=file.path)

    lock = selection.add_included(
        lock, read, lambda places: repository.fetch_places(commit, places), log
    )
    return Source(lock=lock, read=read)


@contextmanager
def _transfer_progress(log: Log) -> Iterator[Callable[[float, float], None]]:
    """Yield a callback that shows progress in percent, if anything is transferred."""
    shown = 0
    advance: Callable[..., None] | None = None
    with ExitStack() as stack:

        def report(done: float, total: float) -> None:
            nonlocal shown, advance
            if advance is None:
                advance = stack.enter_context(log.progress("transfer", total=100))
            # git counts every phase from 0, but the bar must not move back.
            percent = round(100 * done / total)
            if percent > shown:
                advance(percent - shown)
                shown = percent

        yield report


def _folder_source(root: Path, lock: Lock, docs: Path, log: Log) -> Source:
    """Return the source for the docs folders below ``root`` in their current state."""
    for name in lock.docs.names:
        if not (root / name).is_dir():
            raise UpstreamError(
                f"has no folder {name!r}",
                where=str(root),
                hint=f"{_folders_in(root)} Set 'docs' in the configuration.",
            )
        if not is_inside(root / name, root):
            raise UpstreamError(
                f"has {name!r} only as a link to a folder elsewhere",
                where=str(root),
                hint="Name the folder that the link leads to.",
            )
    # Paths of files are relative to this folder.
    folder = root / lock.docs.root
    if lock.ref:
        log.note(
            f"{root} is a plain folder: its current content is used, "
            f"whether it is {lock.ref} or not"
        )
    # If the folder is the checkout, it has docstrings of the last pull, which are not upstream's.
    in_place = folder.resolve() == docs
    entries = (
        entry
        for name, prefix in lock.docs.placed
        for entry in selection.walk_folder(root / name, below=prefix)
        if not (in_place and is_reference(entry.path))
    )
    try:
        accepted = selection.select_files(entries, log, where=str(root))
    except OSError as error:
        raise UpstreamError(
            f"cannot be read: {error.strerror}",
            where=str(error.filename or folder),
            hint="Check the permissions.",
        ) from error
    # Names of files and folders that show the Markdown dialect, such as ``mkdocs.yml``.
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

    lock = selection.add_included(lock, read, lambda places: list(_files_at(root, places)), log)
    # A folder has no commit and no date. A digest of its list of files identifies its state.
    lock = replace(lock, commit=listing_id(lock.files))
    return Source(lock=lock, read=None if in_place else read, in_place=in_place)


def _files_at(root: Path, places: Sequence[str]) -> Iterator[TreeEntry]:
    """Yield the files at ``places`` below ``root``, without following links."""
    for place in places:
        path = root / place
        # Skip the last parent, which is the root itself: it may be a link.
        above = [root / folder for folder in PurePosixPath(place).parents][:-1]
        is_linked = any(one.is_symlink() for one in (path, *above))
        if path.is_file() and not is_linked:
            blob = blob_id(read_bytes(path, limit=UPSTREAM_BYTES))
            yield TreeEntry(mode=selection.REGULAR, blob=blob, path=place)


def _markdown(names: Collection[str]) -> str:
    """Return the Markdown dialect for the lock; "" for MyST, the default."""
    dialect = dialect_of(names)
    return "" if dialect is Dialect.MYST else str(dialect)


def _folders_in(root: Path) -> str:
    """Return a sentence such as ``Folders there: a, b.``"""
    # The final slash selects folders. Hidden folders are left out, because they have no docs.
    names = sorted(path.name for path in root.glob("[!.]*/"))
    if not names:
        return "It has no folders."
    return f"Folders there: {', '.join(names[:_NAMED])}."


def _read_stable(path: Path, file: SourceFile) -> bytes:
    """Return the content of a listed file. Raises UpstreamError if it has changed since."""
    # If the content differed from the lock, the next command would reject the checkout.
    data = read_bytes(path, limit=UPSTREAM_BYTES)
    if blob_id(data) != file.blob:
        raise UpstreamError(
            "changed while it was read",
            where=str(path),
            hint="Run again.",
        )
    return data
