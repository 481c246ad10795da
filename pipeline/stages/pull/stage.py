"""Entry points of the stage: pull, read the lock of the last pull, and ask for tags and commits.

The input is the upstream of the run. The output is locks, and the documents that they describe.
Only ``pull`` updates the checkout. ``read_pulled`` may finish or undo an interrupted pull.
"""

from __future__ import annotations

from msgspec.structs import replace

from pipeline.adapters.files import read_bytes
from pipeline.adapters.html.drawings import is_lfs_pointer
from pipeline.adapters.upstream.address import Kind
from pipeline.adapters.upstream.repository import address_of, open_upstream
from pipeline.config.settings import Upstream
from pipeline.core.pin.lock import (
    Commit,
    Lock,
    SourceFile,
    is_reference,
    parse_lock,
)
from pipeline.errors import UpstreamError
from pipeline.folders import is_outside
from pipeline.packages import how_to_run
from pipeline.report.counts import counted, name_some
from pipeline.run import Run
from pipeline.stages.pull.checkout import (
    Checkout,
    read_old_lock,
    recover,
    update_checkout,
)
from pipeline.stages.pull.reference import with_reference
from pipeline.stages.pull.selection import changed_files
from pipeline.stages.pull.source import locked_url, open_source


def pull(run: Run, *, ref: str | None = None) -> Lock:
    """Make the checkout equal to upstream's docs folders at ``ref``, and return its lock.

    ``None`` means the configured ref. Files that are up to date are not written. A dry run writes
    only to the private git cache. Raises UpstreamError, ConfigError and WriteError. After an error,
    the old checkout is unchanged.
    """
    checkout = Checkout.of(run.paths)
    with run.log.step("pull") as step:
        # Recover first: an interrupted pull may have moved the files that the old lock describes.
        if not run.dry:
            recover(checkout)
        old = read_old_lock(checkout, run.log)
        changed = 0
        # Keep the source open while files are written, because its files are read one by one.
        with open_source(run, checkout.docs, ref=ref, old=old) as found:
            source = with_reference(run, found, checkout.docs, old)
            lock = source.lock
            _warn_about_another_commit(run, old, lock)
            if not run.dry:
                changed = update_checkout(checkout, source, old, run.log)
        written = f"{changed} written" if changed else "nothing to write"
        place = f"{lock.ref or run.name} → {lock.commit[:7]}"
        step.result = f"{place}, {counted(len(lock.files), 'file')}, {written}"
    # Git LFS stores the content of these files elsewhere.
    own = (file.path for file in lock.files if not is_reference(file.path))
    if pointers := [path for path in own if is_lfs_pointer(checkout.docs / path)]:
        run.log.warn(
            f"pointers of Git LFS, whose content is not in the repository: {name_some(pointers)}"
        )
    if left_out := [page for page in lock.excluded if not is_outside(page)]:
        run.log.note(
            "not published as pages, because upstream's conf.py excludes them: "
            f"{name_some(left_out)}"
        )
    return lock


def _warn_about_another_commit(run: Run, old: Lock | None, lock: Lock) -> None:
    """Warn if the same ref is another commit now.

    Either upstream has moved the tag of a release, or a copy of upstream with other commit ids is
    used (``JAX_DOCS_UPSTREAM``). Other people cannot use a lock with such commits.
    """
    if not old or old.ref != lock.ref or old.commit == lock.commit:
        return
    if run.upstream.url_replaced:
        gone = {file.path for file in old.files} - {file.path for file in lock.files}
        run.log.warn(
            f"{lock.ref} is {lock.commit[:7]} in this upstream, and was {old.commit[:7]} in the "
            f"lock (files that are missing here: {len(gone)}): "
            "do not commit a lock of a filtered copy"
        )
    elif lock.version and lock.version in lock.ref:
        run.log.warn(
            f"upstream has moved {lock.ref} from {old.commit[:7]} to {lock.commit[:7]}: "
            "the translations stay; commit the new lock"
        )


