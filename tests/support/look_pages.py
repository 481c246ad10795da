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
    conf = (DATA / "conf.txt").read_text(encoding="utf-8")
    conf = conf.replace("SITE_FOLDER", repr(str(SITE)))
    (source / "conf.py").write_text(conf, encoding="utf-8")
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
