"""core/catalog/reuse: what a message takes over where the pages near it do not agree."""

from __future__ import annotations

import pytest

from pipeline.core.catalog.reuse import OpenEntry, Source, reuse
from pipeline.entries import Entry

LONG = "Every kettle that was filled in the evening is cold again by noon."


def open_message(page: str) -> OpenEntry:
    return OpenEntry(page=page, entry=Entry(msgid=LONG), is_new=True)


def free_source(page: str, msgstr: str) -> Source:
    return Source(page=page, entry=Entry(msgid=LONG, msgstr=msgstr), free=True)


def test_taken_from_the_nearest_page_if_the_others_agree() -> None:
    sources = [free_source("far", "甲"), free_source("near", "甲")]
    offer = reuse([open_message("page")], sources, {"page": ("near", "far")})[
        open_message("page").name
    ]
    assert [(entry.msgstr, entry.fuzzy) for entry in offer.entries] == [("甲", False)]
    assert offer.entries[0].notes == ("carried over: the same text in near",)


def test_doubtful_if_another_page_near_has_other_words() -> None:
    sources = [free_source("near", "甲"), free_source("far", "乙")]
    offer = reuse([open_message("page")], sources, {"page": ("near", "far")})[
        open_message("page").name
    ]
    assert [entry.fuzzy for entry in offer.entries] == [True]
    assert offer.entries[0].notes[0].endswith("but other pages differ")


def test_a_page_that_is_not_near_does_not_count() -> None:
    sources = [free_source("near", "甲"), free_source("elsewhere", "乙")]
    offer = reuse([open_message("page")], sources, {"page": ("near",)})[
        open_message("page").name
    ]
    assert [(entry.msgstr, entry.fuzzy) for entry in offer.entries] == [("甲", False)]


def test_a_short_text_of_a_page_far_away_waits_for_a_person() -> None:
    """It may mean something else here, even if it differs in spaces only."""
    text = "Thermodynamically insulated teapots"
    waiting = OpenEntry(page="page", entry=Entry(msgid=text), is_new=True)
    entry = Entry(msgid=text.replace(" ", "  "), msgstr="隔热茶壶")
    for free in (True, False):
        far = Source(page="far", entry=entry, free=free)
        (offered,) = reuse([waiting], [far], {"page": ()})[waiting.name].entries
        assert (offered.msgstr, offered.fuzzy) == ("隔热茶壶", True)
    near = Source(page="near", entry=entry, free=True)
    (offered,) = reuse([waiting], [near], {"page": ("near",)})[waiting.name].entries
    assert (offered.msgstr, offered.fuzzy) == ("隔热茶壶", False)


COPIED_TEXTS = [
    f"Sentence number {number} about all the kettles." for number in range(3)
]


@pytest.mark.parametrize(("shared", "is_fuzzy"), [(3, False), (2, True)])
@pytest.mark.parametrize("others", [(), ("备注",)])
def test_a_short_text_is_finished_if_its_page_was_copied(
    shared: int, others: tuple[str, ...], *, is_fuzzy: bool
) -> None:
    """The page "mother" still has all its texts. Other pages may translate the short one
    otherwise."""
    texts = [*COPIED_TEXTS[:shared], "Note"]
    messages = [
        OpenEntry(page="page", entry=Entry(msgid=text), is_new=True) for text in texts
    ]
    sources = [
        Source(page="mother", entry=Entry(msgid=text, msgstr="注意"), free=False)
        for text in texts
    ]
    sources += [
        Source(page="a", entry=Entry(msgid="Note", msgstr=msgstr), free=True)
        for msgstr in others
    ]
    (entry,) = reuse(messages, sources, {})[messages[shared].name].entries
    assert entry.fuzzy is is_fuzzy
    assert is_fuzzy or entry.msgstr == "注意"


def test_a_short_text_that_the_copied_page_lacks_waits_for_a_person() -> None:
    places = {"Note": "elsewhere", **dict.fromkeys(COPIED_TEXTS, "mother")}
    messages = [
        OpenEntry(page="page", entry=Entry(msgid=text), is_new=True) for text in places
    ]
    sources = [
        Source(page=page, entry=Entry(msgid=text, msgstr="注意"), free=False)
        for text, page in places.items()
    ]
    (entry,) = reuse(messages, sources, {})[messages[0].name].entries
    assert entry.fuzzy


def test_a_name_that_stays_english_is_finished() -> None:
    message = OpenEntry(page="page", entry=Entry(msgid="CUDA"), is_new=True)
    source = Source(page="a", entry=Entry(msgid="CUDA", msgstr="CUDA"), free=False)
    (entry,) = reuse([message], [source], {})[message.name].entries
    assert not entry.fuzzy
