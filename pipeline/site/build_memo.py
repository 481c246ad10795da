"""Memo of the last build of a site, so that a build repeats only what has changed.

A memo maps a subject and a key, the digest of all inputs, to a value (``adapters/memo``). Here a
subject is a page, a built file, or the whole site. During a build the stored memo is empty: if
somebody kills the build, the next one starts from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from pipeline.adapters.files import files_below
from pipeline.adapters.memo import Memo
from pipeline.adapters.sphinx import BrokenPage
from pipeline.site.plan import Site

SITE_SUBJECT = "site"  # subject of the site as a whole
BUILT = (".html", ".js", ".css")  # suffixes of built files that have a subject


class SubjectState(Struct, frozen=True, kw_only=True):
    """Value of a subject. Each kind of subject uses different fields."""

    # Fields of a page: the paths of its Sphinx sources and of its downloads.
    files: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()
    # Field of a built page or script: the classes and ids in it.
    words: tuple[str, ...] = ()
    # Field of a style sheet: its text after pruning.
    css: str = ""
    # Field of the whole site: the pages that it shows as source, wholly or in part.
    broken: Mapping[str, BrokenPage] = field(default_factory=dict)


def memo_of(site: Site) -> Memo[SubjectState]:
    """Return the memo of a site, loaded from its file."""
    return Memo(site.paths.memo(site.locale, "site"), SubjectState)


def forget_all(site: Site) -> None:
    """Empty the stored memo. Called before a build: if the build is killed, no memo remains."""
    memo = memo_of(site)
    memo.keep_only(())
    memo.save()


def forget_gone(site: Site, memo: Memo[SubjectState]) -> None:
    """Remove subjects of pages and files that no longer exist. Called after a build."""
    subjects = {SITE_SUBJECT}
    subjects.update(map(subject_of_page, site.names))
    for path in files_below(site.target, *BUILT):
        subjects.add(subject_of_file(site, path))
    memo.keep_only(subjects)


def subject_of_page(page: str) -> str:
    """Return the memo's subject for a page."""
    return f"page {page}"


def pages_known(memo: Memo[SubjectState]) -> Iterator[str]:
    """Yield the pages that the last build made from sources."""
    for subject, known in memo.items():
        kind, _, page = subject.partition(" ")
        if kind == "page" and known.files:
            yield page


def subject_of_file(site: Site, path: Path) -> str:
    """Return the memo's subject for a file of the site."""
    return f"file {path.relative_to(site.target).as_posix()}"
