"""Memo of what the last run found out about a site.

It has a subject for each page (the files made from it), for each built page, script and style sheet
(the classes in it, or what is left of it), and one for the site as a whole. While a site is built
the memo is empty, so that a killed build starts again from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.adapters.files import files_below
from pipeline.adapters.memo import Memo, digest_of
from pipeline.adapters.sphinx import BrokenPage
from pipeline.site.plan import Site

WHOLE = "site"  # the subject that the site as a whole is
BUILT = (".html", ".js", ".css")  # the files of a site that something is known of


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a subject; each kind of subject uses its own fields."""

    # Of a page: what it has among the sources, and to download.
    files: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()
    # Of a page that was built, or a script: classes and ids.
    words: tuple[str, ...] = ()
    # Of a style sheet: what is left of it.
    css: str = ""
    # Of the whole site: the pages of which something is shown as its source.
    broken: Mapping[str, BrokenPage] = field(default_factory=dict)


def memo_of(site: Site) -> Memo[Known]:
    """Return the memo of a site."""
    return Memo(site.paths.memo(site.locale, "site"), Known)


def forget_all(site: Site) -> None:
    """Clear the memo, also for a kill that follows. Called before a site is built."""
    memo = memo_of(site)
    memo.keep_only(())
    memo.save()


def forget_gone(site: Site, memo: Memo[Known]) -> None:
    """Forget pages that are no longer part of the site. Called when a site is built."""
    subjects = {WHOLE}
    subjects.update(map(subject_of_page, site.names))
    for path in files_below(site.target, *BUILT):
        subjects.add(subject_of_file(site, path))
    memo.keep_only(subjects)


def subject_of_page(page: str) -> str:
    """Return the subject of a page."""
    return f"page {page}"


def pages_known(memo: Memo[Known]) -> Iterator[str]:
    """Yield the pages that the site had when it was last built."""
    for subject, known in memo.items():
        kind, _, page = subject.partition(" ")
        if kind == "page" and known.files:
            yield page


def subject_of_file(site: Site, path: Path) -> str:
    """Return the subject of a file of the site."""
    return f"file {path.relative_to(site.target).as_posix()}"


def digest_of_stamps(*paths: Path) -> str:
    """Return a digest of sizes and times of files, so that none has to be read."""
    stamps: list[str] = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            stamps.append("")
        else:
            stamps.append(f"{status.st_size} {status.st_mtime_ns}")
    return digest_of(*stamps)
