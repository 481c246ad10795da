"""What a translation may not do.

Each case is a translation that some renderer or reader would have been fooled by.
"""

from __future__ import annotations

import pytest

from pipeline.core.document.guard import Refusal
from pipeline.core.document.markdown import guard, placement
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.splice import Edit

RICH = (
    "See [the guide](https://example.org/guide) or <https://example.org>, {ref}`a label`, "
    "{func}`f`, $x < y$, "
    "`code <b>`, H<sub>2</sub>O, ![a picture](a.png) and note[^1].\n"
)
LINK = "Read [the guide](a.md).\n"
LINKED_IMAGE = "Words ![A [link](a.md)](a.png)\n"
HTML = '<p>Some <b title="x > y">bold</b> words</p>\n'
BREAK = "Some words  \nand more\n"
FORMULA = "Let \\begin{align}x\\end{align} and \\begin{a}y\\end{a} be.\n"


def refusal_of(text: str, msgstr: str) -> Refusal | None:
    message = split_text(text, page=True).messages[-1]
    return guard.refusal(message.msgid, message.kind, msgstr)


def reads_back(text: str, msgstrs: dict[int, str], *insertions: Edit, page: bool = False) -> bool:
    split = split_text(text, page=page)
    placed = placement.place(split, msgstrs, insertions)
    return guard.read_back(split, placed, page=page) is not None


def code_of(text: str, msgstr: str) -> str:
    """The refusal's code, ``G105`` if only the parsed result tells, or an empty string."""
    if refusal := refusal_of(text, msgstr):
        assert refusal.text
        assert refusal.hint
        return refusal.code
    last = len(split_text(text, page=True).messages) - 1
    return "" if reads_back(text, {last: msgstr}, page=True) else "G105"


@pytest.mark.parametrize(
    ("text", "msgstr"),
    [
        ("Some words\n", "一些文字"),
        ("Some words\n", "  前后有空白\n"),
        ("Some words\n", "\u3000\u3000首行缩进"),
        ("Some words\n", "1984 年"),
        ("Some words\n", "**强调** 与 `代码`，$5 与 *斜体*"),
        ("Some words\n", "(括号) 开头"),
        ("Some words\n", "[方括号] 开头"),
        ("Some words\n", "比较 a < b 与 a > b"),
        ("Some words\n", "注意：数据 data: 与 file: 只是词"),
        ("Some words\n", "\\# 不是标题"),
        ("# Some words\n", "1. 编号的标题"),
        ("| Some words |\n|--|\n", "- 不是列表"),
        ("![Some words here](a.png)\n", "一张图"),
        ("![Use `code` here](a.png)\n", "用 `code`"),
        (BREAK, "甲\n乙"),
        (BREAK, "合为一行"),
        ("Title with  \na break\n===\n", "甲\n乙"),
        (LINK, "读[指南](a.md)。"),
        (LINK, "读[指南](a.md)，再读[指南](a.md)。"),
        (LINK, "不读了"),
        ("See [it](a_((b)).md) now\n", "看[它](a_((b)).md)。"),
        ("Some &lt;b&gt; words\n", "一些 &lt;b&gt; 文字"),
        ("Some words\n", "整除 a // b，注释 // 如此"),
        ("It is {eval}`x` now\n", "现在是 {eval}`x`"),
        (
            "See ![it](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB) now\n",
            "看 ![图](data:#1)",
        ),
        ("See ![<b>bold</b> picture](a.png)\n", "见![<b>粗</b>图](a.png)"),
        (FORMULA, r"令 \begin{align}x\end{align} 与 \begin{a}y\end{a}。"),
        (FORMULA, r"令 \begin{a}y\end{a} 与 \begin{align}x\end{align}。"),
        ("Read the {term}`tree` first.\n", "先读{term}`树 <tree>`。"),
        (HTML, '<p>一些<b title="x > y">粗体</b>字</p>'),
        (
            RICH,
            (
                "见[指南](https://example.org/guide)或 <https://example.org>、{ref}`标签 "
                "<a label>`、{func}`f`、$x < y$、"
                "`code <b>`、H<sub>2</sub>O、![图](a.png)与注[^1]。"
            ),
        ),
    ],
)
def test_honest_translations_are_taken(text: str, msgstr: str) -> None:
    assert code_of(text, msgstr) == ""


