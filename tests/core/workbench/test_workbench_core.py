"""States of messages, edits of a catalogue, similar translations, differences of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.adapters.po import format_catalog, read_catalog
from pipeline.core.catalog.origins import Machine
from pipeline.core.document.compose import merge
from pipeline.core.document.read import read_document
from pipeline.core.document.refusal import Refusal
from pipeline.core.workbench.blocks import State, blocks_of, state_of
from pipeline.core.workbench.editing import (
    Conflict,
    Edited,
    Seen,
    cleaned,
    edit,
    stamp_of,
)
from pipeline.core.workbench.suggestions import TranslationMemory
from pipeline.entries import Catalog, Entry, translations_of

STAMP = stamp_of("Li Lei <li@example.org>", "2026-05-01 09:30+0800")


def seen(entry: Entry) -> Seen:
    return Seen(
        msgid=entry.msgid,
        context=entry.context,
        msgstr=entry.msgstr,
        fuzzy=entry.fuzzy,
    )


MACHINE = Machine(model="stub", prompt=1, date="2026-05-01")


@pytest.mark.parametrize(
    ("entry", "state"),
    [
        (Entry(msgid="Tea"), State.ENGLISH),
        (Entry(msgid="Tea", fuzzy=True), State.ENGLISH),
        (Entry(msgid="Tea", msgstr="茶"), State.TRANSLATED),
        (Entry(msgid="Tea", msgstr="茶", fuzzy=True, previous="Te"), State.FUZZY),
        (Entry(msgid="Tea", msgstr="茶", fuzzy=True, previous="Tea"), State.DRAFT),
        (Entry(msgid="Tea", msgstr="茶", fuzzy=True), State.DRAFT),
        (
            Entry(
                msgid="Tea",
                msgstr="茶",
                fuzzy=True,
                notes=(f"adopted: tea.md, {'a' * 40} tea, 0.90, by Han Meimei, MIT",),
            ),
            State.ADOPTED,
        ),
        (
            # A machine's words for English that has changed since are a draft all the same.
            Entry(
                msgid="Tea",
                msgstr="茶",
                fuzzy=True,
                previous="Te",
                notes=(MACHINE.note("茶"),),
            ),
            State.DRAFT,
        ),
    ],
)
def test_the_state_of_an_entry(entry: Entry, state: State) -> None:
    assert state_of(entry) is state


def test_blocks_have_their_entries_and_refusals() -> None:
    source = b"# Tea\n\nUse it.\n\nStir it.\n\nPour it.\n\n## Pot\n\nUse it.\n"
    document = read_document("page.md", source)
    catalog = Catalog(
        entries=(
            Entry(msgid="Tea", msgstr="茶"),
            Entry(msgid="Use it.", msgstr="用它。"),
            Entry(msgid="Use it.", context="Tea › Pot", msgstr="用壶。"),
            Entry(msgid="Stir it.", msgstr="一\n二"),
            Entry(msgid="Pour it.", msgstr="倒。"),
            Entry(msgid="Pot", msgstr="壶", obsolete=True),
        )
    )
    merged = merge(document, translations_of(catalog))
    blocks = blocks_of(document, catalog, merged, {"Pour it.": Refusal("M1", "a", "b")})
    assert [(block.entry.msgstr, str(block.state)) for block in blocks] == [
        ("茶", "translated"),
        ("用它。", "translated"),
        ("一\n二", "refused"),
        ("倒。", "refused"),
        ("", "english"),
        ("用壶。", "translated"),
    ]
    refusals = [block.refusal.code for block in blocks if block.refusal]
    assert refusals == ["G102", "M1"]


FUZZY = Entry(
    msgid="Tea is hot.",
    msgstr="茶冷。",
    fuzzy=True,
    previous="Tea is cold.",
    notes=("paragraph", "fuzzy: rewording: Tea is [-cold-]{+hot+}."),
    comments=("mind the tone",),
)


def test_saving_confirms_a_fuzzy_entry_and_says_who_did_it() -> None:
    edited = edit(Catalog(entries=(FUZZY,)), seen(FUZZY), "茶热。", stamp=STAMP)
    assert isinstance(edited, Edited)
    assert edited.entry == Entry(
        msgid="Tea is hot.",
        msgstr="茶热。",
        notes=("paragraph",),
        comments=("mind the tone",),
    )
    assert edited.catalog.header["Last-Translator"] == "Li Lei <li@example.org>"
    assert edited.catalog.entries == (edited.entry,)


def test_a_draft_says_which_english_it_was_written_for() -> None:
    entry = Entry(msgid="Tea is hot.")
    catalog = Catalog(entries=(Entry(msgid="Other"), entry))
    edited = edit(catalog, seen(entry), "茶", is_draft=True, stamp=STAMP)
    assert isinstance(edited, Edited)
    assert (edited.entry.fuzzy, edited.entry.previous) == (True, "Tea is hot.")
    assert state_of(edited.entry) is State.DRAFT
    written = format_catalog(edited.catalog)
    assert read_catalog(written, where="x").catalog.entries[1].msgstr == "茶"


@pytest.mark.parametrize(
    "theirs",
    [Entry(msgid="Tea", msgstr="红茶"), Entry(msgid="Tea", msgstr="茶", fuzzy=True)],
)
def test_what_somebody_else_has_written_is_a_conflict(theirs: Entry) -> None:
    mine = seen(Entry(msgid="Tea", msgstr="茶"))
    result = edit(Catalog(entries=(theirs,)), mine, "绿茶", stamp=STAMP)
    assert result == Conflict(theirs=theirs)


@pytest.mark.parametrize(
    "entries",
    [(), (Entry(msgid="Tea", obsolete=True), Entry(msgid="Tea", context="A"))],
)
def test_an_entry_that_is_gone_is_a_conflict(entries: tuple[Entry, ...]) -> None:
    result = edit(Catalog(entries=entries), seen(Entry(msgid="Tea")), "茶", stamp=STAMP)
    assert result == Conflict(theirs=None)


def test_the_same_words_of_somebody_else_are_no_conflict() -> None:
    theirs = Entry(msgid="Tea", msgstr="茶")
    catalog = Catalog(entries=(theirs,))
    result = edit(catalog, seen(Entry(msgid="Tea")), "茶", stamp=STAMP)
    assert result == Edited(catalog=catalog, entry=theirs)


def test_nobody_is_named_whom_git_does_not_know() -> None:
    assert "Last-Translator" not in stamp_of("", "2026-05-01 09:30+0800")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (" 茶\r\n热 \n", "茶\n热"),
        ("茶\x00\x1b\u202e\ufeff\u2028热\ud83d", "茶热"),
        ("a\tb\rc", "a\tb\nc"),
        ("\n" * 1000, ""),
    ],
)
def test_what_nobody_sees_is_not_saved(typed: str, kept: str) -> None:
    assert cleaned(typed) == kept


@given(st.text(), st.text())
def test_any_text_can_be_saved_and_is_read_back(typed: str, english: str) -> None:
    msgid = cleaned(english) or "Tea"
    entry = Entry(msgid=msgid)
    result = edit(Catalog(entries=(entry,)), seen(entry), cleaned(typed), stamp=STAMP)
    assert isinstance(result, Edited)
    read = read_catalog(format_catalog(result.catalog), where="x").catalog
    assert read.entries[0].msgstr == cleaned(typed)


def catalog_of(**texts: str) -> Catalog:
    return Catalog(
        entries=tuple(
            Entry(msgid=msgid.replace("_", " "), msgstr=msgstr)
            for msgid, msgstr in texts.items()
        )
    )


def test_similar_translations_come_with_their_score_and_once() -> None:
    memory = TranslationMemory(
        {
            "a": catalog_of(Pour_the_hot_tea_now="现在倒热茶", Something_else="别的"),
            "b": catalog_of(Pour_the_hot_tea="倒热茶", Pour_the_cold_tea="倒冷茶"),
            "c": catalog_of(Pour_the_hot_tea="倒热茶"),
        }
    )
    found = memory.search("d", "Pour the hot tea")
    assert (found[0].score, found[0].page, found[0].msgstr) == (100, "b", "倒热茶")
    assert [one.msgstr for one in found].count("倒热茶") == 1
    assert "别的" not in [one.msgstr for one in found]
    # The message itself is no suggestion, its twin on another page is.
    assert memory.search("b", "Pour the hot tea")[0].page == "c"


def test_the_memory_learns_what_is_saved() -> None:
    memory = TranslationMemory({"a": catalog_of(Pour_the_tea="")})
    assert memory.search("b", "Pour the tea") == ()
    memory.replace("a", catalog_of(Pour_the_tea="倒茶"))
    assert [one.msgstr for one in memory.search("b", "Pour the tea")] == ["倒茶"]
