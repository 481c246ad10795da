"""Blocks of a page in both languages: their state, their place, and what is shown around them."""

from __future__ import annotations

import base64
import re
from html import unescape
from pathlib import Path

import pytest
from catalog_files import edit_catalog
from msgspec import structs
from workshop import DATA, LARGE, PIXEL, POLICY, Workshop, work

from pipeline.core.catalog.origins import Machine
from pipeline.core.drafting.drafts import Draft, drafted
from pipeline.entries import Entry
from pipeline.reading import Dialect, Reading

pytestmark = pytest.mark.slow  # each looks at what Sphinx has made

_BLOCK = 'class="jz-block jz-translated"'
_EDIT = r'data-jz-edit="\d+"'


def both(chinese: str, english: str, number: int) -> str:
    """Return a block's words in both languages."""
    return (
        f'<span class="jz-zh">{chinese}</span>'
        f'<span class="jz-en" lang="en" data-jz-for="{number}">{english}</span>'
    )


@pytest.mark.parametrize(
    "shown",
    [
        rf'{_BLOCK} data-jz="0" {_EDIT}>{both("工坊", "The workshop", 0)}',
        (
            '<p class="jz-en" lang="en" data-jz-for="1">A gradient is '
            '<strong>here</strong>, see <a class="reference '
        ),
        (
            rf'<p class="jz-block jz-english" data-jz="\d+" {_EDIT} id="jz-\d+" lang="en">'
            'Still English, <span class="math'
        ),
        (
            rf'<p {_BLOCK} data-jz="\d+" {_EDIT}><span class="jz-zh">工具</span>'
            '<span class="jz-en"'
        ),
    ],
    ids=["heading", "english", "untranslated", "cell of a table"],
)
def test_block_carries_its_state_and_its_english(built: Workshop, shown: str) -> None:
    assert re.search(shown, built.article("index"))
    # The line under the title says it.
    assert "本页译自" not in built.article("index")


def test_translated_headings_keep_their_english_anchors(built: Workshop) -> None:
    ids = [str(tag["id"]) for tag in built.parsed("guide").select("section, span[id]")]
    assert {"the-guide", "first-part", "second-part", "second-part-1"} <= set(ids)
    assert len(ids) == len(set(ids))
    assert 'href="guide.html#second-part"' in built.article("index")


def test_footnotes_lead_back_to_the_page_only(built: Workshop) -> None:
    article = built.article("guide")
    assert article.count('role="doc-backlink"') == 1
    assert article.count('role="doc-noteref"') == 2  # in Chinese and in English


def test_rest_pages_are_like_the_others(built: Workshop) -> None:
    article = built.article("card")
    assert '<span class="jz-zh">卡片</span>' in article
    assert article.count('href="https://example.org/again"') == 2
    assert article.count('href="#card"') >= 2
    for shown in (
        (
            rf"<dt {_BLOCK}[^>]*>.*?叶节点.*?</dt>"
            r'<dt class="jz-en" data-jz-for="\d+" lang="en">leaf</dt>'
        ),
        (
            r'href="https://docs.example.org/en/api/lamp.html#lamp.on"[^>]*><code[^>]*>'
            '<span class="pre">lamp.on</span>'
        ),
        # Which the inventory does not know.
        '<span class="pre">lamp.off</span>',
        r"<kbd>.*?--bright.*?</dt>\s*<dd><p[^>]*>Burn brighter",
        "这里的内容在上游仓库中：",
    ):
        assert re.search(shown, article, re.DOTALL), shown


def test_names_of_rest_links_lead_where_those_of_the_page_lead(built: Workshop) -> None:
    article = built.article("api")
    # Two in each language.
    assert article.count('href="https://example.org/named"') == 4
    assert article.count('href="#id') + article.count('href="#footnote') >= 2
    caption = rf'<span {_BLOCK[:-1]} caption-text" data-jz="2" {_EDIT}>'
    assert re.search(rf'{caption}<span class="jz-zh">图题。</span>', article)
    assert article.count('data-jz="2"') == 1
    before = built.html("api").partition("<article")[0]
    assert 'href="https://example.org/out">Out</a>' in before


