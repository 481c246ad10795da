"""What is left of a message once atoms and marks are masked.

No fix of typography touches what is masked.
"""

from __future__ import annotations

import pytest
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
from pipeline.core.checks.model import Subject
from pipeline.core.checks.table import CONTENT, TYPOGRAPHY
from pipeline.core.checks.typography.edits import missing_spaces
from pipeline.entries import Entry

AS_SEEN = {
    ord(WORD): "w",
    ord(URL): "u",
    ord(OPEN): "<",
    ord(CLOSE): ">",
    ord(OTHER): "#",
}
ROUNDS = 12
FIXABLE = [
    check
    for check in (*TYPOGRAPHY, *CONTENT)
    if check.code not in ("M408", "M410", "M414")
]
PIECES = [
    *(
        "数组",
        "变换",
        "一",
        "JAX",
        "f",
        "2",
        "3.11",
        " ",
        "  ",
        "\u3000",
        ", ",
        ".",
        ":",
        "；",
        "，",
        "。",
        "（",
        "）",
        "(",
        ")",
        '"',
        "“",
        "”",
    ),
    *(
        "...",
        "…",
        "--",
        " - ",
        "**",
        "*",
        "__",
        "~~",
        "`a, b`",
        "$x$",
        "{ref}`甲 <乙>`",
        "[",
        "](a.md)",
        "][b]",
        "![图](c)",
        "<br>",
        "<b>",
    ),
    *(
        "</b>",
        "https://a.b/c",
        "<https://d.e>",
        "[^1]",
        "\\*",
        "&lt;",
        "{{n}}",
        "\n",
        "Ａ",
        "１",
        "+",
        "%",
        "-",
        "α",
    ),
]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("对**f**求导", "对<<f>>求导"),
        ("**甲 *乙***丙", "<<甲 <乙>>>丙"),
        ("*甲 **乙** 丙*", "<甲 <<乙>> 丙>"),
        ("***甲** 乙*", "<<<甲>> 乙>"),
        ("2 * 3 与 *甲", "2 # 3 与 #甲"),
        ("__甲__ a_b 与__乙__丙", "<<甲>> a_b 与__乙__丙"),
        ("`a`、$x$、{f}`b`", "www、www、wwwwww"),
        ("{ref}`随机数 <r>`也", "<<<<<<随#数>>>>>也"),
        ("{abbr}`JIT（即时）`也", "<<<<<<<J######>也"),
        ('[甲](a)、[乙][b]、[丙](c "丁")', "<甲>>>>、<乙>>>>、<丙>>>>>>>>"),
        ("[注]、甲](a)", "[注]、甲>>>>"),
        ("![图](c)和[^1]", "#######和>>>>"),
        ("https://a.b，好", "uuuuuuuuuuu，好"),
        ("见 https://a.b.", "见 uuuuuuuuuuu."),
        (
            "<b>甲</b><br><!-- 乙 --><https://a.b>",
            "<<<甲>>>>##############wwwwwwwwwwwww",
        ),
        (r"\*甲\*&lt;{{n}}", "##甲######wwwww"),
        ("没有标记", "没有标记"),
    ],
)
def test_atoms_and_marks_are_masked(text: str, seen: str) -> None:
    assert masked(text).translate(AS_SEEN) == seen


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_fixes_keep_atoms_and_come_to_an_end(text: str) -> None:
    assert len(masked(text)) == len(text)
    seen = text
    for _ in range(ROUNDS):
        fixes = [
            problem.fix
            for check in FIXABLE
            for problem in check.find(Subject(Entry(msgid="x:", msgstr=seen)))
            if problem.fix
        ]
        if not fixes:
            return
        assert keeps_atoms(seen, fixes[0])
        seen = fixes[0]
    pytest.fail(f"{text!r} is never done: {seen!r}")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("一百二十四", {"124"}),
        ("两万", {"20000"}),
        ("一亿二千万", {"120000000"}),
        ("二〇二四", {"2024"}),
        ("三百万", {"3000000"}),
        ("一万亿", {"1000000000000"}),
        ("1.5 万", {"15000", "1.5"}),
        ("一半", {"0.5", "50", "2"}),
    ],
)
def test_numbers_in_chinese_words_are_read(text: str, values: set[str]) -> None:
    assert values <= chinese_values(text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("one hundred and twenty-four", {"124"}),
        ("two thousand and five", {"2005"}),
        ("the twenty-first of March", {"21", "3"}),
        ("3.5 million, 10k", {"3500000", "10000"}),
        ("the 1990s", {"1990", "90", "20"}),
        ("1,024 or .5", {"1024", "0.5"}),
    ],
)
def test_numbers_in_english_words_are_read(text: str, values: set[str]) -> None:
    assert values <= english_values(text)


def test_a_hyphen_behind_chinese_wants_no_space_where_a_word_does() -> None:
    assert [edit.start for edit in missing_spaces("拉丁-9 和JAX")] == [len("拉丁-9 和")]
