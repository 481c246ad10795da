"""The pure parts of the site: blocks, freshness, terms, progress, redirects."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import report_results
from msgspec.structs import replace

from pipeline.adapters.sphinx import Warned, parse_warnings
from pipeline.core.catalog.origins import Machine, OriginKind
from pipeline.core.document.merge import PageExtras, merge
from pipeline.core.document.reader import read_document
from pipeline.core.drafting.drafts import Draft, drafted
from pipeline.core.execution.result import CellFailure, Execution, Status
from pipeline.core.glossary.glossary import read_glossary
from pipeline.core.pin.lock import Lock, SourceFile
from pipeline.core.results import PageResult
from pipeline.entries import Entry
from pipeline.site.blocks import Block, blocks_of
from pipeline.site.configuration import end_of
from pipeline.site.exports import redirect_pages
from pipeline.site.extension.own_pages import steps_from
from pipeline.site.freshness_line import freshness
from pipeline.site.names import ShownOutputs, ShownState
from pipeline.site.outline import root_page
from pipeline.site.progress import ContentsPosition, Reach, facts, progress
from pipeline.site.records import launches
from pipeline.site.search.index import readers_words
from pipeline.site.terms import synonyms, term_hints, term_list

LOCK = replace(
    report_results.LOCK,
    commit="0123456789abcdef" + "0" * 24,
    date="2026-06-15T07:43:29-07:00",
    version="0.10.2",
)
PAGE = PageResult(
    page="a/b",
    files=(SourceFile(path="a/b.ipynb", blob="0" * 40),),
    code_cells=3,
    words=10,
    translated=1,
    translated_words=9,
)
LINE = "本页译自 `a.md`（JAX 0.10.2，提交 `0123`），以 Apache-2.0 许可证发布。"


def blocks(
    english: str,
    translations: dict[str, str],
    entries: tuple[Entry, ...] = (),
    path: str = "a.md",
) -> tuple[Block, ...]:
    """The blocks of a document that was merged with ``translations``."""
    upstream = read_document(path, english.encode())
    return blocks_of(merge(upstream, translations, PageExtras(attribution=LINE)).blocks, entries)


def test_each_block_has_its_english_its_state_and_its_place_in_the_catalogue() -> None:
    entries = (
        Entry(msgid="First thing.", msgstr="甲。", line=7),
        Entry(msgid="Second thing.", msgstr="乙。", obsolete=True, line=20),
        # A translation that is its English is English.
        Entry(msgid="JAX", msgstr="JAX", line=3),
    )
    found = blocks(
        "# Title\n\nFirst thing.\n\n- Second\n  thing.\n\nJAX\n",
        {"First thing.": "甲。", "Title": "标题", "JAX": "JAX"},
        entries,
    )
    assert [
        (block.landed.text, block.landed.english, block.state, block.line) for block in found
    ] == [
        ("标题", "Title", ShownState.TRANSLATED, 0),
        ("甲。", "First thing.", ShownState.TRANSLATED, 7),
        ("Second thing.", "Second thing.", ShownState.ENGLISH, 0),
        ("JAX", "JAX", ShownState.ENGLISH, 3),
    ]


def shown(entry: Entry, translations: dict[str, str]) -> tuple[ShownState, OriginKind | None]:
    (block,) = blocks("One thing.\n", translations, (entry,))
    return block.state, block.origin


def test_a_fuzzy_translation_and_a_draft_that_are_shown_are_told_apart() -> None:
    """A draft is a machine's as long as its words are: what somebody has changed waits."""
    entry = Entry(msgid="One thing.", notes=("paragraph",), line=3)
    origin = Machine(model="m", prompt=1, date="2026-05-01")
    draft = drafted(entry, Draft(before=entry, msgstr="一件事。", origin=origin))
    chinese = {"One thing.": "一件事。"}
    assert shown(draft, chinese) == (ShownState.FUZZY, OriginKind.DRAFT)
    changed = replace(draft, msgstr="一样东西。")
    fuzzy = replace(entry, msgstr="一件事。", fuzzy=True)
    for waiting in (changed, fuzzy):
        assert shown(waiting, chinese) == (ShownState.FUZZY, None)
    for hidden in (draft, fuzzy):
        assert shown(hidden, {}) == (ShownState.ENGLISH, None)