def test_blocks_of_html_and_tasks(built: Workshop) -> None:
    article = built.article("html")
    for shown in (
        (
            rf'<div {_BLOCK[:-1]} docutils container" data-jz="1">\s*<div '
            r'class="x"><b>HTML</b> 里的词留着。</div>'
        ),
        (
            r'<div class="jz-en" lang="en" data-jz-for="1">\s*<div class="x">Words in '
            r"<b>HTML</b> stay.</div>"
        ),
        (
            r'<span id="drawn"></span>\s*<p class="jz-elsewhere jz-box">'
            r"这里的图由脚本绘制[^<]*<a [^>]*"
            r'href="https://docs.example.org/en/html.html#drawn" hreflang="en"'
        ),
    ):
        assert re.search(shown, article), shown
    assert article.count('type="checkbox"') == 2
    assert "gone.js" not in article
    assert 'draw("drawn")' not in article


def test_links_show_titles_in_the_language_around_them(built: Workshop) -> None:
    link = r'<a class="reference internal" href="(card|work).html"><span [^>]*>([^<]+)<'
    assert re.findall(link, built.article("guide")) == [
        *(("card", "卡片"), ("work", "活计")),
        *(("card", "Card"), ("work", "Work")),
    ]


def test_of_terms_within_each_other_the_longest_is_marked(built: Workshop) -> None:
    term = r'<abbr class="jz-term" title="([^"]+)" tabindex="0">([^<]+)</abbr>'
    assert re.findall(term, built.article("html")) == [
        ("gradient descent", "梯度下降"),
        ("gradient", "梯度"),
    ]


def test_blocks_lead_to_their_line_of_the_catalogue(built: Workshop) -> None:
    article = built.article("index")
    begin, end = (
        re.findall(rf'<{tag}[^>]* data-jz-edit="([^"]*)"', article)[0]
        for tag in ('p class="jz-fresh"', "h1")
    )
    address, _, line = f"{begin}{end}".partition("#L")
    assert address == "https://example.org/demo/zh_CN/index.po"
    lines = built.catalog_of("index.md").read_text(encoding="utf-8").split("\n")
    assert lines[int(line) - 1] == 'msgid "The workshop"'


def test_attachments_and_outputs_are_files(built: Workshop) -> None:
    article = built.article("work")
    sources = re.findall(r'<img [^>]*src="([^":]+)"', article)
    files = {(built.target / source).read_bytes() for source in sources}
    assert files == {base64.b64decode(PIXEL), base64.b64decode(LARGE)}
    # A small one is one request less where it is.
    assert LARGE not in article
    assert f'src="data:image/png;base64,{PIXEL}"' in article
    assert "<b>bold</b>" in article
    assert '<a class="reference internal" href="card.html">' in article
    assert not (built.target.parent / "jupyter_execute").exists()


# A substitution stands wherever it is used; MyST makes one paragraph of both parts of such a tip.
WITHOUT_PLACE = {
    "index": ["Part"],  # a caption of the toctree, which Sphinx shows in the navigation
    "api": ["something"],
    "guide": ["一个*标题*", "提示的内容。"],
}


@pytest.mark.parametrize("page", ["index", "guide", "work", "card", "api", "html"])
def test_every_block_that_has_a_place_is_marked(built: Workshop, page: str) -> None:
    assert list(built.unmarked(page)) == WITHOUT_PLACE.get(page, [])


# — pages of one test each, which say nothing of each other ——————————

