"""core/memory/merge: which version of an entry stays, and two branches' memory of a page."""

from __future__ import annotations

import pytest
from memories import memory_of
from msgspec.structs import replace

from pipeline.core.memory.merge import (
    Merged,
    differences,
    held_in_memories,
    lost_in,
    merge_branches,
    reconcile,
    translations_in_catalogs,
    translations_in_memories,
    unheld_entries,
)
from pipeline.core.memory.record import SAME, SAME_AS_PREVIOUS, Memory, digest
from pipeline.entries import Catalog, Entry

ENGLISH = "Tea is made of leaves and hot water."
TEXT = Entry(msgid=digest(ENGLISH))
OTHER = Entry(msgid=digest("Another text."))
NOBODY: frozenset[tuple[str, str]] = frozenset()


def merge(
    our: Entry, their: Entry, before: Entry | None = None, *, follows: bool = False
) -> Merged:
    base = memory_of(before) if before else None
    return reconcile(memory_of(our), memory_of(their), base=base, held=NOBODY, follows=follows)


def written(text: str) -> Entry:
    """The entry with a translation; ``?`` in front of it says that it waits."""
    return replace(TEXT, msgstr=text.removeprefix("?"), fuzzy=text.startswith("?"))


def drafted(text: str) -> Entry:
    """The entry with words of a machine."""
    note = "draft: m, prompt 1, 2026-05-01, 12345678"
    return replace(written(f"?{text}"), notes=(note,))


@pytest.mark.parametrize(
    ("ours", "theirs", "stays"),
    [
        ("甲", "", "甲"),
        ("", "乙", "乙"),
        ("?甲", "?乙", "?甲"),
        ("?甲", "乙", "乙"),
        ("甲", "?乙", "甲"),
    ],
)
def test_finished_beats_unfinished(ours: str, theirs: str, stays: str) -> None:
    merged = merge(written(ours), written(theirs))
    assert merged.conflicts == []
    assert merged.memory.entries == (written(stays),)


def test_both_sides_of_a_conflict_are_handed_back_and_ours_stays() -> None:
    merged = merge(written("甲"), written("乙"), before=written("丙"))
    assert merged.conflicts == [(written("甲"), written("乙"))]
    assert merged.memory.entries == (written("甲"),)
    assert merged.given_up == []


@pytest.mark.parametrize("follows", [False, True])
@pytest.mark.parametrize("theirs", ["", "乙"])
def test_stored_words_give_way_to_the_memorys(theirs: str, follows: bool) -> None:
    before = written("甲")
    merged = merge(before, written(theirs), before=before, follows=follows)
    assert merged.memory.entries == (written(theirs),)
    assert (merged.given_up, merged.taken) == ([before], True)


@pytest.mark.parametrize("follows", [False, True])
def test_what_was_not_stored_stays_whatever_the_memory_has(follows: bool) -> None:
    merged = merge(written("新"), written(""), before=written("甲"), follows=follows)
    assert merged.memory.entries == (written("新"),)
    assert merged.given_up == []


def test_what_was_changed_here_alone_stays() -> None:
    merged = merge(written("新"), written("甲"), before=written("甲"))
    assert merged.memory.entries == (written("新"),)
    assert (merged.conflicts, merged.given_up, merged.taken) == ([], [], False)


def test_an_entry_that_the_memory_lacks_goes_if_git_has_taken_it_away() -> None:
    before = written("甲")
    followed = merge(before, OTHER, before=before, follows=True)
    assert (followed.memory.entries, followed.given_up) == ((OTHER,), [before])
    # Else the file may be damaged.
    kept = merge(before, OTHER, before=before)
    assert kept.memory.entries == (OTHER, replace(before, obsolete=True))
    # Work that was not stored stays in any case.
    unstored = merge(written("新"), OTHER, before=before, follows=True)
    assert unstored.memory.entries == (OTHER, replace(written("新"), obsolete=True))


