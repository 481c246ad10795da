r"""What a translation may not make of formulas and roles, wherever on a page it stands.

Each translation is merged into all messages of a page at once. The pages have a message of every
kind; what is refused leaves them as upstream has them, byte for byte.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpus import msgids, page
from notebooks import notebook_value, prose

from pipeline.core.document.merge import merge
from pipeline.core.document.message import Kind
from pipeline.core.document.reader import Document

DATA = Path(__file__).parent / "data"
# "…" stands for the words of a message.
MARKDOWN = (DATA / "messages.md").read_text(encoding="utf-8")
RST = (DATA / "messages.rst").read_text(encoding="utf-8")
MARKDOWN_KINDS = frozenset(Kind) - {Kind.PAGE_TITLE, Kind.FRONT_MATTER}
RST_KINDS = MARKDOWN_KINDS - {Kind.HTML, Kind.IMAGE}


def refused(document: Document, words: str, msgstr: str) -> set[Kind]:
    """Put ``msgstr`` in the place of ``words`` in every message; the kinds of those refused."""
    english = [msgid for msgid in msgids(document) if words in msgid]
    merged = merge(document, {one: one.replace(words, msgstr) for one in english})
    assert {rejected.refusal.code for rejected in merged.rejected} <= {"G104", "G105"}
    assert all(rejected.refusal.hint for rejected in merged.rejected)
    assert len(merged.rejected) + merged.translated == len(english)
    if not merged.translated:
        assert merged.data == document.raw.encode()
    return {rejected.message.kind for rejected in merged.rejected}


def refused_in_rst(words: str, msgstr: str) -> set[Kind]:
    return refused(page(RST.replace("…", words), path="a.rst"), words, msgstr)


def refused_in_markdown(words: str, msgstr: str) -> set[Kind]:
    """The kinds of messages in which a page refuses ``msgstr``; a notebook does the same."""
    text = MARKDOWN.replace("…", words)
    notebook = json.dumps(notebook_value(prose(text)))
    kinds = refused(page(text), words, msgstr)
    assert refused(page(notebook, path="a.ipynb"), words, msgstr) == kinds
    return kinds


# New formulas

OF_ANY_LANGUAGE = (
    r"字 \\(\unicode{x}\\) 文",
    r"字 \(\alpha\) 文",
    r"字 \[\text{<b>}\] 文",
    r"字 \begin{align}x\end{align} 文",
    r"字 &#36;\colorbox{red}{词}&#36; 文",
    r"字 $\colorbox{red}{< img/src='x'onerror='…'}$ 文",
    r"字 $`\verb!{a}`! 文",
)


@pytest.mark.parametrize(
    "msgstr",
    [
        *OF_ANY_LANGUAGE,
        r"字 $\verb!{a}`<img/src=x/onerror=…>`!$ 文",
        r"字 $\verb!{doc}`词<img/src=x/onerror=…>`!$ 文",
        r"字 $\verb!{doc}`词 <img>`!$ 文",
        "字 $x$ 文",
        "字 $$x$$ 文",
        "字 $< img/src='x'onerror='…'$ 文",
        "字 $5 与 < img src=x $ 文",
        "字 {math}`x` 文",
        "字 {MATH}`< img src=x` 文",
        "字 [$x$](a.md) 文",
        "**字 $x$ 文**",
        "字 `词`$x$",
    ],
)
def test_a_new_formula_is_refused_in_markdown(msgstr: str) -> None:
    assert refused_in_markdown("Take it", msgstr) == MARKDOWN_KINDS


@pytest.mark.parametrize(
    "msgstr",
    [
        *OF_ANY_LANGUAGE,
        "字 :math:`x` 文",
        "字:math:`x`文",
        "字 :MATH:`< img src=x` 文",
        "字 `x`:math: 文",
        r"字 :math:`\text{<script/src=_static/evil.js></script>}` 文",
        "字 `x` 文",
    ],
)
def test_a_new_formula_is_refused_in_rst(msgstr: str) -> None:
    assert refused_in_rst("Take it", msgstr) == RST_KINDS


# Changes of formulas that the English has

FORMULA = r"x \text{ if } y"
CHANGED = (
    r"x \text{ if } z",
    r"x \text{<script/src=_static/evil.js></script>} y",
    r"x \text{< img/src=x} y",
    r"x \text{词 > 词} y",
    r"x \text{&lt;b&gt;} y",
    r"x \text{词\alpha} y",
    r"x \text{\ href} y",
    r"x \text{词}} \text{{词} y",
    r"x \text{{词}} y",
    r"x \text{ if }{词} y",
    r"x \text{onerror=词} y",
    r"x \text{词\"} y",
    r"x \text{词%} y",
    r"x \textcolor{ if } y",
    r"x \mbox{ if } y",
    r"x \ text{ if } y",
    r"x \verb|词| y",
    r"\colorbox{red}{< img/src='x'onerror='…'}",
)


@pytest.mark.parametrize("changed", CHANGED)
def test_a_changed_formula_is_refused(changed: str) -> None:
    kinds = refused_in_markdown(f"Take ${FORMULA}$", f"取 ${changed}$。")
    assert kinds == MARKDOWN_KINDS
    kinds = refused_in_rst(f"Take :math:`{FORMULA}`", f"取 :math:`{changed}`。")
    assert kinds == RST_KINDS


@pytest.mark.parametrize(
    "marks",
    [
        *(r"\\({}\\)", r"\\[{}\\]", r"\begin{{align}}{}\end{{align}}"),
        *("{{math}}`{}`", "$${}$$"),
    ],
)
@pytest.mark.parametrize("changed", CHANGED[1:3])
def test_formulas_in_other_marks_are_compared_as_well(marks: str, changed: str) -> None:
    words = f"Take {marks.format(FORMULA)}"
    kinds = refused_in_markdown(words, f"取 {marks.format(changed)}。")
    # With "[" in its text an image is no message.
    assert kinds >= MARKDOWN_KINDS - {Kind.IMAGE}
    same = marks.format(FORMULA.replace("if", "若"))
    assert not refused_in_markdown(words, f"取 {same}。")


def test_an_environment_keeps_what_it_holds() -> None:
    words = r"Take \begin{align}x\end{align}"
    msgstr = r"取 \begin{align}< img/src=x onerror=…\end{align}"
    assert refused_in_markdown(words, msgstr) == MARKDOWN_KINDS
    assert refused_in_rst(words, msgstr) == RST_KINDS


# What may be translated

GOOD_MARKDOWN = (
    (f"Take ${FORMULA}$", r"取 $x \text{，若 } y$。"),
    (f"Take ${FORMULA}$", r"取 $x\text{（若成立，则取）}y$。"),
    (r"Take $a$ and $b \mbox{ m/s}$", r"取$b \mbox{ 米/秒}$和$a$。"),
    ("Take $a$ and $b$", "取 $b$，再取 $a$，又是 $a$。"),
    ("Take $5", "花费 $5。"),
    ("Take $5", "花费 5 美元。"),
    (r"Take \$5 or \$6", r"花费 \$5 或 \$6。"),
    ("Take `$HOME` or `$PATH`", "取 `$PATH` 或 `$HOME`。"),
    (r"Take \[it\] or \(it\)", r"取 \[它\] 或 \(它们\)。"),
    ("Take {func}`~a.b`", "取{func}`词 <a.b>`。"),
    ("Take {ref}`a label`", "取{ref}`词 <a label>`。"),
    ("Take {kbd}`key`", "取 {kbd}`键`。"),
)


@pytest.mark.parametrize(("words", "msgstr"), GOOD_MARKDOWN)
def test_words_may_change_in_markdown(words: str, msgstr: str) -> None:
    # In the text of an image no mark may come or go; in HTML "<a>" is a tag.
    tags = {Kind.HTML} if "<" in msgstr else set()
    assert refused_in_markdown(words, msgstr) <= {Kind.IMAGE} | tags


@pytest.mark.parametrize(
    ("words", "msgstr"),
    [
        (f"Take :math:`{FORMULA}`", r"取:math:`x \text{，若 } y`。"),
        (f"Take :math:`{FORMULA}`", r"取 :math:`x\text{（若成立，则取）}y`。"),
        ("Take :math:`a` and :math:`b`", "取:math:`b`和:math:`a`、:math:`a`。"),
        ("Take $5 or $6", "花费 $5 或 $6。"),
        ("Take $A <a> or $B", "取 $A <甲> 或 $B。"),
        ("Take ``$A`` or ``$B``", "取``$B``或``$A``。"),
        ("Take `this`", "取`这个`。"),
    ],
)
def test_words_may_change_in_rst(words: str, msgstr: str) -> None:
    titles = {Kind.TITLE, Kind.CAPTION} if "<" in words else set()
    assert refused_in_rst(words, msgstr) <= titles


# Roles

ROLES = (
    ("octicon", "alert;1em;a", "alert;1em;b"),
    ("octicon", "alert", 'alert;1em;x"onload="…'),
    ("download", "a.py", "/../../etc/hostname"),
    ("download", "a.py", "词 </../../etc/hostname>"),
    ("download", "words <a.py>", "词 <b.py>"),
    ("raw", "<b>", "<i>"),
    ("raw-html", "a <b>", "< img src=x> <b>"),
    ("ref", "a", "词 <b>"),
    ("doc", "a", "b"),
    ("eval", "a <b>", "f(x) <b>"),
    ("bdg-link-primary", "a <b>", "a <c>"),
    ("Func", "a", "b"),
    ("unknown", "a", "b"),
)


@pytest.mark.parametrize(("name", "english", "chinese"), ROLES)
def test_a_role_keeps_what_it_holds(name: str, english: str, chinese: str) -> None:
    words = f"Take {{{name}}}`{english}`"
    kinds = refused_in_markdown(words, f"取 {{{name}}}`{chinese}`。")
    assert kinds == MARKDOWN_KINDS
    kinds = refused_in_rst(f"Take :{name}:`{english}`", f"取 :{name}:`{chinese}`。")
    assert kinds == RST_KINDS


@pytest.mark.parametrize(
    ("english", "chinese"),
    [("a < b", "c < b"), ("a <b>", "<script> <b>"), (r"\text{a}", r"\text{<b>}")],
)
def test_text_of_the_default_role_keeps_its_marks(english: str, chinese: str) -> None:
    assert refused_in_rst(f"Take `{english}`", f"取 `{chinese}`。") == RST_KINDS


# HTML in unusual spellings

HTML = (
    "字<img/src=x/onerror=…>文",
    "字<img\tsrc=x>文",
    "字<IMG src=x>文",
    "字<svg/onload=…//文",
    "字<!-->文",
    "字<![CDATA[文]]>",
    "字<?x 文?>",
    "字</p 文>",
    "字&lt;script&gt;文",
    "字&#60script文",
    "字&amp;lt;script&amp;gt;文",
    "字&#x3c;script文",
    "[字](# '<img src=x>')",
    "![<img src=x>](a.png)",
    "字`{a}`<img/src=x/onerror=…>`文",
    "字{doc}`<img/src=x/onerror=…>`文",
    "字{doc}`词 <img/src=x/onerror=…>`文",
    "[字]{onclick=x}",
    "`字`{#name}",
    "字{: onclick=x}",
)


@pytest.mark.parametrize(
    ("words", "msgstr"),
    [
        *(("Take it", msgstr) for msgstr in HTML),
        # A tag gets no attributes from what looks like it.
        ("Take `<img>`", "取 `<img src=x onerror=…>`"),
        ("Take {term}`img`", "取 <img>"),
        ("Take {term}`img`", "取{term}`词 <img src=x>`"),
        ("Take {term}`img`", "取{doc}`词 <img>`"),
    ],
)
def test_html_in_unusual_spellings_is_refused(words: str, msgstr: str) -> None:
    assert refused_in_markdown(words, msgstr) == MARKDOWN_KINDS


def test_a_line_of_attributes_is_refused() -> None:
    document = page("Take it  \nor leave it\n")
    for msgstr in ("{.hidden}", "{#name .hidden}", "取\n{hidden=1}"):
        assert refused(document, "Take it\nor leave it", msgstr) == {Kind.PARAGRAPH}


def test_what_is_no_tag_stays_a_text() -> None:
    for msgstr in ("取 a < b。", "取 a＜b＞。", "取 < img src=x>。"):
        kinds = refused_in_markdown("Take a < b", msgstr)
        assert not kinds & {Kind.PARAGRAPH, Kind.HEADING}
