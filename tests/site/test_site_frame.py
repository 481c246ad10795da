"""What surrounds the text of a page: line under the title, home page, header, head, navigation."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import structs
from msgspec.structs import replace
from places import ROOT
from workshop import POLICY, WITH_OPTIONS, Workshop, whole_workshop

from pipeline.config.reader import read_settings

pytestmark = pytest.mark.slow  # each looks at what Sphinx has made


# — the line under the title ————————————————————————


def test_the_line_under_the_title_and_the_downloads(built: Workshop) -> None:
    article = built.article("work")
    parts = ("</h1>", '<p class="jz-fresh"', "jz-downloads")
    places = [article.index(part) for part in parts]
    assert places == sorted(places)
    assert "全部 1 个代码单元已在 JAX 0.10.2 上运行" in article
    link = r'<a class="jz-download" href="([^"]+)" download>'
    with_outputs, clean = (
        json.loads(built.read(address))["cells"][1]["outputs"]
        for address in re.findall(link, article)
    )
    assert with_outputs[0]["text"] == "True\n"
    assert clean == []


def line_of(workshop: Workshop, page: str) -> str:
    """Return the words of the line under the title of a page."""
    (line,) = workshop.parsed(page).select("p.jz-fresh")
    return line.text


def test_the_line_under_a_title_counts_what_the_site_lacks(tmp_path: Path) -> None:
    boxes = ".. list_config_options::\n\n.. automodule:: shelf\n   :members:\n"
    script = ".. raw:: html\n\n   <div></div><script>draw()</script>\n"
    object_ = ".. autofunction:: shelf.put\n"
    files = {
        "boxes.rst": f"Boxes\n=====\n\n{boxes}\n{script}\n{object_}",
        "prose.md": "# Prose\n\nWords.\n",
        # No word of it is for translators.
        "bare.rst": ".. list_config_options::\n",
    }
    workshop = Workshop.of(tmp_path, files, package="shelf")
    bare, *others = workshop.pages()
    assert bare.page == "bare"
    bare = replace(bare, words=0, translated=0, translated_words=0)
    workshop.build(pages=[bare, *others], reference=WITH_OPTIONS)
    assert line_of(workshop, "boxes").endswith("4 处内容本站没有，见页内说明")
    assert "本站没有" not in line_of(workshop, "prose")
    assert line_of(workshop, "bare").endswith("1 处内容本站没有，见页内说明")
    # Each box says why.
    article = workshop.article("boxes")
    for reason in (
        "这里的内容由上游的程序生成，本站没有。",
        "这个模块的成员及其说明取自代码的 docstring，尚无中文。",
        "完整说明取自代码的 docstring，尚无中文。",
    ):
        assert article.count(f">{reason}请看英文文档：<a") == 1


# — the home page ——————————————————————————————


def test_the_home_page_begins_with_words_code_and_ways_on(built: Workshop) -> None:
    article = built.article("index")
    hero = article[article.index("jz-front") :]
    assert article.index("<h1") < article.index("jz-front") < article.index("jz-fresh")
    assert "<p>先热炉，再烤面包。</p>" in hero[:300]
    assert "oven" in hero[: hero.index("开始")]
    assert 'href="guide.html"><span class="doc">开始</span>' in hero
    # The page to install from is not there; the button after it keeps its own words.
    assert "安装" not in hero
    assert 'href="card.html"><span class="doc">教程</span>' in hero
    assert "jz-front" not in built.article("guide")


def test_a_home_page_without_a_hero_has_its_own_words(tmp_path: Path) -> None:
    workshop = Workshop.of(tmp_path, {"index.md": "# Lamps\n"})
    workshop.build(structs.replace(POLICY, title="Lamp", hero="", hero_code=""))
    html = workshop.html("index")
    assert "jz-front" not in html
    # What the page itself does not say of it, the title of the site does.
    assert '<meta name="description" content="Lamp">' in html


def test_the_code_of_the_home_page_runs() -> None:
    settings = read_settings(ROOT / "pyproject.toml", environ={})
    # One text for both: they are of one package.
    (code,) = {upstream.site.hero_code for upstream in settings.upstreams.values()}
    *lines, last = code.split("\n")
    script = "\n".join([*lines, f"print(({last}).tolist())"])
    # In a process of its own: where JAX is loaded, other tests could not fork.
    ran = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, check=True)
    # d/dw (2w - 1)² = 4 (2w - 1)
    assert ran.stdout == "[-4.0, 4.0, 12.0]\n"


# — header, head and navigation ———————————————————————


def test_what_leads_to_a_page_in_english_says_so(tmp_path: Path) -> None:
    workshop = whole_workshop(tmp_path)
    mark = '<small class="jz-lang" title="尚未翻译，英文">EN</small>'
    cards = """# Cards

