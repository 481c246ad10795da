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
from collections.abc import Iterator, Mapping
from itertools import pairwise

import pytest
from changed_pairs import changed_pairs, tabulate, verdict
from msgspec.structs import replace
from repositories import PAGES, Repository

from pipeline.core.catalog.marks import Followed, follow_change
from pipeline.core.catalog.origins import fuzzy_class
from pipeline.core.catalog.update import Updated, update_catalogs, wanted_entries
from pipeline.core.document.reader import Document, read_document
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError

pytestmark = pytest.mark.realdocs

WHOLE = bool(os.environ.get("JAX_DOCS_WHOLE"))
RELEASES = (
    ("0.2.11", "0.4.30", "0.6.0", "0.8.0", "0.9.2", "0.10.2")
    if WHOLE
    else ("0.8.0", "0.10.2")
)
HEADER = {"Language": "zh_CN"}
USEFUL = (
    0.94 if WHOLE else 0.97
)  # of the messages that were edited in place get their own old translation

Pages = Mapping[str, tuple[Entry, ...]]
Catalogs = dict[str, Catalog]


@pytest.fixture(scope="module")
def releases(repository: Repository) -> Mapping[str, Pages]:
    return {
        release: dict(_pages(repository, f"jax-v{release}")) for release in RELEASES
    }


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
        {
            page: Catalog(header=HEADER, entries=entries)
            for page, entries in pages.items()
        }
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
                any(text in str(entry.previous) for text, _ in by_digest[part])
                for part in parts
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
        known |= {
            (entry.msgid, entry.msgstr)
            for entry in entries_in(catalogs)
            if not entry.fuzzy
        }
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
        had = {
            entry.msgid for entries in releases[before].values() for entry in entries
        }
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
