"""Merging: what is translated, what stays English and why, what a page gets besides."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from corpus import HOSTILE, assert_only_prose_changed, hostile, msgids, page, translated
from docutils.core import publish_parts
from live_html import PAYLOAD, live_in
from markdown_it import MarkdownIt
from msgspec.structs import replace
from notebooks import code, notebook_value, prose
from report_results import LOCK

from pipeline.core.document.attribution import attribution
from pipeline.core.document.guard import merged_messages
from pipeline.core.document.markdown.splitter import split_text
from pipeline.core.document.merge import Merged, PageExtras, merge
from pipeline.core.document.notebook_json import edit_cells
from pipeline.core.document.reader import Document, read_document
from pipeline.core.document.rst.inline import spaced
from pipeline.core.document.splice import Edit, apply_edits
from pipeline.core.pin.lock import Lock
from pipeline.errors import GuardError

PAGE = (
    "# Title\n\nSome words.\n\n- an item\n- `code`\n\n## Next part\n\n"
    "| Head | Cell |\n|---|---|\n| more | words |\n"
)
FROM = PageExtras(attribution="From there.")


def notebook(*sources: str | list[str]) -> Document:
    """A notebook of Markdown cells, and one cell of code behind them."""
    value = notebook_value(*map(prose, sources), code(["x = 1"]), minor=5)
    raw = json.dumps(value, indent=1, ensure_ascii=False)
    return read_document("a.ipynb", raw.encode())


def sources(merged: Merged) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(merged.data)["cells"]]


def merged_text(text: str, translations: dict[str, str], extras: PageExtras) -> str:
    return merge(page(text), translations, extras).data.decode()


@pytest.mark.parametrize(
    "translations",
    [{}, {"Title": ""}, {"Title": " \n"}, {"Nowhere": "无处"}],
    ids=["none", "empty", "blank", "other"],
)
@pytest.mark.parametrize(
    "document",
    [page(PAGE), notebook(PAGE), page(""), notebook()],
    ids=["page", "notebook", "empty page", "no cells"],
)
def test_without_translations_the_page_is_upstreams(
    document: Document, translations: dict[str, str]
) -> None:
    merged = merge(document, translations, replace(FROM, anchors=frozenset(["title"])))
    assert merged.data == document.raw.encode()
    assert (merged.translated, merged.rejected) == (0, ())


def test_messages_of_a_page_are_translated_where_they_stand() -> None:
    texts = {"Title": "标题", "an item": "一项", "words": "文字", "Cell": "格"}
    merged = merge(page(PAGE), texts)
    assert merged.data.decode() == (
        "# 标题\n\nSome words.\n\n- 一项\n- `code`\n\n## Next part\n\n"
        "| Head | 格 |\n|---|---|\n| more | 文字 |\n"
    )
    assert (merged.translated, merged.rejected) == (4, ())


def test_messages_of_a_notebook_are_translated_where_they_stand() -> None:
    document = notebook("# Title\n", ["Some words\n", "go on\n", "\n", "- an item"])
    texts = {"Title": "标题", "Some words go on": "文字", "an item": "一项"}
    merged = merge(document, texts)
    assert sources(merged) == ["# 标题\n", "文字\n\n- 一项", "x = 1"]
    assert_only_prose_changed(document, merged.data)


def test_the_same_english_is_translated_everywhere() -> None:
    merged = merge(page("Words\n\n- Words\n"), {"Words": "文字"})
    assert merged.data.decode() == "文字\n\n- 文字\n"


def test_one_message_translated_in_two_ways_by_its_section() -> None:
    text = "# Page\n\n## One\n\nState it.\n\n## Two\n\nState it.\n"
    texts = {"Page › Two\4State it.": "说明它。", "State it.": "陈述它。"}
    expected = "# Page\n\n## One\n\n陈述它。\n\n## Two\n\n说明它。\n"
    assert merge(page(text), texts).data.decode() == expected


def test_what_the_guard_refuses_stays_english_and_is_listed_with_its_place() -> None:
    english = "Some words\n\nmore words\n\nlast words"
    texts = {
        "Title": "标题",
        "Some words": "- 列表",
        "more words": "`文字`",
        "last words": "<b>文</b>字",
    }
    merged = merge(notebook("# Title", english), texts)
    assert sources(merged)[:2] == ["# 标题", english]
    assert merged.translated == 1
    assert [
        (rejected.place, rejected.message.msgid, rejected.refusal.code)
        for rejected in merged.rejected
    ] == [
        ("a.ipynb, cell 2:5", "last words", "G104"),
        ("a.ipynb, cell 2:1", "Some words", "G105"),
        ("a.ipynb, cell 2:3", "more words", "G105"),
    ]


def rejected_words(merged: Merged) -> list[str]:
    return [rejected.message.msgid for rejected in merged.rejected]


def test_one_bad_translation_among_many_does_not_take_others_with_it() -> None:
    names = [f"Words {letter}x" for letter in "abcdefghijklmnopq"]
    bad = {"Words gx": "`g`", "Words hx": "1"}
    merged = merge(page("\n\n".join(names)), dict.fromkeys(names, "文字") | bad)
    assert merged.translated == 15
    assert rejected_words(merged) == list(bad)


def test_translations_that_are_bad_only_together() -> None:
    """One opens a block of math, the other closes it: the page would be swallowed in between."""
    names = [f"Words {letter}x" for letter in "abcdefgh"]
    document = page("Title words\n===\n\n" + "\n\n".join(names) + "\n\nlast words\n")
    bad = {"Title words": "$$ 标题", "last words": "文字 $$"}
    merged = merge(document, dict.fromkeys(names, "文字") | bad)
    assert_only_prose_changed(document, merged.data)
    assert merged.translated == 9
    assert rejected_words(merged) == ["last words"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\n\nwords here\n", "# Title\n\n> From there.\n\n文字\n"),
        ("# Title\nwords here\n", "# Title\n\n> From there.\n\n文字\n"),
        (
            "# Title\r\n\r\nwords here\r\n",
            "# Title\r\n\r\n> From there.\r\n\r\n文字\r\n",
        ),
        ("Title\n===\nwords here\n", "Title\n===\n\n> From there.\n\n文字\n"),
        ("words here\n\n# Title", "文字\n\n# Title\n\n> From there."),
        ("words here\n\nmore\n", "文字\n\n> From there.\n\nmore\n"),
        ("words here", "文字\n\n> From there."),
        ("- words here\n", "- 文字\n\n> From there.\n"),
        ("> # words here\n\n    code\n\n", "> # 文字\n\n    code\n\n> From there.\n\n"),
        ("```{note}\n# words here\n```\n", "```{note}\n# 文字\n```\n\n> From there.\n"),
        (
            "---\nkernelspec: x\n---\n\n# words here\n",
            "---\nkernelspec: x\n---\n\n# 文字\n\n> From there.\n",
        ),
    ],
)
def test_an_attribution_follows_the_title(text: str, expected: str) -> None:
    assert merged_text(text, {"words here": "文字"}, FROM) == expected


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            ["before", "# Title\n\nafter", "words here"],
            ["before", "# Title\n\n> From there.\n\nafter", "文字"],
        ),
        # It never goes into an empty cell.
        *(
            (["- words here", empty], ["- 文字\n\n> From there.", "".join(empty)])
            for empty in ([], "", [""], ["\n"])
        ),
    ],
)
def test_an_attribution_in_a_notebook(english: list[str | list[str]], chinese: list[str]) -> None:
    merged = merge(notebook(*english), {"words here": "文字"}, FROM)
    assert sources(merged) == [*chinese, "x = 1"]


def test_page_whose_translations_are_all_refused_gets_no_attribution() -> None:
    document = page("# Title\n\nwords here\n")
    merged = merge(document, {"words here": "`文字`"}, FROM)
    assert merged.data == document.raw.encode()
    assert (merged.translated, rejected_words(merged)) == (0, ["words here"])


def test_a_page_without_a_place_for_its_attribution_stays_english() -> None:
    document = page("- words here\n- more words\n\n```\nnever closed")
    merged = merge(document, {"words here": "文字", "more words": "更多"}, FROM)
    assert (merged.data, merged.translated) == (document.raw.encode(), 0)
    assert sorted(rejected_words(merged)) == ["more words", "words here"]
    for rejected in merged.rejected:
        assert rejected.refusal.code == "G105"
        assert rejected.refusal.text.startswith("cannot be used")


HEADER = "---\njupytext: {}\n---\n\n"


@pytest.mark.parametrize(
    "hostile_term",
    [
        "```{code-cell}",
        "~~~",
        '+++ {"tags": ["skip-execution"]}',
        "---",
        "# x",
        "<div>",
    ],
)
def test_a_later_term_of_a_definition_list_is_a_block_to_those_who_know_no_definitions(
    hostile_term: str,
) -> None:
    """Our parser takes any line for a term there; jupytext would have run what follows as code."""
    document = page(
        f"{HEADER}Term here\n: first words\n\nOther term\n: more words\n\n"
        "```{code-cell}\nx = 1\n```\n"
    )
    merged = merge(document, {"Other term": hostile_term, "first words": "文字"})
    assert_only_prose_changed(document, merged.data)
    assert rejected_words(merged) == ["Other term"]


def test_lone_carriage_returns_are_line_ends_to_jupytext_too() -> None:
    document = page(f"{HEADER}words here\n+++\r:class: y\n")
    assert merge(document, {":class: y": "文字"}).translated == 1


def test_an_attribution_that_makes_a_cell_for_jupytext_leaves_the_page_as_it_is() -> None:
    document = page(f"{HEADER}# Title\n\nwords here\n")
    extras = PageExtras(attribution='x\n\n+++ {"a": 1}\n')
    merged = merge(document, {"words here": "文字"}, extras)
    assert merged.data == document.raw.encode()


def test_prose_that_is_code_to_jupytext_stays_english() -> None:
    # Jupytext knows no colon fences: to it, the cell goes on to the end of the page.
    document = page(f"{HEADER}words here\n\n:::{{note}}\n```{{code-cell}}\n:::\nmore words\n")
    merged = merge(document, {"words here": "文字", "more words": "更多文字"})
    assert_only_prose_changed(document, merged.data)
    assert "文字\n\n:::{note}" in merged.data.decode()
    assert rejected_words(merged) == ["more words"]


def test_anchors_of_translated_headings_only() -> None:
    extras = PageExtras(anchors=frozenset({"title", "next-part", "gone"}))
    next_part = {"Next part": "下一部分"}
    assert "(next-part)=\n## 下一部分\n" in merged_text(PAGE, next_part, extras)
    assert "(next-part)=" not in merged_text(PAGE, {"Title": "标题"}, extras)
    merged = merge(notebook("words\n\n## Next part"), next_part, extras)
    assert sources(merged)[0] == 'words\n\n<a id="next-part"></a>\n\n## 下一部分'


def test_values_that_are_no_json_numbers_are_no_difference() -> None:
    cell = {**prose("Words"), "metadata": {"x": float("nan")}}
    raw = json.dumps(notebook_value(cell))
    merged = merge(page(raw, path="a.ipynb"), {"Words": "文字"})
    assert merged.data.decode() == raw.replace("Words", "文字")


@pytest.mark.parametrize(
    ("written", "instead", "problem"),
    [
        ("文字", "字", r"a\.ipynb, cell 1: a cell does not read back"),
        ("x = 1", "x = 2", "differs from upstream outside prose"),
    ],
)
def test_a_notebook_with_another_edit_is_an_error(
    monkeypatch: pytest.MonkeyPatch, written: str, instead: str, problem: str
) -> None:
    def edit_wrongly(*arguments: Any) -> str:
        return edit_cells(*arguments).replace(written, instead)

    monkeypatch.setattr("pipeline.core.document.merge.edit_cells", edit_wrongly)
    with pytest.raises(GuardError, match=problem):
        merge(notebook("Some words"), {"Some words": "文字"})


DATA = Path(__file__).parent / "data"
EVERYTHING = (DATA / "everything.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_translations_change_nothing_but_prose(kind: str, line_end: str) -> None:
    text = EVERYTHING.replace("\n", line_end)
    for document in (page(HEADER.replace("\n", line_end) + text), notebook(text)):
        translations = translated(document, partial(hostile, kind))
        merged = merge(document, translations)
        assert_only_prose_changed(document, merged.data)
        assert read_document(document.path, merged.data).code == document.code
        alone = dict(list(translations.items())[::5])
        assert_only_prose_changed(document, merge(document, alone).data)


def test_honest_translations_are_all_taken() -> None:
    for document in (page(EVERYTHING), notebook(EVERYTHING)):
        merged = merge(document, translated(document))
        assert merged.rejected == ()
        assert merged.translated == len(msgids(document))
        assert_only_prose_changed(document, merged.data)


def line_of(lock: Lock = LOCK, **given: Any) -> str:
    """The attribution of a page, of which nothing is configured unless it is ``given``."""
    usual = {"locale": "de", "path": "a.md", "page_url": "", "license_name": ""}
    return attribution(lock=lock, **usual | given)


PLAIN = "Translated from `a.md` (JAX 1.2.3, commit `abababababab`)."


def test_an_attribution_names_source_version_licence_and_those_adopted_from() -> None:
    page_url = "https://example.org/{ref}/{commit}/{path}"
    text = line_of(locale="zh_CN", page_url=page_url, license_name="MIT")
    assert text == (
        f"本页译自 [a.md](https://example.org/v2/{'ab' * 20}/a.md)（JAX 1.2.3，提交 "
        "`abababababab`），译文与原文均以 MIT 许可证发布。"
    )
    assert not line_of(path="_api/tea/pour.docstring")
    credited = line_of(adopted=[("Li Lei <li@example.org>", "MIT")])
    assert "Li Lei" in credited.removeprefix(PLAIN)
    assert "example.org" not in credited


@pytest.mark.parametrize(
    ("package", "version", "expected"),
    [
        ("JAX", "1.2.3", PLAIN),
        ("Flax", "1.2", "Translated from `a.md` (Flax 1.2, commit `abababababab`)."),
        ("", "", "Translated from `a.md` (commit `abababababab`)."),
    ],
)
def test_an_attribution_claims_nothing_that_nobody_configured(
    package: str, version: str, expected: str
) -> None:
    assert line_of(replace(LOCK, package=package, version=version)) == expected


@pytest.mark.parametrize(
    "name",
    [
        *("a", "a<b title=live>'x", "a`b", "a](javascript:x)", "a <javascript:x>`__"),
        "a b",
    ],
)
@pytest.mark.parametrize("page_url", ["", "https://example.org/{path}"])
@pytest.mark.parametrize("suffix", [".md", ".rst"])
def test_nothing_in_it_is_markup(name: str, page_url: str, suffix: str) -> None:
    path = f"{name}{suffix}"
    line = line_of(locale="zh_CN", path=path, page_url=page_url, license_name=PAYLOAD)
    assert "\n" not in line
    if suffix == ".md":
        html = MarkdownIt().render(line)
    else:
        html = publish_parts(spaced(line), writer_name="html5")["body"]
    assert live_in(html) == []
    assert html.count("<a ") == bool(page_url)
    assert "&lt;b title=live&gt;x&lt;/b&gt;" in html


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("guide/a_b.md", "[guide/a_b.md](https://example.org/docs/guide/a_b.md)"),
        # A file from outside of the docs is named as upstream has it.
        ("_outside/NEWS.md", "[../NEWS.md](https://example.org/docs/../NEWS.md)"),
    ],
)
def test_usual_names_and_terms_stay_as_they_are(path: str, link: str) -> None:
    page_url = "https://example.org/docs/{path}"
    line = line_of(path=path, page_url=page_url, license_name="Apache-2.0")
    assert link in line
    assert "Apache-2.0" in line


TWO_ITEMS = "Some words.\n\n```{code-cell}\n1 + 1\n```\n"


def test_a_merge_has_messages_if_it_changes_only_words() -> None:
    split = split_text(TWO_ITEMS, page=True)
    merged = apply_edits(split, {0: Edit(0, 11, "一些文字。")})
    fresh = split_text(merged.text, page=True)
    messages = merged_messages(split, fresh, merged, frozenset())
    assert messages is not None
    assert [message.msgid for message in messages] == ["一些文字。"]
    same = apply_edits(split, {})
    assert merged_messages(split, split, same, frozenset()) == split.messages
    for other in (
        replace(split, code=("1 + 2\n",)),  # although the skeleton is the same
        split_text(TWO_ITEMS.replace("Some", "Some other"), page=True),
        split_text(f"{PAGE}\nMore words.\n", page=True),
    ):
        assert merged_messages(split, other, same, frozenset()) is None
