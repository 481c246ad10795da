"""Fragments of HTML in both languages, terms in a translation, and headings beside a page."""

from __future__ import annotations

import re

import pytest
from docutils import nodes
from docutils.utils import new_document
from hypothesis import given
from hypothesis import strategies as st

from pipeline.site.extension.bilingual.placement import name_boxes, term_places
from pipeline.site.extension.bilingual.writer import in_both_languages, stands_alone
from pipeline.site.extension.nodes import english
from pipeline.site.extension.theme import headings_of

WHOLE = (
    "",
    "words & more &amp; even &#8212; those",
    "<p>a<br>b</p>",
    "<details><summary>a</summary>b</details>",
    "<p>never closed",
    "<ul><li>a<li>b</ul>",
    "<table><tr><td>a<td>b</table>",
    '<b title="a > b">c</b>',
    "<b title='</b>'>c</b>",
    "<!-- <div> -->",
    "<svg><path d='M0'/><circle/></svg>",
    "<script>if (a < b) '</div>'</script>",
    "<IMG SRC=a><DIV>b</div>",
    "1 < 2",
)
PARTS = (
    "<details>",
    "</details>",
    "<details>\n<summary>a</summary>",
    "</td><td>",
    "<div/>",
    "<div><b></div>",
    "<div><p></div></div>",
    "<b><i>a</b></i>",
    "<tr><td>a</td></tr>",
    "<tbody><tr><td>a</td></tr></tbody>",
    "<summary>a</summary>",
    "<li>a</li>",
    "<dt>a</dt><dd>b</dd>",
    "<option>a</option>",
    "<!-- open",
    "<div title='open",
    "<script>open",
    "<![foo[ a",
    '<div title="</div>">',
)


def test_what_is_whole_stands_alone_and_no_part_of_an_element_does() -> None:
    assert list(filter(stands_alone, (*WHOLE, *PARTS))) == list(WHOLE)


def _both(chinese: str, english: str) -> str:
    return (
        f'<span class="jz-zh">{chinese}</span>'
        f'<span class="jz-en" lang="en" data-jz-for="7">{english}</span>'
    )


@pytest.mark.parametrize(
    ("html", "english", "shown"),
    [
        ("<summary>更多", "<summary>More", f"<summary>{_both('更多', 'More')}"),
        # Whoever parses the English by itself closes what it opens.
        (
            "<details>\n<summary>更多</summary>\n",
            "<details><summary>More</summary></details>",
            f"<details>\n<summary>{_both('更多', 'More')}</summary>\n",
        ),
        (
            "<td>甲 &amp; 乙</td><td>JAX</td>",
            "<td>A &amp; B</td><td>JAX</td>",
            f"<td>{_both('甲 &amp; 乙', 'A &amp; B')}</td><td>JAX</td>",
        ),
        ("<td>甲<br>乙", "<td>A<br>B", f"<td>{_both('甲', 'A')}<br>{_both('乙', 'B')}"),
        (
            "<td>甲 < 乙 & 丙",
            "<td>A < B & C",
            f"<td>{_both('甲 &lt; 乙 & 丙', 'A &lt; B & C')}",
        ),
        # Other tags, or words in another order: nobody can tell what belongs to what.
        ("<td><b>甲</b>乙", "<td>A<b>B</b>", "<td><b>甲</b>乙"),
        ("<td>甲<b>乙</b>", "<td>A", "<td>甲<b>乙</b>"),
        # Nothing stands between the words of a drawing or of a script.
        (
            "<td><script>甲</script>",
            "<td><script>A</script>",
            "<td><script>甲</script>",
        ),
        ("<svg><title>甲</title>", "<svg><title>A</title>", "<svg><title>甲</title>"),
        ("<td>甲<!-- ", "<td>A<!-- ", "<td>甲<!-- "),
        ("<TD>JAX</TD >", "<TD>JAX</TD >", "<TD>JAX</TD >"),
    ],
)
def test_words_are_shown_in_both_languages(html: str, english: str, shown: str) -> None:
    assert in_both_languages(html, english, 7) == shown


