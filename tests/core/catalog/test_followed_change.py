"""A translation that follows a change of the marks of its English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.catalog.marks import Followed, follow_change, tokens_of

URLS = ("See http://a.example/x", "See https://a.example/x")
# English and translation, the mark that stands at the @ of both, and the new mark
FOLLOWED_MARKS = {
    "scheme": ("At @.", "在 @。", "http://a.example/x", "https://a.example/x"),
    "host": (
        "See [it](https://@/en/page.html#part) now.",
        "[它](https://@/en/page.html#part)。",
        "docs.old.example",
        "new.example",
    ),
    "page": ("[Tea](@).", "[茶](@)。", "tea_pot", "./pot.md#hot"),
    "URL in code": (
        "Run `get -f @`.",
        "`get -f @`",
        "http://a.example",
        "https://a.example",
    ),
    "autolink": ("<@>", "<@>", "https://a.example/x", "https://b.example/x"),
    "role": ("In @.", "见 @。", "{ref}`tea`", "{doc}`hot-tea`"),
    "reST role": ("In @.", "见 @。", ":ref:`tea`", ":ref:`hot-tea`"),
    "language": ("In @.", "见 @。", ":ref:`tea`", "{ref}`tea`"),
    "literal": ("Set @ now", "设 @", "``x``", "`x`"),
    "code role": ("Set @ now", "设 @", ":code:`x`", "`x`"),
    "linked code": (
        "Use @, so",
        "用 @",
        "[`t.stir`](t.html)",
        "{func}`t.stir <tea.stir>`",
    ),
    "reST link": ("Use @.", "用 @。", "`stir <t.html>`_", "[`stir`](t.html)"),
    "last part": ("Use @ now", "用 @", "`stir`", "{func}`~tea.stir`"),
    "whole name": ("Use @", "用 @", "{func}`~tea.stir`", "{func}`tea.stir`"),
    "name as code": ("The @ is", "@ 是", "tea_pot", "`tea_pot`"),
}
# old English, new English, old translation, new translation
CERTAIN = {
    "spaces": ("Two  spaces here.", "Two spaces here.", "两个空格。", "两个空格。"),
    "tab": ("A tab\there.", "A tab here.", "制表符。", "制表符。"),
    "nothing": ("Same <pre>.", "Same <pre>.", "一样。", "一样。"),
    "dash": ("Tea --- hot", "Tea — hot", "茶，烫", "茶，烫"),
    "quotes": ("“Tea” isn’t", '"Tea" isn\'t', "“茶”不", "“茶”不"),
    "final stop": ("Tea is **hot**", "Tea is **hot**.", "茶**烫**。", "茶**烫**。"),
    "final colon": ("Stir it.", "Stir it:", "搅拌：", "搅拌："),
    "no final stop": ("Stir it.", "Stir it", "搅拌", "搅拌"),
    "order": ("[a](x) [b](y)", "[a](y) [b](x)", "[乙](y)[甲](x)", "[乙](x)[甲](y)"),
    "title": (
        "In {ref}`a pot <tea>`.",
        "In {ref}`a pot <hot>`.",
        "见{ref}`壶 <tea>`。",
        "见{ref}`壶 <hot>`。",
    ),
    "title left out": (
        "In {ref}`a pot <tea>`.",
        "In {ref}`a pot <hot>`.",
        "见 {ref}`tea`。",
        "见 {ref}`hot`。",
    ),
    "reST reference": (
        "In a `tea pot`_.",
        "In a :doc:`tea pot <tea>`.",
        "在`茶壶 <tea pot_>`_里。",
        "在:doc:`茶壶 <tea>`里。",
    ),
    "unlinked code": (
        "Use [`stir`](t.html) or `stir`",
        "Use `stir` or `stir`",
        "用 `stir` 或 [`stir`](t.html)",
        "用 `stir` 或 `stir`",
    ),
}
UNCERTAIN = {
    "code": (
        "Use `P` or `P(i)`.",
        "Use `t.P` or `P(j)`.",
        "`P(i)` 或 `P`",
        "`P(j)` 或 `t.P`",
    ),
    "swapped code": (
        "Use `a`, not `b`.",
        "Use `b`, not `a`.",
        "别用 `b`，用 `a`",
        "别用 `a`，用 `b`",
    ),
    "formula": ("The $x$ grows.", "The $y$ grows.", "$x$ 变大。", "$y$ 变大。"),
    "numbers": ("In 24 or 26.", "In 26 or 28.", "26 或 24 年。", "28 或 26 年。"),
    "name": ("Use {func}`tea.stir`", "Use `pour`", "用 {func}`tea.stir`", "用 `pour`"),
    "end": ("Stir [it](a)", "Stir [it](b).", "搅拌[它](a)", "搅拌[它](b)"),
    "end left": ("Stir it.", "Stir it", "搅拌。", "搅拌。"),
    "own title": (
        "In {doc}`tea`.",
        "In {ref}`pot`.",
        "见{doc}`茶 <tea>`。",
        "见{ref}`茶 <pot>`。",
    ),
}
REFUSED = {
    "words": ("Words here.", "Other words here.", "词。"),
    "as many words": ("Hot tea", "Cold tea", "热茶"),
    "which break": ("one\nline", "one line", "一\n行"),
    "joined": ("data set", "dataset", "数据集"),
    "verbatim": ("<pre>a  b</pre>", "<pre>a b</pre>", "<pre>a  b</pre>"),
    "no such URL": (*URLS, "见文档"),
    "URL twice": (*URLS, "http://a.example/x http://a.example/x"),
    "longer URL": (*URLS, "见 http://a.example/x/y"),
    "two targets": ("[a](x) [b](x)", "[a](x) [b](y)", "[甲](x) [乙](x)"),
    "code to word": ("Pass a `tea`", "Pass a tea", "传 `tea`"),
    "word to role": ("See tea", "See {ref}`tea`", "见 tea"),
    "other title": (
        "See {ref}`this <tea>`",
        "See {ref}`that <tea>`",
        "见{ref}`壶 <tea>`",
    ),
    "other words of a role": ("{abbr}`so hot`", "{abbr}`so cold`", "{abbr}`so hot`"),
    "HTML": ("A <b>pot</b>", "A <i>pot</i>", "<b>壶</b>"),
    "link to role": ("See <b>", "See {ref}`b`", "见 <b>"),
    "own title of a link": (
        "Use `stir <t.html>`_.",
        "Use [`stir`](t.html).",
        "用`搅拌 <t.html>`_。",
    ),
    "number in words": ("At least 2", "At least 3", "至少两个"),
    "month": ("Since 6 times", "Since 7 times", "6 月起 6 次"),
}


@pytest.mark.parametrize(
    ("english", "chinese", "old", "new"), FOLLOWED_MARKS.values(), ids=FOLLOWED_MARKS
)
def test_changed_marks_follow(english: str, chinese: str, old: str, new: str) -> None:
    before, after = (english.replace("@", mark) for mark in (old, new))
    followed = follow_change(before, after, chinese.replace("@", old))
    assert followed == Followed(msgstr=chinese.replace("@", new), is_certain=True)


@pytest.mark.parametrize(("old", "new", "msgstr", "expected"), CERTAIN.values(), ids=CERTAIN)
def test_a_change_that_readers_do_not_see_is_done_in_the_translation(
    old: str, new: str, msgstr: str, expected: str
) -> None:
    followed = follow_change(old, new, msgstr)
    assert followed == Followed(msgstr=expected, is_certain=True)


@pytest.mark.parametrize(("old", "new", "msgstr", "expected"), UNCERTAIN.values(), ids=UNCERTAIN)
def test_other_code_and_numbers_are_filled_in_but_wait_for_a_person(
    old: str, new: str, msgstr: str, expected: str
) -> None:
    followed = follow_change(old, new, msgstr)
    assert followed == Followed(msgstr=expected, is_certain=False)


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_proved_right_is_not_done(case: str) -> None:
    assert follow_change(*REFUSED[case]) is None


@given(st.text())
def test_the_tokens_of_a_text_are_the_text(text: str) -> None:
    assert "".join(token.text for token in tokens_of(text)) == text
