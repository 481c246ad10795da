"""Handmade pages for the tests of the site's look.

They have the markup of translated blocks, inside real pages of the theme.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from places import ROOT

SITE = ROOT / "pipeline" / "site"
_CONF = f"""
from pathlib import Path
from pipeline.site.extension import assets, theme
SITE = Path({str(SITE)!r})
project = html_title = "样例"
language = "zh_CN"
# Nothing is searched here: Sphinx's own index of Chinese would want a dictionary.
html_search_language = "en"
html_theme = "sphinx_book_theme"
html_static_path = [str(SITE / "static")]
templates_path = [str(SITE / "templates")]
html_css_files = [("site.css", {{"priority": 900}})]
html_js_files = [("site.js", {{"defer": "defer", "priority": 900}})]
html_sidebars = {{
    "**": ["jz-logo.html", "search-button-field.html", "sbt-sidebar-nav.html"]
}}
html_theme_options = {{
    "article_header_end": ["jz-toggle.html", "article-header-buttons.html"],
    "use_download_button": False,
    "use_fullscreen_button": False,
    "navigation_with_keys": False,
    "show_toc_level": 2,
}}


def setup(app):
    pages = {{"own_pages": {{"search": "search", "progress": "progress"}}, "pinned": ""}}
    app.add_config_value("jz_site", pages, "env", dict)
    app.connect("builder-inited", theme.add_messages, priority=900)
    app.connect("builder-inited", theme.write_words, priority=900)
    app.connect("html-page-context", theme.provide_words)
    app.connect("html-page-context", theme.provide_addresses, priority=600)
    app.connect("html-page-context", theme.add_policy, priority=950)
    app.connect("html-page-context", assets.link_one_sheet, priority=900)
    static = Path(app.outdir, "_static")
    app.connect("build-finished", lambda *_: assets.write_one_sheet(static), priority=900)
    app.add_js_file(theme.SCRIPT, priority=300, loading_method="defer")
"""
# A numbered line that is marked, with a comment on it.
MARKED_CODE = (
    '<div class="highlight-python notranslate"><div class="highlight"><pre>'
    '<span class="hll"><span class="linenos">1</span><span class="c1"># left out</span></span>'
    "</pre></div></div>\n"
)


def edit(number: int) -> str:
    """Return the attribute with the line that a block's edit link leads to."""
    return f' data-jz-edit="{number}"'


def paragraph(
    number: int, chinese: str, english: str, state: str = "translated"
) -> str:
    """Return the HTML of a translated paragraph with its English; or an untranslated one."""
    lang = ' lang="en"' if state == "english" else ""
    shown = english if state == "english" else chinese
    own = f'<p class="jz-block jz-{state}" data-jz="{number}"{lang}{edit(number)}>{shown}</p>\n'
    return (
        own
        if state == "english"
        else f'{own}<p class="jz-en" lang="en" data-jz-for="{number}">{english}</p>\n'
    )


def holding(tag: str, number: int, chinese: str, english: str, more: str = "") -> str:
    """Return a heading, cell, term or title that contains its English."""
    inside = (
        f'<span class="jz-zh">{chinese}</span><span class="jz-en" lang="en" '
        f'data-jz-for="{number}">{english}</span>'
    )
    return (
        f'<{tag} class="jz-block jz-translated" '
        f'data-jz="{number}"{edit(number)}>{inside}{more}</{tag}>\n'
    )


def long() -> str:
    """Return a page that is long enough to scroll."""
    paragraphs = "".join(
        paragraph(
            100 + number,
            f"第 {number} 段：把数组交给变换，变换把函数变成另一个函数。" * 3,
            (
                f"Paragraph {number}: hand the array to the transformation, and the function "
                f"becomes another one. "
            )
            * 3,
        )
        for number in range(30)
    )
    return (
        '<section id="long">'
        + holding("h1", 0, "长长的一页", "A long page")
        + paragraphs
        + "</section>"
    )


