"""How a message is parsed in its place, in both languages.

Besides, what the checks of structure and of atoms promise of every message.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from check_tables import subject
from corpus import SAMPLE, documents_of, pseudo
from hypothesis import given
from hypothesis import strategies as st
from repositories import PAGES, Repository

from pipeline.core.checks.engine import fix_entry
from pipeline.core.checks.fixes import are_words_kept
from pipeline.core.checks.inline_tree import Node, _rst_nodes, rst_inline_tree, walk
from pipeline.core.checks.markup.emphasis_pairs import MEANT, mend
from pipeline.core.checks.masked import masked
from pipeline.core.checks.model import MessageContext, Problem, Subject, read_place
from pipeline.core.checks.parsed import Atom, Parsed, blanked, parse
from pipeline.core.checks.table import ATOMS, MARKUP
from pipeline.core.document.atoms import canonical_math
from pipeline.core.document.message import Kind, Markup
from pipeline.core.document.reader import Document, read_document
from pipeline.core.document.rst.inline import spaced
from pipeline.core.document.rst.parser import read_inline
from pipeline.entries import Entry
from pipeline.findings import Severity

MYST, RST = Markup.MARKDOWN, Markup.RST
ENDINGS = (*PAGES, ".rst")


def paragraph(text: str, markup: Markup = MYST) -> Parsed:
    return parse(text, Kind.PARAGRAPH, markup)


def problems(one: Subject) -> list[tuple[str, Problem]]:
    checks = (*MARKUP, *ATOMS)
    return [(check.code, problem) for check in checks for problem in check.look(one)]


def codes(one: Subject) -> list[str]:
    return [code for code, _ in problems(one)]


@pytest.mark.parametrize(
    ("notes", "kind", "markup", "section"),
    [
        (
            ("list item (reST) · Tea › Green", "fuzzy: …"),
            Kind.LIST_ITEM,
            RST,
            "Tea › Green",
        ),
        (("heading (reST)",), Kind.HEADING, RST, ""),
        (("quote · A (reST)", "fuzzy: (reST)"), Kind.QUOTE, MYST, "A (reST)"),
        (("poem (reST) · A · B",), Kind.PARAGRAPH, RST, "A · B"),
        (("a note of another tool",), Kind.PARAGRAPH, MYST, ""),
        ((), Kind.PARAGRAPH, MYST, ""),
    ],
)
def test_the_place_of_a_message_is_read_from_its_first_note(
    notes: tuple[str, ...], kind: Kind, markup: Markup, section: str
) -> None:
    entry = Entry(msgid="a", msgstr="甲", notes=notes)
    place = MessageContext(kind=kind, markup=markup, section=section)
    assert read_place(entry) == place
    one = Subject(entry)
    assert (one.kind, one.markup, one.chinese.markup) == (kind, markup, markup)


# The second text and the third look as if they could be some block: they are parsed, not guessed.
PLACED = {MYST: ("水壶 `boil`", "(水壶) `boil`"), RST: ("水壶", "(水壶)", "#1")}


@pytest.mark.parametrize(
    ("markup", "kind", "blocks"),
    [
        (MYST, Kind.HEADING, "heading"),
        (MYST, Kind.PARAGRAPH, "paragraph, paragraph"),  # it stands behind another one
        (MYST, Kind.LIST_ITEM, "bullet_list, list_item, paragraph"),
        (MYST, Kind.TABLE_CELL, "table, thead, tr, th, tbody, tr, td"),
        (MYST, Kind.QUOTE, "blockquote, paragraph"),
        (MYST, Kind.FOOTNOTE, "footnote_reference, paragraph"),
        (MYST, Kind.TERM, "dl, dt, dd, paragraph"),
        (MYST, Kind.DEFINITION, "dl, dt, dd, paragraph"),
        (MYST, Kind.TITLE, "directive title"),
        (MYST, Kind.IMAGE, "image"),
        (RST, Kind.HEADING, "section, title"),
        (RST, Kind.PARAGRAPH, "paragraph, paragraph"),
        (RST, Kind.LIST_ITEM, "bullet_list, list_item, paragraph"),
        (RST, Kind.QUOTE, "paragraph, block_quote, paragraph, paragraph"),
        (RST, Kind.TITLE, "directive title"),
        (RST, Kind.IMAGE, "image text"),
        (
            RST,
            Kind.TERM,
            "definition_list, definition_list_item, term, definition, paragraph",
        ),
    ],
)
def test_a_text_is_parsed_where_it_will_stand(markup: Markup, kind: Kind, blocks: str) -> None:
    for text in PLACED[markup]:
        parsed = parse(text, kind, markup)
        assert ", ".join(parsed.blocks) == blocks
        assert parsed.visible == text.replace("`", "")
        assert parsed.of(Atom.CODE) == Counter(re.findall("`(.+)`", text))


@pytest.mark.parametrize(
    "kind",
    [
        *(Kind.HEADING, Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.QUOTE, Kind.FOOTNOTE),
        *(Kind.DEFINITION, Kind.ADMONITION),
    ],
)
def test_line_breaks_are_part_of_the_same_block(kind: Kind) -> None:
    parsed = parse("一\n二", kind)
    assert parsed.visible == "一\n二"
    assert parsed.breaks == 1
    assert parsed.tree == (Node("text", "一"), Node("break", "\n"), Node("text", "二"))
    one_line = parse("一", kind).blocks
    assert parsed.blocks.count("paragraph") == one_line.count("paragraph")


@pytest.mark.parametrize(
    ("markup", "text", "kind", "block"),
    [
        (MYST, "# 水壶", Kind.PARAGRAPH, "heading"),
        (MYST, "- 水壶", Kind.PARAGRAPH, "bullet_list"),
        (MYST, ": 水壶", Kind.PARAGRAPH, "dl"),
        (MYST, "1. 水壶", Kind.LIST_ITEM, "ordered_list"),
        (MYST, "甲 | 乙", Kind.TABLE_CELL, "td"),
        (MYST, "水壶 #", Kind.HEADING, "closing marks"),
        (MYST, "```", Kind.QUOTE, "fence"),
        (RST, "- 水壶", Kind.PARAGRAPH, "bullet_list"),
        (RST, "2) 水壶", Kind.LIST_ITEM, "enumerated_list"),
        (RST, ":水壶: 烫", Kind.PARAGRAPH, "field_list"),
        (RST, "--hot  水壶", Kind.PARAGRAPH, "option_list"),
        (RST, ">>> 水壶", Kind.PARAGRAPH, "doctest_block"),
        (RST, "| 水壶", Kind.PARAGRAPH, "line_block"),
        (RST, "====", Kind.PARAGRAPH, "transition"),
        (RST, ".. _水壶: 烫", Kind.PARAGRAPH, "target"),
        (RST, ".. 水壶", Kind.PARAGRAPH, "comment"),
        (RST, "— 水壶", Kind.QUOTE, "attribution"),
        (RST, "水壶 : 烫", Kind.TERM, "classifier"),
        (RST, "水壶::", Kind.PARAGRAPH, "literal_block"),
    ],
)
def test_an_accident_shows_in_the_blocks(markup: Markup, text: str, kind: Kind, block: str) -> None:
    usual = Counter(parse("x", kind, markup).blocks)
    assert block in Counter(parse(text, kind, markup).blocks) - usual
    assert codes(subject("x", text, kind, markup)) == ["M101"]


def test_a_text_that_leaves_its_image_is_none() -> None:
    assert parse("水壶](b) 和 [锅", Kind.IMAGE).blocks == ()


def test_no_directive_is_run(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("secret", encoding="utf-8")
    for text in (
        f".. include:: {path}",
        f"- .. include:: {path}",
        f".. raw:: html\n   :file: {path}",
        ".. role:: literal",
    ):
        assert "secret" not in paragraph(text, RST).visible.replace(str(path), "")
    # The role is as it was; it is a node, and so is what it shows.
    assert paragraph(":literal:`a` ``a``", RST).count("role", "code") == 2 + 1


def test_the_inline_tree_is_nested_values() -> None:
    tree = paragraph("**粗 *斜 `a`* [链](b.md)** ~~删~~ ![图](c.png)").tree
    link, image = (
        Node("link", "b.md", (Node("text", "链"),)),
        Node("image", "c.png", (Node("text", "图"),)),
    )
    em = Node("em", "", (Node("text", "斜 "), Node("code", "a")))
    bold = Node("strong", "", (Node("text", "粗 "), em, Node("text", " "), link))
    strike = Node("strike", "", (Node("text", "删"),))
    assert tree == (bold, Node("text", " "), strike, Node("text", " "), image)
    assert (("strong", "em"), Node("code", "a")) in list(walk(tree))
    assert paragraph("**粗**和**粗**").count("strong", "em") == 2
    assert paragraph("[水壶]: 很烫").tree == ()  # nobody sees what defines a target


def test_the_inline_tree_of_rest_has_the_same_nodes() -> None:
    tree = paragraph("**粗** *斜*``a``与`链 <b.html>`_", RST).tree
    assert tree == (
        Node("strong", "", (Node("text", "粗"),)),
        Node("text", " "),
        Node("em", "", (Node("text", "斜"),)),
        Node("code", "a"),
        Node("text", "与"),
        Node("link", "b.html", (Node("text", "链"),)),
    )
    assert (("link",), Node("text", "链")) in list(walk(tree))
    # In the text of an image, marks mean nothing.
    marked = "*水壶* 和 ``锅``"
    assert parse(marked, Kind.IMAGE, RST).tree == (Node("text", marked),)


def test_marks_that_the_page_will_part_from_the_words_need_no_help() -> None:
    plain = "请*不要*碰``a``和:func:`b`，见`页 <c>`_和[1]_的|d|。"
    apart = r"请\ *不要*\ 碰\ ``a``\ 和\ :func:`b`，见\ `页 <c>`_\ 和\ [1]_\ 的\ |d|。"
    assert paragraph(plain, RST).tree == paragraph(apart, RST).tree
    assert paragraph(plain, RST).visible == "请不要碰a和b，见页和的。"


VIEWS = {
    MYST: (
        "用 `a` 和 $x$[^1]，见 {ref}`标题 <t>`、{func}`~b.c`、<https://d.e>、\\*、&lt;、f@g.h<br>完",
        "用 a 和 x，见 标题、c、https://d.e、*、<、f@g.h\n完",
        7,
    ),
    RST: (
        r"用 ``a`` 和 :math:`x` [1]_，见 :ref:`标 <t>`、:f:`~b.c`、https://d.e 、\*、f@g.h 、|g|",
        "用 a 和 x ，见 标、c、https://d.e 、*、f@g.h 、",
        8,
    ),
}


@pytest.mark.parametrize("markup", VIEWS)
def test_each_view_of_a_text_leaves_out_what_it_shall(markup: Markup) -> None:
    text, visible, atoms = VIEWS[markup]
    parsed = paragraph(text, markup)
    assert parsed.visible == visible
    assert parsed.plain.count("\ufffc") == atoms
    assert "*" in parsed.plain
    assert "*" not in parsed.literal
    assert parsed.breaks == 0


@pytest.mark.parametrize(
    ("markup", "text", "visible"),
    [
        (MYST, "![](a.png)", ""),
        (MYST, "[](a.md)", ""),
        (MYST, "一\r二", "一\r二"),  # softly wrapped text is one line
        (RST, "**甲 和 ``乙 和 `丙", "**甲 和 ``乙 和 `丙"),  # marks without a partner
    ],
)
def test_what_a_reader_sees(markup: Markup, text: str, visible: str) -> None:
    assert paragraph(text, markup).visible == visible


@pytest.mark.parametrize(
    ("markup", "text", "name", "values"),
    [
        (MYST, "`a` `` b `` `a`", Atom.CODE, ["a", "a", "b"]),
        (MYST, "$a + b$ $\\alpha x$", Atom.MATH, ["a+b", "\\alpha x"]),
        (MYST, "[甲](a.md) [乙](<b c.md> '题')", Atom.LINK, ["a.md", "b%20c.md"]),
        (MYST, "[丙](文档.md)", Atom.LINK, ["文档.md"]),
        (MYST, "![图](data:#1) ![图](a:b.png)", Atom.IMAGE, ["data:#1", "a:b.png"]),
        (MYST, "{f}`a.b` {py:f}`~a.b`", Atom.ROLE, ["{f}`a.b`", "{py:f}`a.b`"]),
        (MYST, "{ref}`题 <t>` {abbr}`甲（乙）`", Atom.ROLE, ["{ref}`t`", "{abbr}"]),
        (MYST, "[甲][a] 和[b][]、![图][c.d]", Atom.REFERENCE, ["[a]", "[b]"]),
        (MYST, "x[i][j] 和 JAX[甲][guide]", Atom.REFERENCE, ["[guide]"]),
        (MYST, "甲[^1]乙[^note]", Atom.FOOTNOTE, ["[^1]", "[^note]"]),
        (MYST, "见 [@a2020; @b] 和 [!NOTE]", Atom.CITATION, ["[@a2020; @b]"]),
        (MYST, "{{ a }}和{{b}}", Atom.SUBSTITUTION, ["{{a}}", "{{b}}"]),
        (MYST, '<a href="x">甲</a>', Atom.HTML, ['<a href="x">', "</a>"]),
        (MYST, "<b>", Atom.HTML, ["<b>"]),
        (MYST, "<https://a.example> 和", Atom.URL, ["https://a.example"]),
        (MYST, "https://b.example/c?d。", Atom.URL, ["https://b.example/c?d"]),
        (MYST, "见www.f.example，", Atom.URL, ["www.f.example"]),
        (MYST, "[https://a.example](https://a.example)", Atom.URL, []),
        (MYST, "<a@b.c> 和 c@d.example", Atom.EMAIL, ["a@b.c", "c@d.example"]),
        (RST, r"``a`` ``\b`` ``a``", Atom.CODE, ["a", "a", r"\b"]),
        (RST, ":math:`a + b` :math:`\\alpha x`", Atom.MATH, ["a+b", "\\alpha x"]),
        (RST, "`甲 <a.html>`_ `乙 <b.html>`__", Atom.LINK, ["a.html", "b.html"]),
        (RST, "`<c.html>`_", Atom.LINK, ["c.html"]),
        (RST, ":f:`a.b` :py:f:`~a.b`", Atom.ROLE, [":f:`a.b`", ":py:f:`a.b`"]),
        (RST, ":ref:`题 <t>` :term:`c<d>`", Atom.ROLE, [":ref:`t`", ":term:`d`"]),
        (RST, ":abbr:`甲（乙）` :Ref:`t`", Atom.ROLE, [":abbr:", ":ref:`t`"]),
        (RST, "`a.b`:func:", Atom.ROLE, [":func:`a.b`"]),
        (RST, "`a.b` `some title`", Atom.ROLE, ["`a.b`", "`…`"]),
        (RST, "`Some Title`_ Name_", Atom.REFERENCE, ["some title_", "name_"]),
        (RST, "`甲 <Some  title_>`_", Atom.REFERENCE, ["some title_"]),
        (RST, "`乙`__ any__", Atom.REFERENCE, ["__", "__"]),
        (RST, "甲[1]_乙[#]_丙[#n]_", Atom.FOOTNOTE, ["[1]_", "[#]_", "[#n]_"]),
        (RST, "丁[*]_", Atom.FOOTNOTE, ["[*]_"]),
        (RST, "见 [Cit20]_", Atom.CITATION, ["[Cit20]_"]),
        (RST, "|a|和|b|_", Atom.SUBSTITUTION, ["|a|", "|b|"]),
        (RST, "_`here` 和", Atom.TARGET, ["_`here`"]),
        (RST, "https://b.c/d?e。 e@f.example", Atom.URL, ["https://b.c/d?e"]),
        (RST, "`https://a.example <https://a.example>`_", Atom.URL, []),
        (RST, "a@b.example", Atom.EMAIL, ["a@b.example"]),
        # Nothing of Markdown.
        (RST, "{{a}} [@b] [!NOTE] $c$ [d](e.md) <b>", Atom.SUBSTITUTION, []),
        (RST, "{{a}} [@b] [!NOTE] $c$ [d](e.md) <b>", Atom.CITATION, []),
    ],
)
def test_atoms_are_found_and_counted(
    markup: Markup, text: str, name: Atom, values: list[str]
) -> None:
    assert paragraph(text, markup).of(name) == Counter(values)


def test_html_is_tags_and_text() -> None:
    parsed = parse('<p title="a">甲 &lt; <b>乙</b><br>\n丙</p>', Kind.HTML)
    assert (parsed.blocks, parsed.breaks) == (("html_block",), 0)
    assert parsed.visible == "甲 < 乙\n\n丙"
    tags = ['<p title="a">', "<b>", "</b>", "<br>", "</p>"]
    assert parsed.of(Atom.HTML) == Counter(tags)


@pytest.mark.parametrize(
    ("markup", "source", "hidden"),
    [
        (MYST, "甲`a`乙\\*丙$x$`a`[丁](e.md)", "甲   乙  丙      [丁       "),
        (RST, r"甲``a``乙\*丙`丁 <e>`_\ 戊", "甲     乙  丙 丁        戊"),
    ],
)
def test_blanked_keeps_positions(markup: Markup, source: str, hidden: str) -> None:
    assert blanked(source, " ", markup) == hidden


def test_formulas_are_compared_without_white_space_and_words() -> None:
    assert canonical_math(" a  + \\text{loss} ") == canonical_math("a+\\text{损失}")
    assert canonical_math("\\alpha x") != canonical_math("\\alphax")


@pytest.mark.parametrize("source", ["**甲：**乙", "__甲__乙", "甲**（乙）丙**丁", "**甲**乙"])
def test_mended_marks_render(source: str) -> None:
    mended = mend(source, MEANT)
    assert mended is not None
    assert mend(mended, MEANT) == mended
    assert paragraph(mended).count("strong") == 1
    assert paragraph(mended).literal == re.sub(r"[*_]", "", mended)


def test_a_text_with_no_end_of_marks_is_not_mended() -> None:
    marks = "**甲：**乙" * 31
    assert mend(marks, MEANT) is None
    found = dict(problems(subject("**A:** b", marks)))
    assert found["M102"].fix is None


# Pieces that translators write, put together at random.
PIECES = {
    MYST: (
        "** * __ _ ` `a.b` $ $x$ \\ \\* 甲 乙丙 ， ： （ ） “ ” JAX 5 ! [ ] ( ) [甲](a.md) "
        "（a.md） {func} {func}`f` <br> ＜br＞ &lt; &lt； ｀ ＄ | - # 1. [^1] \n"
    ).split(" "),
    RST: [
        *(
            "甲 乙丙 alpha 1. - .. :: : ：， （ ） ( ) * ** *** __ _ ` `` ｀ ``a`` `a` `甲` "
            ":func:`b` {func}`b` :ref:`丁 :ref:`丁<t>` `戊<https://c.d>`_ [戊](https://c.d) "
            "<https://c.d> `Some`_ Some_ `this`__ [1]_ |e| | _`f` $x$ :math:`x` https://g.h "
            "\\ \\* \\甲 &amp; >>>"
        ).split(" "),
        *("`戊 <https://c.d>`_", "\\ "),
    ],
}
TEXTS = {
    markup: st.lists(st.sampled_from([*pieces, " "]), max_size=14).map("".join).filter(str.strip)
    for markup, pieces in PIECES.items()
}
KINDS = {MYST: [*Kind], RST: [kind for kind in Kind if kind is not Kind.HTML]}
each_markup = pytest.mark.parametrize("markup", Markup)


@each_markup
@given(data=st.data())
def test_every_fix_keeps_the_words_and_the_place(markup: Markup, data: st.DataObject) -> None:
    msgid, msgstr = data.draw(TEXTS[markup]), data.draw(TEXTS[markup])
    kind = data.draw(st.sampled_from(KINDS[markup]))
    before = subject(msgid, msgstr, kind, markup)
    for code, problem in problems(before):
        for start, end in problem.spans:
            assert 0 <= start < end <= len(msgstr), code
        if problem.fix is not None:
            assert problem.fix != msgstr, code
            assert are_words_kept(msgstr, problem.fix), code
            after = subject(msgid, problem.fix, kind, markup)
            assert after.chinese.blocks == before.english.blocks, code


@each_markup
@given(data=st.data())
def test_a_copy_has_no_problem(markup: Markup, data: st.DataObject) -> None:
    text = data.draw(TEXTS[markup])
    kind = data.draw(st.sampled_from(KINDS[markup]))
    assert codes(subject(text, text, kind, markup)) == []


@each_markup
@given(data=st.data())
def test_mending_twice_is_mending_once(markup: Markup, data: st.DataObject) -> None:
    msgid, msgstr = data.draw(TEXTS[markup]), data.draw(TEXTS[markup])
    fixed = fix_entry(subject(msgid, msgstr, markup=markup))
    assert fix_entry(subject(msgid, fixed, markup=markup)) == fixed


@each_markup
@given(data=st.data())
def test_what_is_hidden_keeps_its_length(markup: Markup, data: st.DataObject) -> None:
    text = data.draw(TEXTS[markup])
    assert len(masked(text, markup)) == len(text)
    assert len(blanked(text, markup=markup)) == len(text)


# Also pieces that are marks only beside others.
MARKS = [
    *"`¦``¦*¦**¦|¦_¦__¦:¦word¦两个词¦<¦>¦[1]¦]¦#¦@¦a.b¦\\¦http¦//¦(¦)¦\"¦'¦PEP 8".split("¦"),
    *("&", "$", "{f}", "::", "\0", " ", "  "),
]


def test_rest_without_marks_is_read_as_docutils_reads_it() -> None:
    chance = random.Random(7)
    for _ in range(1000):
        text = "".join(chance.choices(MARKS, k=chance.randint(0, 8)))
        nodes = [node for one in read_inline(spaced(text)) for node in _rst_nodes(one)]
        assert rst_inline_tree(text) == tuple(nodes), text


# What a translator of reST leaves as it is. Written apart from pipeline.core.document.prose.
_KEPT = re.compile(
    r":[\w:+.-]+:`[^`]*`|``.+?``|`[^`]*`_{0,2}|\|\S[^|]*\|_?|\[\S+?\]_|https?://\S+|\\.|\b\w+_(?!\w)"
)
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def filled(msgid: str) -> str:
    """A translation of reST that could be real: Chinese for every word.

    No white space stands between it and what is kept.
    """
    parts = [_WORDS.sub("译文", part).replace("译文 ", "译文") for part in _KEPT.split(msgid)]
    kept = [*_KEPT.findall(msgid), ""]
    return "".join(piece for pair in zip(parts, kept, strict=True) for piece in pair)


FILL = {MYST: pseudo, RST: filled}


def told(documents: list[Document]) -> tuple[int, Counter[str], Counter[str]]:
    """How many messages there are; what is told of copies, and of pseudo-translations."""
    copies: Counter[str] = Counter()
    fillings: Counter[str] = Counter()
    messages = [message for one in documents for _, message in one.messages()]
    for message in messages:
        place = (message.kind, message.markup)
        copies.update(codes(subject(message.msgid, message.msgid, *place)))
        text = FILL[message.markup](message.msgid)
        fillings.update(
            code
            for code, problem in problems(subject(message.msgid, text, *place))
            if problem.severity is not Severity.NOTE
        )
    return len(messages), copies, fillings


def test_nothing_is_told_of_copies_and_fillings_of_the_sample() -> None:
    paths = sorted(path for path in SAMPLE.rglob("*") if path.suffix in ENDINGS)
    count, copies, fillings = told([read_document(path.name, path.read_bytes()) for path in paths])
    assert count > 100
    assert (copies, fillings) == (Counter(), Counter())


@pytest.mark.parametrize(("endings", "stride", "most"), [(PAGES, 4, 0.005), ((".rst",), 1, 0.002)])
def test_nothing_is_told_of_copies_and_next_to_nothing_of_fillings_of_the_real_docs(
    repository: Repository, endings: tuple[str, ...], stride: int, most: float
) -> None:
    pages = sorted(repository.pages_at("jax-v0.10.2", endings).items())[::stride]
    count, copies, fillings = told([*documents_of(repository, pages)])
    print(copies, fillings)
    assert count > 800
    assert copies == Counter()
    assert fillings.total() < count * most
