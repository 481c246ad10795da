"""Lineage of pages: which old pages a new one was made from, and which catalogue it starts from.

Upstream renames, splits and merges pages. Where their text went tells it. Upstream's redirects are
a hint only: they say where readers should go, which is not always where the text is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.core.document.prose import count_words
from pipeline.core.pin.sphinx_config import sphinx_values
from pipeline.entries import Catalog, Entry

# An equal text of as many words means the same on every page; a shorter one may stand anywhere.
CLEAR_WORDS = 4
_RENAMED = 0.5  # of the text of either page must be on the other one
# A small page may take all it has from a large one, and is not that page under another name: so
# many texts at least.
_ENOUGH = 5
_REDIRECTS = "rediraffe_redirects"  # of Sphinx's extension rediraffe
_SUFFIXES = (".ipynb", ".md", ".rst", ".html")


def find_kin(
    new: Mapping[str, Collection[str]],
    old: Mapping[str, Collection[str]],
    redirects: Mapping[str, str],
) -> dict[str, tuple[str, ...]]:
    """For each page of ``new`` the pages of ``old`` that text came from.

    The page that most came from stands first, redirected ones last. Both arguments give texts by
    page: those that ``new`` has and had not before, and those that are gone from ``old``.
    ``{"tea": ("drinks", "kitchen")}``: most of what is new on ``tea`` stood on ``drinks``.
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
        del votes[page]  # a page is no kin of its own
        voted = sorted(votes, key=lambda home: (-votes[home], home))
        kin[page] = tuple(dict.fromkeys((*voted, *hints[page])))
    return kin


def find_renames(
    new: Mapping[str, Collection[str]],
    gone: Mapping[str, Collection[str]],
    kin: Mapping[str, tuple[str, ...]],
) -> dict[str, str]:
    """New pages by name, each with the vanished page that it is under another name.

    Half of the text of either page must be the other's. Several pages may take from one: the one
    that takes most is the renamed one. ``kin`` is what ``find_kin`` gives for the pages.
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
    """How many texts a new and a vanished page share; 0 if these are too few for a rename.

    ``old`` is empty for a page that has not vanished.
    """
    shared = len(set(new) & set(old))
    has_half_of_old = shared >= _RENAMED * len(old)
    is_half_of_new = shared >= max(_ENOUGH, _RENAMED * len(new))
    return shared if has_half_of_old or is_half_of_new else 0


def read_redirects(config: str, *, below: str = "") -> dict[str, str]:
    """``rediraffe_redirects`` of a Sphinx ``conf.py``, as old page to new page.

    The result is empty if that is no plain table of texts. The file is parsed, never run. Names of
    pages begin with ``below``, where it lies in one of several docs folders.
    ``rediraffe_redirects = {"old/tea.md": "tea.md"}`` → ``{"old/tea": "tea"}``
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
    """A page by the name that the pipeline gives it: no suffix, no slash in front.

    ``/guide/start.html`` → ``guide/start``
    """
    path = path.strip("/")
    for suffix in _SUFFIXES:
        path = path.removesuffix(suffix)
    return path


_NOTHING = Catalog()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an update works on, by page, and which page comes from which."""

    old: Mapping[str, Catalog]  # all catalogues of the locale
    wanted: Mapping[str, Sequence[Entry]]  # of the pages to update
    gone: Collection[str]  # pages that upstream dropped
    # What each page of ``wanted`` starts from, if there is anything.
    own: Mapping[str, Catalog]
    kin: Mapping[str, tuple[str, ...]]
    renames: Mapping[str, str]  # new page → the page that it was called before

    def start_of(self, page: str) -> Catalog:
        """The catalogue that ``page`` starts from; an empty one for a new page."""
        return self.own.get(page, _NOTHING)


def plan_update(
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    *,
    gone: Collection[str],
    redirects: Mapping[str, str],
) -> Plan:
    """Find out where the text of each page was before.

    The arguments are those of ``update_catalogs``.
    """
    moves = _moves(old, wanted, gone)
    kin: dict[str, tuple[str, ...]] = {}
    renames: dict[str, str] = {}
    if moves.added:  # else nothing can have come from anywhere
        unborn = {page: texts for page, texts in moves.added.items() if page not in old}
        vanished = {page: texts for page, texts in moves.lost.items() if page in gone}
        kin = find_kin(moves.added, moves.lost, redirects)
        renames = find_renames(unborn, vanished, kin)
    own: dict[str, Catalog] = {}
    for page in wanted:
        before = renames.get(page, page)
        if before in old:
            own[page] = old[before]
    return Plan(old=old, wanted=wanted, gone=gone, own=own, kin=kin, renames=renames)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moves:
    """The texts that came to pages and went from them; pages without any are left out."""

    added: dict[str, set[str]] = field(default_factory=dict)
    lost: dict[str, set[str]] = field(default_factory=dict)


def _moves(
    old: Mapping[str, Catalog],
    wanted: Mapping[str, Sequence[Entry]],
    gone: Collection[str],
) -> _Moves:
    """What the pages of an update gain and lose, and what vanished pages leave."""
    moves = _Moves()
    for page, entries in wanted.items():
        before = _live_texts(old.get(page, _NOTHING))
        now = {entry.msgid for entry in entries}
        moves.added[page] = now - before
        moves.lost[page] = before - now
    # A page that is neither updated nor gone has lost nothing, as far as this run can see.
    for page in old.keys() & set(gone) - wanted.keys():
        moves.lost[page] = _live_texts(old[page])
    return _Moves(added=_filled(moves.added), lost=_filled(moves.lost))


def _live_texts(catalog: Catalog) -> set[str]:
    """The messages that a page had when its catalogue was written."""
    return {entry.msgid for entry in catalog.entries if not entry.obsolete}


def _filled(texts: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """``texts`` without the pages that have none: most pages of most updates."""
    return {
        page: texts_of_page for page, texts_of_page in texts.items() if texts_of_page
    }
