"""How a message is parsed in its place.

Besides, what the checks of structure and of atoms promise of every message.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from corpus import SAMPLE, pseudo
from hypothesis import given
from hypothesis import strategies as st
from repositories import PAGES, Repository

from pipeline.core.checks.fixes import are_words_kept
from pipeline.core.checks.inline_tree import Node, walk
from pipeline.core.checks.markup.emphasis_pairs import MEANT, mend
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.checks.parsed import Atom, Parsed, blanked, parse
from pipeline.core.checks.table import ATOMS, MARKUP
from pipeline.core.document.atoms import canonical_math
from pipeline.core.document.message import Kind
from pipeline.core.document.reader import Document, read_document
from pipeline.entries import Entry
from pipeline.findings import Severity

CHECKS = (*MARKUP, *ATOMS)
LATEST = "jax-v0.10.2"


def paragraph(text: str) -> Parsed:
    return parse(text, Kind.PARAGRAPH)


def subject(msgid: str, msgstr: str, kind: Kind = Kind.PARAGRAPH) -> Subject:
    return Subject(Entry(msgid=msgid, msgstr=msgstr, notes=(f"{kind} · Title",)))


def problems(one: Subject) -> list[tuple[str, Problem]]:
    return [(check.code, problem) for check in CHECKS for problem in check.look(one)]


@pytest.mark.parametrize(
    ("kind", "blocks"),
    [
        (Kind.HEADING, ("heading",)),
        (Kind.PARAGRAPH, ("paragraph", "paragraph")),  # it stands behind another one
        (Kind.LIST_ITEM, ("bullet_list", "list_item", "paragraph")),
        (Kind.TABLE_CELL, ("table", "thead", "tr", "th", "tbody", "tr", "td")),
        (Kind.QUOTE, ("blockquote", "paragraph")),
        (Kind.FOOTNOTE, ("footnote_reference", "paragraph")),
        (Kind.TERM, ("dl", "dt", "dd", "paragraph")),
        (Kind.DEFINITION, ("dl", "dt", "dd", "paragraph")),
        (Kind.TITLE, ("directive title",)),
        (Kind.IMAGE, ("image",)),
    ],
)
def test_a_text_is_parsed_where_it_will_stand(
    kind: Kind, blocks: tuple[str, ...]
) -> None:
    for text in (
        "水壶 `boil`",
        "(水壶) `boil`",
    ):  # the second looks as if it could be some block: it is parsed, not guessed
        parsed = parse(text, kind)
        assert parsed.blocks == blocks
        assert parsed.visible == text.replace("`", "")
        assert parsed.of(Atom.CODE) == Counter(["boil"])


@pytest.mark.parametrize(
    "kind",
    [
        Kind.HEADING,
        Kind.PARAGRAPH,
        Kind.LIST_ITEM,
        Kind.QUOTE,
        Kind.FOOTNOTE,
        Kind.DEFINITION,
        Kind.ADMONITION,
    ],
)
def test_line_breaks_are_part_of_the_same_block(kind: Kind) -> None:
    parsed = parse("一\n二", kind)
    assert parsed.visible == "一\n二"
    assert parsed.breaks == 1
    assert parsed.tree == (Node("text", "一"), Node("break", "\n"), Node("text", "二"))
    assert parsed.blocks.count("paragraph") == parse("一", kind).blocks.count(
        "paragraph"
    )


@pytest.mark.parametrize(
    ("text", "kind", "block"),
    [
        ("# 水壶", Kind.PARAGRAPH, "heading"),
        ("- 水壶", Kind.PARAGRAPH, "bullet_list"),
        (": 水壶", Kind.PARAGRAPH, "dl"),
        ("1. 水壶", Kind.LIST_ITEM, "ordered_list"),
        ("甲 | 乙", Kind.TABLE_CELL, "td"),
        ("水壶 #", Kind.HEADING, "closing marks"),
        ("```", Kind.QUOTE, "fence"),
    ],
)
def test_an_accident_shows_in_the_blocks(text: str, kind: Kind, block: str) -> None:
    assert block in Counter(parse(text, kind).blocks) - Counter(parse("x", kind).blocks)


def test_what_defines_a_link_target_is_seen_by_nobody() -> None:
    assert paragraph("[水壶]: 很烫").tree == ()


def test_the_inline_tree_is_nested_values() -> None:
    tree = paragraph("**粗 *斜 `a`* [链](b.md)** ~~删~~ ![图](c.png)").tree
    link, image = (
        Node("link", "b.md", (Node("text", "链"),)),
        Node("image", "c.png", (Node("text", "图"),)),
    )
    em = Node("em", "", (Node("text", "斜 "), Node("code", "a")))
    assert tree[0] == Node(
        "strong", "", (Node("text", "粗 "), em, Node("text", " "), link)
    )
    assert tree[2:] == (
        Node("strike", "", (Node("text", "删"),)),
        Node("text", " "),
        image,
    )
    assert (("strong", "em"), Node("code", "a")) in list(walk(tree))
    assert paragraph("**粗**和**粗**").count("strong", "em") == 2


def test_each_view_of_a_text_leaves_out_what_it_shall() -> None:
    parsed = paragraph(
        "用 `a` 和 $x$[^1]，见 {ref}`标题 <t>`、{func}`~b.c`、<https://d.example>、\\*、&lt;、e@f.example<br>完"
    )
    assert (
        parsed.visible
        == "用 a 和 x，见 标题、c、https://d.example、*、<、e@f.example\n完"
    )
    assert parsed.plain.count("\ufffc") == 7
    assert "*" in parsed.plain
    assert "*" not in parsed.literal


def test_an_image_without_text_and_a_link_without_words_show_nothing() -> None:
    assert paragraph("![](a.png)").visible == ""
    assert paragraph("[](a.md)").visible == ""


def test_softly_wrapped_text_is_one_line() -> None:
    assert parse("<b>", Kind.PARAGRAPH).of(Atom.HTML) == Counter(["<b>"])
    assert parse("一\r二", Kind.PARAGRAPH).visible in ("一\r二", "一 二")


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("`a` `` b `` `a`", Atom.CODE, ["a", "a", "b"]),
        ("$a + b$ $\\alpha x$", Atom.MATH, ["a+b", "\\alpha x"]),
        (
            "[甲](a.md) [乙](<b c.md> '题') [丙](文档.md)",
            Atom.LINK,
            ["a.md", "b%20c.md", "文档.md"],
        ),
        (
            "![图](data:#1) ![图](attachment:a.png)",
            Atom.IMAGE,
            ["data:#1", "attachment:a.png"],
        ),
        (
            "{func}`a.b` {py:func}`~a.b` {ref}`题 <t>` {abbr}`甲（乙）`",
            Atom.ROLE,
            ["{func}`a.b`", "{py:func}`a.b`", "{ref}`t`", "{abbr}"],
        ),
        ("[甲][a] 和[b][]、![图][c.d]", Atom.REFERENCE, ["[a]", "[b]"]),
        ("x[i][j] 和 JAX[甲][guide]", Atom.REFERENCE, ["[guide]"]),
        ("甲[^1]乙[^note]", Atom.FOOTNOTE, ["[^1]", "[^note]"]),
        ("见 [@a2020; @b] 和 [!NOTE]", Atom.CITATION, ["[@a2020; @b]"]),
        ("{{ a }}和{{b}}", Atom.SUBSTITUTION, ["{{a}}", "{{b}}"]),
        ('<a href="x">甲</a>', Atom.HTML, ['<a href="x">', "</a>"]),
        (
            "<https://a.example> https://b.example/c?d。www.f.example，",
            Atom.URL,
            ["https://a.example", "https://b.example/c?d", "www.f.example"],
        ),
        ("[https://a.example](https://a.example)", Atom.URL, []),
        ("<a@b.example> 和 c@d.example", Atom.EMAIL, ["a@b.example", "c@d.example"]),
    ],
)
def test_atoms_are_found_and_counted(text: str, name: Atom, values: list[str]) -> None:
    assert paragraph(text).of(name) == Counter(values)


def test_html_is_tags_and_text() -> None:
    parsed = parse('<p title="a">甲 &lt; <b>乙</b><br>\n丙</p>', Kind.HTML)
    assert parsed.blocks == ("html_block",)
    assert parsed.visible == "甲 < 乙\n\n丙"
    assert parsed.of(Atom.HTML) == Counter(
        ['<p title="a">', "<b>", "</b>", "<br>", "</p>"]
    )
    assert parsed.breaks == 0


def test_a_text_that_leaves_its_image_is_none() -> None:
    assert parse("水壶](b) 和 [锅", Kind.IMAGE).blocks == ()


def test_blanked_keeps_positions() -> None:
    source = "甲`a`乙\\*丙$x$`a`[丁](e.md)"
    hidden = blanked(source, " ")
    assert len(hidden) == len(source)
    assert hidden == "甲   乙  丙      [丁       "


def test_formulas_are_compared_without_white_space_and_words() -> None:
    assert canonical_math(" a  + \\text{loss} ") == canonical_math("a+\\text{损失}")
    assert canonical_math("\\alpha x") != canonical_math("\\alphax")


@pytest.mark.parametrize(
    "source", ["**甲：**乙", "__甲__乙", "甲**（乙）丙**丁", "**甲**乙"]
)
def test_mended_marks_render(source: str) -> None:
    mended = mend(source, MEANT)
    assert mended is not None
    assert mend(mended, MEANT) == mended
    assert paragraph(mended).count("strong") == 1
    assert paragraph(mended).literal == re.sub(r"[*_]", "", mended)


def test_a_text_with_no_end_of_marks_is_not_mended() -> None:
    assert mend("**甲：**乙" * 31, MEANT) is None
    (told,) = [
        problem
        for code, problem in problems(subject("**A:** b", "**甲：**乙" * 31))
        if code == "M102"
    ]
    assert told.fix is None


# Pieces that translators write, put together at random.
_PIECES = (
    "** * __ _ ` `a.b` $ $x$ \\ \\* 甲 乙丙 ， ： （ ） “ ” JAX 5 ! [ ] ( ) [甲](a.md) （a.md） "
    "{func} {func}`f` <br> ＜br＞ &lt; &lt； ｀ ＄ | - # 1. [^1]"
)
_TEXTS = (
    st.lists(st.sampled_from((*_PIECES.split(), " ", "\n")), max_size=14)
    .map("".join)
    .filter(str.strip)
)


@given(msgid=_TEXTS, msgstr=_TEXTS, kind=st.sampled_from(Kind))
def test_every_fix_keeps_the_words_and_the_place(
    msgid: str, msgstr: str, kind: Kind
) -> None:
    before = subject(msgid, msgstr, kind)
    for code, problem in problems(before):
        assert all(0 <= start < end <= len(msgstr) for start, end in problem.spans), (
            code
        )
        if problem.fix is not None:
            assert problem.fix != msgstr, code
            assert are_words_kept(msgstr, problem.fix), code
            after = subject(msgid, problem.fix, kind)
            assert after.chinese.blocks == before.english.blocks, code


@given(text=_TEXTS, kind=st.sampled_from(Kind))
def test_a_copy_has_no_problem(text: str, kind: Kind) -> None:
    own = {code for code, _ in problems(subject(text, text, kind))}
    assert own == set()


def sample_documents() -> list[Document]:
    paths = [path for path in sorted(SAMPLE.rglob("*")) if path.suffix in PAGES]
    return [read_document(path.name, Path(path).read_bytes()) for path in paths]


def told(documents: list[Document]) -> tuple[Counter[str], Counter[str]]:
    """What is told of copies of every message, and of pseudo-translations."""
    copies: Counter[str] = Counter()
    fillings: Counter[str] = Counter()
    for document in documents:
        for _, message in document.messages():
            one = subject(message.msgid, message.msgid, message.kind)
            copies.update(code for code, _ in problems(one))
            filled = replace(one.entry, msgstr=pseudo(message.msgid))
            fillings.update(
                code
                for code, problem in problems(Subject(filled))
                if problem.severity is not Severity.NOTE
            )
    return copies, fillings


def test_nothing_is_told_of_copies_and_fillings_of_the_sample() -> None:
    documents = sample_documents()
    assert sum(len(list(document.messages())) for document in documents) > 100
    assert told(documents) == (Counter(), Counter())


@pytest.mark.realdocs
def test_nothing_is_told_of_copies_and_next_to_nothing_of_fillings_of_the_real_docs(
    repository: Repository,
) -> None:
    pages = sorted(repository.pages_at(LATEST).items())[::4]
    contents = repository.read([blob for _, blob in pages])
    documents = [
        read_document(path, data)
        for (path, _), (_, data) in zip(pages, contents, strict=True)
    ]
    copies, fillings = told(documents)
    print(copies, fillings)
    assert copies == Counter()
    assert (
        fillings.total()
        < sum(len(list(document.messages())) for document in documents) * 0.005
    )
