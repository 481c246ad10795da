"""From release to release of the real JAX docs, up and down again.

Nothing is lost, nothing passed off, nothing overlooked. Needs JAX_DOCS_UPSTREAM. By default the
chain is a short one, which takes seconds; the whole one, with tables of what happened:

    JAX_DOCS_UPSTREAM=... JAX_DOCS_WHOLE=1 pytest tests/core/catalog/test_release_chain.py -rP
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from msgspec import Struct
from msgspec.structs import replace
from repositories import PAGES, Repository

from pipeline.core.catalog.change_class import ChangeClass, classify
from pipeline.core.catalog.marks import Followed, follow_change
from pipeline.core.catalog.origins import fuzzy_class
from pipeline.core.catalog.update import Updated, update_catalogs, wanted_entries
from pipeline.core.document.reader import Document, read_document
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError

# --- pairs of a message and its changed version, to measure the matching of an update
#
# The pairs are found by position alone, so this ground truth shares nothing with the similarity
# that the update uses. Two messages are a pair if they are in the same place between unchanged
# neighbours, have the same kind, and occur nowhere else.

GAP = 3  # messages; in a longer row of changed ones the place tells too little
REWORDINGS = {  # by the percent of the words that survived
    75: f"{ChangeClass.REWORDING}, 75-100 % of the words left",
    50: f"{ChangeClass.REWORDING}, 50-75 %",
    25: f"{ChangeClass.REWORDING}, 25-50 % (mostly written anew)",
    0: f"{ChangeClass.REWORDING}, 0-25 % (mostly written anew)",
}
ANEW = (REWORDINGS[25], REWORDINGS[0])
EDITS = "all but those mostly written anew"
ROWS = (*map(str, ChangeClass), *REWORDINGS.values(), EDITS)

Pages = Mapping[str, tuple[Entry, ...]]

_WORD = re.compile(r"\w+")
_SAID = re.compile("译[0-9a-f]{40}")


class Pair(Struct, frozen=True, kw_only=True):
    """A message of ``page``, and the message that upstream replaced it by."""

    page: str
    old: str
    new: str

    @property
    def survived(self) -> float:
        """Return the percentage of words that both texts have, in any order (Dice coefficient).

        Markup and code are included.
        """
        texts = (self.old.casefold(), self.new.casefold())
        before, after = (Counter(_WORD.findall(text)) for text in texts)
        return 200 * (before & after).total() / max(1, (before + after).total())

    @property
    def is_edit(self) -> bool:
        """Return whether a translator would rather edit the old translation than start anew."""
        return self.label not in ANEW

    @property
    def label(self) -> str:
        """Return the class of the change; for a rewording, with the share of common words."""
        kind = classify(self.old, self.new).kind
        if kind is not ChangeClass.REWORDING:
            return str(kind)
        survived = self.survived
        return next(REWORDINGS[floor] for floor in REWORDINGS if survived >= floor)


def changed_pairs(before: Pages, after: Pages, known: Collection[str]) -> Iterator[Pair]:
    """Yield the pairs between two releases.

    ``known`` are the texts of ``before`` and of earlier releases. A text among these has moved or
    come back, so it is not a change.
    """
    stays = {entry.msgid for entries in after.values() for entry in entries}
    for page in sorted(before.keys() & after.keys()):
        for old, new in _in_place(before[page], after[page]):
            if old.msgid not in stays and new.msgid not in known:
                yield Pair(page=page, old=old.msgid, new=new.msgid)


def _in_place(before: tuple[Entry, ...], after: tuple[Entry, ...]) -> Iterator[tuple[Entry, Entry]]:
    """Yield old and new entries in the same place between unchanged neighbours.

    A place counts only if both releases have the same kinds of messages there, in the same order.
    """
    first, second = ([one.msgid for one in page] for page in (before, after))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        old, new = before[start:end], after[new_start:new_end]
        is_in_place = tag == "replace" and len(old) <= GAP
        if is_in_place and [*map(_kind, old)] == [*map(_kind, new)]:
            yield from zip(old, new, strict=True)


def _kind(entry: Entry) -> str:
    return entry.notes[0].split()[0]


def verdict(pair: Pair, before: Mapping[str, Catalog], after: Mapping[str, Catalog]) -> str:
    """Return the outcome of the update for a pair: ``useful``, ``other`` or ``none``.

    It is ``useful`` if the new message has the translation of the old one, perhaps fuzzy or as part
    of a longer one. This is visible because each msgstr in these tests names the English that it
    was made for.
    """
    had, offered = _said(before[pair.page], pair.old), _said(after[pair.page], pair.new)
    assert had, pair
    return "useful" if had <= offered else "other" if offered else "none"


def _said(catalog: Catalog, msgid: str) -> set[str]:
    live = [entry for entry in catalog.entries if not entry.obsolete]
    found = [entry.msgstr for entry in live if entry.msgid == msgid]
    assert found, msgid
    return set(_SAID.findall("\n".join(found)))


def tabulate(verdicts: Iterable[tuple[Pair, str]]) -> Iterator[str]:
    """Yield the lines of a table: counts of pairs and verdicts by class.

    The classes that need the least work come first.
    """
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for pair, given in verdicts:
        table[pair.label][given] += 1
        table[EDITS][given] += pair.is_edit
    yield f"  {'changed in place':45}{'pairs':>6}{'useful':>14}{'other':>7}{'none':>6}"
    for row in ROWS:
        found = table[row]
        if pairs := found.total():
            useful = f"{found['useful']:7}{found['useful'] / pairs:7.1%}"
            yield f"  {row:45}{pairs:6}{useful}{found['other']:7}{found['none']:6}"


# --- tests

pytestmark = pytest.mark.realdocs

WHOLE = bool(os.environ.get("JAX_DOCS_WHOLE"))
RELEASES = (
    ("0.2.11", "0.4.30", "0.6.0", "0.8.0", "0.9.2", "0.10.2") if WHOLE else ("0.8.0", "0.10.2")
)
HEADER = {"Language": "zh_CN"}
USEFUL = (
    0.94 if WHOLE else 0.97
)  # of the messages that were edited in place get their own old translation

Catalogs = dict[str, Catalog]


@pytest.fixture(scope="module")
def releases(repository: Repository) -> Mapping[str, Pages]:
    return {release: dict(_pages(repository, f"jax-v{release}")) for release in RELEASES}


def _pages(repository: Repository, ref: str) -> Iterator[tuple[str, tuple[Entry, ...]]]:
    documents: dict[str, list[Document]] = defaultdict(list)
    paths = repository.pages_at(ref, (*PAGES, ".rst"))
    for (path, _), (_, data) in zip(
        paths.items(), repository.read(list(paths.values())), strict=True
    ):
        try:
            documents[path.removeprefix("docs/").rpartition(".")[0]].append(
                read_document(path, data)
            )
        except InputError as error:
            pytest.fail(f"{ref}: {error}")
    for page, found in documents.items():
        if entries := wanted_entries(page, found):
            yield page, entries


def said(msgid: str) -> str:
    """A translation that belongs to this msgid alone.

    It has the msgid's URLs, so that a change of host can be carried over.
    """
    urls = re.findall(r"https?://[^\s()<>`\[\]\"']+", msgid)
    return " ".join((f"译{hashlib.sha1(msgid.encode()).hexdigest()}", *urls))


def filled(catalogs: Catalogs) -> Catalogs:
    """Every empty entry translated."""

    def translated(entry: Entry) -> Entry:
        return entry if entry.msgstr else replace(entry, msgstr=said(entry.msgid))

    return {
        page: replace(one, entries=tuple(map(translated, one.entries)))
        for page, one in catalogs.items()
    }


def translated_release(pages: Pages) -> Catalogs:
    return filled(
        {page: Catalog(header=HEADER, entries=entries) for page, entries in pages.items()}
    )


def entries_in(catalogs: Catalogs) -> list[Entry]:
    return [entry for one in catalogs.values() for entry in one.entries]


def renamed_pages(result: Mapping[str, Updated]) -> dict[str, str]:
    """The new names of pages by their old ones."""
    moves = {updated.counts.moved_from: page for page, updated in result.items()}
    return {old: new for old, new in moves.items() if old}


def step(catalogs: Catalogs, pages: Pages) -> tuple[Catalogs, dict[str, Updated]]:
    """One update of a whole locale, as the stage does it."""
    result = update_catalogs(
        catalogs,
        pages,
        header=lambda page, old: old or HEADER,
        gone=catalogs.keys() - pages.keys(),
    )
    found = {page: updated.catalog for page, updated in result.items()}
    return {page: one for page, one in found.items() if one.entries}, result


def assert_nothing_mixed(catalogs: Catalogs, known: set[tuple[str, str]]) -> None:
    """A finished translation is its own msgid's, or was carried over safely.

    A fuzzy one says whose it is.
    """
    by_digest: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for text, msgstr in known:
        by_digest[msgstr[:41]].append((text, msgstr))
    for entry in entries_in(catalogs):
        english = entry.previous if entry.fuzzy else entry.msgid
        if not entry.msgstr or (english, entry.msgstr) in known:
            continue
        if entry.fuzzy and fuzzy_class(entry) != "merged":
            # The update has filled in what changed, and a person must confirm it.
            assert any(
                follow_change(str(entry.previous), entry.msgid, msgstr)
                == Followed(msgstr=entry.msgstr, is_certain=False)
                for _, msgstr in by_digest[entry.msgstr[:41]]
            )
        elif entry.fuzzy:
            parts = re.findall("译[0-9a-f]{40}", entry.msgstr)
            assert len(parts) > 1
            assert all(
                any(text in str(entry.previous) for text, _ in by_digest[part]) for part in parts
            )
        else:
            assert any(note.startswith("carried over: ") for note in entry.notes)
            assert any(
                follow_change(text, entry.msgid, msgstr)
                == Followed(msgstr=entry.msgstr, is_certain=True)
                for text, msgstr in by_digest[entry.msgstr[:41]]
            )
            known.add((entry.msgid, entry.msgstr))


def test_releases_and_back_lose_and_mix_nothing(releases: Mapping[str, Pages]) -> None:
    catalogs = translated_release(releases[RELEASES[0]])
    known = {(entry.msgid, entry.msgstr) for entry in entries_in(catalogs)}
    for before, after in pairwise((*RELEASES, *RELEASES[-2::-1])):
        catalogs, result = step(catalogs, releases[after])
        standing = {entry.msgstr for entry in entries_in(catalogs)}
        assert {msgstr for _, msgstr in known} <= standing
        assert_nothing_mixed(catalogs, known)
        for entry in entries_in(catalogs):
            if entry.fuzzy and not entry.obsolete:
                assert fuzzy_class(entry)
                assert entry.previous
        again, _ = step(catalogs, releases[after])
        assert all(again[page] is catalogs[page] for page in catalogs | again)
        tell(f"{before} → {after}", result, releases[before], releases[after])
        catalogs = filled(catalogs)
        known |= {(entry.msgid, entry.msgstr) for entry in entries_in(catalogs) if not entry.fuzzy}
    for entry in entries_in(catalogs):
        assert entry.obsolete or entry.is_translated


@pytest.mark.parametrize(
    ("before", "after"), list(pairwise(RELEASES)) if WHOLE else [("0.8.0", "0.10.2")]
)
def test_text_that_stands_word_for_word_on_another_page_is_recovered(
    releases: Mapping[str, Pages], before: str, after: str
) -> None:
    updated, result = step(translated_release(releases[before]), releases[after])
    live: dict[str, list[tuple[str, Entry]]] = defaultdict(list)
    for page in releases[after]:
        for entry in updated[page].entries:
            if not entry.obsolete:
                live[entry.msgid].append((page, entry))
    renamed = renamed_pages(result)
    left = [
        (renamed.get(page), entry.msgid)
        for page, entries in releases[before].items()
        for entry in entries
        if entry.msgid not in {one.msgid for one in releases[after].get(page, ())}
        and entry.msgid in live
    ]
    assert len(left) > 20
    for home, msgid in left:
        everywhere = [entry for _, entry in live[msgid]]
        at_home = [entry for page, entry in live[msgid] if page == home]
        assert all(entry.is_translated for entry in at_home or everywhere), msgid
    found = [entry for entries in live.values() for _, entry in entries]
    done = sum(entry.is_translated for entry in found)
    offered = sum(bool(entry.msgstr) for entry in found)
    print(
        f"{before} → {after}: {len(left)} recovered; {done / len(found):.1%} translated, "
        f"{offered / len(found):.1%} with a suggestion"
    )
    if (before, after) == ("0.8.0", "0.10.2"):
        had = {entry.msgid for entries in releases[before].values() for entry in entries}
        exact = sum(entry.msgid in had for entry in found)
        # One shared catalogue of exact matches also finishes short texts that pages may mean
        # differently.
        assert done > exact - 10
        assert offered / len(found) > 0.88


def test_edited_text_gets_its_old_translation(releases: Mapping[str, Pages]) -> None:
    catalogs = translated_release(releases[RELEASES[0]])
    known: set[str] = set()
    for before, after in pairwise(RELEASES):
        for entries in releases[before].values():
            known |= {entry.msgid for entry in entries}
        updated, _ = step(catalogs, releases[after])
        verdicts = [
            (pair, verdict(pair, catalogs, updated))
            for pair in changed_pairs(releases[before], releases[after], known)
        ]
        print(f"{before} → {after}:", *tabulate(verdicts), sep="\n")
        edits = [given for pair, given in verdicts if pair.is_edit]
        assert len(edits) > 40
        assert edits.count("useful") / len(edits) >= USEFUL
        catalogs = filled(updated)


def tell(name: str, result: Mapping[str, Updated], before: Pages, after: Pages) -> None:
    """One row of the table: what became of the messages, by class.

    It also tells what share of the changed ones got an offer.
    """
    counts: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for updated in result.values():
        made = updated.counts
        states = {state: getattr(made, state) for state in ("kept", "carried", "new")}
        counts.update(states, fuzzy=sum(made.fuzzy.values()), obsolete=made.obsolete)
        classes.update(made.fuzzy)
    changed = sum(
        entry.msgid not in {one.msgid for one in before.get(page, ())}
        for page in before
        for entry in after.get(page, ())
    )
    print(
        f"{name}: {dict(counts)}; fuzzy {dict(sorted(classes.items()))}; "
        f"renamed {renamed_pages(result)}; {changed} not as before on their page"
    )