def line_of(page: PageResult, lock: Lock = LOCK, locale: str = "zh_CN", **fields: Any) -> str:
    """Return the line under the title of a page, without its tags."""
    return re.sub(r"<[^>]+>", "", freshness(page, lock, locale=locale, **fields))


def test_the_line_of_a_preview_tells_drafts_apart() -> None:
    page = replace(PAGE, drafts=2)
    assert "3 段译文待核对 · 2 段机器草稿" in line_of(page, fuzzy=5)
    assert "待核对" not in line_of(page, fuzzy=2)
    assert "2 段机器草稿" in line_of(page, fuzzy=2)
    assert "machine drafts: 2" in line_of(page, locale="en", fuzzy=2)
    # Pages for readers show none, and say nothing of them.
    assert "机器草稿" not in line_of(page)


def test_of_several_entries_the_one_for_the_section_counts() -> None:
    here = Entry(msgid="Same.", msgstr="乙", context="B", line=5)
    anywhere = Entry(msgid="Same.", msgstr="甲", line=1)
    page = "# A\n\nSame.\n\n# B\n\nSame.\n"
    translations = {"Same.": "甲", "B\4Same.": "乙"}

    def lines(*entries: Entry) -> list[tuple[str, int]]:
        found = blocks(page, translations, entries)
        return [(block.landed.text, block.line) for block in found if block.landed.msgid == "Same."]

    assert lines(anywhere, here) == lines(here, anywhere) == [("甲", 1), ("乙", 5)]
    # One for another section is better than none.
    assert lines(here) == [("甲", 5), ("乙", 5)]


def test_the_english_term_that_stays_in_a_glossary_is_no_block_of_its_own() -> None:
    found = blocks(
        "Words\n=====\n\n.. glossary::\n\n   leaf\n      A thing.\n",
        {"leaf": "叶节点", "A thing.": "一物。"},
        path="a.rst",
    )
    kept = {block.landed.english: block.landed.is_kept for block in found}
    assert kept == {"Words": False, "leaf": True, "A thing.": False}
    assert [block.landed.text for block in found] == ["Words", "叶节点", "一物。"]


def execution(status: Status, reason: str = "", **fields: Any) -> Execution:
    made = Execution(page="a/b", status=status, reason=reason, cells=2, total=3)
    return replace(made, **fields)


FAILURE = CellFailure(
    cell=4,
    source="",
    exception="TypeError",
    message="no",
    traceback="",
    blame="upstream",
)
MISSING, RAN = ShownOutputs.MISSING, ShownOutputs.RAN
ALL_RAN = "全部 3 个代码单元已在 JAX 0.10.2 上运行"


@pytest.mark.parametrize(
    ("run", "outputs", "expected"),
    [
        (execution(Status.PASSED, cells=3), RAN, ALL_RAN),
        (
            execution(Status.PASSED, note="in interpret mode"),
            RAN,
            f"{ALL_RAN}（解释模式）",
        ),
        (
            execution(Status.PARTIAL, "accelerator: from cell 5 on"),
            RAN,
            "3 个代码单元中有 2 个已在 JAX 0.10.2 上运行，其余未运行（需要加速器）",
        ),
        (
            execution(Status.SKIPPED, "own reason: x"),
            MISSING,
            "代码未运行（own reason）",
        ),
        (
            execution(Status.FAILED, "cell 4: TypeError: no", failure=FAILURE),
            MISSING,
            "代码在 JAX 0.10.2 上运行出错（TypeError） · 未附运行结果",
        ),
        (execution(Status.PASSED), MISSING, f"{ALL_RAN} · 未附运行结果"),
        (None, MISSING, "未附运行结果"),
        (None, RAN, "运行结果来自较早的一次构建"),
        (
            None,
            ShownOutputs.STORED,
            "代码未在 JAX 0.10.2 上运行 · 运行结果是上游文档中所存的",
        ),
        (None, ShownOutputs.UNRUN, "代码未在 JAX 0.10.2 上运行"),
    ],
)
def test_the_line_says_what_ran(
    run: Execution | None, outputs: ShownOutputs, expected: str
) -> None:
    page = replace(PAGE, execution=run)
    start = "JAX 0.10.2 · 上游提交 0123456789ab（2026-06-15） · "
    end = " · 已译 90 % · 译自 a/b.ipynb，Apache-2.0 许可证"
    line = line_of(page, license_name="Apache-2.0", outputs=outputs)
    assert line == f"{start}{expected}{end}"