def reading() -> str:
    """Return a page with every kind of block in every state."""
    return (
        '<section id="reading">\n'
        + holding(
            "h1",
            0,
            "读一页",
            "Reading a page",
            '<a class="headerlink" href="#reading" title="链接">#</a>',
        )
        + '<p class="jz-fresh" data-jz-edit="https://example.org/a.po#L">'
        + "JAX 0.10.2 · 上游提交 <code>0123456789ab</code>（2026-06-15）· 已译 90 %</p>\n"
        + (
            '<p class="jz-downloads"><a class="jz-download" href="a.ipynb" '
            "download>笔记本（含输出）</a></p>\n"
        )
        + paragraph(
            1,
            (
                '先认识<abbr class="jz-term" title="transformation" '
                'tabindex="0">变换</abbr>，再看 <em>重点</em> 和 <em>pytree</em>。'
            ),
            (
                'First meet the <a href="#blocks">transformation</a>, then <em>the point</em> '
                "and <code>pytree</code>."
            ),
        )
        + paragraph(2, "", "Nobody has translated this paragraph yet.", "english")
        + paragraph(
            3, "这一段要再看一遍。", "This paragraph is to be looked at again.", "fuzzy"
        )
        + '<section id="blocks">\n'
        + holding(
            "h2",
            4,
            "各种块",
            "All kinds of blocks",
            '<a class="headerlink" href="#blocks" title="链接">#</a>',
        )
        + '<div class="admonition note">\n'
        + holding("p", 5, "注意", "Take care").replace(
            'class="jz-block', 'class="admonition-title jz-block'
        )
        + paragraph(6, "提示里的话。", "Words in a note.")
        + "</div>\n"
        + MARKED_CODE
        + "<ul><li>\n"
        + paragraph(7, "列表里的一项。", "An item of a list.")
        + (
            '</li></ul>\n<div class="pst-scrollable-table-container"><table class="table">\n'
            "<thead><tr>"
        )
        + holding("th", 8, "名字", "Name")
        + holding("th", 9, "用处", "Use")
        + "</tr></thead>\n<tbody><tr><td><code>jit</code></td>"
        + holding(
            "td",
            10,
            "编译，说得长一些，好让它在手机上换行",
            "Compiles, in words long enough to wrap on a phone",
        )
        + "</tr></tbody></table></div>\n<dl>"
        + holding("dt", 11, "数组", "Array")
        + "<dd>"
        + paragraph(12, "同一类型的数。", "Numbers of one type.")
        + '</dd></dl>\n<p><label for="note">笔记</label> <input id="note" type="text"></p>\n'
        + "</section>\n</section>\n"
    )


def untranslated() -> str:
    """Return a page without any translation."""
    blocks = (
        '<h1 class="jz-block jz-english" data-jz="0" lang="en">Nothing yet</h1>'
        + paragraph(1, "", "Only English here.", "english")
    )
    return f'<section id="nothing">{blocks}</section>'


def build(folder: Path, progress: str) -> Path:
    """Build the pages ``reading``, ``untranslated`` and ``progress`` with Sphinx.

    Return the folder of the HTML files, which is below ``folder``.
    """
    source = folder / "source"
    source.mkdir(parents=True)
    (source / "conf.py").write_text(_CONF, encoding="utf-8")
    (source / "index.rst").write_text(
        "首页\n====\n\n.. toctree::\n\n   reading\n   long\n   untranslated\n   progress\n",
        encoding="utf-8",
    )
    bodies = {
        "reading": reading(),
        "long": long(),
        "untranslated": untranslated(),
        "progress": progress,
    }
    for name, title in {
        "reading": "读一页",
        "long": "长长的一页",
        "untranslated": "Nothing yet",
        "progress": "翻译进度",
    }.items():
        (source / f"{name}.rst").write_text(
            f"{title}\n{'=' * 20}\n\nBODY\n\n各种块\n{'-' * 20}\n", encoding="utf-8"
        )
    command = (
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-b",
        "html",
        str(source),
        str(folder / "html"),
    )
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, capture_output=True, env=path)
    for name, body in bodies.items():
        page = folder / "html" / f"{name}.html"
        text = page.read_text(encoding="utf-8")
        before, rest = text.split('<article class="bd-article">', 1)
        after = rest.split("</article>", 1)[1]
        made = f'{before}<article class="bd-article">{body}</article>{after}'
        anchor = {
            "reading": "blocks",
            "long": "long",
            "untranslated": "nothing",
            "progress": "pages",
        }[name]
        page.write_text(
            made.replace('href="#id2"', f'href="#{anchor}"'), encoding="utf-8"
        )
    return folder / "html"