````{grid} 2
```{grid-item-card} Bare
:link: bare
:link-type: doc
```
```{grid-item-card} Guide
:link: guide
:link-type: doc
```
````

See [bare](bare.md) in a sentence.
"""
    workshop.write("html.md", cards)
    workshop.merge()
    pages = {page.page: page for page in workshop.pages()}
    pages["card"] = replace(pages["card"], translated_words=0)
    pages["bare"] = replace(pages["bare"], words=0)
    workshop.build(pages=list(pages.values()))
    article = workshop.article("html")
    # No word of bare.md is for translators, and its title is English.
    assert article.count(mark) == 1
    assert article.index("Bare") < article.index(mark) < article.index("Guide")
    sentence = article.partition("See ")[2]
    assert re.search(r'href="bare.html"[^>]* hreflang="en"[^>]*>', sentence)
    assert article.count("hreflang") == 1
    nav = workshop.html("guide").partition("<article")[0]
    marked = re.findall(r'href="([\w#.]+)">(?:(?!</a>).)* <small class="jz-lang"', nav)
    assert marked == ["card.html", "bare.html"]
    # The list of contents on the home page says the same.
    assert workshop.article("index").count(mark) == 2


def test_the_header_says_where_one_is_and_leads_to_english(built: Workshop) -> None:
    html = built.html("guide")
    header = html[html.index("bd-header-article") : html.index("<article")]
    for shown in (
        'href="https://docs.example.org/en/guide.html" title="在英文站阅读本页原文"',
        'href="https://github.com/us/docs" title="源代码仓库"',
        (
            r'aria-label="当前位置">\s*<ol>\s*<li><a href="index.html">'
            '<span class="jz-zh">首页</span>'
        ),
    ):
        assert re.search(shown, header), shown
    assert "当前位置" not in built.html("index")
    # Pages of our own have no English.
    assert "jz-to-english" not in built.html("progress")


def test_a_page_says_what_it_is_and_where(built: Workshop) -> None:
    head = built.html("guide").partition("</head>")[0]
    for line in (
        '<meta name="description" content="第二部分的正文',
        '<link rel="alternate" hreflang="en" href="https://docs.example.org/en/guide.html">',
        '<link rel="canonical" href="https://us.example.org/docs/guide.html">',
        'hreflang="zh-CN" href="https://us.example.org/docs/guide.html">',
        '<meta property="og:title" content="指南">',
        '<meta property="og:image" content="https://us.example.org/docs/_static/card.png">',
    ):
        assert line in head, line
    assert (built.target / "_static" / "card.png").is_file()


def navigation_of(html: str) -> str:
    """Return the contents of the site as a page shows them: the logo is navigation as well."""
    begin = html.index('<nav class="bd-links')
    return html[begin : html.index("</nav>", begin)]


def test_navigation_says_where_one_is(built: Workshop) -> None:
    html = built.html("guide")
    navigation = navigation_of(html)
    assert (
        '<li class="current active"><a href="#" aria-current="page">'
        '<span class="jz-zh">指南</span><span class="jz-en" lang="en">The guide</span></a></li>'
        in navigation
    )
    assert "Part</span>" in navigation
    assert '<html lang="zh-CN"' in html


def test_docs_without_contents_list_all_pages(tmp_path: Path) -> None:
    paths = ("_notes/a.md", "zoo.md", "shapes/round.md", "ant.md")
    workshop = Workshop.of(tmp_path, dict.fromkeys(paths, "# The guide\n\nWords.\n"))
    workshop.build()
    links = re.findall(r'<a [^>]*href="([^"]*)"', navigation_of(workshop.html("ant")))
    assert links == [
        *("#", "zoo.html", "_notes/a.html", "shapes/round.html"),
        *("glossary-zh.html", "progress.html"),
    ]
    assert "url=ant.html" in workshop.html("index")
    # A new page is listed as well.
    workshop.write("bee.md", "# The guide\n")
    workshop.merge()
    workshop.build()
    assert 'href="bee.html"' in workshop.html("ant")


@pytest.mark.parametrize("package", ["", "Lamp"])
def test_nothing_is_said_of_jax_where_the_docs_are_of_something_else(
    tmp_path: Path, package: str
) -> None:
    index = {"index.md": "# The guide\n\nWords.\n"}
    workshop = Workshop.of(tmp_path, index, package=package)
    workshop.build(structs.replace(POLICY, title="Lamp"))
    # What the configuration says is shown, whatever the package.
    assert "先热炉，再烤面包。" in workshop.article("index")
    for pattern in ("*.html", "*.txt", "*.md", "progress.json"):
        for path in workshop.target.rglob(pattern):
            if "_static" not in path.parts:
                words = path.read_text(encoding="utf-8")
                assert not re.search(r"(?i)(?<!math)\bjax\b", words), path


# — what pages load ——————————————————————————————


def test_nothing_is_fetched_from_elsewhere(built: Workshop) -> None:
    fetched = (
        r'<(?:img|script|iframe|link rel="(?:style|icon|pre)|video)[^>]*'
        r'(?:src|href)="(?:https?:)?//[^"]*"'
    )
    for path in built.target.glob("*.html"):
        assert not re.findall(fetched, path.read_text(encoding="utf-8")), path.name
    index = built.article("index")
    photo = 'href="https://example.org/photo.png">A photo</a>'
    assert f'<a class="jz-remote reference external" {photo}' in index
    film = '<a class="jz-remote jz-frame" href="https://example.org/film">'
    assert f'<span class="jz-box">视频或网页，不在本站：{film}' in index
    colab = "https://colab.research.google.com/github"
    theirs = f'href="{colab}/them/x.ipynb" hreflang="en"'
    assert index.count(theirs) == index.count("在 Colab 中打开上游的英文笔记本") == 1
    assert "jz-launch" not in index
    ours = f'<a class="jz-launch" href="{colab}/us/work.ipynb">在 Colab 中打开</a></p>'
    assert ours in built.article("work")


def test_scripts_are_loaded_where_they_are_used(built: Workshop) -> None:
    pages = ("index", "work", "progress", "card")
    loading = {
        script: [page for page in pages if script in built.html(page)]
        # A page may not make code of a string, as the last one would.
        for script in ("copybutton.js", "design-tabs.js", "translations.js")
    }
    assert "work" in loading["copybutton.js"]
    assert "card" not in loading["copybutton.js"]
    assert loading["design-tabs.js"] == loading["translations.js"] == []
    assert "doctools.js" in built.html("work")


def test_what_the_theme_brings_for_nothing_is_not_published(built: Workshop) -> None:
    static = built.target / "_static"
    assert (static / "styles" / "all.css").is_file()
    # Its words in 46 languages, which its templates have said by then.
    assert not (static / "locales").exists()
    assert not list(static.rglob("*.map"))
