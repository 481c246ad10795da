"""Which old pages a new one was made from: upstream renames, splits and merges pages.

What tells it is where their text went. Upstream's redirects are a hint only: they say where readers should go,
which is not always where the text is.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping

from pipeline.core.document.prose import count_words

_CLEAR_WORDS = 4  # a shorter text may stand on any page
_RENAMED = 0.5  # of the old page's text must be on the new one, or of the new page's on the old one and that be
_ENOUGH = 5  # texts: a small page may take all it has from a large one, and is not that page for it


def find_kin(
    new: Mapping[str, Collection[str]],
    old: Mapping[str, Collection[str]],
    redirects: Mapping[str, str],
) -> dict[str, tuple[str, ...]]:
    """For each page of ``new`` the pages of ``old`` that text came from, most of it first; redirected ones last.

    Both give texts by page: those that ``new`` has and had not before, and those that are gone from ``old``.
    """
    homes: dict[str, list[str]] = defaultdict(list)
    for page, texts in old.items():
        for text in texts:
            homes[text].append(page)
    kin = {}
    for page, texts in new.items():
        votes = Counter(
            home
            for text in texts
            if text in homes and count_words(text) >= _CLEAR_WORDS
            for home in homes[text]
        )
        votes.pop(page, None)
        hinted = (
            source for source, target in redirects.items() if target == page and source in old
        )
        kin[page] = tuple(
            dict.fromkeys((*sorted(votes, key=lambda home: (-votes[home], home)), *hinted))
        )
    return kin


def find_renames(
    new: Mapping[str, Collection[str]],
    gone: Mapping[str, Collection[str]],
    kin: Mapping[str, tuple[str, ...]],
) -> dict[str, str]:
    """New pages by name with the vanished page each is, under another name: half of the text of either is the other's.

    Several pages may take from one; the one that takes most is the renamed one.
    """
    shares = []
    for page, texts in new.items():
        for source in kin.get(page, ()):
            if source in gone:
                shared = len(set(texts) & set(gone[source]))
                if shared >= _RENAMED * len(gone[source]) or shared >= max(
                    _ENOUGH, _RENAMED * len(texts)
                ):
                    shares.append((-shared, page, source))
    renames: dict[str, str] = {}
    for _, page, source in sorted(shares):
        if page not in renames and source not in renames.values():
            renames[page] = source
    return renames


def read_redirects(config: str) -> dict[str, str]:
    """``rediraffe_redirects`` of a Sphinx ``conf.py``, as old page to new page; empty if it is no plain table of texts.

    The file is parsed, never run.
    """
    try:
        body = ast.parse(config).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    for statement in body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            names = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if any(
                isinstance(name, ast.Name) and name.id == "rediraffe_redirects" for name in names
            ):
                return _pages(statement.value)
    return {}


def _pages(value: ast.expr) -> dict[str, str]:
    try:
        table = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {}
    if not isinstance(table, dict):
        return {}
    return {
        _page(source): _page(target)
        for source, target in table.items()
        if isinstance(source, str) and isinstance(target, str)
    }


def _page(path: str) -> str:
    """A page by the name that the pipeline gives it: no suffix, no slash in front."""
    path = path.strip("/")
    for suffix in (".ipynb", ".md", ".rst", ".html"):
        path = path.removesuffix(suffix)
    return path
