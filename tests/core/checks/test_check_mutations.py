"""Damage that translators really do, done to good translations, is told; what is good is not.

The good ones are the sample's catalogues, one of reStructuredText, and those in the folder that
``MUTATE`` names. ``-rP`` shows the table.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from damages import Damage, kinds, rst_kinds
from msgspec.structs import replace
from places import ROOT

from pipeline.adapters import po
from pipeline.core.checks.engine import fix_entry, run_checks, subjects_of
from pipeline.core.checks.model import Subject
from pipeline.core.document.markdown.parser import parser
from pipeline.core.document.message import Markup
from pipeline.core.glossary.glossary import Glossary, read_glossary
from pipeline.findings import Severity

MUTATE = filter(None, os.environ.get("MUTATE", "").split(os.pathsep))
FOLDERS = (
    ROOT / "translations" / "zh_CN" / "sample",
    ROOT / "tests" / "support" / "catalogs",
    *map(Path, MUTATE),
)
# Right for a translation of another message.
MISPLACED = frozenset("error M103 M304 M306 M307 M308 M309 M310 M501".split())
Pages = Mapping[str, Sequence[Subject]]
Place = tuple[str, int]


@cache
def glossary() -> Glossary:
    path = ROOT / "translations" / "glossary" / "zh_CN.csv"
    return read_glossary(path.read_text(encoding="utf-8"), where=path.name)


@cache
def good_pages() -> Pages:
    """Finished translations, by page."""
    pages: dict[str, Sequence[Subject]] = {}
    for path in (path for folder in FOLDERS for path in sorted(folder.rglob("*.po"))):
        catalog = po.read_catalog(path.read_bytes(), where=str(path)).catalog
        if subjects := subjects_of(catalog.entries, str(path)):
            pages[str(path)] = subjects
    return pages


def every_kind() -> tuple[Damage, ...]:
    return (*kinds(glossary()), *rst_kinds())


@cache
def alarms() -> frozenset[tuple[str, int, str]]:
    return frozenset(told(good_pages()))


def told(pages: Pages) -> Iterator[tuple[str, int, str]]:
    """Page, index and code of every warning; for every error also the code ``error``."""
    found = run_checks(pages, glossary=glossary())
    for one in found:
        if one.severity is not Severity.NOTE:
            yield one.page, one.index, one.code
        if one.severity is Severity.ERROR:
            yield one.page, one.index, "error"


def damaged(kind: Damage) -> dict[Place, Subject]:
    """Every entry that can have this damage, with it."""
    made: dict[Place, Subject] = {}
    for page, subjects in good_pages().items():
        for at, subject in enumerate(subjects):
            entry = kind.apply(subject.entry) if subject.markup is kind.markup else None
            if entry is not None:
                made[page, at] = Subject(entry, page)
    return made


def caught(kind: Damage) -> dict[Place, bool]:
    """Whether each damaged entry gets what the undamaged one does not.

    That is an error, or a warning of the right kind.
    """
    made = damaged(kind)
    pages = {f"{page}#{at}": [subject] for (page, at), subject in made.items()}
    before, wanted = alarms(), kind.right | {"error"}
    found = set()
    for name, _, code in told(pages):
        page, _, at = name.rpartition("#")
        if code in wanted and (page, int(at), code) not in before:
            found.add((page, int(at)))
    return {place: place in found for place in made}


def moved(page: Sequence[Subject], order: Iterable[int]) -> list[Subject]:
    return [
        Subject(replace(subject.entry, msgstr=page[at].msgstr), subject.page)
        for subject, at in zip(page, order, strict=True)
    ]


def rearranged(
    pages: Iterable[tuple[str, list[Subject], set[int]]],
) -> dict[Place, bool]:
    """Whether each misplaced translation (its index) is told.

    It gets an error, or is told to be misplaced or of other terms.
    """
    result: dict[Place, bool] = {}
    before = alarms()
    for page, subjects, wrong in pages:
        found = {
            at
            for name, at, code in told({page: subjects})
            if code in MISPLACED and (name, at, code) not in before
        }
        for at in wrong:
            result[f"{page}#{len(result)}", at] = at in found
    return result


LABEL = 2  # words: who does not know the words cannot tell the labels of a table apart


def swaps() -> Iterator[tuple[str, list[Subject], set[int]]]:
    for page, subjects in good_pages().items():
        for at in range(len(subjects) - 1):
            order = [*range(at), at + 1, at, *range(at + 2, len(subjects))]
            pair = subjects[at : at + 2]
            if pair[0].msgstr != pair[1].msgstr and all(
                len(one.msgid.split()) > LABEL for one in pair
            ):
                yield page, moved(subjects, order), {at, at + 1}


def shifts() -> Iterator[tuple[str, list[Subject], set[int]]]:
    for page, subjects in good_pages().items():
        last = len(subjects) - 1
        yield page, moved(subjects, [0, *range(last)]), set(range(1, last + 1))
        yield page, moved(subjects, [*range(1, last + 1), last]), set(range(last))


def table() -> dict[str, dict[Place, bool]]:
    rows = {kind.name: caught(kind) for kind in every_kind()}
    return rows | {
        "swap two neighbours": rearranged(swaps()),
        "shift a whole page by one": rearranged(shifts()),
    }


@pytest.mark.slow
def test_damage_is_told_and_good_translations_are_left_alone() -> None:
    rows = table()
    for name, places in sorted(
        rows.items(), key=lambda row: sum(row[1].values()) / max(1, len(row[1]))
    ):
        print(f"{sum(places.values()):5} of {len(places):5}  {name}")
        for page, at in [place for place, is_told in places.items() if not is_told][:5]:
            print(f"{'':15}missed: {Path(page).name}, {at}")
    assert len([name for name, places in rows.items() if places]) >= 70
    every = [is_told for places in rows.values() for is_told in places.values()]
    subjects = sum(map(len, good_pages().values()))
    false = {(page, at) for page, at, _ in alarms()}
    print(f"{sum(every)} of {len(every)} told: {sum(every) / len(every):.2%}")
    print(f"{len(false)} of {subjects} good ones, too: {len(false) / subjects:.2%}")
    assert sum(every) / len(every) >= 0.99
    assert len(false) / subjects < 0.005


@pytest.mark.slow
def test_fixes_mend_emphasis_and_spacing_and_only_that() -> None:
    tried = mended = 0
    for kind in every_kind():
        made = damaged(kind)
        fixed = {
            place: replace(subject, entry=replace(subject.entry, msgstr=fix_entry(subject)))
            for place, subject in made.items()
        }
        for place, subject in fixed.items():
            assert fix_entry(subject) == subject.msgstr, kind.name
            assert words_of(subject) == words_of(made[place]), kind.name
        if kind.fixable:
            pages = {f"{page}#{at}": [one] for (page, at), one in fixed.items()}
            still = {page for page, _, _ in told(pages)}
            tried, mended = tried + len(fixed), mended + len(fixed) - len(still)
            print(f"{len(fixed) - len(still):5} of {len(fixed):5}  {kind.name}")
    print(f"{mended} of {tried} mended ({mended / tried:.2%})")
    assert mended / tried >= 0.9


def words_of(subject: Subject) -> str:
    """What a reader sees but for white space and punctuation.

    The target of a broken link, which shows, is no text either.
    Of reStructuredText whatever is a letter: names that show are gone once they work.
    """
    if subject.markup is Markup.RST:
        return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", subject.msgstr))
    text = re.sub(r"<[^<>]*>", "", str(parser().renderInline(subject.msgstr)))
    for target in re.findall(r"\]\(((?:[^()\s]|\([^()\s]*\))+)\)", subject.msgid):
        text = text.replace(target, "")
    plain = unicodedata.normalize("NFKC", text)
    kept = [one for one in plain if unicodedata.category(one)[0] not in "PS"]
    return "".join("".join(kept).split())
