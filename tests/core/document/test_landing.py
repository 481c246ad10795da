"""What a merge says of every message: where it landed, and what stands there now."""

from __future__ import annotations

import json
import re
from collections import deque
from pathlib import Path

import pytest
from corpus import SAMPLE, documents_of, msgids, page, pseudo, translated
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from notebooks import code, notebook_value
from notebooks import prose as markdown
from repositories import PAGES, Repository

from pipeline.core.document import prose
from pipeline.core.document.landing import Landing, landings_from_json, landings_to_json
from pipeline.core.document.merge import Merged, PageExtras, merge
from pipeline.core.document.message import Kind, Markup, Message
from pipeline.core.document.reader import Document, read_document
from pipeline.errors import InputError

ATTRIBUTION = "From `there`, 版本 1。"
FRAME = PageExtras(attribution=ATTRIBUTION, anchors=frozenset({"next-part", "arrays"}))
ENDINGS = (*PAGES, ".rst")
FILES = sorted(path for path in SAMPLE.rglob("*") if path.suffix in ENDINGS)
BLOCK = Landing(
    kind=Kind.PARAGRAPH,
    markup=Markup.MARKDOWN,
    section="A › B",
    msgid="Words.",
    english="Words.",
    text="文字。",
    cell=None,
    line=5,
    last_line=5,
    is_translated=True,
    is_kept=False,
)


def landed(path: str, text: str, translations: dict[str, str]) -> tuple[Landing, ...]:
    return merge(page(text, path=path), translations, FRAME).blocks


def lines(path: str, text: str, translations: dict[str, str]) -> list[tuple[str, int, int]]:
    blocks = landed(path, text, translations)
    return [(block.text, block.line, block.last_line) for block in blocks]


def notebook(*sources: str) -> str:
    return json.dumps(notebook_value(code("x"), *map(markdown, sources)), indent=1)


def test_a_page_with_one_translation() -> None:
    text = "# Title\n\nSome\nwords.\n\n- an item\n"
    title, words, item = landed("a.md", text, {"Some words.": "文字。"})
    # The attribution stands above.
    assert words == replace(
        BLOCK, section="Title", msgid="Some words.", english="Some words.", line=5
    )
    assert (title.text, title.line, title.section) == ("Title", 1, "")
    assert (item.text, item.line, item.section) == ("an item", 7, "Title")
    assert not title.is_translated
    assert not item.is_translated


@pytest.mark.parametrize("translations", [{}, {"Some words.": "`新`"}], ids=["none", "refused"])
def test_without_translations_all_messages_stand_where_upstream_has_them(
    translations: dict[str, str],
) -> None:
    text = "# Title\n\nSome\nwords.\n"
    assert lines("a.md", text, translations) == [("Title", 1, 1), ("Some words.", 3, 4)]
    assert not any(block.is_translated for block in landed("a.md", text, translations))


def test_lines_of_a_notebook_count_from_the_start_of_the_cell() -> None:
    text = notebook("# Title", "One.\n\nTwo\nlines.")
    blocks = landed("a.ipynb", text, {"Title": "标题"})
    places = [(one.text, one.cell, one.line, one.last_line) for one in blocks]
    assert places == [("标题", 1, 1, 1), ("One.", 2, 1, 1), ("Two lines.", 2, 3, 4)]


def test_hard_breaks_stay_lines() -> None:
    text = "> Some words\\\n> go on\n> here.\n\nMore.\n"
    assert lines("a.md", text, {"Some words\ngo on here.": "文字\n继续。"}) == [
        ("文字\n继续。", 1, 2),
        ("More.", 4, 4),
    ]


def test_both_texts_are_shown_as_outside_their_place() -> None:
    image = f"data:image/png;base64,{'A' * 40}"
    text, msgid = f"Blue ![square]({image}).\n", "Blue ![square](data:#1)."
    (block,) = landed("a.md", text, {msgid: "蓝 ![方块](data:#1)。"})
    assert block.msgid == msgid
    assert (block.english, block.text) == (text.strip(), f"蓝 ![方块]({image})。")
    table = "| Norm |\n| :-- |\n| of `a \\| b` |\n"
    cell = landed("a.md", table, {r"of `a \| b`": r"`a \| b` 的"})[-1]
    assert (cell.english, cell.text, cell.line) == ("of `a | b`", "`a | b` 的", 3)


def test_a_bar_outside_tables_of_markdown_stays_escaped() -> None:
    (block,) = landed("a.md", "Write `a \\| b` here.\n", {})
    assert block.english == r"Write `a \| b` here."
    table = "========\nHead\n========\naa \\| bb\n========\n"
    assert landed("a.rst", table, {})[-1].english == r"aa \| bb"


def test_the_english_term_that_stays_in_a_glossary_is_no_block_of_its_own() -> None:
    text = "Words\n=====\n\n.. glossary::\n\n   leaf\n      A thing.\n\n   stem\n      B thing.\n"
    blocks = landed("a.rst", text, {"leaf": "叶节点", "A thing.": "一物。"})
    assert [(block.text, block.is_kept, block.line) for block in blocks] == [
        ("Words", False, 1),
        ("叶节点", True, 8),
        ("一物。", False, 10),
        ("stem", False, 12),
        ("B thing.", False, 13),
    ]


