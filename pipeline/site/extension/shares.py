"""How much of a page is translated, of all that readers see: the line under its title says so.

Translators are done with a page when its messages are. Readers see English all the same where a
list of the API says what docstrings do, and a box where the page lacks a part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from docutils import nodes
from sphinx.application import Sphinx

from pipeline.site.extension.described import lines_shown
from pipeline.site.extension.nodes import fixed
from pipeline.site.extension.records import read_facts
from pipeline.site.texts import text

# As ``site/freshness.py`` writes it.
_SHARE = re.compile(r'(<span class="jz-share">[^<]*?)\d+(\s?%[^<]*</span>)')


def count_english(app: Sphinx, document: nodes.document, page: str) -> None:
    """Let the line of a page count the English that is not for translators, and name it."""
    lines = lines_shown(app.env, document)
    boxes = [
        paragraph
        for paragraph in document.findall(nodes.paragraph)
        if "jz-elsewhere" in paragraph["classes"]
    ]
    if app.builder.format != "html" or not (lines or boxes):
        return
    notes = ""
    for key, found in (("english rows", lines), ("english boxes", boxes)):
        if found:
            words = text(app.config.language, key).format(count=len(found))
            notes += f' · <span class="jz-lacking">{escape(words)}</span>'
    share = _share(app, page, lines)
    for head in document.findall(fixed):
        if 'class="jz-fresh"' in head["html"]:
            html = _SHARE.sub(rf"\g<1>{share}\g<2>", head["html"])
            head["html"] = html.replace("</p>", f"{notes}</p>", 1)


def _share(app: Sphinx, page: str, lines: Sequence[str]) -> int:
    """Return the percentage of the words on a page that is translated, docstrings included."""
    rows = read_facts(app, "progress")["pages"]
    translated, words = 0, sum(len(line.split()) for line in lines)
    for row in rows:
        if row["page"] == page:
            translated, words = row["translated"], words + row["words"]
    # Rounded down: 100 only where all is done.
    return int(100 * translated // max(words, 1))


def setup(app: Sphinx) -> None:
    """Count when a page is written: what docstrings say is known by then."""
    app.connect("doctree-resolved", count_english)
