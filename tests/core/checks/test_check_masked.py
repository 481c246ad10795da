"""What is left of a message once atoms and marks are masked, and the numbers in it.

No fix of typography touches what is masked.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from check_tables import subject
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.checks.masked import (
    CLOSE,
    OPEN,
    OTHER,
    URL,
    WORD,
    keeps_atoms,
    masked,
)
from pipeline.core.checks.meaning.quantities import chinese_values, english_values
from pipeline.core.checks.table import CONTENT, TYPOGRAPHY
from pipeline.core.checks.typography.edits import missing_spaces
from pipeline.core.document.message import Markup

MYST, RST = Markup.MARKDOWN, Markup.RST
SEEN = str.maketrans(WORD + URL + OPEN + CLOSE + OTHER, "wu<>#")
ROUNDS = 12
FIXABLE = [check for check in (*TYPOGRAPHY, *CONTENT) if check.code not in ("M408", "M410", "M414")]
PIECES = (
    '数组 变换 一 JAX f 2 3.11 \u3000 . : ； ， 。 （ ） ( ) " “ ” ... … -- ** * __ ~~ '
    "`a,b` $x$ [ ](a.md) ][b] ![图](c) <br> <b> </b> https://a.b/c <https://d.e> [^1] \\* "
    "&lt; {{n}} \n Ａ １ + % - α"
).split(" ")
SPACED = (" ", "  ", ", ", " - ", "`a, b`", "{ref}`甲 <乙>`")


@pytest.mark.parametrize(
    ("markup", "text", "seen"),
    [
        (MYST, "对**f**求导", "对<<f>>求导"),
        (MYST, "**甲 *乙***丙", "<<甲 <乙>>>丙"),
        (MYST, "*甲 **乙** 丙*", "<甲 <<乙>> 丙>"),
        (MYST, "***甲** 乙*", "<<<甲>> 乙>"),
        (MYST, "2 * 3 与 *甲", "2 # 3 与 #甲"),
        (MYST, "__甲__ a_b 与__乙__丙", "<<甲>> a_b 与__乙__丙"),
        (MYST, "`a`、$x$、{f}`b`", "www、www、wwwwww"),
        (MYST, "{ref}`随机数 <r>`也", "<<<<<<随#数>>>>>也"),
        (MYST, "{abbr}`JIT（即时）`也", "<<<<<<<J######>也"),
        (MYST, '[甲](a)、[乙][b]、[丙](c "丁")', "<甲>>>>、<乙>>>>、<丙>>>>>>>>"),
        (MYST, "[注]、甲](a)", "[注]、甲>>>>"),
        (MYST, "![图](c)和[^1]", "#######和>>>>"),
        (MYST, "https://a.b，好", "uuuuuuuuuuu，好"),
        (MYST, "见 https://a.b.", "见 uuuuuuuuuuu."),
        (MYST, "<b>甲</b><br>", "<<<甲>>>>####"),
        (MYST, "<!-- 乙 --><https://a.b>", "##########wwwwwwwwwwwww"),
        (MYST, r"\*甲\*&lt;{{n}}", "##甲######wwwww"),
        (MYST, "没有标记", "没有标记"),
        (RST, "对**f**求导", "对<<f>>求导"),
        (RST, r"请\ *不要*\ 碰", "请>><不要>>>碰"),
        (RST, "2 * 3 与 **甲", "2 # 3 与 ##甲"),
        (RST, "``a``、:func:`b`、`c`、|d|", "wwwww、wwwwwwwww、www、###"),
        (RST, ":ref:`随机数 <r>`也", "<<<<<<随#数>>>>>也"),
        (RST, "`茶书`_与`壶 <a>`_与`盖`__", "<茶书>>与<壶>>>>>>与<盖>>>"),
        (RST, "见[1]_和Name_，https://a.b。", "见>>>>和wwwww，uuuuuuuuuuu。"),
        (RST, r"\*甲\* $x$ [乙](a.md) _丙_", "##甲## $x$ [乙](a.md) _丙_"),
        (RST, "没有标记", "没有标记"),
    ],
)
def test_atoms_and_marks_are_masked(markup: Markup, text: str, seen: str) -> None:
    assert masked(text, markup).translate(SEEN) == seen


def test_atoms_may_change_places_but_not_their_letters() -> None:
    assert keeps_atoms("``a`` 和 :func:`b`", ":func:`b`和``a``", RST)
    assert not keeps_atoms("``a, b``", "``a，b``", RST)


@given(st.lists(st.sampled_from([*PIECES, *SPACED]), max_size=12).map("".join))
def test_fixes_keep_atoms_and_come_to_an_end(text: str) -> None:
    seen = text
    for _ in range(ROUNDS):
        fixes = [
            problem.fix
            for check in FIXABLE
            for problem in check.find(subject("x:", seen))
            if problem.fix
        ]
        if not fixes:
            return
        assert keeps_atoms(seen, fixes[0])
        seen = fixes[0]
    pytest.fail(f"{text!r} is never done: {seen!r}")


@pytest.mark.parametrize(
    ("read", "text", "values"),
    [
        (chinese_values, "一百二十四", {"124"}),
        (chinese_values, "两万", {"20000"}),
        (chinese_values, "一亿二千万", {"120000000"}),
        (chinese_values, "二〇二四", {"2024"}),
        (chinese_values, "三百万", {"3000000"}),
        (chinese_values, "一万亿", {"1000000000000"}),
        (chinese_values, "1.5 万", {"15000", "1.5"}),
        (chinese_values, "一半", {"0.5", "50", "2"}),
        (english_values, "one hundred and twenty-four", {"124"}),
        (english_values, "two thousand and five", {"2005"}),
        (english_values, "the twenty-first of March", {"21", "3"}),
        (english_values, "3.5 million, 10k", {"3500000", "10000"}),
        (english_values, "the 1990s", {"1990", "90", "20"}),
        (english_values, "1,024 or .5", {"1024", "0.5"}),
    ],
)
def test_numbers_in_words_are_read(
    read: Callable[[str], set[str]], text: str, values: set[str]
) -> None:
    assert values <= read(text)


def test_a_hyphen_behind_chinese_wants_no_space_where_a_word_does() -> None:
    assert [edit.start for edit in missing_spaces("拉丁-9 和JAX")] == [len("拉丁-9 和")]