def test_a_context_that_was_told_apart_here_stays_on_its_page() -> None:
    theirs = written("甲")
    ours = replace(written("乙"), context="第二处")
    merged = merge(ours, theirs, before=theirs, follows=True)
    assert set(merged.memory.entries) == {theirs, ours}


def test_a_translation_is_lost_if_it_stands_nowhere_any_more() -> None:
    old, new = memory_of(written("甲")), memory_of(written("乙"))
    assert lost_in(new, old, NOBODY) == (written("甲"),)
    assert lost_in(memory_of(OTHER), old, NOBODY) == old.entries
    assert lost_in(old, old, NOBODY) == ()
    # It may only wait now, or have moved to another page.
    assert lost_in(memory_of(written("?甲")), old, NOBODY) == ()
    assert lost_in(new, old, translations_in_memories([old])) == ()
    assert lost_in(new, memory_of(written("")), NOBODY) == ()


def test_what_went_along_to_a_changed_message_elsewhere_is_not_kept_twice() -> None:
    our = written("甲")
    changed = digest("Tea is made of leaves and very hot water.")
    their = Entry(msgid=changed, msgstr="甲", fuzzy=True, previous=our.msgid)
    assert merge(our, their, before=our).memory.entries == (their,)
    # Without a common start it may be somebody's work that is nowhere else: it stays, obsolete.
    assert merge(our, their).memory.entries == (their, replace(our, obsolete=True))


def test_catalogues_and_their_memory_hold_the_same_translations() -> None:
    link = "](https://example.org/the/plan/of/all/kettles)"
    entries = (
        Entry(msgid=ENGLISH, msgstr="茶"),
        Entry(msgid="Now.", msgstr="旧", fuzzy=True, previous="Then."),
        Entry(msgid=f"See [it{link}.", msgstr=f"见[它{link}。"),
        Entry(msgid="Same.", msgstr="Same."),
        Entry(msgid="Blank."),
    )
    assert translations_in_catalogs([Catalog(entries=entries)]) == {
        (TEXT.msgid, "茶"),
        (digest("Then."), "旧"),
        (digest(f"See [it{link}."), "见[它⟦1⟧。"),
        (digest("Same."), "same: as the English"),
    }
    held = translations_in_memories([memory_of(written("茶"), written(""))])
    assert held == {(TEXT.msgid, "茶")}


def test_differences_count_what_people_did_and_no_blank_entries() -> None:
    one, blank = memory_of(written("甲")), memory_of(OTHER)
    noted = replace(written("甲"), notes=("translator: Li Lei, 2026-01-02 03:04+0800",))
    assert differences(one, one) == 0
    assert differences(one, memory_of(noted, OTHER)) == 0
    assert differences(one, memory_of(written("乙"))) == 1
    assert differences(one, blank) == 1
    assert differences(one, memory_of(written("?甲"))) > 0


def test_only_words_of_persons_that_stand_nowhere_else_would_be_lost() -> None:
    new, old = memory_of(OTHER), memory_of(written("甲"))
    nowhere = held_in_memories([])
    assert unheld_entries(new, old, nowhere) == (written("甲"),)
    assert unheld_entries(new, old, held_in_memories([old])) == ()
    # An empty entry holds nothing.
    assert held_in_memories([new]) == set()
    # A fuzzy entry does not tell that the words fit.
    fuzzy = memory_of(written("?甲"))
    assert unheld_entries(new, old, held_in_memories([fuzzy])) == (written("甲"),)
    assert unheld_entries(new, fuzzy, held_in_memories([old])) == ()
    # The entry is there still, whatever it says now.
    assert unheld_entries(memory_of(written("乙")), old, nowhere) == ()
    for nobodys in (written(""), drafted("甲")):
        assert unheld_entries(new, memory_of(nobodys), nowhere) == ()