def read_at(run: Run, *, ref: str | None = None) -> Commit:
    """Return the lock that ``pull`` would write at ``ref``, and the documents of its pages.

    The API reference is left out. Only the private git cache is written. Raises UpstreamError,
    ConfigError and WriteError.
    """
    checkout = Checkout.of(run.paths)

    # If a source has no ``read``, the checkout has all its files.
    def read_checked_out(file: SourceFile) -> bytes:
        return read_bytes(checkout.docs / file.path)

    old = read_old_lock(checkout, run.log)
    with open_source(run, checkout.docs, ref=ref, old=old) as source:
        read = source.read or read_checked_out
        # Only documents are needed, not images and data.
        documents: dict[str, bytes] = {}
        # Docstrings belong to a release of the package, not to a commit.
        own = [file for file in source.lock.files if not is_reference(file.path)]
        lock = replace(source.lock, files=tuple(own))
        for page in lock.pages:
            for file in page.files:
                documents[file.path] = read(file)
        return Commit(lock=lock, documents=documents)


def read_pulled(run: Run) -> Lock:
    """Return the lock of the checkout, without contacting upstream.

    Raises UpstreamError if the checkout does not match the lock.
    """
    checkout = Checkout.of(run.paths)
    # An interrupted pull may have moved the files that the lock describes.
    recover(checkout)
    again = f"Run: {how_to_run('pull', run.name)}"
    if not checkout.lock.exists() or not checkout.docs.is_dir():
        raise UpstreamError(f"nothing has been pulled yet from {run.name!r}", hint=again)
    lock = parse_lock(read_bytes(checkout.lock), where=str(checkout.lock))
    # If the configured version has changed, the checkout has the messages of the old version.
    if (lock.package, lock.version) != (run.package, run.version):
        there = lock.release or "no package"
        pinned = f"{run.package} {run.version}".strip() or "none"
        raise UpstreamError(
            f"was pulled for {there}, but the project pins {pinned}",
            where=str(checkout.lock),
            hint=again,
        )
    # The names of the pages depend on the docs folders.
    if lock.docs != run.upstream.docs:
        raise UpstreamError(
            f"is of the folders {lock.docs}, but the configuration says {run.upstream.docs}",
            where=str(checkout.lock),
            hint=again,
        )
    # All output names this commit as its source, so compare every file with the lock.
    wrong = changed_files(checkout.docs, lock.files)
    if wrong:
        what = f"is not what the lock says: {name_some(wrong)}"
        raise UpstreamError(what, where=str(checkout.docs), hint=again)
    return lock


def check_has_refs(run: Run) -> None:
    """Raise UpstreamError if the upstream is a plain folder.

    A plain folder has a single state, so there is nothing to upgrade to or to compare with.
    """
    if address_of(run.settings, run.upstream).kind is Kind.FOLDER:
        raise _no_refs(run.upstream)


def list_tags(run: Run) -> frozenset[str]:
    """Return the tags of the upstream. Raises UpstreamError, for example for a plain folder."""
    with open_upstream(run.settings, run.upstream) as repository:
        if repository is None:
            raise _no_refs(run.upstream)
        return repository.tags()


def count_commits(run: Run, before: Lock, after: Lock) -> tuple[int, int] | None:
    """Return how many commits only ``after`` has, and how many only ``before`` has.

    Return None if the history is not available, as for a plain folder.
    """
    # ``read_at`` may have fetched only the two commits, without the history between them.
    with open_upstream(run.settings, run.upstream) as repository:
        if repository is None:
            return None
        return repository.distance(before.commit, after.commit)


def with_absolute_address(run: Run) -> Upstream:
    """Return the upstream with an absolute address, for use in another folder.

    The lock still records the original address.
    """
    # A relative address would lead elsewhere from a temporary copy of the project.
    url = address_of(run.settings, run.upstream).url
    return replace(run.upstream, url=url, url_replaced=True, configured_url=locked_url(run))


def _no_refs(upstream: Upstream) -> UpstreamError:
    return UpstreamError(
        "is a plain folder, which has no releases",
        where=upstream.url,
        hint="Give a repository, a bundle or a URL.",
    )
