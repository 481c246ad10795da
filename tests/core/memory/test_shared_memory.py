"""A page's memory as another release has it, and back."""

from __future__ import annotations

import pytest
from memories import memory_of
from msgspec.structs import replace

from pipeline.core.memory.merge import translations_in_memories, translations_seen_at
from pipeline.core.memory.record import SAME, Memory, digest
from pipeline.core.memory.releases import (
    at_release,
    finished_translations,
    fold,
    is_folded,
    offer,
)
from pipeline.entries import Entry

ONE, TWO = "1" * 40, "2" * 40
TEA, GLUE, SAW, LAMP = map(digest, ("Tea.", "Glue.", "Saw.", "Lamp."))
SEEN_TWO = f"seen: {TWO} guide"


def entry(code: str, msgstr: str = "", **fields: object) -> Entry:
    return replace(Entry(msgid=code, msgstr=msgstr), **fields)


def memory(*entries: Entry, commit: str = ONE) -> Memory:
    fields = {"page": "guide", "commit": commit, "ref": f"v{commit[0]}"}
    date = "2026-01-01 00:00+0000"
    return memory_of(*entries, layout=digest(commit), date=date, **fields)


def beside(*entries: Entry) -> Memory:
    """The page at the other release."""
    return memory(*entries, commit=TWO)


PINNED = memory(entry(TEA, "Tee."), entry(GLUE, "Leim."), entry(SAW))
BY_LI = "translator: Li, 2026-01-02 03:04+0800"
# There the page has tea, saw and lamp, and no glue.
HEAD = beside(entry(LAMP), entry(SAW), entry(TEA))


def works(memory: Memory) -> dict[str, tuple[str, bool]]:
    return {one.msgid: (one.msgstr, one.obsolete) for one in memory.entries}


def test_messages_of_the_release_are_live_and_others_obsolete() -> None:
    view = at_release(PINNED, HEAD)
    assert works(view) == {
        TEA: ("Tee.", False),
        GLUE: ("Leim.", True),
        SAW: ("", False),
        LAMP: ("", False),
    }
    assert (view.commit, view.layout, view.date) == (TWO, HEAD.layout, "")
    assert view.by_key()[None, GLUE].notes == (f"seen: {ONE} guide",)
    assert view.refs == {ONE: "v1"}


def test_an_unchanged_page_keeps_its_date() -> None:
    assert at_release(PINNED, replace(HEAD, layout=PINNED.layout)).date == PINNED.date


@pytest.mark.parametrize(
    "own",
    [
        at_release(PINNED, HEAD),
        at_release(PINNED, beside()),
        beside(),  # it lacks translations, and none is lost in the memory
        beside(entry(LAMP, comments=("Ask Li.",))),
        beside(entry(LAMP, "Lampe", fuzzy=True, notes=("draft: m 00000000",))),
        # A fuzzy entry that the update made from a finished one of the page.
        beside(entry(TEA, "Tee."), entry(LAMP, "Tee.", fuzzy=True, previous=TEA)),
    ],
    ids=["unchanged", "page gone", "empty", "comment", "draft", "offer"],
)
def test_nothing_to_fold(own: Memory) -> None:
    assert fold(PINNED, own) is PINNED


def test_a_translation_of_a_message_that_the_pin_lacks_becomes_obsolete() -> None:
    own = entry(LAMP, "Lampe.", notes=(BY_LI,))
    folded = fold(PINNED, beside(own))
    *others, added = folded.entries
    assert others == sorted(PINNED.entries, key=lambda one: one.msgid)
    assert added == replace(own, obsolete=True, notes=(SEEN_TWO, BY_LI))
    assert (folded.commit, folded.refs) == (ONE, {TWO: "v2"})
    assert at_release(folded, HEAD).by_key()[None, LAMP].msgstr == "Lampe."
    assert fold(folded, at_release(folded, HEAD)) is folded


@pytest.mark.parametrize(
    "changed",
    [
        entry(TEA, "Der Tee."),
        entry(TEA),
        entry(TEA, "Tee.", fuzzy=True),
        entry(TEA, "Tee.", comments=("Ask Li.",)),
    ],
    ids=["corrected", "emptied", "doubted", "commented"],
)
def test_a_changed_translation_replaces_that_of_the_pin(changed: Entry) -> None:
    assert fold(PINNED, beside(changed)).by_key()[None, TEA] == changed


def test_words_that_somebody_removed_stay_obsolete_in_both() -> None:
    removed = entry(TEA, "Tee.", context="emptied", obsolete=True)
    folded = fold(PINNED, beside(entry(TEA, "Tee."), removed))
    assert folded.by_key()["emptied", TEA].obsolete
    assert at_release(folded, HEAD).by_key()["emptied", TEA].obsolete


def test_a_context_that_a_release_introduces_is_live_in_both() -> None:
    folded = fold(PINNED, beside(entry(TEA, "Tee trinken.", context="drink")))
    assert not folded.by_key()["drink", TEA].obsolete
    old = entry(TEA, "Thee", context="old", obsolete=True)
    view = at_release(replace(PINNED, entries=(*PINNED.entries, old)), HEAD)
    assert view.by_key()["old", TEA].obsolete


def test_english_as_its_own_translation_is_an_offer_as_well() -> None:
    same, note = entry(TEA, notes=(SAME,)), "same: as the previous English"
    offered = entry(LAMP, fuzzy=True, previous=TEA, notes=(note,))
    pinned = memory(same)
    assert fold(pinned, beside(same, offered)) is pinned


def test_whether_all_is_folded() -> None:
    view = at_release(PINNED, HEAD)
    first, *_ = view.entries
    assert is_folded(view, view)
    assert not is_folded(view, beside(entry(TEA, "Tee.")))
    assert not is_folded(view, beside(first, entry(SAW, "x")))


def test_untranslated_messages_get_finished_translations_of_other_pages() -> None:
    first = beside(
        entry(SAW, "Säge.", notes=(SAME, "fuzzy: x")),
        entry(TEA, "Chai."),
        entry(GLUE, "Kleber.", fuzzy=True),
        entry(LAMP, "Lampe.", context="c"),
    )
    found = finished_translations([first, beside(entry(SAW, "Sägen."))])
    assert found.keys() == {SAW, TEA}
    offered = offer(PINNED, found)
    assert offered.entries == (
        *PINNED.entries[:2],
        entry(SAW, "Säge.", notes=(SAME,)),
    )
    assert offer(offered, found) is offered


def test_translations_that_only_another_release_shows() -> None:
    gone = entry(LAMP, "Lampe.", obsolete=True, notes=(SEEN_TWO,))
    blank = entry(SAW, obsolete=True, notes=(SEEN_TWO,))
    found = translations_seen_at(memory(entry(TEA, "Tee."), gone, blank), {TWO})
    assert found == translations_in_memories([memory(gone)])
    assert not translations_seen_at(memory(gone), {ONE})
