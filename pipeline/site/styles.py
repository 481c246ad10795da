"""The style sheets of a site: what no page uses is taken out of them when the site is whole.

The classes and ids of every page are known from the last time if the page is as it was: reading
all pages for them takes as long as Sphinx takes for a few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import filterfalse
from pathlib import Path

from pipeline.adapters import files
from pipeline.adapters.memo import Memo
from pipeline.site.css import prune, union, words_in_html, words_in_script
from pipeline.site.known import Known, digest_of_stamps, subject_of_html
from pipeline.site.plan import Site

# Parts of Bootstrap that its script makes of what a page has: where no page has any, the words in
# the script say nothing.
_ASKED_FOR = re.compile(
    r"(?:accordion|carousel|list-group|modal|offcanvas|pagination|popover|toast)(?:-|$)"
)


def restore_styles(site: Site) -> None:
    """Let Sphinx put the whole style sheets there again. Comes before it builds."""
    # They were pruned for the pages of the last time; Sphinx copies only what is missing.
    files.remove_files(list((site.target / "_static").rglob("*.css")))


def prune_styles(site: Site, memo: Memo[Known]) -> None:
    """Take out of the style sheets what no page has, and no script puts there."""
    words = union([*_words_of_pages(site, memo), *_words_of_scripts(site)])
    for path in (site.target / "_static").rglob("*.css"):
        pruned = prune(_text(path), words)
        files.write_if_changed(path, pruned.encode("utf-8", "replace"))


def _words_of_scripts(site: Site) -> Iterator[frozenset[str]]:
    """What scripts may give to elements while a page is read."""
    for path in (site.target / "_static").rglob("*.js"):
        # MathJax brings its own styles.
        if "mathjax" not in path.parts:
            yield frozenset(filterfalse(_ASKED_FOR.match, words_in_script(_text(path))))


def _words_of_pages(site: Site, memo: Memo[Known]) -> Iterator[frozenset[str]]:
    """Of every page; what is found out is kept for the next time."""
    for path in sorted(site.target.rglob("*.html")):
        subject = subject_of_html(site, path)
        key = digest_of_stamps(path)
        known = memo.recall(subject, key)
        if known is None:
            known = Known(words=tuple(sorted(words_in_html(_text(path)))))
            memo.keep(subject, key, known)
        yield frozenset(known.words)


def _text(path: Path) -> str:
    """A file of the site as text; broken bytes hold no word that anybody asks for."""
    return files.read_bytes(path).decode("utf-8", "replace")
