"""Offers of a copy at the pin, with the atoms that it lost, and what is wrong with its code."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
WAIT = "Wait for fifteen minutes before you open the door of the oven."
CAKE = "Cake takes half as long as bread does, whatever the recipe may say."
MARKDOWN = [
    pytest.param(
        "Use `oven.heat` here.",
        "这里用oven.heat。",
        "这里用`oven.heat`。",
        id="bare name",
    ),
    pytest.param(
        "Use `oven.heat` here.",
        "这里用 `oven.heat`。",
        "这里用 `oven.heat`。",
        id="there already",
    ),
    pytest.param(
        "Use {func}`oven.heat`.",
        "用 `oven.heat`。",
        "用 {func}`oven.heat`。",
        id="role for a span",
    ),
    pytest.param(
        "Use {func}`~oven.heat`.",
        "用 heat()。",
        "用 {func}`~oven.heat`。",
        id="short form of a role",
    ),
    pytest.param(
        "Use {func}`~oven.heat`.",
        "用 heat。",
        "用 {func}`~oven.heat`。",
        id="shown form of a role",
    ),
    pytest.param(
        "Use {func}`heat <oven.heat>`.",
        "用 heat。",
        "用 {func}`heat <oven.heat>`。",
        id="role with a title",
    ),
    pytest.param(
        "Use {func}`oven.heat`.",
        "用 [`oven.heat`](http://a.org/x)。",
        "用 {func}`oven.heat`。",
        id="link for a role",
    ),
    pytest.param("Set `n` to 3.", "把n设为3。", "把`n`设为3。", id="one letter"),
    pytest.param("Set `n` and `n`.", "设n。", "设n。", id="fewer than there should be"),
    pytest.param(
        "Set `n`.", "设n，再设n。", "设n，再设n。", id="more than there should be"
    ),
    pytest.param(
        "Set `n`, {func}`n`.", "设n和n。", "设n和n。", id="two that look alike"
    ),
    pytest.param(
        "Set `n`.", "设 n_1 和 man。", "设 n_1 和 man。", id="part of another name"
    ),
    pytest.param(
        "Set `heat` and `oven.heat`.",
        "设oven.heat和heat。",
        "设`oven.heat`和`heat`。",
        id="one in the other",
    ),
    pytest.param(
        "With $x + y$ it is so.",
        "由 \\(x + y\\) 可知。",
        "由 $x + y$ 可知。",
        id="formula of MathJax",
    ),
    pytest.param("With $x$ it is so.", "由x可知。", "由$x$可知。", id="bare formula"),
    pytest.param(
        "See [this](a.md).",
        "见[这里](https://a.org/docs/a.html)。",
        "见[这里](a.md)。",
        id="target on the web",
    ),
    pytest.param(
        "See [this](a.md#b).",
        "见[这里](x.html)。",
        "见[这里](a.md#b)。",
        id="the only link",
    ),
    pytest.param(
        "See [NumPy](a.md), [this](b.md).",
        "见[那个](b.html)和[NumPy](q.html)。",
        "见[那个](b.md)和[NumPy](a.md)。",
        id="links in another order",
    ),
    pytest.param(
        "See [one](a.md), [two](b.md).",
        "见[甲](x.html)、[乙](y.html)。",
        "见[甲](x.html)、[乙](y.html)。",
        id="links that nobody knows",
    ),
    pytest.param(
        "See [NumPy](a.md).",
        "见 NumPy。",
        "见 [NumPy](a.md)。",
        id="a link that was stripped",
    ),
    pytest.param(
        "See [`oven`](a.md).",
        "见 oven。",
        "见 [`oven`](a.md)。",
        id="a link around code",
    ),
    pytest.param(
        "See [the table](a.md).",
        "见表格。",
        "见表格。",
        id="a stripped link in Chinese",
    ),
    pytest.param(
        "See [1](a.md).", "见 1。", "见 1。", id="a stripped link without a name"
    ),
    pytest.param(
        "See the oven.",
        "见[烤箱](a.html)。",
        "见烤箱。",
        id="a link that is not there in English",
    ),
    pytest.param(
        "An ![oven](a.png).",
        "一个![烤箱](b/c.png)。",
        "一个![烤箱](a.png)。",
        id="an image",
    ),
    pytest.param(
        "An oven.", "一个![烤箱](c.png)。", "一个![烤箱](c.png)。", id="another image"
    ),
    pytest.param(
        "See [NumPy](a.md), [that](c.md).",
        "见[那](c.html#NumPy)。",
        "见[那](c.html#NumPy)。",
        id="within a link",
    ),
    pytest.param(
        "Go to http://a.org/oven, `oven`.",
        "到 http://a.org/oven。oven",
        "到 http://a.org/oven。`oven`",
        id="not in a URL",
    ),
    pytest.param("Just words.", "只有文字。", "只有文字。", id="nothing"),
]
RST = [
    pytest.param(
        "Use ``oven.heat``.", "用 `oven.heat`。", "用 ``oven.heat``。", id="literal"
    ),
    pytest.param(
        "Use :func:`oven.heat`.",
        "用 `oven.heat`。",
        "用 :func:`oven.heat`。",
        id="role",
    ),
    pytest.param(
        "See `this <a.rst>`__.", "见[这里](a.html)。", "见`这里 <a.rst>`__。", id="link"
    ),
    pytest.param(
        "See `NumPy <a.rst>`__.",
        "见 NumPy。",
        "见 `NumPy <a.rst>`__。",
        id="stripped link",
    ),
    pytest.param("Other words.", "用 `烤箱`。", "用 ``烤箱``。", id="span of Markdown"),
]


def translation(
    *english: str, chinese: str = "译文", score: float = 0.9
) -> Translation:
    return Translation(english=english, chinese=chinese, score=score)


def entries(*messages: str) -> Catalog:
    return Catalog(entries=tuple(Entry(msgid=message) for message in messages))


def offers(
    messages: list[str], translations: list[Translation], pin: dict[str, Catalog]
) -> dict[tuple[str, str], Offer]:
    found, _ = carry_to_pin("ovens", messages, translations, pin)
    return {(offer.page, offer.msgid): offer for offer in found}


def test_equal_english_takes_its_translation() -> None:
    found = offers([DOOR, WAIT], [translation(DOOR)], {"ovens": entries(DOOR, WAIT)})
    (offer,) = found.values()
    assert (offer.msgid, offer.previous, offer.change) == (DOOR, DOOR, "")


def test_changed_english_takes_it_with_the_change() -> None:
    new = DOOR.replace("lamp", "light")
    (offer,) = offers([DOOR], [translation(DOOR)], {"ovens": entries(new)}).values()
    assert (offer.msgid, offer.previous, bool(offer.change)) == (new, DOOR, True)
    assert "[-lamp-]{+light+}" in offer.change


def test_a_message_that_is_gone_is_told() -> None:
    found, gone = carry_to_pin(
        "ovens", [DOOR], [translation(DOOR)], {"ovens": entries(CAKE)}
    )
    assert (found, gone) == ([], [translation(DOOR)])


def test_a_message_that_moved_to_another_page_is_found_there() -> None:
    pin = {
        "ovens": entries(WAIT),
        "doors": entries(DOOR),
        "chairs": entries("Sit down."),
    }
    found = offers([DOOR, WAIT], [translation(DOOR), translation(WAIT)], pin)
    assert set(found) == {("ovens", WAIT), ("doors", DOOR)}


def test_a_page_that_is_gone_lives_on_in_another() -> None:
    found = offers([DOOR, WAIT], [translation(DOOR)], {"stoves": entries(DOOR, WAIT)})
    assert set(found) == {("stoves", DOOR)}


def test_what_still_stands_on_the_page_is_not_offered_to_others() -> None:
    """Though they have the same words: a page here and there is not what the copy is of."""
    pin = {"ovens": entries(DOOR), "doors": entries(DOOR, WAIT)}
    found = offers([DOOR, WAIT], [translation(DOOR), translation(WAIT)], pin)
    assert set(found) == {("ovens", DOOR), ("doors", WAIT)}


def test_an_untranslated_message_lends_its_place_to_none() -> None:
    near = DOOR.replace("lamp", "light")
    found = offers([DOOR, near], [translation(DOOR)], {"ovens": entries(DOOR, near)})
    assert set(found) == {("ovens", DOOR)}


def test_a_text_that_stands_twice_takes_the_first() -> None:
    first, second = translation(DOOR, chinese="甲"), translation(DOOR, chinese="乙")
    (offer,) = offers([DOOR, DOOR], [first, second], {"ovens": entries(DOOR)}).values()
    assert offer.translation.chinese == "甲"


def test_several_messages_in_one_paragraph_get_all_of_it() -> None:
    both = translation(DOOR, WAIT)
    found = offers([DOOR, WAIT], [both], {"ovens": entries(DOOR, WAIT)})
    assert [offer.translation for offer in found.values()] == [both, both]
    assert {offer.previous for offer in found.values()} == {f"{DOOR} {WAIT}"}
    assert all(offer.change.startswith("split:") for offer in found.values())


def test_several_messages_of_which_one_has_changed() -> None:
    """The English that they were put together of stands nowhere: each quotes its own."""
    new = WAIT.replace("fifteen", "twenty")
    found = offers(
        [DOOR, WAIT], [translation(DOOR, WAIT)], {"ovens": entries(DOOR, new)}
    )
    assert (found["ovens", DOOR].previous, found["ovens", DOOR].change) == (
        DOOR,
        "split",
    )
    assert found["ovens", new].previous == WAIT
    assert "twenty" in found["ovens", new].change


def test_messages_that_upstream_joined_take_both() -> None:
    joined = f"{DOOR} {WAIT}"
    parts = [
        translation(DOOR, chinese="甲。"),
        translation(WAIT, chinese="乙。", score=0.5),
    ]
    (offer,) = offers([DOOR, WAIT], parts, {"ovens": entries(joined)}).values()
    assert offer.translation.chinese == "甲。乙。"
    assert offer.translation.score == 0.5
    assert (offer.previous, offer.change) == (joined, "merged")


# --- into a catalogue


def adopted(entry: Entry, chinese: str = "译文") -> Entry:
    offer = Offer(
        page="ovens",
        msgid=entry.msgid,
        translation=translation(entry.msgid, chinese=chinese),
        english=entry.msgid,
        previous=entry.msgid,
    )
    catalog = Catalog(entries=(entry,))
    (found,) = adopt_into(catalog, {entry.msgid: (offer, chinese)}, ORIGIN).entries
    return found


def test_an_empty_entry_waits_with_the_translation() -> None:
    entry = adopted(Entry(msgid=DOOR, notes=("paragraph", "carried over: nonsense")))
    assert (entry.msgstr, entry.fuzzy, entry.previous) == ("译文", True, DOOR)
    assert entry.notes[:2] == ("paragraph", "fuzzy: adopted")
    assert (
        entry.notes[2]
        == f"adopted: copy_of_it.md, {'a' * 40} ovens, 0.90, by Li Lei, CC-BY-4.0"
    )
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
    machine = Machine(model="m", prompt=1, date="2026-05-01")
    draft = Entry(
        msgid=DOOR,
        msgstr="机器写的。",
        fuzzy=True,
        previous=DOOR,
        notes=("paragraph", machine.note("机器写的。")),
    )
    entry = adopted(draft)
    assert (entry.msgstr, entry.fuzzy) == ("译文", True)
    assert [note.partition(":")[0] for note in entry.notes] == [
        "paragraph",
        "fuzzy",
        "adopted",
    ]
    # What a person has remarked on, or changed, is a person's.
    assert adopted(replace(draft, comments=("really?",))).msgstr == "机器写的。"
    assert adopted(replace(draft, msgstr="改过。")).msgstr == "改过。"


def test_obsolete_entries_and_second_contexts_are_left_alone() -> None:
    gone, first, second = (
        Entry(msgid=DOOR, obsolete=True),
        Entry(msgid=DOOR, context="a"),
        Entry(msgid=DOOR, context="b"),
    )
    catalog = Catalog(entries=(gone, first, second))
    offer = Offer(
        page="ovens",
        msgid=DOOR,
        translation=translation(DOOR),
        english=DOOR,
        previous=DOOR,
    )
    found = adopt_into(catalog, {DOOR: (offer, "译文")}, ORIGIN).entries
    assert [entry.msgstr for entry in found] == ["", "译文", ""]
    translated = Catalog(entries=(first, replace(second, msgstr="乙")))
    assert adopt_into(translated, {DOOR: (offer, "译文")}, ORIGIN) is translated


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
    st.dictionaries(st.sampled_from([DOOR, WAIT, CAKE]), TEXT.filter(bool)),
)
def test_no_translation_changes_and_nothing_adopted_is_ready(
    before: list[Entry], chinese: dict[str, str]
) -> None:
    offered = {
        message: (
            Offer(
                page="ovens",
                msgid=message,
                translation=translation(message, chinese=text),
                english=message,
                previous=message,
            ),
            text,
        )
        for message, text in chinese.items()
    }
    catalog = Catalog(entries=tuple(before))
    after = adopt_into(catalog, offered, ORIGIN)
    assert len(after.entries) == len(before)
    for old, new in zip(before, after.entries, strict=True):
        if old.msgstr:
            assert replace(new, comments=()) == old
        elif new.msgstr:
            assert new.fuzzy
            assert not new.is_translated
    assert adopt_into(after, offered, ORIGIN) == after


def test_an_update_keeps_what_was_adopted_waiting_and_whose_it_is() -> None:
    """Whatever becomes of its English, and of its page."""
    entry = adopted(Entry(msgid=DOOR))
    changed = DOOR.replace("lamp", "light")
    for wanted in (
        {"ovens": entries(DOOR).entries},
        {"ovens": entries(changed).entries},
        {"doors": entries(DOOR).entries},
    ):
        updated = update_catalogs(
            {"ovens": Catalog(header={"Language": "zh_CN"}, entries=(entry,))},
            wanted,
            header=lambda _, header: header,
            gone=[page for page in ("ovens",) if page not in wanted],
        )
        found = [
            one
            for page in wanted
            for one in updated[page].catalog.entries
            if one.msgstr
        ]
        assert found
        for one in found:
            assert one.fuzzy
            assert copy_of(one) is not None


def test_confirmed_translations_are_counted_by_author() -> None:
    confirmed = replace(adopted(Entry(msgid=DOOR)), fuzzy=False)
    waiting = adopted(Entry(msgid=WAIT))
    assert credits_of([confirmed, waiting, Entry(msgid=CAKE, msgstr="译")]) == {
        ("Li Lei", "CC-BY-4.0")
    }


@pytest.mark.parametrize("note", ["adopted: by hand", "adopted: a, b, c"])
def test_a_note_of_another_form_is_no_origin(note: str) -> None:
    assert copy_of(Entry(msgid=DOOR, notes=(note,))) is None


@pytest.mark.parametrize(("english", "chinese", "expected"), MARKDOWN)
def test_markdown(english: str, chinese: str, expected: str) -> None:
    assert restore(english, chinese) == expected
    assert restore(english, expected) == expected


@pytest.mark.parametrize(("english", "chinese", "expected"), RST)
def test_rest(english: str, chinese: str, expected: str) -> None:
    assert restore(english, chinese, Markup.RST) == expected


PIECES = st.lists(
    st.sampled_from(
        [
            "`a.b`",
            "a.b",
            "[烤箱](x.html)",
            "[a](y.md)",
            "$x$",
            "x",
            "烤箱",
            "，",
            "{func}`a.b`",
            " ",
        ]
    ),
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
    assert not audit(
        "{ lambda ; a. let b = sin a }", "{ lambda ; a. let c = sin a }"
    ).broken


def test_cells_are_looked_at_in_the_order_of_the_copy() -> None:
    blocks = [code("a()"), Block(kind=BlockKind.PROSE, text="烤"), code("b()")]
    pairs = [
        Pair(english=(), copy=(0,)),
        Pair(english=(0,), copy=(1,)),
        Pair(english=(), copy=(2,)),
    ]
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
    finding = Finding.of(InputError("is binary", where="a.md"))
    result = AdoptResult(
        name="docs", locale="zh_CN", ref="v1", copies=(), findings=(finding,)
    )
    assert result.exit_code == 4
    assert AdoptResult(name="docs", locale="zh_CN", ref="v1", copies=()).exit_code == 0
