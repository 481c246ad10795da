"""Offers of a copy at the pin, with the atoms that it lost, and what is wrong with its code."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pipeline.core.adoption.alignment import Pair
from pipeline.core.adoption.blocks import Block, BlockKind
from pipeline.core.adoption.markup_restoration import restore
from pipeline.core.adoption.offers import (
    Offer,
    Translation,
    adopt_into,
    carry_to_pin,
    is_same,
)
from pipeline.core.adoption.result import (
    AdoptedCopy,
    AdoptResult,
    CodeCell,
    Row,
    State,
    audit_code,
)
from pipeline.core.catalog.origins import (
    Copy,
    Machine,
    copy_of,
    credits_of,
    fuzzy_class,
)
from pipeline.core.catalog.update import update_catalogs
from pipeline.core.document.message import Markup
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding

ORIGIN = Copy(
    file="copy of it.md",
    commit="a" * 40,
    page="ovens",
    author="Li Lei",
    licence="CC-BY-4.0",
)
DOOR = "Every oven has a door with a window in it, and a lamp behind that."
LIGHT = DOOR.replace("lamp", "light")
WAIT = "Wait for fifteen minutes before you open the door of the oven."
CAKE = "Cake takes half as long as bread does, whatever the recipe may say."
# The mark of the English, and what the Chinese has in its place.
MARKS = {
    "role for a span": ("{func}`oven.heat`", "`oven.heat`"),
    "short form of a role": ("{func}`~oven.heat`", "heat()"),
    "shown form of a role": ("{func}`~oven.heat`", "heat"),
    "role with a title": ("{func}`heat <oven.heat>`", "heat"),
    "link for a role": ("{func}`oven.heat`", "[`oven.heat`](http://a.org/x)"),
    "formula of MathJax": ("$x + y$", "\\(x + y\\)"),
    "a link that was stripped": ("[NumPy](a.md)", "NumPy"),
    "a link around code": ("[`oven`](a.md)", "oven"),
}
MARKS_OF_RST = {
    "literal": ("``oven.heat``", "`oven.heat`"),
    "role": (":func:`oven.heat`", "`oven.heat`"),
    "stripped link": ("`NumPy <a.rst>`__", "NumPy"),
}
RESTORED = {
    "bare name": ("Use `oven.heat` here.", "这里用oven.heat。", "这里用`oven.heat`。"),
    "one letter": ("Set `n` to 3.", "把n设为3。", "把`n`设为3。"),
    "one in the other": (
        "Set `heat` and `oven.heat`.",
        "设oven.heat和heat。",
        "设`oven.heat`和`heat`。",
    ),
    "bare formula": ("With $x$ it is so.", "由x可知。", "由$x$可知。"),
    "target on the web": (
        "See [this](a.md).",
        "见[这里](https://a.org/docs/a.html)。",
        "见[这里](a.md)。",
    ),
    "the only link": (
        "See [this](a.md#b).",
        "见[这里](x.html)。",
        "见[这里](a.md#b)。",
    ),
    "links in another order": (
        "See [NumPy](a.md), [this](b.md).",
        "见[那个](b.html)和[NumPy](q.html)。",
        "见[那个](b.md)和[NumPy](a.md)。",
    ),
    "a link that is not English": ("See the oven.", "见[烤箱](a.html)。", "见烤箱。"),
    "an image": (
        "An ![oven](a.png).",
        "一个![烤箱](b/c.png)。",
        "一个![烤箱](a.png)。",
    ),
    "not in a URL": (
        "Go to http://a.org/oven, `oven`.",
        "到 http://a.org/oven。oven",
        "到 http://a.org/oven。`oven`",
    ),
}
AS_THEY_ARE = {
    "there already": ("Use `oven.heat` here.", "这里用 `oven.heat`。"),
    "fewer than there should be": ("Set `n` and `n`.", "设n。"),
    "more than there should be": ("Set `n`.", "设n，再设n。"),
    "two that look alike": ("Set `n`, {func}`n`.", "设n和n。"),
    "part of another name": ("Set `n`.", "设 n_1 和 man。"),
    "links that nobody knows": (
        "See [one](a.md), [two](b.md).",
        "见[甲](x.html)、[乙](y.html)。",
    ),
    "a stripped link in Chinese": ("See [the table](a.md).", "见表格。"),
    "a stripped link without a name": ("See [1](a.md).", "见 1。"),
    "another image": ("An oven.", "一个![烤箱](c.png)。"),
    "within a link": ("See [NumPy](a.md), [that](c.md).", "见[那](c.html#NumPy)。"),
    "nothing": ("Just words.", "只有文字。"),
}


def translation(*english: str, chinese: str = "译文", score: float = 0.9) -> Translation:
    return Translation(english=english, chinese=chinese, score=score)


def entries(*messages: str) -> Catalog:
    return Catalog(entries=tuple(Entry(msgid=message) for message in messages))


def offers(
    translations: list[Translation], *messages: str, **pin: Catalog
) -> dict[tuple[str, str], Offer]:
    """The offers of a copy of a page with ``messages`` for the pages of the pin."""
    found, _ = carry_to_pin("ovens", messages, translations, pin)
    return {(offer.page, offer.msgid): offer for offer in found}


def test_equal_english_takes_its_translation() -> None:
    (offer,) = offers([translation(DOOR)], DOOR, WAIT, ovens=entries(DOOR, WAIT)).values()
    assert (offer.msgid, offer.previous, offer.change) == (DOOR, DOOR, "")


def test_changed_english_takes_it_with_the_change() -> None:
    (offer,) = offers([translation(DOOR)], DOOR, ovens=entries(LIGHT)).values()
    assert (offer.msgid, offer.previous) == (LIGHT, DOOR)
    assert "[-lamp-]{+light+}" in offer.change


def test_a_message_that_is_gone_is_told() -> None:
    pin = {"ovens": entries(CAKE)}
    found = carry_to_pin("ovens", [DOOR], [translation(DOOR)], pin)
    assert found == ([], [translation(DOOR)])


def test_a_message_that_moved_to_another_page_is_found_there() -> None:
    chairs, both = entries("Sit down."), [translation(DOOR), translation(WAIT)]
    pages = {"ovens": entries(WAIT), "doors": entries(DOOR), "chairs": chairs}
    found = offers(both, DOOR, WAIT, **pages)
    assert set(found) == {("ovens", WAIT), ("doors", DOOR)}


def test_a_page_that_is_gone_lives_on_in_another() -> None:
    found = offers([translation(DOOR)], DOOR, WAIT, stoves=entries(DOOR, WAIT))
    assert set(found) == {("stoves", DOOR)}


def test_what_still_stands_on_the_page_is_not_offered_to_others() -> None:
    """Though they have the same words: a page here and there is not what the copy is of."""
    both = [translation(DOOR), translation(WAIT)]
    found = offers(both, DOOR, WAIT, ovens=entries(DOOR), doors=entries(DOOR, WAIT))
    assert set(found) == {("ovens", DOOR), ("doors", WAIT)}


def test_an_untranslated_message_lends_its_place_to_none() -> None:
    found = offers([translation(DOOR)], DOOR, LIGHT, ovens=entries(DOOR, LIGHT))
    assert set(found) == {("ovens", DOOR)}


def test_a_text_that_stands_twice_takes_the_first() -> None:
    both = [translation(DOOR, chinese="甲"), translation(DOOR, chinese="乙")]
    (offer,) = offers(both, DOOR, DOOR, ovens=entries(DOOR)).values()
    assert offer.translation.chinese == "甲"


def test_several_messages_in_one_paragraph_get_all_of_it() -> None:
    both = translation(DOOR, WAIT)
    found = offers([both], DOOR, WAIT, ovens=entries(DOOR, WAIT))
    assert [offer.translation for offer in found.values()] == [both, both]
    assert {offer.previous for offer in found.values()} == {f"{DOOR} {WAIT}"}
    assert all(offer.change.startswith("split:") for offer in found.values())


def test_several_messages_of_which_one_has_changed() -> None:
    """The English that they were put together of stands nowhere: each quotes its own."""
    new = WAIT.replace("fifteen", "twenty")
    found = offers([translation(DOOR, WAIT)], DOOR, WAIT, ovens=entries(DOOR, new))
    same, changed = found["ovens", DOOR], found["ovens", new]
    assert (same.previous, same.change) == (DOOR, "split")
    assert changed.previous == WAIT
    assert "twenty" in changed.change


def test_messages_that_upstream_joined_take_both() -> None:
    joined = f"{DOOR} {WAIT}"
    parts = [
        translation(DOOR, chinese="甲。"),
        translation(WAIT, chinese="乙。", score=0.5),
    ]
    (offer,) = offers(parts, DOOR, WAIT, ovens=entries(joined)).values()
    assert (offer.translation.chinese, offer.translation.score) == ("甲。乙。", 0.5)
    assert (offer.previous, offer.change) == (joined, "merged")


# --- into a catalogue


def offered(*msgids: str, chinese: str = "译文") -> dict[str, tuple[Offer, str]]:
    """The same translation for each of the messages, of which none has changed."""
    return {
        msgid: (
            Offer(
                page="ovens",
                msgid=msgid,
                translation=translation(msgid, chinese=chinese),
                english=msgid,
                previous=msgid,
            ),
            chinese,
        )
        for msgid in msgids
    }


def adopted(entry: Entry, chinese: str = "译文") -> Entry:
    offers = offered(entry.msgid, chinese=chinese)
    (found,) = adopt_into(Catalog(entries=(entry,)), offers, ORIGIN).entries
    return found


def test_an_empty_entry_waits_with_the_translation() -> None:
    entry = adopted(Entry(msgid=DOOR, notes=("paragraph", "carried over: nonsense")))
    origin = f"adopted: copy_of_it.md, {'a' * 40} ovens, 0.90, by Li Lei, CC-BY-4.0"
    notes = ("paragraph", "fuzzy: adopted", origin)
    assert entry == Entry(msgid=DOOR, msgstr="译文", fuzzy=True, previous=DOOR, notes=notes)
    assert fuzzy_class(entry) == "adopted"
    assert copy_of(entry) == replace(ORIGIN, file="copy_of_it.md")


def test_a_score_never_says_that_nobody_need_look() -> None:
    assert ", 0.99, " in ORIGIN.note(1.0)


def test_the_same_words_change_nothing() -> None:
    entry = Entry(msgid=DOOR, msgstr="译 文。")
    assert adopted(entry) == entry
    assert is_same("译 文。", "译文")


def test_other_words_stand_in_a_comment_once() -> None:
    entry = adopted(Entry(msgid=DOOR, msgstr="别的说法"))
    assert (entry.msgstr, entry.fuzzy) == ("别的说法", False)
    assert entry.comments == ("copy_of_it.md, by Li Lei, CC-BY-4.0: 译文",)
    assert adopted(entry) == entry


def test_what_was_adopted_from_the_same_file_stays() -> None:
    entry = adopted(Entry(msgid=DOOR))
    assert adopted(entry, chinese="第二次的译文") == entry


def test_a_draft_gives_way_to_what_somebody_wrote() -> None:
    note = Machine(model="m", prompt=1, date="2026-05-01").note("机器写的。")
    draft = replace(
        Entry(msgid=DOOR, msgstr="机器写的。", fuzzy=True, previous=DOOR),
        notes=("paragraph", note),
    )
    entry = adopted(draft)
    assert (entry.msgstr, entry.fuzzy) == ("译文", True)
    kinds = [note.partition(":")[0] for note in entry.notes]
    assert kinds == ["paragraph", "fuzzy", "adopted"]
    # What a person has remarked on, or changed, is a person's.
    assert adopted(replace(draft, comments=("really?",))).msgstr == "机器写的。"
    assert adopted(replace(draft, msgstr="改过。")).msgstr == "改过。"


def test_obsolete_entries_and_second_contexts_are_left_alone() -> None:
    gone = Entry(msgid=DOOR, obsolete=True)
    first, second = (Entry(msgid=DOOR, context=context) for context in "ab")
    catalog = Catalog(entries=(gone, first, second))
    found = adopt_into(catalog, offered(DOOR), ORIGIN).entries
    assert [entry.msgstr for entry in found] == ["", "译文", ""]
    translated = Catalog(entries=(first, replace(second, msgstr="乙")))
    assert adopt_into(translated, offered(DOOR), ORIGIN) is translated


def test_a_catalogue_that_needs_nothing_is_the_same_object() -> None:
    catalog = Catalog(entries=(Entry(msgid=DOOR),))
    assert adopt_into(catalog, {}, ORIGIN) is catalog


TEXT = st.sampled_from(["", "译文", "别的", "译文。", "a b"])
ENTRY = st.builds(
    Entry,
    msgid=st.sampled_from([DOOR, WAIT, CAKE]),
    msgstr=TEXT,
    fuzzy=st.booleans(),
    previous=st.sampled_from([None, DOOR]),
    obsolete=st.booleans(),
    context=st.sampled_from([None, "Ovens"]),
)


@given(
    st.lists(ENTRY, max_size=6),
    st.sets(st.sampled_from([DOOR, WAIT, CAKE])),
    TEXT.filter(bool),
)
def test_no_translation_changes_and_nothing_adopted_is_ready(
    before: list[Entry], messages: set[str], chinese: str
) -> None:
    offers = offered(*messages, chinese=chinese)
    after = adopt_into(Catalog(entries=tuple(before)), offers, ORIGIN)
    assert len(after.entries) == len(before)
    for old, new in zip(before, after.entries, strict=True):
        if old.msgstr:
            assert replace(new, comments=()) == old
        elif new.msgstr:
            assert new.fuzzy
            assert not new.is_translated
    assert adopt_into(after, offers, ORIGIN) == after


@pytest.mark.parametrize(("page", "msgid"), [("ovens", DOOR), ("ovens", LIGHT), ("doors", DOOR)])
def test_an_update_keeps_adopted_words_and_their_origin(page: str, msgid: str) -> None:
    """Whatever becomes of its English, and of its page."""
    old = Catalog(header={"Language": "zh_CN"}, entries=(adopted(Entry(msgid=DOOR)),))
    updated = update_catalogs(
        {"ovens": old},
        {page: entries(msgid).entries},
        header=lambda _, header: header,
        gone={"ovens"} - {page},
    )
    found = [entry for entry in updated[page].catalog.entries if entry.msgstr]
    assert found
    assert all(entry.fuzzy and copy_of(entry) is not None for entry in found)


def test_confirmed_translations_are_counted_by_author() -> None:
    confirmed = replace(adopted(Entry(msgid=DOOR)), fuzzy=False)
    others = [adopted(Entry(msgid=WAIT)), Entry(msgid=CAKE, msgstr="译")]
    assert credits_of([confirmed, *others]) == {("Li Lei", "CC-BY-4.0")}


@pytest.mark.parametrize("note", ["adopted: by hand", "adopted: a, b, c"])
def test_a_note_of_another_form_is_no_origin(note: str) -> None:
    assert copy_of(Entry(msgid=DOOR, notes=(note,))) is None


@pytest.mark.parametrize(("english", "chinese", "expected"), RESTORED.values(), ids=RESTORED)
def test_lost_markup_comes_back(english: str, chinese: str, expected: str) -> None:
    assert restore(english, chinese) == expected
    assert restore(english, expected) == expected


@pytest.mark.parametrize(("english", "chinese"), AS_THEY_ARE.values(), ids=AS_THEY_ARE)
def test_what_is_doubtful_stays_as_it_is(english: str, chinese: str) -> None:
    assert restore(english, chinese) == chinese


@pytest.mark.parametrize(
    ("markup", "mark", "written"),
    [
        *((Markup.MARKDOWN, *row) for row in MARKS.values()),
        *((Markup.RST, *row) for row in MARKS_OF_RST.values()),
    ],
    ids=[*MARKS, *MARKS_OF_RST],
)
def test_a_mark_comes_back(markup: Markup, mark: str, written: str) -> None:
    assert restore(f"Use {mark}.", f"用 {written}。", markup) == f"用 {mark}。"
    assert restore(f"Use {mark}.", f"用 {mark}。", markup) == f"用 {mark}。"


def test_links_and_spans_of_markdown_become_those_of_rest() -> None:
    link = restore("See `this <a.rst>`__.", "见[这里](a.html)。", Markup.RST)
    assert link == "见`这里 <a.rst>`__。"
    assert restore("Other words.", "用 `烤箱`。", Markup.RST) == "用 ``烤箱``。"


PIECES = st.lists(
    st.sampled_from([" ", *"`a.b` a.b [烤箱](x.html) [a](y.md) $x$ x 烤箱 ， {func}`a.b`".split()]),
    max_size=8,
).map("".join)


@given(PIECES, PIECES)
def test_no_chinese_is_ever_changed(english: str, chinese: str) -> None:
    def words(text: str) -> list[str]:
        return re.findall("[\u4e00-\u9fff]", text)

    # The text of an English link may come in where a name stood; no Chinese does.
    assert words(restore(english, chinese)) == words(chinese)


def code(text: str) -> Block:
    return Block(kind=BlockKind.CODE, text=text, place="cell 1")


def audit(ours: str, theirs: str) -> CodeCell:
    pair = Pair(english=(0,) if ours else (), copy=(0,))
    (cell,) = audit_code([code(ours)], [code(theirs)], [pair])
    return cell


def test_code_that_is_the_same_is_not_told() -> None:
    for theirs in ("bake(1)\nopen()", "bake( 1 )\n\nopen()", "bake(1)  # 烤\nopen()"):
        assert not audit("bake(1)\nopen()", theirs).is_altered


def test_code_that_was_changed_is_told() -> None:
    assert audit("bake(1)\nopen()\n", "bake(2)\nopen()\n").is_altered


def test_code_of_the_translators_own() -> None:
    cell = audit("", "print('这里")
    # What is no copy of anything need not be Python.
    assert (cell.is_strange, cell.is_altered, cell.broken) == (True, False, "")


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        ("bake(1", "never closed"),
        ("bake（1）", "invalid character"),
        ("x = 1 y = 2", "invalid syntax"),
        ("%time bake(1", ""),
        ("!pip install oven", ""),
        ("bake(1)\ud800", "surrogates not allowed"),
    ],
)
def test_code_that_python_cannot_read(theirs: str, words: str) -> None:
    cell = audit("bake(1)", theirs)
    assert words in cell.broken
    assert bool(cell.broken) is bool(words)


def test_what_upstream_shows_need_not_be_python() -> None:
    shown = "{ lambda ; a. let b = sin a }"
    assert not audit(shown, shown.replace("let b", "let c")).broken


def test_cells_are_looked_at_in_the_order_of_the_copy() -> None:
    blocks = [code("a()"), Block(kind=BlockKind.PROSE, text="烤"), code("b()")]
    pairs = [Pair(english=(0,) if at == 1 else (), copy=(at,)) for at in range(3)]
    cells = audit_code([code("x")], blocks, pairs)
    assert [(cell.place, cell.is_strange) for cell in cells] == [("cell 1", True)] * 2


def test_how_much_has_changed_since() -> None:
    rows = (
        Row(state=State.EQUAL, english="a", pin="a"),
        Row(state=State.CHANGED, english="b", pin="c"),
        Row(state=State.EXTRA, copy="注"),
    )
    copy = AdoptedCopy(file="a.md", form="Markdown", rows=rows)
    assert copy.changed_share == 0.5
    assert len(copy.adopted) == 2
    assert copy.counts == {State.EQUAL: 1, State.CHANGED: 1, State.EXTRA: 1}
    assert AdoptedCopy(file="a.md", form="Markdown").changed_share == 0.0


def test_a_copy_that_was_refused_decides_how_a_run_ends() -> None:
    run = AdoptResult(name="docs", locale="zh_CN", ref="v1", copies=())
    assert run.exit_code == 0
    finding = Finding.of(InputError("is binary", where="a.md"))
    assert replace(run, findings=(finding,)).exit_code == 4
