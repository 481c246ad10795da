"""Web pages as Markdown, and the text of files in whatever encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.adapters.copies import decode, html_to_markdown
from pipeline.errors import InputError

CASES = [
    pytest.param(
        "<div>预热。<br><br>\n烤面包。<br/>等。<br/><br/><b>小结</b></div>",
        "预热。\n\n烤面包。\\\n等。\n\n**小结**",
        id="two breaks part paragraphs, one does not",
    ),
    pytest.param(
        "<table><tr><td>Heat it for an hour.</td><td>加热一小时。</td></tr>"
        "<tr><td colspan=2><pre>heat()\n  open()</pre></td></tr></table>",
        "Heat it for an hour.\n\n加热一小时。\n\n```\nheat()\n  open()\n```",
        id="a table for the layout of code",
    ),
    pytest.param(
        "<h2>烤箱<a class='headerlink' href='#a'>¶</a></h2><p>加热。</p>",
        "## 烤箱\n\n加热。",
        id="permalink",
    ),
    pytest.param(
        "<h2>烤箱 #</h2><p>加热。</p>", "## 烤箱\n\n加热。", id="a mark for a permalink"
    ),
    pytest.param(
        "<p>用 <code>heat_up(x)</code> 和 <em>a*b</em></p>",
        "用 `heat_up(x)` 和 *a*b*",
        id="code",
    ),
    pytest.param(
        "<pre>heat()\n  open()</pre>",
        "```\nheat()\n  open()\n```",
        id="a block of code",
    ),
    pytest.param(
        "<p>甲<span class='math notranslate'>\\(x_1\\)</span></p>",
        "甲$x_1$",
        id="Sphinx's formula",
    ),
    pytest.param(
        "<p>甲</p><div class='math'>\\[x^2\\]</div>",
        "甲\n\n$$\nx^2\n$$",
        id="Sphinx's displayed formula",
    ),
    pytest.param(
        "<p>甲<span class='math'>x</span></p>", "甲x", id="a formula without marks"
    ),
    pytest.param("<p>甲<script type='math/tex'>x</script></p>", "甲$x$", id="MathJax"),
    pytest.param(
        "<p>甲</p><script type='math/tex; mode=display'>x</script>",
        "甲\n\n$$x$$",
        id="MathJax displayed",
    ),
    pytest.param(
        "<p>甲<span class='katex'><span><math>"
        "<annotation encoding='application/x-tex'>x</annotation></math></span>"
        "<span aria-hidden='true'>x</span></span></p>",
        "甲$x$",
        id="KaTeX",
    ),
    pytest.param(
        "<p>甲<span class='MathJax'>x</span>乙</p>", "甲乙", id="what MathJax shows"
    ),
    pytest.param(
        "<p>甲<!-- 注释 --><script>alert(1)</script><style>p{}</style>乙</p>",
        "甲乙",
        id="scripts and comments",
    ),
    pytest.param(
        "<p>甲<iframe src=x>丙</iframe><img src=a.png alt=图 onerror=x()>乙</p>",
        "甲![图](a.png)乙",
        id="frames",
    ),
    pytest.param(
        "<nav>首页</nav><header>登录</header><div><p>正文很长很长很长很长。</p></div>",
        "正文很长很长很长很长。",
        id="navigation",
    ),
    pytest.param(
        "<p>另见：</p><ul><li><a href='a.html'>甲</a></li></ul>",
        "另见：\n\n- [甲](a.html)",
        id="a list of links that is text",
    ),
    pytest.param("<p>另见：</p><ul><li>甲</li></ul>", "另见：\n\n- 甲", id="a list"),
    pytest.param("<p>甲<br>乙</p>", "甲\\\n乙", id="a line break"),
    pytest.param("", "", id="nothing"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_html(text: str, expected: str) -> None:
    assert html_to_markdown(text, where="a.html").strip() == expected


@given(st.text(alphabet="<>/apdiv!-=\"' 烤&;#", max_size=80))
def test_any_markup_ends_in_text(text: str) -> None:
    assert "<script" not in html_to_markdown(text, where="a.html")


def test_what_is_nested_beyond_reason_is_refused() -> None:
    with pytest.raises(InputError, match="has 151 nested elements"):
        html_to_markdown("<div>" * 9000 + "烤" + "</div>" * 9000, where="a.html")


@pytest.mark.parametrize("encoding", ["big5", "gbk", "gb18030"])
def test_chinese_encodings_are_told_apart(encoding: str) -> None:
    text = "烤箱的門慢慢打開。" if encoding == "big5" else "烤箱的门慢慢打开。"
    text = text * 30
    assert decode(text.encode(encoding), where="a.md").text == text


@given(st.binary(max_size=300))
def test_any_bytes_end_in_text_or_a_refusal(data: bytes) -> None:
    try:
        found = decode(data, where="a.md")
    except InputError as error:
        assert error.where.startswith("a.md")
        return
    assert "\0" not in found.text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04" + bytes(range(256)), "is no text"),
        (b"\xff\xfe\x00", "is neither UTF-8 nor utf-16"),
        (("烤箱" * 9).encode("gbk") + b"\xff\xff", "is neither UTF-8 nor"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        decode(data, where="a.md")