def test_a_fuzzy_copy_of_the_english_is_held_by_its_finished_original() -> None:
    old, new = digest("96 GB"), digest("96 GiB")
    fuzzy = Entry(msgid=new, previous=old, fuzzy=True, notes=(SAME_AS_PREVIOUS,))
    held = held_in_memories([memory_of(Entry(msgid=old, notes=(SAME,)))])
    assert unheld_entries(memory_of(OTHER), memory_of(fuzzy), held) == ()
    # A copy of the new English is another text.
    copy = replace(fuzzy, notes=(SAME,))
    assert unheld_entries(memory_of(OTHER), memory_of(copy), held) == (copy,)
    for words, entry in (("96 GB", fuzzy), ("96 GiB", copy)):
        local = Entry(msgid="96 GiB", previous="96 GB", fuzzy=True, msgstr=words)
        in_catalogs = translations_in_catalogs([Catalog(entries=(local,))])
        assert in_catalogs == translations_in_memories([memory_of(entry)])


@pytest.mark.parametrize(
    ("ours", "theirs", "stays"),
    [
        (drafted("甲"), written("乙"), written("乙")),
        (written("甲"), drafted("乙"), written("甲")),
        (drafted("甲"), drafted("乙"), drafted("乙")),
    ],
)
def test_drafts_give_way_to_anything(ours: Entry, theirs: Entry, stays: Entry) -> None:
    merged = merge(ours, theirs, before=written("丙"))
    assert merged.memory.entries == (stays,)
    assert (merged.conflicts, merged.given_up) == ([], [])


@pytest.mark.parametrize("ours", [written(""), drafted("甲")])
def test_no_drafts_or_blanks_are_added_to_a_page_that_lacks_them(ours: Entry) -> None:
    other = replace(OTHER, msgstr="乙")
    assert merge(ours, other).memory.entries == (other,)


KEPT = replace(written("甲"), context="emptied", obsolete=True)


def test_emptied_words_stay_as_an_obsolete_entry_of_another_context() -> None:
    stored = replace(written("甲"), comments=("Mind the tone.",))
    merged = merge(written(""), stored, before=stored)
    assert (merged.emptied, merged.taken) == ([stored], True)
    assert merged.memory.entries == (written(""), KEPT)
    # Nothing is done a second time, and others' words get another name.
    ours = merged.memory
    held = translations_in_memories([ours])
    again = reconcile(ours, ours, base=ours, held=held)
    assert (again.memory, again.emptied, again.taken) == (ours, [], False)
    theirs = replace(ours, entries=(written("乙"), KEPT))
    more = reconcile(ours, theirs, base=theirs, held=held)
    second = replace(KEPT, msgstr="乙", context="emptied (2)")
    assert more.memory.entries == (written(""), second, KEPT)


def test_words_that_stand_elsewhere_are_not_kept_as_emptied() -> None:
    stored = written("甲")
    rejected = replace(written(""), comments=("rejected: 甲",))
    assert merge(rejected, stored, before=stored).emptied == []
    ours, theirs = memory_of(written("")), memory_of(stored)
    held = translations_in_memories([theirs])
    assert reconcile(ours, theirs, base=theirs, held=held).emptied == []
    draft = replace(stored, fuzzy=True, notes=("draft: by a model, 0f0f",))
    assert merge(written(""), draft, before=draft).emptied == []


@pytest.mark.parametrize("our", ["旧", ""])
@pytest.mark.parametrize("is_known", [True, False])
def test_an_older_entry_gives_way_to_the_memory_s(our: str, is_known: bool) -> None:
    their = written("新")
    merged = reconcile(
        memory_of(written(our)),
        memory_of(their),
        base=memory_of(their) if is_known else None,
        held=NOBODY,
        is_older=lambda one, other: other == their,
    )
    assert merged.memory.entries == (their,)
    assert merged.taken
    assert merged.outdated == ([written(our)] if our else [])
    assert (merged.conflicts, merged.emptied, merged.given_up) == ([], [], [])


def test_what_changed_on_both_sides_is_a_conflict_however_old_it_is() -> None:
    merged = reconcile(
        memory_of(written("甲")),
        memory_of(written("乙")),
        base=memory_of(written("丙")),
        held=NOBODY,
        is_older=lambda one, other: True,
    )
    assert len(merged.conflicts) == 1
    assert merged.outdated == []


