"""core/memory/opening: entries with their English again, as far as it is known or was edited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from memories import COMMIT, memory_of
from msgspec.structs import replace

from pipeline.core.memory.closing import close_catalog
from pipeline.core.memory.opening import (
    Opened,
    add_kept,
    kept_entries,
    open_memory,
    restore_english,
    unknown_texts,
)
from pipeline.core.memory.record import DIFF, SAME, SAME_AS_PREVIOUS, Memory, digest
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
def test_entries_known_in_part_wait_for_the_rest(entry: Entry, msgstr: str) -> None:
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


@pytest.mark.parametrize(("source", "words"), [((FIRST,), "[-One.-]{+Now.+}"), ((), DIFF)])
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


TEXT = "Read [what the bakers next door say](https://example.org/a-page-about-all-shoes)."
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
    entries = [Entry(msgid="Tea", msgstr=text, context="replaced") for text in "甲乙丙甲"]
    catalog = add_kept(add_kept(Catalog(), entries[:1]), entries)
    found = [(entry.context, entry.msgstr) for entry in catalog.entries]
    assert found == [("replaced", "甲"), ("replaced (2)", "乙"), ("replaced (3)", "丙")]


MESSAGES = [
    "The kettle stands on the left.",
    "Cups hang above it, six in a row.",
    "Never leave the gas on.",
    "Whoever is last puts out the light.",
]
HEAD = memory_of(page="kitchen")
WANTED = [Entry(msgid=text, notes=("paragraph",)) for text in MESSAGES]
CATALOG = Catalog(
    entries=tuple(replace(entry, msgstr=f"译文{number}") for number, entry in enumerate(WANTED))
)


def with_entries(*entries: Entry) -> Catalog:
    return replace(CATALOG, entries=entries)


def stored(catalog: Catalog) -> Memory:
    return close_catalog(catalog, HEAD, old=None, live=(), find=lambda _: None)


BASE = stored(CATALOG)


def edited(*changes: tuple[int, str, str]) -> Catalog:
    """The catalogue with other English, and other translations, in some entries."""
    entries = list(CATALOG.entries)
    for number, msgid, msgstr in changes:
        entries[number] = replace(entries[number], msgid=msgid, msgstr=msgstr)
    return with_entries(*entries)


@pytest.mark.parametrize(
    "msgid", ["The kettle stands on the right.", "Quite another text", "4f" * 16]
)
def test_the_stored_translation_tells_which_message_it_was(msgid: str) -> None:
    back = restore_english(edited((0, msgid, "译文0")), BASE, WANTED)
    assert back.catalog == CATALOG
    assert [entry.msgid for entry in back.edited] == [msgid]


def test_all_of_a_page_is_put_back_by_its_translations() -> None:
    changes = [(number, f"{number}" * 32, f"译文{number}") for number in range(4)]
    assert restore_english(edited(*changes), BASE, WANTED).catalog == CATALOG


def test_else_its_place_does_and_the_translation_waits() -> None:
    back = restore_english(edited((1, "Quite another text", "新译文")), BASE, WANTED)
    entry = back.catalog.entries[1]
    assert (entry.msgid, entry.msgstr) == (MESSAGES[1], "新译文")
    assert (entry.fuzzy, entry.previous) == (True, MESSAGES[1])
    assert entry.notes[-1].startswith("fuzzy: other: ")


def test_else_its_words_do() -> None:
    """Two neighbours at once leave no place to tell."""
    second = (1, "Never leave the gas burning.", "新的二")
    catalog = edited(second, (2, "Cups hang above, six in one row.", ""))
    back = restore_english(catalog, BASE, WANTED).catalog
    found = {entry.msgid: entry for entry in back.entries}
    assert found[MESSAGES[2]].msgstr == "新的二"
    # One without a translation has nothing to wait for.
    assert (found[MESSAGES[1]].msgstr, found[MESSAGES[1]].fuzzy) == ("", False)


def test_one_that_waited_before_waits_for_what_it_waited_for() -> None:
    edit = Entry(msgid="Quite another text", msgstr="新译文")
    entry = replace(edit, fuzzy=True, previous="The old kettle.")
    catalog = with_entries(entry, *CATALOG.entries[1:])
    back = restore_english(catalog, BASE, WANTED)
    assert back.catalog.entries[0] == replace(entry, msgid=MESSAGES[0])


def test_an_entry_that_took_the_place_of_two_tells_of_neither() -> None:
    first, _, third, last = CATALOG.entries
    one = Entry(msgid="Quite another text", msgstr="新的")
    catalog = with_entries(first, one, last)
    assert restore_english(catalog, BASE, WANTED).catalog == catalog
    # Nor does one beside it that was there before, on another page of the memory.
    other = Entry(msgid="On another page once.", msgstr="别处")
    base = replace(BASE, entries=(*BASE.entries, *stored(with_entries(other)).entries))
    swapped = with_entries(first, other, third, last, one)
    assert restore_english(swapped, base, WANTED).catalog == swapped


def test_what_is_like_nothing_stays_as_it_is() -> None:
    extra = Entry(msgid="Quite another text", msgstr="多出来的")
    added = with_entries(*CATALOG.entries, extra)
    assert restore_english(added, BASE, WANTED).catalog is added
    # Also if a message is missing, but elsewhere.
    cut = with_entries(*added.entries[1:])
    assert restore_english(cut, BASE, WANTED).catalog == cut


def test_obsolete_entries_and_those_of_a_newer_page_are_no_strangers() -> None:
    obsolete = Entry(msgid="Gone long ago.", msgstr="旧的", obsolete=True)
    newer = Entry(msgid="The kettle stands on the right.", msgstr="新的")
    catalog = with_entries(newer, *CATALOG.entries[1:], obsolete)
    assert unknown_texts(catalog, BASE) == {newer.msgid}
    back = restore_english(catalog, BASE, WANTED, newer=[newer.msgid])
    assert back.catalog is catalog
    # An obsolete one of the same words is left alone.
    old = replace(newer, obsolete=True, context="old")
    twice = with_entries(newer, *CATALOG.entries[1:], old)
    found = restore_english(twice, BASE, WANTED).catalog.entries
    assert (found[0].msgid, found[-1].msgid) == (MESSAGES[0], newer.msgid)


def test_a_translation_that_cannot_be_restored_tells_nothing() -> None:
    """The memory has ⟦7⟧ where the English has no such atom."""
    entries = [replace(entry, msgstr=f"⟦7⟧{entry.msgstr}") for entry in BASE.entries]
    base = replace(BASE, entries=tuple(entries))
    back = restore_english(edited((0, "Quite another", "译文0")), base, WANTED)
    assert back.catalog.entries[0].fuzzy
