"""Lineage of pages: which old pages a page was made from, and which catalogue it starts from.

Upstream renames, splits and merges pages. This module compares the texts that pages lost with the
texts that other pages gained. Upstream's redirects are only a hint: a redirect may lead to a page
that does not have the old text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from pipeline.core.document.prose import count_words
from pipeline.core.pin.sphinx_config import sphinx_values
from pipeline.entries import Catalog, Entry

# A text of at least this many words means the same on every page; a shorter one may not.
CLEAR_WORDS = 4
# If another page has at least this share of a page's texts, upstream has renamed the page.
_RENAMED = 0.5
# A small new page may have taken all its texts from a large page that was not renamed. So half of a
# new page's texts must be at least this many texts to prove a rename.
_ENOUGH = 5
_REDIRECTS = "rediraffe_redirects"  # an option of the Sphinx extension rediraffe
_SUFFIXES = (".ipynb", ".md", ".rst", ".html")


def find_kin(
    new: Mapping[str, Collection[str]],
    old: Mapping[str, Collection[str]],
    redirects: Mapping[str, str],
) -> dict[str, tuple[str, ...]]:
    """Return, for each page of ``new``, its kin: the pages of ``old`` that its text came from.

    The page that contributed most comes first; pages known only from redirects come last. ``new``
    has the texts that each page gained, ``old`` the texts that each page lost. ``redirects`` maps
    old names of pages to new ones. The result ``{"tea": ("drinks", "kitchen")}`` says that most of
    the new text on ``tea`` came from ``drinks``.
    """
    homes: dict[str, list[str]] = defaultdict(list)
    for page, texts in old.items():
        for text in texts:
            homes[text].append(page)
    hints: dict[str, list[str]] = defaultdict(list)
    for source, target in redirects.items():
        if source in old:
            hints[target].append(source)
    kin: dict[str, tuple[str, ...]] = {}
    for page, texts in new.items():
        votes: Counter[str] = Counter()
        for text in texts:
            if text in homes and count_words(text) >= CLEAR_WORDS:
                votes.update(homes[text])
        del votes[page]  # a page is not its own kin (``del`` ignores missing keys)
        voted = sorted(votes, key=lambda home: (-votes[home], home))
        kin[page] = tuple(dict.fromkeys((*voted, *hints[page])))
    return kin


def find_renames(
    new: Mapping[str, Collection[str]],
    gone: Mapping[str, Collection[str]],
    kin: Mapping[str, tuple[str, ...]],
) -> dict[str, str]:
    """Return the pages that upstream has renamed, as a map from the new name to the old one.

    An old and a new page must share at least half of the texts of one of them. If several new pages
    share texts with one old page, the page that shares most counts as renamed. ``new`` has the
    texts of the new pages, ``gone`` the texts of the vanished ones. ``kin`` is the result of
    ``find_kin``.
    """
    shares: list[tuple[int, str, str]] = []
    for page, texts in new.items():
        for source in kin.get(page, ()):
            shared = _shared_texts(texts, gone.get(source, ()))
            if shared:
                shares.append((-shared, page, source))
    renames: dict[str, str] = {}
    for _, page, source in sorted(shares):
        if page not in renames and source not in renames.values():
            renames[page] = source
    return renames


def _shared_texts(new: Collection[str], old: Collection[str]) -> int:
    """Return how many texts a new and a vanished page share; 0 if these are too few for a rename.

    ``old`` is empty if the old page has not vanished.
    """
    shared = len(set(new) & set(old))
    has_half_of_old = shared >= _RENAMED * len(old)
    is_half_of_new = shared >= max(_ENOUGH, _RENAMED * len(new))
    return shared if has_half_of_old or is_half_of_new else 0


def read_redirects(config: str, *, below: str = "") -> dict[str, str]:
    """Return the redirects in ``rediraffe_redirects`` of a Sphinx ``conf.py``, by old page.

    ``{"old/tea.md": "tea.md"}`` → ``{"old/tea": "tea"}``. ``config`` is the text of the file, which
    is parsed but never executed. The result is empty if the value is not a literal dict; items that
    are not strings are skipped. ``below`` is put in front of page names, for a ``conf.py`` in one
    of several docs folders.
    """
    table = sphinx_values(config).get(_REDIRECTS)
    if not isinstance(table, dict):
        return {}
    redirects: dict[str, str] = {}
    for source, target in table.items():
        if isinstance(source, str) and isinstance(target, str):
            redirects[f"{below}{_page_name(source)}"] = f"{below}{_page_name(target)}"
    return redirects


def _page_name(path: str) -> str:
    """Return the pipeline's name for the page of a path: without suffix and outer slashes.

    ``/guide/start.html`` → ``guide/start``
    """
    path = path.strip("/")
    for suffix in _SUFFIXES:
        path = path.removesuffix(suffix)
    return path


_NOTHING = Catalog()


class Plan(Struct, frozen=True, kw_only=True):
    """Plan of an update: its input, and the lineage of the pages."""

    old: Mapping[str, Catalog]  # all catalogues of the locale
    wanted: Mapping[str, Sequence[Entry]]  # entries of the pages to update
    gone: Collection[str]  # pages that upstream dropped
    # The starting catalogue of each page of ``wanted``, if it has one.
    own: Mapping[str, Catalog]
    kin: Mapping[str, tuple[str, ...]]  # page → pages that its new text came from
    renames: Mapping[str, str]  # new page → old name of the page

    def start_of(self, page: str) -> Catalog:
        """Return the catalogue that ``page`` starts from; an empty one for a new page."""
        return self.own.get(page, _NOTHING)


def plan_update(
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    *,
    gone: Collection[str],
    redirects: Mapping[str, str],
) -> Plan:
    """Return the plan of an update, with the lineage of every page.

    The arguments are those of ``update_catalogs``.
    """
    added, lost = _moves(old, wanted, gone)
    kin: dict[str, tuple[str, ...]] = {}
    renames: dict[str, str] = {}
    if added:  # without new text, no text has moved
        unborn = {page: texts for page, texts in added.items() if page not in old}
        vanished = {page: texts for page, texts in lost.items() if page in gone}
        kin = find_kin(added, lost, redirects)
        renames = find_renames(unborn, vanished, kin)
    own: dict[str, Catalog] = {}
    for page in wanted:
        before = renames.get(page, page)
        if before in old:
            own[page] = old[before]
    return Plan(old=old, wanted=wanted, gone=gone, own=own, kin=kin, renames=renames)


_TextsByPage = dict[str, set[str]]


def _moves(
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    gone: Collection[str],
) -> tuple[_TextsByPage, _TextsByPage]:
    """Return the texts that updated pages gain, and those that updated and vanished pages lose.

    Pages without any are left out.
    """
    added: _TextsByPage = {}
    lost: _TextsByPage = {}
    for page, entries in wanted.items():
        before = set(old.get(page, _NOTHING).live_texts)
        now = {entry.msgid for entry in entries}
        added[page] = now - before
        lost[page] = before - now
    # Pages that are neither updated nor gone do not change in this run.
    for page in old.keys() & set(gone) - wanted.keys():
        lost[page] = set(old[page].live_texts)
    return _filled(added), _filled(lost)


def _filled(texts: _TextsByPage) -> _TextsByPage:
    """Return ``texts`` without the pages that have none (in most updates, nearly all pages)."""
    return {page: of_page for page, of_page in texts.items() if of_page}
