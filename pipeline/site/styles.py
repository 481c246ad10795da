"""The style sheets of a site: what no page uses is taken out of them when the site is whole.

The classes and ids of every page are known from the last time if the page is as it was: reading
all pages for them takes as long as Sphinx takes for a few. So is what was left of a sheet, if the
pages have the same ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import filterfalse
from pathlib import Path

from pipeline.adapters import files
from pipeline.adapters.memo import Memo, digest_of
from pipeline.site.css import prune, union, words_in_html, words_in_script
from pipeline.site.known import Known, digest_of_stamps, subject_of_file
from pipeline.site.plan import Site

# Parts of Bootstrap that its script makes of what a page has: where no page has any, the words in
# the script say nothing.
_ASKED_FOR = re.compile(
    r"(?:accordion|carousel|list-group|modal|offcanvas|pagination|popover|toast)(?:-|$)"
)


def restore_styles(site: Site) -> None:
    """Let Sphinx put the whole style sheets there again. Comes before it builds."""
    # They were pruned for the pages of the last time; Sphinx copies only what is missing.
    files.remove_files(files.files_below(site.target / "_static", ".css"))


def prune_styles(site: Site, memo: Memo[Known]) -> None:
    """Take out of the style sheets what no page has, and no script puts there."""
    words = union([*_words_of_pages(site, memo), *_words_of_scripts(site, memo)])
    digest = digest_of(*sorted(words))
    for path in files.files_below(site.target / "_static", ".css"):
        css = _text(path)
        subject, key = subject_of_file(site, path), digest_of(css, digest)
        known = memo.recall(subject, key)
        if known is None:
            known = Known(css=prune(css, words))
            memo.keep(subject, key, known)
        files.write_if_changed(path, known.css.encode("utf-8", "replace"))


def _words_of_scripts(site: Site, memo: Memo[Known]) -> Iterator[frozenset[str]]:
    """What scripts may give to elements while a page is read."""
    for path in files.files_below(site.target / "_static", ".js"):
        # MathJax brings its own styles.
        if "mathjax" not in path.parts:
            words = _words_of(site, memo, path, words_in_script)
            yield frozenset(filterfalse(_ASKED_FOR.match, words))


def _words_of_pages(site: Site, memo: Memo[Known]) -> Iterator[frozenset[str]]:
    """What every page has."""
    for path in files.files_below(site.target, ".html"):
        yield frozenset(_words_of(site, memo, path, words_in_html))


def _words_of(
    site: Site, memo: Memo[Known], path: Path, find: Callable[[str], frozenset[str]]
) -> tuple[str, ...]:
    """What ``find`` finds in a file; it is kept for the next time."""
    subject, key = subject_of_file(site, path), digest_of_stamps(path)
    known = memo.recall(subject, key)
    if known is None:
        known = Known(words=tuple(sorted(find(_text(path)))))
        memo.keep(subject, key, known)
    return known.words


def _text(path: Path) -> str:
    """A file of the site as text; broken bytes hold no word that anybody asks for."""
    return files.read_bytes(path).decode("utf-8", "replace")
