"""core/memory/branches: two branches' memory of a page become one, entry by entry."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pipeline.core.memory.merge import Merged, merge_branches
from pipeline.core.memory.record import Memory, digest
from pipeline.entries import Entry

TEA, CAKE, MILK = (digest(text) for text in ("Tea is hot.", "Cake is sweet.", "Milk."))
FIRST, SECOND, THIRD = ("a" * 40, "b" * 40, "c" * 40)


def memory(*entries: Entry, commit: str = FIRST, **fields: object) -> Memory:
    dates = {FIRST: "2026-01-01", SECOND: "2026-02-01", THIRD: "2026-03-01"}
    made = Memory(
        upstream="x",
        locale="zh_CN",
        page="page",
        commit=commit,
        ref=f"v-{commit[0]}",
        layout="0" * 32,
        date=f"{dates[commit]} 00:00+0000",
        entries=entries,
    )
    return replace(made, **fields)


def entry(code: str, text: str = "", **fields: object) -> Entry:
    made = Entry(msgid=code, msgstr=text.lstrip("?"), fuzzy=text.startswith("?"))
    return replace(made, **fields)


def tea(text: str) -> Memory:
    """The memory of a page that has one message."""
    return memory(entry(TEA, text))


EMPTIED = entry(TEA, "茶", context="emptied", obsolete=True)


def said(merged: Merged) -> list[str]:
    """The translations of the merged memory: ``?`` for those that wait, ``~`` for obsolete."""
    return [
        "~" * one.obsolete + "?" * one.fuzzy + one.msgstr
        for one in merged.memory.entries
    ]


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
def test_only_what_both_have_translated_is_a_conflict(
    base: str, ours: str, theirs: str
) -> None:
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
    base, second, third = (
        memory(entry(TEA), commit=commit) for commit in (FIRST, SECOND, THIRD)
    )
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
def test_emptied_words_stay_obsolete_though_the_page_has_their_message(
    others: list[Entry],
) -> None:
    ours, theirs = memory(entry(TEA), EMPTIED), memory(entry(TEA), *others)
    assert said(merge_branches(tea(""), ours, theirs)) == ["", "~茶"]