_CELLS = "".join(
    f'```{{code-cell}}\n:tags: [{tag}]\n{more}\nprint("a < b")\n```\n\n'
    for tag, more in (
        ("hide-input", ""),
        ("hide-cell", ""),
        ("hide-input", ":mystnb:\n:  code_prompt_show: Look < here\n"),
    )
)
_FOLDED = f"""---
file_format: mystnb
kernelspec:
  name: python3
  display_name: Python 3
---
# The guide

{_CELLS}"""
_WALLS = """# Pictures

Look:

<center><img src="a.png"></center>
<center><IMG src='b.png' title='a > b'/></center>
<center><img src="c.png" alt="A saw"></center>
<center><img alt src='d.png'></center>
"""
_BELOW = r"""# The guide

Some words:
\begin{align}
a_1 &= b_1 \\
c &= d
\end{align}
"""
_TERMS = "# The guide\n\n```{glossary}\nsaw\n  Body of the tip.\n```\n\n{term}`saw`\n"
TAG_BLOCKS = {
    "whole": "def plan(books):\n  for book in books:\n    put(book)\n  return '#1'\n",
    "whole 1:3": "for book in books:\n  put(book)\n",
    "whole -1": "return '#1'\n",
    "whole [0, 3]": "def plan(books):\n  return '#1'\n",
    "inner": "lamp = 1\nvase = 2\n",
}
TAG_LINKS = (*("alone", "empty", "whole 7", "whole x", "whole 1:2:3:4", "whole 4:", "gone"),)
_TAGS = "Tags\n====\n\n" + "".join(
    f".. tagged-block:: tags.py {arguments}\n   :hl_lines: 2-900000\n\n"
    for arguments in [*TAG_BLOCKS, *TAG_LINKS]
)
_TIP = "# The guide\n\nBody of the tip.\n"
SINGLE = {
    "index.md": "# Start\n\nWords.\n",
    "unheard.md": "# The guide\n\n$$\\unheardof{x}$$\n",
    "square.md": "# Part\n\n$$x^2$$\n",
    "folded.md": _FOLDED,
    "walls.md": _WALLS,
    "module.rst": "API\n===\n\n.. automodule:: lamp\n\nNames of lamps.\n",
    "below.md": _BELOW,
    "terms.md": _TERMS,
    "tags.rst": _TAGS,
    "since.md": f"{_TIP}\nNothing else.\n",
    "unmerged.md": _TIP,
}


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """A site of many small pages, each for the test that looks at it."""
    workshop = Workshop.of(tmp_path_factory.mktemp("single"), SINGLE)
    tagged = (DATA / "tags.txt").read_text(encoding="utf-8")
    workshop.put(workshop.paths.docs / "tags.py", tagged)
    # Upstream has changed the English since.
    workshop.edit("since.md", "Body of the tip.", fuzzy=True, previous="Body of a tip.")
    workshop.merge()
    workshop.merged("unmerged.md").unlink()
    workshop.blocks("unmerged.md").unlink()
    workshop.build()
    return workshop


def test_single_pages_have_no_faults(single: Workshop) -> None:
    """Nor do marks around lines that are not there make one."""
    assert {finding.code for finding in single.findings} == {"inventory"}


def test_a_formula_without_mathml_is_set_by_mathjax(single: Workshop) -> None:
    assert "<math" not in single.article("unheard")
    assert "<math" in single.article("square")
    (loaded,) = re.findall('data-scripts="([^"]+)"', single.html("unheard"))
    scripts = re.findall(r"_static/([\w/.-]+)", loaded)
    # The first tells the second what to do.
    assert scripts.index("formulas.js") < scripts.index("mathjax/tex-chtml.js")
    assert (single.target / "_static" / "mathjax" / "tex-chtml.js").is_file()
    assert "mathjax" not in single.html("square")


def test_what_is_folded_away_says_what_it_is(single: Workshop) -> None:
    summaries = single.parsed("folded").select("summary")
    assert [[p.text for p in summary.select("p")] for summary in summaries] == [
        ["显示代码", "隐藏代码"],
        ["显示代码和输出", "隐藏代码和输出"],
        ["Look < here", "隐藏代码"],
    ]


def test_an_image_in_html_has_an_alternative_text(single: Workshop) -> None:
    assert re.findall(r"(?i)<img[^>]*[a-d]\.png", single.article("walls")) == [
        '<img alt="" src="a.png',
        '<img alt="" src="b.png',
        '<img src="c.png',
        '<img alt="" src="d.png',
    ]


def test_a_module_without_members_leads_nowhere(single: Workshop) -> None:
    article = single.article("module")
    assert "Names of lamps." in article
    assert "jz-elsewhere" not in article


def test_a_formula_below_words_is_one(single: Workshop) -> None:
    article = single.article("below")
    assert "<mtable" in article
    assert "begin{align}" not in article
    assert "Some words:" in article


def test_a_glossary_in_myst_has_both_terms(single: Workshop) -> None:
    article = single.parsed("terms")
    terms = [term.text.strip("#") for term in article.select("dl.glossary dt")]
    assert terms[0].startswith("锯")
    assert "saw" in terms[-1]
    assert article.select_one('a[href="#term-saw"]')


