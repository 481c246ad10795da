"""core/catalog/reuse: what a message takes over where the pages near it do not agree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipeline.core.catalog.reuse import OpenEntry, Source, reuse
from pipeline.entries import Entry

LONG = "Every kettle that was filled in the evening is cold again by noon."


def open_message(text: str = LONG) -> OpenEntry:
    return OpenEntry(page="page", entry=Entry(msgid=text), is_new=True)


def source(page: str, msgstr: str, text: str = LONG, *, free: bool = True) -> Source:
    return Source(page=page, entry=Entry(msgid=text, msgstr=msgstr), free=free)


def offered(sources: Sequence[Source], *near: str, text: str = LONG) -> Entry:
    """What is offered for a text of a page, to which pages ``near`` are related."""
    message = open_message(text)
    (entry,) = reuse([message], sources, {"page": near})[message.name].entries
    return entry


def test_taken_from_the_nearest_page_if_the_others_agree() -> None:
    entry = offered([source("far", "甲"), source("near", "甲")], "near", "far")
    assert (entry.msgstr, entry.fuzzy) == ("甲", False)
    assert entry.notes == ("carried over: the same text in near",)


def test_doubtful_if_another_page_near_has_other_words() -> None:
    sources = [source("near", "甲"), source("far", "乙")]
    entry = offered(sources, "near", "far")
    assert entry.fuzzy
    assert entry.notes[0].endswith("but other pages differ")
    # A page that is not near does not count.
    entry = offered(sources, "near")
    assert (entry.msgstr, entry.fuzzy) == ("甲", False)


@pytest.mark.parametrize(
    ("near", "free", "is_fuzzy"),
    [((), True, True), ((), False, True), (("kin",), True, False)],
)
def test_a_short_text_of_a_page_far_away_waits_for_a_person(
    near: tuple[str, ...], free: bool, is_fuzzy: bool
) -> None:
    """It may mean something else here, even if it differs in spaces only."""
    text = "Thermodynamically insulated teapots"
    other = source("kin", "隔热茶壶", text.replace(" ", "  "), free=free)
    entry = offered([other], *near, text=text)
    assert (entry.msgstr, entry.fuzzy) == ("隔热茶壶", is_fuzzy)


COPIED_TEXTS = [f"Sentence number {number} about all the kettles." for number in range(3)]


@pytest.mark.parametrize(
    ("shared", "home", "is_fuzzy"),
    [(3, "mother", False), (2, "mother", True), (3, "elsewhere", True)],
)
@pytest.mark.parametrize("others", [(), ("备注",)])
def test_a_short_text_is_finished_if_its_page_was_copied(
    shared: int, home: str, others: tuple[str, ...], *, is_fuzzy: bool
) -> None:
    """The page "mother" still has all its texts. Other pages may translate the short one
    otherwise."""
    places = {**dict.fromkeys(COPIED_TEXTS[:shared], "mother"), "Note": home}
    messages = [open_message(text) for text in places]
    sources = [source(page, "注意", text, free=False) for text, page in places.items()]
    sources += [source("a", msgstr, "Note") for msgstr in others]
    (entry,) = reuse(messages, sources, {})[messages[-1].name].entries
    assert entry.fuzzy is is_fuzzy
    assert is_fuzzy or entry.msgstr == "注意"


def test_a_name_that_stays_english_is_finished() -> None:
    assert not offered([source("a", "CUDA", "CUDA", free=False)], text="CUDA").fuzzy
