"""What a copy has lost of a message is put back where that is clear, and nowhere else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.core.adoption.restoration import restore
from pipeline.core.document.message import Markup

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