@pytest.mark.parametrize(
    "character",
    (
        "\0 \x07 \x0b \x0c \r \x1b \x1c \x7f \x85 \u2028 \u2029 \u202a \u202e \u2066 \u2069 "
        "\ufeff \ud800"
    ).split(" "),
)
def test_control_characters_are_refused(character: str) -> None:
    assert code_of("Some words\n", f"文{character}字") == "G101"


@pytest.mark.parametrize(
    ("text", "msgstr"),
    [
        ("Some words\n", "甲\n乙"),
        ("# Some words\n", "甲\n乙"),
        ("| Some words |\n|--|\n", "甲\n乙"),
        (BREAK, "甲\n乙\n丙"),
        (BREAK, "甲\n\n乙"),
        (BREAK + "and last  \nwords\n", "甲\n \n乙"),
        ("<p>Some\nwords</p>\n", "<p>甲\n乙\n丙</p>"),
        ("<p>Some\nmore\nwords</p>\n", "<p>甲\n\n丙</p>"),
    ],
)
def test_other_line_breaks_are_refused(text: str, msgstr: str) -> None:
    assert code_of(text, msgstr) == "G102"


@pytest.mark.parametrize(
    "start",
    [
        "# ", "- ", "* ", "+ ", "1. ", "2) ", "> ", "```", "~~~", ":::", "---", "***", "___", "+++",
        "$$ x $$", "(a)=", "% ", "[a]: b", "[^1]: ", "<div>", "<!-- x -->", "| a |\n|--|",
        "[a]: java&#115;cript:alert(1)",
    ],
)  # fmt: skip
def test_a_line_that_begins_another_block_is_refused(start: str) -> None:
    assert code_of(BREAK, start) in ("G104", "G105")


@pytest.mark.parametrize(
    "line", "===¦---¦```¦+++¦> x¦- x¦1. x¦# x¦<div>¦% x¦:::{note}¦--|--¦: x".split("¦")
)
def test_another_block_behind_a_break(line: str) -> None:
    assert code_of(BREAK, f"甲 | 乙\n{line}") in ("G104", "G105")


