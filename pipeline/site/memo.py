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
    """What is known of a subject. Each fills in what is its own."""

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
    """What is known of the site."""
    return Memo(site.paths.memo(site.locale, "site"), Known)


def forget_all(site: Site) -> None:
    """Know nothing any more, also after a kill. Comes before a site is built."""
    memo = memo_of(site)
    memo.keep_only(())
    memo.save()


def forget_gone(site: Site, memo: Memo[Known]) -> None:
    """Forget pages that are none of the site's any more. Comes when a site is built."""
    # All that is recalled for a site as it is now.
    subjects = {WHOLE}
    subjects.update(map(subject_of_page, site.names))
    for path in files_below(site.target, *BUILT):
        subjects.add(subject_of_file(site, path))
    memo.keep_only(subjects)


def subject_of_page(page: str) -> str:
    """The name of a page among the subjects."""
    return f"page {page}"


def pages_known(memo: Memo[Known]) -> Iterator[str]:
    """The pages that the site had when it was last built."""
    for subject, known in memo.items():
        kind, _, page = subject.partition(" ")
        if kind == "page" and known.files:
            yield page


def subject_of_file(site: Site, path: Path) -> str:
    """The name of a file of the site among the subjects."""
    return f"file {path.relative_to(site.target).as_posix()}"


def digest_of_stamps(*paths: Path) -> str:
    """What changes when one of the files is written: sizes and times, so that none is read."""
    return digest_of(*map(_stamp, paths))


def _stamp(path: Path) -> str:
    """Size and time of a file, ``1204 1750000000000000000``; empty if there is none."""
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns}"