def test_the_line_claims_nothing_that_nobody_configured() -> None:
    page = replace(PAGE, execution=execution(Status.PASSED, cells=3))
    assert line_of(page, replace(LOCK, package="", version="")) == (
        "上游提交 0123456789ab（2026-06-15） · 全部 3 个代码单元已运行 · 已译 90 % · 译自 a/b.ipynb"
    )


def test_a_page_without_code_or_translation_or_date_has_a_short_line() -> None:
    page = replace(PAGE, words=0, translated=0)
    line = freshness(
        page,
        replace(LOCK, date=""),
        locale="de",
        is_notebook=False,
        sources={"a/b.ipynb": "https://x.org/?a&b"},
        license_name="MIT",
    )
    assert line == (
        "JAX 0.10.2 · upstream version <code>0123456789ab</code> · original <a "
        'href="https://x.org/?a&amp;b">a/b.ipynb</a>, licence MIT'
    )
    assert freshness(replace(page, files=()), LOCK, locale="de", is_notebook=False).endswith(
        "(<time>2026-06-15</time>)"
    )


def test_a_page_in_english_says_so() -> None:
    page = replace(PAGE, translated=0, translated_words=0)
    assert "尚未翻译，以下为英文原文" in line_of(page)


def test_the_reason_is_whole_where_one_points_and_harmless() -> None:
    run = execution(Status.SKIPPED, reason='x: <img src="y">')
    line = freshness(replace(PAGE, execution=run), LOCK, locale="en", fuzzy=2)
    assert '<span title="x: &lt;img src=&quot;y&quot;&gt;">x</span>' in line
    assert "translations to be reviewed: 2" in line


GLOSSARY = read_glossary(
    "source,target,context,translator_comments\n"
    "transformation,变换,,What grad does\ntransformation,转换,avoid,\ngradient,梯度,,\n"
    "pytree,pytree,,\nbatch,批,,\n"
    "just-in-time compilation,即时（JIT）编译,,\nconvert,转换,verb allow,\n"
    "mask out,把…掩盖,,\nkey,关键,advice,\n",
    where="g.csv",
)


def test_terms_are_marked_with_the_rendering_that_stands_there() -> None:
    hints = term_hints(
        GLOSSARY,
        "A transformation takes a gradient of a pytree batch, convert it.",
        "变换对一批 pytree 求梯度，转换它。",
    )
    assert hints == [("变换", "transformation"), ("梯度", "gradient")]
    assert term_hints(GLOSSARY, "Just-in-time compilation.", "即时编译。") == [
        ("即时编译", "just-in-time compilation")
    ]
    assert term_hints(GLOSSARY, "Mask out values.", "把值掩盖。") == []
    assert term_hints(GLOSSARY, "A gradient.", "斜率。") == []
    assert term_hints(GLOSSARY, "Key concepts.", "关键概念。") == []


