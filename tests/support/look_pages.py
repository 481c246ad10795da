"""Handmade pages for the tests of the site's look.

They have the markup of translated blocks, inside real pages of the theme.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from folders import write_tree
from places import ROOT

SITE = ROOT / "pipeline" / "site"
ARTICLE = '<article class="bd-article">'
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
    reading, untranslated, conf = (
        (DATA / name).read_text("utf-8")
        for name in ("reading.html", "untranslated.html", "conf.txt")
    )
    # The title, the anchor of the only section, and the text of each page.
    pages = {
        "reading": ("读一页", "blocks", reading),
        "long": ("长长的一页", "long", long()),
        "untranslated": ("Nothing yet", "nothing", untranslated),
        "progress": ("翻译进度", "pages", progress),
    }
    contents = "".join(f"   {name}\n" for name in pages)
    files = {
        "conf.py": conf.replace("SITE_FOLDER", repr(str(SITE))),
        "index.rst": f"首页\n====\n\n.. toctree::\n\n{contents}",
    }
    for name, (title, _, _) in pages.items():
        body = f"{title}\n{'=' * 20}\n\nBODY\n\n各种块\n{'-' * 20}\n"
        files[f"{name}.rst"] = body
    write_tree(folder / "source", files)
    words = "-m sphinx -q -b html source html".split()
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = (sys.executable, *words)
    subprocess.run(command, check=True, capture_output=True, env=path, cwd=folder)
    for name, (_, anchor, body) in pages.items():
        page = folder / "html" / f"{name}.html"
        before, begin, rest = page.read_text("utf-8").partition(ARTICLE)
        _, end, after = rest.partition("</article>")
        made = "".join((before, begin, body, end, after))
        page.write_text(made.replace('href="#id2"', f'href="#{anchor}"'), "utf-8")
    return folder / "html"