def test_a_page_tells_what_has_changed_since(single: Workshop) -> None:
    article = single.html("since").partition("<article")[2]
    assert article.index("jz-fresh") < article.index('<details class="jz-since">')
    assert "Body of <del>a</del><ins>the</ins> tip." in article
    assert re.findall('href="#(jz-[0-9]+)"', article) == ["jz-1", "jz-2"]
    assert re.findall(' id="(jz-[0-9]+)"', article) == ["jz-1", "jz-2"]


def test_a_page_that_was_not_merged_is_english(single: Workshop) -> None:
    article = single.article("unmerged")
    heading = r'<h1 class="jz-block jz-english" data-jz="0"[^>]*>The guide'
    assert re.search(heading, article)
    assert "jz-translated" not in article


def test_lines_between_marks_are_shown(single: Workshop) -> None:
    article = single.article("tags")
    found = re.findall(r"<pre>(.*?)</pre>", article, re.DOTALL)
    shown = [unescape(re.sub(r"<[^>]+>", "", code)) for code in found]
    assert shown == list(TAG_BLOCKS.values())
    assert article.count("这里的内容在上游仓库中：") == len(TAG_LINKS)
    # The second line is set off, and all after it.
    assert 0 < found[0].index("plan") < found[0].index('class="hll"')


# — lists of pages, and tabs ———————————————————————


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    aside = ".. toctree::\n   :hidden:\n   :caption: Aside\n\n   deep\n"
    files = {
        "index.rst": (DATA / "lists.rst").read_text(encoding="utf-8"),
        "work.ipynb": work(),
        "guide.md": "# The guide\n",
        "rest.rst": f"Rest\n====\n\n{aside}",
        "deep.md": "# Deep\n",
    }
    workshop = Workshop.of(tmp_path_factory.mktemp("lists"), files)
    workshop.build()
    return workshop


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        pytest.param(
            "index",
            rf'<p aria-level="2" {_BLOCK[:-1]} caption" data-jz="1" {_EDIT} role="heading">'
            rf'<span class="caption-text">{both("可读", "To read", 1)}</span></p>',
            id="caption",
        ),
        pytest.param(
            "index",
            rf'<li class="toctree-l1"><span {_BLOCK} data-jz="2" {_EDIT}>'
            '<a class="reference internal" href="work.html">'
            rf"{both('关于活计', 'Of work', 2)}</a></span></li>",
            id="entry",
        ),
        # Without a title of its own an entry is the title of its page, and no block of this one.
        pytest.param(
            "index",
            '<li class="toctree-l1"><a class="reference internal" href="guide.html">指南',
            id="entry without a title",
        ),
        pytest.param(
            "index",
            rf'<label [^>]*class="sd-tab-label"[^>]*>\s*<span {_BLOCK} data-jz="6"[^>]*>'
            rf"{both('此处', 'Here', 6)}</span></label>",
            id="label of a tab",
        ),
        # What no list shows is marked, and not seen.
        pytest.param(
            "index",
            rf'jz-english" data-jz="3" {_EDIT} hidden="" lang="en">Nothing yet</span>',
            id="caption of an empty list",
        ),
        pytest.param("rest", rf'{_EDIT} hidden=""><span class="jz-zh">旁支', id="hidden list"),
    ],
)
def test_words_of_lists_are_blocks(lists: Workshop, page: str, shown: str) -> None:
    assert list(lists.unmarked(page)) == []
    assert re.search(shown, lists.article(page))


def test_a_hidden_list_is_marked_in_the_navigation_of_its_page(lists: Workshop) -> None:
    def navigation(page: str) -> str:
        html = lists.html(page)
        return html[html.index('<nav class="bd-links') : html.index("<article")]

    caption = (
        rf'<span class="caption-text jz-block jz-translated" data-jz="4" {_EDIT}>'
        r'<span class="jz-zh">旁支</span><span class="jz-en" lang="en">Aside</span></span>'
    )
    entry = 'jz-block jz-english" href="rest.html" data-jz="5" lang="en">The rest</a>'
    assert re.search(caption, navigation("index"))
    assert entry in navigation("index")
    assert "jz-block" not in navigation("work")
    assert "旁支</span>" in navigation("work")