def test_the_glossary_page_lists_what_is_to_be_used_and_what_not() -> None:
    rows = {row["english"]: row for row in term_list(GLOSSARY)}
    assert list(rows) == sorted(rows)
    assert rows["transformation"] == {
        "english": "transformation",
        "renderings": ["变换"],
        "avoided": ["转换"],
        "note": "What grad does",
    }
    assert "convert" not in rows  # no term of its own


def test_synonyms_lead_from_what_is_asked_to_renderings() -> None:
    rows = {asked[0]: (asked, found) for asked, found in synonyms(GLOSSARY)}
    assert rows["transformation"] == (["transformation", "transformations"], ["变换"])
    assert rows["just-in-time compilation"][1] == ["即时编译"]
    # A word that is right for another term, one that is no term, a rendering with a gap in it.
    assert "转换" not in rows["transformation"][0]
    assert rows.keys().isdisjoint({"convert", "mask out", "pytree"})


def test_a_word_to_avoid_leads_to_the_rendering_in_its_place() -> None:
    glossary = read_glossary(
        "source,target,context\nvectorize,向量化,verb\nvectorize,矢量化,avoid\n",
        where="g.csv",
    )
    ((asked, found),) = synonyms(glossary)
    assert {"vectorize", "vectorized", "矢量化"} <= set(asked)
    assert found == ["向量化"]


def test_readers_words_are_those_of_their_language() -> None:
    rows = readers_words("zh_CN", {})
    assert all(asked and found for asked, found in rows)
    words = [word for asked, _ in rows for word in asked]
    assert len(words) == len(set(words))
    assert readers_words("xx", {}) == []


def test_readers_may_ask_for_what_code_calls_a_module() -> None:
    usual_names = {"np": "numpy", "lax": "jax.lax"}
    # Who asks for lax finds jax.lax anyway: the index has the parts of names.
    assert readers_words("xx", usual_names) == [(["np"], ["numpy"])]


def rows(**counts: tuple[int, int, int]) -> list[PageResult]:
    return [
        PageResult(page=name, words=words, translated_words=translated, fuzzy_words=fuzzy)
        for name, (words, translated, fuzzy) in counts.items()
    ]


def test_progress_adds_up_in_the_order_of_the_site() -> None:
    counted = rows(late=(100, 0, 0), first=(50, 50, 0), orphan=(30, 10, 5))
    spots = {
        "first": ContentsPosition("第一页", "开始"),
        "late": ContentsPosition("Late", "后面"),
    }
    found = progress(facts(LOCK, counted, {"Li": 3, "An": 3, "Bo": 9}), spots, {})
    assert [
        (page["page"], page["title"], page["group"], page["url"]) for page in found.pop("pages")
    ] == [
        ("first", "第一页", "开始", "first.html"),
        ("late", "Late", "后面", "late.html"),
        ("orphan", "orphan", "", "orphan.html"),
    ]
    people = found.pop("contributors")
    assert [person["name"] for person in people] == ["Bo", "An", "Li"]
    expected = {
        "words": 180,
        "translated": 60,
        "fuzzy": 5,
        "untranslated": 115,
        "next": ["late", "orphan"],
        "title": "JAX",
        "release": "0.10.2",
        "commit": "0123456789ab",
        "date": "2026-06-15",
    }
    assert {key: found[key] for key in expected} == expected


def test_what_readers_meet_first_is_to_be_translated_first() -> None:
    names = ("unlinked", "far", "near", "loved", "done", "first")
    spots = {name: ContentsPosition(name, "") for name in names}
    counts = dict.fromkeys(names, (100, 0, 0)) | {
        # Length says nothing, nor does what is done already.
        "far": (9000, 0, 0),
        "near": (5, 4, 0),
        "done": (100, 100, 0),
    }
    reach = {
        "first": Reach(0, 0),
        "near": Reach(1, 1),
        "loved": Reach(1, 7),
        "far": Reach(3, 9),
        "done": Reach(1, 3),
    }
    known = facts(LOCK, rows(**counts), {})
    order = progress(known, spots, reach)["next"]
    assert order == ["first", "loved", "near", "far", "unlinked"]


