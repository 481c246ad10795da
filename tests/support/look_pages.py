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
DATA = Path(__file__).parents[1] / "site" / "data" / "look"
TITLE = """<section id="long">
<h1 class="jz-block jz-translated" data-jz="0" data-jz-edit="0">
<span class="jz-zh">长长的一页</span>
<span class="jz-en" lang="en" data-jz-for="0">A long page</span></h1>
"""
PARAGRAPH = """
<p class="jz-block jz-translated" data-jz="{0}" data-jz-edit="{0}">{1}</p>
<p class="jz-en" lang="en" data-jz-for="{0}">{2}</p>
"""


def long() -> str:
    """Return a page that is long enough to scroll."""
    chinese = "把数组交给变换，变换把函数变成另一个函数。" * 3
    english = "Hand the array to the transformation: the function is another one. " * 3
    numbers = range(100, 130)
    texts = [PARAGRAPH.format(number, chinese, english) for number in numbers]
    return "".join([TITLE, *texts, "</section>"])


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
    # The title, the anchor of the only section, and the text of each page.
    pages = {
        "reading": ("读一页", "blocks", (DATA / "reading.html").read_text("utf-8")),
        "long": ("长长的一页", "long", long()),
        "untranslated": (
            "Nothing yet",
            "nothing",
            (DATA / "untranslated.html").read_text("utf-8"),
        ),
        "progress": ("翻译进度", "pages", progress),
    }
    for name, (title, _, _) in pages.items():
        (source / f"{name}.rst").write_text(
            f"{title}\n{'=' * 20}\n\nBODY\n\n各种块\n{'-' * 20}\n", encoding="utf-8"
        )
    words = "-m sphinx -q -b html".split()
    command = (sys.executable, *words, str(source), str(folder / "html"))
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, capture_output=True, env=path)
    for name, (_, anchor, body) in pages.items():
        page = folder / "html" / f"{name}.html"
        text = page.read_text(encoding="utf-8")
        before, rest = text.split('<article class="bd-article">', 1)
        after = rest.split("</article>", 1)[1]
        made = f'{before}<article class="bd-article">{body}</article>{after}'
        page.write_text(
            made.replace('href="#id2"', f'href="#{anchor}"'), encoding="utf-8"
        )
    return folder / "html"