def test_emptied_words_of_the_catalogue_alone_stay_obsolete() -> None:
    ours, theirs = memory_of(written(""), KEPT), memory_of(written(""))
    merged = reconcile(ours, theirs, base=theirs, held=NOBODY)
    assert merged.memory.entries == ours.entries


TEA, CAKE, MILK = (digest(text) for text in ("Tea is hot.", "Cake is sweet.", "Milk."))
FIRST, SECOND, THIRD = ("a" * 40, "b" * 40, "c" * 40)


def memory(*entries: Entry, commit: str = FIRST, **fields: object) -> Memory:
    dates = {FIRST: "2026-01-01", SECOND: "2026-02-01", THIRD: "2026-03-01"}
    date = f"{dates[commit]} 00:00+0000"
    return memory_of(*entries, commit=commit, ref=f"v-{commit[0]}", date=date, **fields)


def entry(code: str, text: str = "", **fields: object) -> Entry:
    made = Entry(msgid=code, msgstr=text.lstrip("?"), fuzzy=text.startswith("?"))
    return replace(made, **fields)


def tea(text: str) -> Memory:
    """The memory of a page that has one message."""
    return memory(entry(TEA, text))


EMPTIED = entry(TEA, "茶", context="emptied", obsolete=True)


def said(merged: Merged) -> list[str]:
    """The translations of the merged memory: ``?`` for those that wait, ``~`` for obsolete."""
    return ["~" * one.obsolete + "?" * one.fuzzy + one.msgstr for one in merged.memory.entries]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "stays"),
    [
        ("甲", "甲", "甲", "甲"),
        ("", "甲", "", "甲"),
        ("", "", "乙", "乙"),
        ("甲", "", "甲", ""),
        ("甲", "乙", "乙", "乙"),
        ("甲", "乙", "", "乙"),
        ("甲", "", "乙", "乙"),
        ("", "?甲", "乙", "乙"),
        ("", "甲", "?乙", "甲"),
        ("甲", "?甲", "甲", "?甲"),
        ("甲", "?", "", "?"),
    ],
)
def test_whose_translation_stays(base: str, ours: str, theirs: str, stays: str) -> None:
    merged = merge_branches(tea(base), tea(ours), tea(theirs))
    assert (said(merged), merged.conflicts) == ([stays], [])


@pytest.mark.parametrize("base", ["", "丙"])
@pytest.mark.parametrize(("ours", "theirs"), [("甲", "乙"), ("?甲", "?乙")])
def test_what_both_translated_is_a_conflict(base: str, ours: str, theirs: str) -> None:
    merged = merge_branches(
        memory(entry(TEA, base), entry(CAKE)),
        memory(entry(TEA, ours), entry(CAKE, "糕")),
        memory(entry(TEA, theirs), entry(CAKE)),
    )
    ((our, their),) = merged.conflicts
    assert (our.msgstr, their.msgstr) == ("甲", "乙")
    assert sorted(said(merged)) == sorted([ours, "糕"])


def test_remarks_and_flags_of_both_sides_come_together() -> None:
    base = entry(TEA, "茶", comments=("old", "both"), flags=("no-wrap",))
    ours = replace(base, comments=("both", "ours"), flags=())
    theirs = replace(base, msgstr="热茶", comments=("old", "both", "theirs"))
    merged = merge_branches(*map(memory, (base, ours, theirs))).memory.entries
    assert merged == (entry(TEA, "热茶", comments=("both", "ours", "theirs")),)