def test_steps_are_counted_along_the_shortest_way() -> None:
    net = {"a": ["b", "c"], "b": ["c", "a"], "c": ["d"], "lone": ["a"]}
    assert steps_from("a", net) == {"a": 0, "b": 1, "c": 1, "d": 2}


def test_a_notebook_on_github_is_run_in_two_places() -> None:
    colab, ours = (
        "https://colab.research.google.com",
        "us/docs/blob/notebooks/a/b.ipynb",
    )
    kaggle = "https://www.kaggle.com/kernels/welcome?src="
    assert launches(f"https://github.com/{ours}") == [
        ("colab", f"{colab}/github/{ours}"),
        ("kaggle", f"{kaggle}{quote(f'https://github.com/{ours}', safe='')}"),
    ]
    other = "https://colab.example.org/x"
    assert launches(other) == [("colab", other)]


def test_old_pages_lead_to_new_ones() -> None:
    redirects = {"old": "mid", "mid": "new/page", "lost": "nowhere", "x": "y", "y": "x"}
    outside = ("../out", "/abs", "..", "a//b")
    redirects |= dict.fromkeys(("a/old", "here", *outside), "new/page")
    moved = {old: end_of(old, redirects) for old in redirects}
    found = redirect_pages(moved, {"new/page", "here"}, language="zh-CN")
    assert sorted(found) == ["a/old.html", "mid.html", "old.html"]
    assert 'url=new/page.html"' in found["old.html"]
    assert 'href="../new/page.html"' in found["a/old.html"]
    assert 'lang="zh-CN"' in found["old.html"]


@pytest.mark.parametrize(
    ("pages", "configured", "root"),
    [
        ("a index intro", "", "index"),
        ("a index intro", "a", "a"),
        ("a b/c", "gone", "a"),  # a part of the docs, without the first page
        ("_static/a b/c d/README", "", "d/README"),
        (".github/readme z/last", "", "z/last"),
        ("b/deep/a z", "", "z"),
        ("a Introduction z", "", "Introduction"),
        ("", "", "index"),
    ],
)
def test_root_page(pages: str, configured: str, root: str) -> None:
    assert root_page(pages.split(), configured) == root


DOCS, EXAMPLES = "docs/", "examples/"


@pytest.mark.parametrize(
    ("pages", "tops", "root"),
    [
        ("docs/index examples/index", (DOCS, EXAMPLES), "docs/index"),
        # The second folder comes first if the configuration names it first.
        ("docs/index examples/index", (EXAMPLES, DOCS), "examples/index"),
        ("examples/a docs/guide/index docs/intro", (DOCS, EXAMPLES), "docs/intro"),
        # Which of the usual names it is counts less than the order of the folders.
        ("docs/readme examples/index", (DOCS, EXAMPLES), "docs/readme"),
        ("docs/a examples/index", (DOCS, EXAMPLES), "examples/index"),
        ("docs/a examples/b", (DOCS, EXAMPLES), "docs/a"),
        ("elsewhere examples/b", (DOCS, EXAMPLES), "examples/b"),
    ],
)
def test_root_page_of_folders(pages: str, tops: tuple[str, str], root: str) -> None:
    assert root_page(pages.split(), tops=tops) == root


# — what Sphinx says ——————————————————————————————


def test_warnings_are_about_a_line_a_file_or_nothing() -> None:
    log = (
        "/src/a.md:12: WARNING: no target: 'b' [myst.xref_missing]\n"
        "/src/b/c.rst: ERROR: no title\n"
        "  in two lines\n"
        "WARNING: an extension says so\n"
        "WARNING: an extension says so\n"
    )
    assert parse_warnings(log, Path("/src")) == (
        Warned(text="no target: 'b'", file="a.md", line=12, kind="myst.xref_missing"),
        Warned(text="no title\n  in two lines", level="ERROR", file="b/c.rst"),
        Warned(text="an extension says so"),
    )