@pytest.mark.parametrize("english", ["<td>A<script>", "<td></td></tr>", "", "<td>"])
def test_of_words_without_their_english_nothing_is_lost(english: str) -> None:
    assert in_both_languages("<td>甲", english, 7) == "<td>甲"


# Few letters, so that terms begin alike, share letters and lie within each other.
texts = st.text("热水壶", max_size=30)
terms = st.sets(st.text("热水壶", min_size=1, max_size=4), min_size=1, max_size=6)


@given(texts, terms)
def test_places_of_terms_are_those_of_a_pattern(text: str, terms: set[str]) -> None:
    longest_first = sorted(terms, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    expected = [(match.start(), match[0]) for match in pattern.finditer(text)]
    assert list(term_places(text, terms)) == expected


LINK = '<a class="reference internal"'
MARKED = '<a class="reference internal nav-link"'
LIST = "nav section-nav flex-column"


def test_headings_are_those_below_the_title() -> None:
    toc = (
        f'<ul>\n<li>{LINK} href="#">Tools</a><ul>\n'
        f'<li>{LINK} href="#saw">The <code>saw</code></a><ul>\n'
        f'<li>{LINK} href="#teeth">Teeth</a><ul>\n'
        f'<li>{LINK} href="#sharp">Sharp ones</a></li>\n</ul>\n</li>\n</ul>\n</li>\n'
        f'<li>{LINK} href="#lamp">The lamp</a></li>\n</ul>\n</li>\n</ul>\n'
    )
    assert headings_of(toc, open_levels=2) == (
        f'<ul class="pst-show_toc_level {LIST}">\n'
        f'<li class="toc-h2 nav-item toc-entry">{MARKED} href="#saw">The <code>saw</code></a>'
        f'<ul class="pst-show_toc_level {LIST}">\n'
        f'<li class="toc-h3 nav-item toc-entry">{MARKED} href="#teeth">Teeth</a>'
        f'<ul class="{LIST}">\n'
        f'<li class="toc-h4 nav-item toc-entry">{MARKED} href="#sharp">Sharp ones</a></li>\n'
        "</ul>\n</li>\n</ul>\n</li>\n"
        f'<li class="toc-h2 nav-item toc-entry">{MARKED} href="#lamp">The lamp</a></li>\n</ul>'
    )


@pytest.mark.parametrize(
    "toc",
    [
        "",
        f'<ul>\n<li>{LINK} href="#">Only a title</a></li>\n</ul>\n',
        # What a hidden list of contents leaves.
        f'<ul>\n<li>{LINK} href="#">Title</a><ul>\n</ul>\n</li>\n</ul>\n',
    ],
)
def test_a_page_with_only_a_title_has_no_headings(toc: str) -> None:
    assert headings_of(toc, open_levels=2) == ""


def test_all_headings_of_a_page_with_several_titles_are_shown() -> None:
    entry = f'<li>{LINK} href="#a">A</a><ul>\n<li>{LINK} href="#b">B</a></li>\n</ul>\n</li>'
    html = headings_of(f"<ul>\n{entry}\n{entry}\n</ul>\n", open_levels=1)
    assert html.count('class="toc-h1 ') == html.count('class="toc-h2 ') == 2
    assert html.startswith(f'<ul class="pst-show_toc_level {LIST}">')


def test_boxes_to_tick_have_names_in_the_language_of_their_words() -> None:
    document = new_document("page")
    box = '<input class="task-list-item-checkbox"{} disabled="disabled" type="checkbox">'
    for holder, checked in (
        (nodes.paragraph(), ' checked="checked"'),
        (english(), ' checked="checked"'),
        (nodes.paragraph(lang="en"), ""),
        (nodes.paragraph(), ""),
    ):
        holder.append(nodes.raw("", box.format(checked), format="html"))
        document += holder
    document += nodes.raw("", '<input type="checkbox">', format="html")
    name_boxes(document, "zh_CN")
    labels = [
        raw.astext().partition('aria-label="')[2].partition('"')[0]
        for raw in document.findall(nodes.raw)
    ]
    assert labels == ["已完成", "Done", "Not done", "未完成", ""]
