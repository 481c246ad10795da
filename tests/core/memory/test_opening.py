"""core/memory/opening: entries of a memory with their English again, as far as it is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from memories import COMMIT, memory_of
from msgspec.structs import replace

from pipeline.core.memory.opening import Opened, add_kept, kept_entries, open_memory
from pipeline.core.memory.record import DIFF, SAME, SAME_AS_PREVIOUS, digest
from pipeline.entries import Catalog, Entry

TEA, CUP = "Tea is hot.", "A cup is full."
TEXTS = {digest(text): text for text in (TEA, CUP, "Now.", "One.", "Two.")}
NOW, LOST = digest("Now."), digest("Lost.")
FIRST, SECOND, GONE = (
    f"source: {digest(text)} {COMMIT} page" for text in ("One.", "Two.", "Lost.")
)
WAITING = Entry(msgid=NOW, msgstr="一", fuzzy=True, previous=LOST)


def opened(*entries: Entry, wanted: Sequence[str] = ("Now.",)) -> Opened:
    """What becomes of the entries of a memory on a page with the messages ``wanted``."""
    blank = [Entry(msgid=text, notes=("paragraph",)) for text in wanted]
    return open_memory(memory_of(*entries), blank, texts=TEXTS, header={})


def test_a_catalogue_follows_the_page_and_ends_with_what_is_gone() -> None:
    work: dict[str, Any] = {
        "msgstr": "茶烫。",
        "comments": ("!",),
        "flags": ("no-wrap",),
    }
    tea = Entry(msgid=TEA, notes=("heading",), references=("page",))
    gone = Entry(msgid=CUP, msgstr="杯满。", obsolete=True)
    memory = memory_of(
        replace(Entry(msgid=digest(TEA)), **work),
        replace(gone, msgid=digest(CUP)),
        Entry(msgid=LOST, obsolete=True),
        comment=("Ours.",),
    )
    new = Entry(msgid="New.", notes=("paragraph",), references=("page",))
    header = {"Language": "zh_CN"}
    entries = (new, replace(tea, **work), gone)
    catalog = Catalog(header=header, comment=("Ours.",), entries=entries)
    found = open_memory(memory, [new, tea], texts=TEXTS, header=header)
    assert found == Opened(catalog=catalog)


def test_a_message_comes_back_once_for_each_context() -> None:
    contexts = [
        Entry(msgid=NOW, msgstr=text, context=text, obsolete=text == "丙")
        for text in ("甲", "乙", "丙")
    ]
    found = opened(*contexts).catalog.entries
    states = [(entry.msgstr, entry.obsolete) for entry in found]
    assert states == [("甲", False), ("乙", False), ("丙", True)]


def test_a_message_that_is_on_the_page_again_gets_its_obsolete_translation() -> None:
    found = opened(Entry(msgid=NOW, msgstr="现在。", obsolete=True))
    live = Entry(msgid="Now.", msgstr="现在。", notes=("paragraph",))
    assert (found.catalog.entries, found.missing) == ((live,), ())


@pytest.mark.parametrize(
    ("entry", "msgstr"),
    [
        (replace(WAITING, msgstr="", notes=(SAME_AS_PREVIOUS,)), ""),
        (replace(WAITING, notes=("fuzzy: merged", FIRST, GONE)), "一"),
        (replace(WAITING, notes=("fuzzy: merged", FIRST, SECOND)), "一"),
        (Entry(msgid=LOST, msgstr="没了", obsolete=True), ""),
    ],
    ids=["the previous English", "a part", "other parts", "the message"],
)
def test_entries_whose_english_is_known_in_part_wait_for_the_rest(
    entry: Entry, msgstr: str
) -> None:
    found = opened(entry)
    (on_page,) = found.catalog.entries
    assert (on_page.msgstr, on_page.previous) == (msgstr, None)
    assert found.missing == (entry,)


def test_the_parts_of_a_joined_message_are_its_previous_english() -> None:
    notes = (f"fuzzy: merged: {DIFF}", FIRST, SECOND)
    found = opened(replace(WAITING, previous=digest("One. Two."), notes=notes))
    (entry,) = found.catalog.entries
    assert (entry.msgstr, entry.previous) == ("一", "One. Two.")
    assert entry.notes == ("paragraph", "fuzzy: merged: [-One. Two.-]{+Now.+}")
    assert found.missing == ()


@pytest.mark.parametrize(
    ("source", "words"), [((FIRST,), "[-One.-]{+Now.+}"), ((), DIFF)]
)
def test_the_change_that_a_translation_followed_is_quoted_if_its_source_is_known(
    source: tuple[str, ...], words: str
) -> None:
    note = f"carried over: mark-up: {DIFF}"
    found = opened(Entry(msgid=NOW, msgstr="现在。", notes=(note, *source)))
    (entry,) = found.catalog.entries
    assert entry.notes == ("paragraph", f"carried over: mark-up: {words}")


def test_english_that_serves_as_a_translation_comes_back() -> None:
    same = opened(Entry(msgid=NOW, notes=(SAME,)))
    assert same.catalog.entries[0].msgstr == "Now."
    old = replace(WAITING, msgstr="", previous=digest(TEA), notes=(SAME_AS_PREVIOUS,))
    entry = opened(old).catalog.entries[0]
    assert (entry.msgstr, entry.previous) == (TEA, TEA)


@pytest.mark.parametrize(
    ("entry", "opened_entries"),
    [
        # Its atoms are not known.
        (Entry(msgid=digest(CUP), msgstr="见 ⟦1⟧。", obsolete=True), ()),
        # It comes back though its previous English does not.
        (
            replace(WAITING, obsolete=True),
            (Entry(msgid="Now.", msgstr="一", fuzzy=True, obsolete=True),),
        ),
    ],
)
def test_a_gone_message_that_is_not_known_in_full_stays_in_the_memory(
    entry: Entry, opened_entries: tuple[Entry, ...]
) -> None:
    found = opened(entry, wanted=())
    assert (found.catalog.entries, found.missing) == (opened_entries, (entry,))


def test_emptied_words_come_back_as_obsolete_and_not_into_their_message() -> None:
    emptied = Entry(msgid=NOW, msgstr="今", context="emptied", obsolete=True)
    live, kept = opened(emptied).catalog.entries
    assert live == Entry(msgid="Now.", notes=("paragraph",))
    assert kept == replace(emptied, msgid="Now.")


TEXT = (
    "Read [what the bakers next door say](https://example.org/a-page-about-all-shoes)."
)
CODE = digest(TEXT)


def test_an_entry_has_its_english_and_says_why_it_is_kept_and_whose_it_is() -> None:
    who = "translator: Li Lei <li@example.org>, 2026-01-02 03:04+0800"
    entry = Entry(
        msgid=CODE,
        msgstr="请读[面包师怎么说⟦1⟧。",
        comments=("A remark.",),
        notes=(f"seen: {'a' * 40} page", who),
        obsolete=True,
    )
    (kept,) = kept_entries([entry], {CODE: TEXT}, reason="replaced")
    assert kept == Entry(
        msgid=TEXT,
        msgstr="请读[面包师怎么说](https://example.org/a-page-about-all-shoes)。",
        context="replaced",
        comments=("A remark.", who),
    )


def test_without_the_english_the_entry_is_as_the_memory_has_it() -> None:
    entry = Entry(msgid=CODE, msgstr="请读 ⟦1⟧", context="Arrays", fuzzy=True)
    (kept,) = kept_entries([entry], {}, reason="replaced")
    assert kept == replace(entry, context="Arrays: replaced")


def test_reasons_are_counted_and_a_translation_is_kept_once() -> None:
    entries = [
        Entry(msgid="Tea", msgstr=text, context="replaced") for text in "甲乙丙甲"
    ]
    catalog = add_kept(add_kept(Catalog(), entries[:1]), entries)
    found = [(entry.context, entry.msgstr) for entry in catalog.entries]
    assert found == [("replaced", "甲"), ("replaced (2)", "乙"), ("replaced (3)", "丙")]