@pytest.mark.parametrize("is_ours", [True, False])
def test_the_page_is_as_the_branch_has_it_that_has_upgraded(is_ours: bool) -> None:
    base = memory(entry(TEA, "茶"), entry(CAKE, "糕"))
    # Upstream has dropped the tea and added the milk.
    gone = entry(TEA, "茶", obsolete=True, notes=(f"seen: {FIRST} page",))
    upgraded = memory(entry(CAKE, "糕"), entry(MILK), gone, commit=SECOND)
    translated = memory(entry(TEA, "热茶"), entry(CAKE, "蛋糕"))
    both = (upgraded, translated) if is_ours else (translated, upgraded)
    merged = merge_branches(base, *both)
    assert (merged.conflicts, merged.memory.commit) == ([], SECOND)
    expected = {entry(CAKE, "蛋糕"), entry(MILK), replace(gone, msgstr="热茶")}
    assert set(merged.memory.entries) == expected
    # What the commit of the note is called is known from the other side.
    assert merged.memory.refs == {FIRST: "v-a"}


def test_a_translation_of_what_the_other_branch_has_dropped_stays_obsolete() -> None:
    base = memory(entry(TEA), entry(CAKE))
    upgraded = memory(entry(CAKE), commit=SECOND)
    translated = memory(entry(TEA, "茶"), entry(CAKE))
    merged = merge_branches(base, upgraded, translated)
    assert said(merged) == ["", "~茶"]
    assert merged.memory.entries[1].notes == (f"seen: {FIRST} page",)
    # A remark alone is nothing to keep of what is gone.
    remarked = memory(entry(TEA, comments=("a remark",)), entry(CAKE))
    assert said(merge_branches(base, upgraded, remarked)) == [""]


def test_a_text_that_is_back_stands_on_the_page_again() -> None:
    old = entry(TEA, "茶", obsolete=True, notes=(f"seen: {THIRD} other",))
    back = memory(entry(CAKE), entry(TEA, "茶"), commit=SECOND)
    better = memory(entry(CAKE), replace(old, msgstr="热茶"))
    merged = merge_branches(memory(entry(CAKE), old), better, back)
    assert set(merged.memory.entries) == {entry(CAKE), entry(TEA, "热茶")}


def test_of_two_upgrades_the_later_release_counts_on_either_side() -> None:
    base, second, third = (memory(entry(TEA), commit=commit) for commit in (FIRST, SECOND, THIRD))
    for sides in ((base, second, third), (base, third, second), (None, third, second)):
        assert merge_branches(*sides).memory.commit == THIRD


def test_what_both_have_added_has_no_base() -> None:
    ours = memory(entry(TEA, "茶"), entry(CAKE))
    theirs = memory(entry(TEA, "茶"), entry(CAKE, "糕"), entry(MILK, "奶"))
    merged = merge_branches(None, ours, theirs)
    assert sorted(said(merged)) == sorted(["茶", "糕", "奶"])
    assert len(merge_branches(None, tea("茶"), tea("热茶")).conflicts) == 1


def test_entries_that_one_side_has_removed_go() -> None:
    base = memory(entry(TEA, "茶"), entry(CAKE, "糕", context="1"))
    removed = memory(entry(TEA, "茶"))
    assert said(merge_branches(base, base, removed)) == ["茶"]
    assert said(merge_branches(base, removed, base)) == ["茶"]


def test_header_of_the_team_and_comment_above_it_merge_by_field() -> None:
    base = memory(extra={"Language-Team": "a", "X-Old": "1"}, comment=("# Team",))
    ours = replace(base, extra={"Language-Team": "b", "X-Old": "1"})
    theirs = replace(base, extra={"Language-Team": "a", "X-New": "2"}, comment=("New",))
    merged = merge_branches(base, ours, theirs).memory
    assert merged.extra == {"Language-Team": "b", "X-New": "2"}
    assert merged.comment == ("New",)
    # Where both have changed it, ours stays: nobody's translation is in it.
    both = replace(base, extra={"Language-Team": "c"})
    assert merge_branches(base, ours, both).memory.extra == {"Language-Team": "b"}


@pytest.mark.parametrize("others", [[], [EMPTIED]])
def test_emptied_words_stay_obsolete_beside_their_message(others: list[Entry]) -> None:
    ours, theirs = memory(entry(TEA), EMPTIED), memory(entry(TEA), *others)
    assert said(merge_branches(tea(""), ours, theirs)) == ["", "~茶"]