def test_lines_of_rest_count_as_docutils_counts_them() -> None:
    text = 'Title\n=====\n\nSome\x85words.\n\n.. csv-table::\n\n   "Two\n   lines", More\n'
    assert lines("a.rst", text, {"Title": "一个很长的标题"}) == [
        ("一个很长的标题", 1, 1),
        ("Some words.", 6, 7),
        ("Two lines", 11, 12),
        ("More", 12, 12),
    ]


def paired_again(document: Document, merged: Merged) -> list[tuple[Message, Message, bool]]:
    """Each message with what stands in its place, and whether the English term stands below.

    Both documents are split anew and laid side by side; nothing if they do not fit. Only the
    merged one holds the attribution, and terms of glossaries that stay.
    """
    again = read_document(document.path, merged.data)
    ours = deque(
        message
        for _, message in again.messages()
        if re.sub(r"[\\\s]", "", message.msgid) != re.sub(r"\s", "", ATTRIBUTION)
    )
    pairs = []
    for _, english in document.messages():
        if not ours or ours[0].kind is not english.kind:
            return []
        own = ours.popleft()
        below = ours[0] if ours else own
        is_kept = own.kind is below.kind is Kind.TERM and own.msgid != english.msgid == below.msgid
        if is_kept:
            ours.popleft()
        pairs.append((english, own, is_kept))
    return [] if ours else pairs


def shown(message: Message) -> str:
    text = prose.show_payloads(message.msgid, message.payloads)
    is_cell = message.kind is Kind.TABLE_CELL and message.markup is Markup.MARKDOWN
    return text.replace("\\|", "|") if is_cell else text


def assert_agrees(document: Document, merged: Merged) -> int:
    """Fail unless the blocks are what splitting both documents again says; return how many."""
    pairs = paired_again(document, merged)
    if pairs:
        for block, (english, own, is_kept) in zip(merged.blocks, pairs, strict=True):
            assert (block.kind, block.msgid) == (english.kind, english.msgid)
            assert (block.english, block.text) == (shown(english), shown(own))
            assert (block.is_kept, block.line) == (is_kept, own.line)
    assert sum(block.is_translated for block in merged.blocks) == merged.translated
    assert landings_from_json(landings_to_json(merged.blocks), "x") == merged.blocks
    return len(pairs)


def every_other(document: Document) -> dict[str, str]:
    return {msgid: pseudo(msgid) for msgid in msgids(document)[::2]}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SAMPLE).as_posix())
def test_the_sample_agrees_with_splitting_both_documents_again(path: Path) -> None:
    document = read_document(path.relative_to(SAMPLE).as_posix(), path.read_bytes())
    for translations in ({}, translated(document), every_other(document)):
        assert assert_agrees(document, merge(document, translations, FRAME))


def test_the_real_docs_agree_with_splitting_both_documents_again(
    repository: Repository,
) -> None:
    pages = sorted(repository.pages_at("jax-v0.10.2", ENDINGS).items())[::3]
    blocks = paired = 0
    for document in documents_of(repository, pages):
        for translations in (translated(document), every_other(document)):
            merged = merge(document, translations, FRAME)
            blocks += len(merged.blocks)
            paired += assert_agrees(document, merged)
    print(f"{len(pages)} pages, {blocks} blocks, of which {paired} can be paired again")
    assert paired > blocks * 0.9


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(0),
    st.none() | st.integers(),
)
def test_records_survive_json(text: str, line: int, cell: int | None) -> None:
    block = replace(BLOCK, text=text, section=text, line=line, cell=cell)
    # A title may have a lone surrogate.
    blocks = (BLOCK, block, replace(BLOCK, section="\ud800"))
    assert landings_from_json(landings_to_json(blocks), "x") == blocks


def test_equal_records_are_equal_bytes() -> None:
    data = landings_to_json((BLOCK,))
    assert data == landings_to_json(landings_from_json(data, "x"))
    assert data.startswith(b'[\n{"kind": "paragraph", "markup": "Markdown", ')
    # A line for each, and the brackets.
    assert landings_to_json((BLOCK, BLOCK)).count(b"\n") == 4
    assert landings_from_json(landings_to_json(()), "x") == ()


def changed(**values: object) -> bytes:
    (record,) = json.loads(landings_to_json((BLOCK,)))
    return json.dumps([{**record, **values}]).encode()


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"\xff", "has no records of messages: 'utf-8' codec"),
        (b"[", "has no records of messages: Expecting value"),
        (b"[" * 100_000, "has no records of messages: maximum recursion"),
        (b"{}", r"Expected `array`, got `object`"),
        (changed(line="3"), r"Expected `int`, got `str` - at `\$\[0\].line`"),
        (changed(kind="x"), r"Invalid enum value 'x' - at `\$\[0\].kind`"),
    ],
)
def test_another_file_is_refused_with_its_place(data: bytes, match: str) -> None:
    with pytest.raises(InputError, match=match) as caught:
        landings_from_json(data, "merged.json")
    assert caught.value.where == "merged.json"