@pytest.mark.parametrize(
    ("text", "msgstr"),
    [
        # HTML, whole or in pieces, that the English has not
        ("Some words\n", "文<b>字</b>"),
        ("Some words\n", "文<img src=x onerror=alert(1)>字"),
        ("Some words\n", "文<script>"),
        ("Some words\n", "文 <!-- 注"),
        ("Some words\n", "文 <?x"),
        ("Some words\n", "文</p>字"),
        ("Some `<b>` words\n", "文 <b> 字"),
        ("Some <b>bold</b> words\n", "文字"),
        ("Some <b>bold</b> words\n", "<b>文</b><b>字</b>"),
        ('Some <b id="x">bold</b> words\n', "文<b onclick=x>字</b>"),
        ("| Some words |\n|--|\n", "文<b>字</b>"),
        ("# Some words\n", "文<b>字</b>"),
        ("See $x < y$ words\n", "见 $x < y$ <z"),
        ("See ![<b>bold</b> picture](a.png)\n", "见![图](a.png)"),
        ("A {term}`tree` here\n", "{term}`树 <img src=x>`"),
        # links, images, URLs
        (LINK, "读[指南](b.md)"),
        (LINK, "读[指南](a.md.example.org)"),
        (LINK, "读![指南](a.md)"),
        (LINK, "读[指南](a.md) [又](a(b)c)"),
        # A link inside an image's text is text to our parser, and a link if the image breaks.
        (LINKED_IMAGE, "译文 ![一个[链接](a.md<>)](a.png)"),
        (LINKED_IMAGE, "译文 ![一个[链接](a.md(b))](a.png)"),
        (LINKED_IMAGE, "译文 ![一个[链接](a.md((b)c))](a.png)"),
        ("![Some picture here](a.png) and words\n", "[文字](a.png)"),
        ("Some words\n", "[文](javascript:alert(1))"),
        ("Some words\n", "[文](JaVaScRiPt:alert(1))"),
        ("Some words\n", "[文](java&#115;cript:alert(1))"),
        ("Some words\n", "[文](javascript&colon;alert(1))"),
        ("Some words\n", "[文](<javascript:alert(1)>)"),
        ("Some words\n", "[文]( javascript:alert(1) )"),
        ("Some words\n", r"[文](java\script:alert(1))"),
        ("Some words\n", "[文](//example.org)"),
        ("Some words\n", "![](https://example.org/track.gif)"),
        ("Some words\n", "<javascript:alert(1)>"),
        ("Some words\n", "<https://example.org>"),
        ("Some words\n", "去 https://example.org 看"),
        ("Some words\n", "去HTTP://example.org看"),
        ("Some words\n", "去 www.example.org 看"),
        ("See https://example.org here\n", "去 https://example.org.evil.example 看"),
        ("See https://example.org/a here\n", "去 https://example.org/b 看"),
        ("Some words\n", "文 javascript:alert(1)"),
        (BREAK, "甲\n[a]: vbscript:x"),
        ("Some words\n", "![图](data:#1)"),
        ("Some words\n", "data:text/html,x"),
        # A footnote is the definition of a link to those who do not know footnotes.
        # (They are marked and mistune.)
        ("See[^1].\n\n[^1]: Some words\n", "//example.org"),
        ("See[^1].\n\n[^1]: Some words\n", "javascript&colon;alert(1)"),
        ("See[^1].\n\n[^1]: Some words\n", r"javascript\:alert(1)"),
        ("See[^1].\n\n[^1]: Some words\n", "http:example.org"),
        ("See[^1].\n\n[^1]: Some words\n", "java&#115;cript&#x3A;alert(1)"),
        ("Some words\n", "_https://example.org"),
        ("Some words\n", "1https://example.org"),
        ("Some words\n", "文www.example.org"),
        ("Some words\n", "&lt;script&gt;"),
        # what runs or redefines elsewhere
        ("Some words\n", "{eval}`x`"),
        ("A {func}`f` here\n", "{raw}`f`"),
        ("A {func}`f` here\n", "{func}`f` {func}`g`"),
        ("Some words\n", "{{ config }}"),
        ("Some words\n", "文{% include x %}"),
        ("Some words\n", "文[^1]"),
        ("Some words\n", r"$\href{javascript:x}{y}$"),
        ("Some words\n", r"\\(\href{x}{y}\\)"),
        (
            "See $\\href{https://example.org}{y}$ here\n",
            r"$\href{https://example.com}{y}$",
        ),
        ("Some words\n", r"$\def\x{y}$"),
        ("Some words\n", r"$\renewcommand{\x}{y}$"),
        ("Some words\n", r"$\require{html}$"),
        ("Some words\n", r"$\mmlToken{mi}[href='x']{y}$"),
        ("It is {eval}`x` now\n", "现在是 {eval}`f()`"),
        (
            "See ![it](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB) now\n",
            "看 ![图](data:#1) ![图](data:#1)",
        ),
        ("Some words\n", r"$\style{color:red}{x}$"),
        # formulas that begin or end
        ("Some words\n", r"\begin{equation}"),
        ("Some words\n", r"\begin{equation} x \end{equation}"),
        ("Some words\n", r"文字 \end{equation}"),
        ("Some words\n", r"文字 \\begin {equation}"),
        ("Some words\n", "文字 &#92;begin{equation}"),
        ("# Some words\n", r"\begin{equation*}"),
        ("Read `code` first\n", r"先读 `code`，\begin{x}"),
        (FORMULA, r"令 \begin{align}x 与 \begin{a}y\end{a}。"),
        (FORMULA, r"令 \end{align}x\begin{align} 与 \begin{a}y\end{a}。"),
        # inside an image
        ("![Some picture here](a.png)\n", "图]"),
        ("![Some picture here](a.png)\n", "图\\"),
        ("![Some picture here](a.png)\n", "图 `"),
        ("![Some picture here](a.png)\n", "图 <"),
        ("![Some picture here](a.png)\n", "图](b.png) ![图"),
        ("![Some `code` here](a.png)\n", "图"),
        # an HTML block
        (HTML, '<p>一些<b title="x > y" onclick=z>粗体</b>字</p>'),
        (HTML, "<p>一些粗体字</p>"),
        (HTML, '<p>一些<b title="x > y">粗体</b>字</p><script>'),
        (HTML, '<p>一些<b title="x > y">粗体</b>字</p <'),
        (HTML, '<<p>一些<b title="x > y">粗体</b>字</p>'),
    ],
)
def test_something_active_is_refused(text: str, msgstr: str) -> None:
    assert code_of(text, msgstr) == "G104"


