"""What the index is handed of a page: blocks of text, and how its words are read."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx import addnodes

from pipeline.site.extension.content.reference import signature_nodes
from pipeline.site.extension.navigation.toctree import Mark
from pipeline.site.extension.nodes import (
    english,
    own_html,
    term_note,
    wrap_both_languages,
)
from pipeline.site.extension.search import blocks_of, readings_of, save_record
from pipeline.site.search.pieces import Block


def section(*children: nodes.Node) -> nodes.section:
    return nodes.section("", *children, ids=["water", "id1"])


def html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def copy(words: str) -> english:
    return english("", words, tag="p", jz=0)


@pytest.mark.parametrize(
    ("node", "blocks"),
    [
        (nodes.paragraph("", "水"), [Block(text="水")]),
        (section(nodes.title("", "水")), [Block(text="水", anchor="water")]),
        (copy("Water"), [Block(english="Water")]),
        (html("<p>a<br>b&amp;c</p>"), [Block(text="\na\nb&c\n")]),
        (nodes.raw("", "x", format="latex"), [Block()]),
        (html("<script>a()</script><b>c</b>"), [Block(text=" c")]),
        (nodes.comment("", "不说"), []),
        (nodes.math_block("", "x^2"), []),
        (own_html(html="<p>我们的</p>"), []),
        (nodes.literal_block("", "\x1b[34;1mlet\x1b[39m a"), [Block(text="let a")]),
        (
            nodes.note("", nodes.paragraph("", "水")),
            [Block(text="备注"), Block(text="水")],
        ),
    ],
)
def test_a_node_has_these_blocks(
    node: nodes.Element, blocks: list[Block], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.site.extension.search.admonitionlabels", {"note": "备注"})
    assert list(blocks_of(node)) == blocks


def test_a_heading_holds_both_languages() -> None:
    title = nodes.title("", "水")
    wrap_both_languages(title, copy("Water"))
    (block,) = blocks_of(section(title))
    assert block == Block(text="水", english="Water", anchor="water")


def test_words_stay_together_across_links_code_and_terms() -> None:
    term = term_note("", "水", title="water")
    link = nodes.reference("", "壶", refuri="https://example.org")
    line = nodes.paragraph("", "", term, link, nodes.literal("", "kettle"))
    line += nodes.target("", "里")
    (block,) = blocks_of(line)
    assert block.text == "水壶kettle里"


def test_a_paragraph_in_a_link_is_a_line_of_its_own() -> None:
    card = addnodes.compact_paragraph("", "水", nodes.paragraph("", "壶"))
    card += nodes.Text("茶")
    assert [block.text for block in blocks_of(card)] == ["水\n壶\n茶"]


def test_a_name_is_explained_by_its_whole_name() -> None:
    item: Any = nodes.paragraph("", "boil", jz_name="kettle.boil")
    whole: Any = nodes.paragraph("", "见 kettle.boil", jz_name="kettle.boil")
    first, second = blocks_of(nodes.container("", item, whole))
    assert first == Block(text="kettle.boil", names=("kettle.boil",))
    assert second == Block(text="见 kettle.boil", names=("kettle.boil",))


def test_contents_are_titles_of_other_pages() -> None:
    mark = Mark(number=1, text="水", state="translated", english="Water")
    tree = nodes.compound("", nodes.paragraph("", "水"), classes=["toctree-wrapper"])
    tree["jz_marks"] = [mark]
    assert list(blocks_of(tree)) == [
        Block(english="Water", is_aside=True),
        Block(text="水", is_aside=True),
    ]


def test_what_code_printed_is_an_aside() -> None:
    printed = nodes.literal_block("", "1.26 ms")
    table = html("<td>1.26</td>")
    cell = nodes.container(
        "",
        nodes.container("", nodes.literal_block("", "boil()"), classes=["cell_input"]),
        nodes.container("", printed, table, classes=["cell_output"]),
    )
    assert list(blocks_of(cell)) == [
        Block(text="boil()"),
        Block(text="1.26 ms", is_aside=True),
        Block(text="\n1.26\n", is_aside=True),
    ]


def test_an_english_term_behind_a_chinese_one_is_english() -> None:
    (block,) = blocks_of(nodes.term("", "kettle", classes=["jz-en"]))
    assert block == Block(english="kettle")


def test_arguments_are_told_by_the_name_that_has_them() -> None:
    signature = "(fun, /, axis=0, *, hot_plates: int = a_b, out=c.d_e, **kettles_on)"
    names = ("hot_plates", "kettles_on")
    words = " ".join(names)
    (about,) = signature_nodes("tea.boil", signature)
    assert isinstance(about, nodes.paragraph)
    assert list(blocks_of(about)) == [
        Block(english=words, owner="boil", arguments=names, is_aside=True)
    ]
    assert signature_nodes("tea.boil", "") == []


def test_an_object_is_its_name_its_signature_and_its_docstring() -> None:
    about = {"module": "tea", "fullname": "Pot.boil", "ids": ["tea.Pot.boil"]}
    signature = addnodes.desc_signature("", "", **about)
    signature += addnodes.desc_addname("", "tea.Pot.")
    signature += addnodes.desc_name("", "boil")
    signature += addnodes.desc_parameterlist("", "", addnodes.desc_parameter("", "hot_plates=1"))
    first, second = nodes.paragraph("", "烧水。"), nodes.paragraph("", "要小心。")
    content = addnodes.desc_content("", first, copy("Boil."), second, copy("Mind."))
    name = "tea.Pot.boil"
    assert list(blocks_of(addnodes.desc("", signature, content))) == [
        Block(text=name, anchor=name, names=(name,)),
        Block(text="tea.Pot.boil(hot_plates=1)", owner="boil", arguments=("hot_plates",)),
        Block(text="烧水。", is_summary=True),
        Block(english="Boil.", is_summary=True),
        Block(text="要小心。"),
        Block(english="Mind."),
    ]


def test_a_docstring_without_a_first_paragraph_has_no_summary() -> None:
    note = nodes.literal_block("", "boil()")
    content = addnodes.desc_content("", note, nodes.paragraph("", "烧水。"))
    assert [block.is_summary for block in blocks_of(content)] == [False, False]


@pytest.mark.parametrize(
    ("translated", "untranslated", "is_translated"),
    [(1, 1, True), (1, 2, False), (2, 1, True), (0, 0, True)],
)
def test_a_block_counts_once_however_it_is_shown(
    translated: int, untranslated: int, is_translated: bool, tmp_path: Path
) -> None:
    document = new_document("tea")
    for number in range(translated + untranslated):
        is_english = number >= translated
        state = "jz-english" if is_english else "jz-translated"
        words = "Tea" if is_english else "茶"
        document += nodes.paragraph("", words, jz=number, classes=["jz-block", state])
        if not is_english:
            document += english("", "Tea", tag="p", jz=number)
    app: Any = SimpleNamespace(doctreedir=tmp_path, env=None)
    save_record(app, "tea", document, "")
    record = json.loads((tmp_path / "search/tea.json").read_bytes())
    assert record["is_translated"] is is_translated


def test_a_word_is_read_by_syllables_as_in_its_context() -> None:
    # 调 is read diào or tiáo, 行 háng or xíng; ü is typed v.
    words = ["调用", "调试", "并行", "绿茶", "JIT 编译"]
    assert readings_of(words) == {
        "调用": "diao yong",
        "调试": "tiao shi",
        "并行": "bing xing",
        "绿茶": "lv cha",
        "JIT 编译": "jit bian yi",
    }
    assert readings_of([]) == {}
