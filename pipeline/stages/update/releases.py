"""The other releases of an upstream: the pages that only they have, and their commits.

The pin is the release that the project translates. The project may also build releases "beside the
pin". All releases share one folder of memory files. If only another release has a page, the page is
hidden from a run: the run neither opens nor removes the page's files.
"""

from __future__ import annotations

from contextlib import suppress

from msgspec import Struct

from pipeline.adapters.files import read_bytes
from pipeline.config.settings import Upstream
from pipeline.core.pin.lock import Lock, is_reference, page_name, parse_lock
from pipeline.errors import InputError
from pipeline.paths import Paths
from pipeline.run import Run


def documents_of(lock: Lock) -> frozenset[str]:
    """Return the names of all documents of upstream at the commit of a lock."""
    return frozenset(page_name(file.path) for file in lock.files)


class Elsewhere(Struct, frozen=True, kw_only=True):
    """Pages and commits of the other releases of a run's upstream.

    - ``hidden``: pages that this release lacks, and that the run must not touch. These are pages of
      other releases beside the pin, and pages of the pinned release's API reference.
    - ``pinned``: pages of the pinned release that this release lacks, except the API reference.
      None of them is in ``hidden``.
    - ``commits``: the commits of all other releases.
    """

    hidden: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    commits: frozenset[str] = frozenset()


def find_elsewhere(run: Run) -> Elsewhere:
    """Return the pages and commits of the other releases, as far as they have been pulled."""
    others = [release for release in run.settings.releases_of(run.name) if release.name != run.name]
    if not others:
        return Elsewhere()  # the common case: there is only one release
    own = _lock_of(run, run.upstream)
    here = documents_of(own) if own else frozenset()
    pinned: frozenset[str] = frozenset()
    beside: frozenset[str] = frozenset()
    commits: set[str] = set()
    for release in others:
        lock = _lock_of(run, release)
        if lock is None:
            continue
        commits.add(lock.commit)
        pages = documents_of(lock)
        if release.is_beside:
            beside |= pages
        else:
            reference = frozenset(filter(is_reference, pages))
            beside |= reference
            pinned = pages - reference
    return Elsewhere(
        hidden=beside - here - pinned,
        pinned=pinned - here,
        commits=frozenset(commits),
    )


def lacks_reference(run: Run) -> bool:
    """Return whether no API reference has been pulled: it is not configured, or cannot be read.

    In this case, the pages of the reference are hidden, so that their translations stay.
    """
    lock = _lock_of(run, run.upstream)
    return lock is None or not any(is_reference(file.path) for file in lock.files)


def _lock_of(run: Run, release: Upstream) -> Lock | None:
    """Return the lock of a release; None if it is missing or damaged.

    The run of that release reports a damaged lock.
    """
    path = Paths(run.settings.root, release.name).lock
    with suppress(InputError):
        return parse_lock(read_bytes(path), where=str(path))
    return None