# — what merge and the catalogue say ————————————————————


def test_blocks_are_where_merge_says_that_they_have_landed(tmp_path: Path) -> None:
    workshop = Workshop.of(tmp_path, {"index.md": _TIP})
    file = workshop.blocks("index.md")
    known = file.read_text(encoding="utf-8")
    as_merged = known.replace('"english": "Body', '"english": "As merge has it: body')
    workshop.put(file, as_merged)
    workshop.build()
    assert "As merge has it: body of the tip." in workshop.article("index")
    # Without a file that can be read the documents say it.
    for damaged in (known[:-9], "[]x", None):
        file.unlink()
        if damaged is not None:
            workshop.put(file, damaged)
        workshop.build()
        assert 'data-jz-for="1">Body of the tip.' in workshop.article("index")


def test_waiting_translations_are_shown_to_those_who_ask_only(tmp_path: Path) -> None:
    """A preview tells those of a machine apart."""
    workshop = Workshop(tmp_path)
    workshop.write("index.md", _TIP)
    workshop.write("work.ipynb", work(), fuzzy=True)
    origin = Machine(model="m", prompt=1, date="2026-05-01")

    def draft(entry: Entry) -> Entry:
        return drafted(entry, Draft(before=entry, msgstr=entry.msgstr, origin=origin))

    edit_catalog(workshop.catalog_of("index.md"), draft)
    workshop.merge()
    workshop.execute()
    workshop.build()
    for page in ("index", "work"):
        assert "jz-fuzzy" not in workshop.article(page)
        assert "jz-translated" not in workshop.article(page)
    workshop.build(structs.replace(POLICY, show_fuzzy=True))
    index, notebook = workshop.article("index"), workshop.article("work")
    assert 'class="jz-block jz-fuzzy jz-draft"' in index
    assert "2 段机器草稿" in index
    assert "机器\\A 草稿" in workshop.read("_static/styles/all.css")
    assert 'class="jz-block jz-fuzzy"' in notebook
    assert "2 段译文待核对" in notebook
    for words in ("活计", "True"):
        assert words in notebook
    assert "jz-draft" not in notebook


ALERT = "# The guide\n\n> [!TIP]\n> Body of the tip.\n"
MARKED = "\n{.red #pear}\nA thing.\n\n## Second part {#sun}\n\nA task.\n{: .blue }\n"


def test_a_page_of_commonmark_has_alerts_and_attributes(tmp_path: Path) -> None:
    reading = Reading(dialect=Dialect.COMMONMARK)
    files = {"index.md": f"{ALERT}{MARKED}"}
    workshop = Workshop.of(tmp_path, files, reading=reading)
    extensions = ("attrs_inline", "attrs_block")
    policy = structs.replace(POLICY, english_url="", myst_extensions=extensions)
    workshop.build(policy, markdown=Dialect.COMMONMARK)
    article = workshop.parsed("index")
    for place, words in {
        ".admonition.tip": "提示的内容。",
        "#pear.red": "一物。",
        "p.blue": "一项任务。",
        "section#sun, section [id=sun]": "",
    }.items():
        found = article.select_one(place)
        assert found, place
        assert words in found.text
    assert list(workshop.unmarked("index")) == []
    assert not re.search(r"\[!|[{}]", article.text)


def test_a_page_of_mkdocs_is_shown_with_its_blocks(tmp_path: Path) -> None:
    page = (
        '# The guide\n\n!!! tip "A thing."\n\n    Body of the tip.\n\n'
        '=== "Leaf"\n    Words.\n\n::: lamp.Lamp\n\nA task.\n'
    )
    reading = Reading(dialect=Dialect.MKDOCS)
    workshop = Workshop.of(tmp_path, {"index.md": page}, reading=reading)
    policy = structs.replace(POLICY, english_url="")
    assert workshop.build(policy, markdown=Dialect.MKDOCS) == ()
    article = workshop.article("index")
    for shown in (
        "jz-block jz-translated admonition-title",
        *("一物。", "提示的内容。", "一项任务。", "sd-tab-set", "lamp.Lamp"),
    ):
        assert shown in article
    assert "!!!" not in article