@pytest.mark.parametrize(
    ("text", "msgstr"),
    [
        ("Some words\n", "1 + 1"),
        ("Some words\n", "`文字`"),
        (HTML, '<p><b title="x > y">粗体</p>字</b>'),
        ("Title here\n===\n", "- 列表"),
        ("Title here\n===\n", "```"),
        ("# Some words\n", "#"),
        ("| Some words | `x` |\n|--|--|\n", "甲 | 乙"),
        ("|Some words|`x`|\n|--|--|\n", "甲\\"),
        ("```{note} Some words\n```\n", "甲 `乙`"),
        ("```{note}\nSome words\n```\n", ":class: x"),
        ("- [ ] Some words\n", "`x`"),
        ("> Some words\n>", "% x"),  # the parser cannot read the page any more
    ],
)
def test_only_the_parsed_page_tells(text: str, msgstr: str) -> None:
    assert refusal_of(text, msgstr) is None
    assert code_of(text, msgstr) == "G105"


@pytest.mark.parametrize("hostile", ["[", "![", "` ", "*a ", "<", "&", "\\", "$", "[^a]", "字"])
def test_a_translation_that_is_far_too_long_is_not_even_parsed(hostile: str) -> None:
    assert code_of("Some words\n", hostile * 200_000) == "G106"


def test_texts_say_what_is_wrong() -> None:
    refusal = refusal_of(LINK, "读[指南](https://example.org/" + "a" * 100 + ")")
    assert refusal is not None
    assert refusal.text.startswith("adds link target “https://example.org/aaa")
    assert refusal.text.endswith("…”")
    refusal = refusal_of(HTML, "<p>一些字</p>")
    assert refusal is not None
    assert refusal.text == 'lacks HTML “<b title="x > y">”; lacks HTML “</b>”'


def test_paragraph_that_became_a_heading_in_its_place() -> None:
    text = "Some words\n\nmore words\n"
    assert not reads_back(text, {}, Edit(10, 10, "\n==="))


def test_html_without_a_whole_tag_stays_as_it_is() -> None:
    split = split_text("<div some words\n")
    assert [message.msgid for message in split.messages] == ["<div some words"]
    assert split.skeleton == ((0, ("html_block", "<div some words\n")),)
    assert not reads_back("<div some words\n", {0: "<div 文字"})


def test_an_insertion_is_no_change() -> None:
    text = "# Title\n\nwords here\n"
    assert reads_back(text, {0: "标题"}, Edit(7, 7, "\n\n> Inserted words"))
    assert not reads_back(text, {}, Edit(9, 9, "> "))
