"""What we add to pages, and pages of our own: the glossary, and the progress of the translation.

Under the title of a page come a line that says how fresh it is, and what can be downloaded of it;
both are in its record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.broken import broken_of
from pipeline.site.extension.changes import add_anchors, panel
from pipeline.site.extension.contents import toctrees_of
from pipeline.site.extension.losses import losses_of
from pipeline.site.extension.nodes import fixed
from pipeline.site.extension.progress import to_body
from pipeline.site.extension.reach import reach_of
from pipeline.site.extension.records import read_facts, read_record
from pipeline.site.names import GLOSSARY, PROGRESS
from pipeline.site.progress import Spot, progress
from pipeline.site.texts import text

# How much of a page is translated, as ``site/freshness.py`` writes it.
_SHARE = re.compile('<span class="jz-share">[^<]*</span>')
HEADS = ("english", "rendering", "avoided", "note")  # of the table of terms


class AddHead(SphinxTransform):
    """Put the line about freshness, and what can be downloaded, under the title."""

    default_priority = 750

    def apply(self, **_: Any) -> None:
        """A page without a record, or without a section, gets none."""
        record = read_record(self.env)
        section = self.document.next_node(nodes.section)
        if not record or section is None:
            return
        locale = self.config.language
        broken = broken_of(self.env)
        news = ""
        # Where the whole page is its source, nothing of the translation can be seen.
        if broken is None or broken.blocks:
            news = panel(record, add_anchors(self.document, record), locale)
        html = head_html(record, locale, news)
        if broken is not None:
            html = _with_broken(html, broken.blocks, locale)
        if losses := losses_of(self.env):
            html = _with_note(html, text(locale, "left out").format(count=losses))
        head = fixed(html=html)
        title = section.first_child_matching_class(nodes.title)
        # Behind the title, whatever stands before it.
        section.insert(0 if title is None else title + 1, head)


def head_html(record: dict[str, Any], locale: str, news: str) -> str:
    """What stands under the title, from the page's record.

    A line that says how fresh the page is, the panel with its ``news``, then the downloads if
    there are any::

        <p class="jz-fresh" data-jz-edit="https://…">JAX 0.10.2 · …</p>
        <details class="jz-since">…</details>
        <p class="jz-downloads"><a class="jz-download" href="{root}…" download>…</a></p>
    """
    edit = f' data-jz-edit="{escape(record["edit"])}"' if record["edit"] else ""
    html = f'<p class="jz-fresh"{edit}>{record["fresh"]}</p>\n{news}'
    links: list[str] = []
    for kind, path in record["downloads"]:
        # ``{root}`` is known when the page is written.
        address = f"{{root}}{escape(path)}"
        words = escape(text(locale, kind))
        links.append(f'<a class="jz-download" href="{address}" download>{words}</a>')
    for service, address in record["launch"]:
        words = escape(text(locale, service))
        links.append(f'<a class="jz-launch" href="{escape(address)}">{words}</a>')
    if links:
        html += f'<p class="jz-downloads">{" ".join(links)}</p>\n'
    return html


def _with_broken(html: str, blocks: int, locale: str) -> str:
    """The head of a page that says how many ``blocks`` show their source; 0: the whole page does.

    ``…<span class="jz-share">已译 100 %</span>`` → ``…已译 100 % · 1 处无法显示，现为源文本``
    """
    if blocks:
        return _with_note(html, text(locale, "broken blocks").format(blocks=blocks))
    # What is translated of the page is not to be seen.
    words = escape(text(locale, "broken page"))
    return _SHARE.sub(f'<span class="jz-unshown">{words}</span>', html)


def _with_note(html: str, words: str) -> str:
    """Return the head of a page with words at the end of the line about freshness."""
    note = f' · <span class="jz-unshown">{escape(words)}</span>'
    return html.replace("</p>", f"{note}</p>", 1)


class GiveTitle(SphinxTransform):
    """A title for a page without one of its own, for contents and search need one.

    Such a page is put together from others that were not pulled.
    """

    default_priority = 3

    def apply(self, **_: Any) -> None:
        """Name it as its file is named."""
        if self.document.next_node(nodes.section) or not self.document.children:
            return
        # about/release_notes → Release notes
        name = self.env.docname.rpartition("/")[2]
        words = re.sub("[_-]", " ", name).capitalize()
        title = nodes.title(words, words)
        section = nodes.section("", title, names=[nodes.fully_normalize_name(words)])
        # A section of its own, as every title has one.
        section += self.document.children
        self.document.children = []
        self.document += section
        self.document.note_implicit_target(section, section)


def own_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """For Sphinx: name, context and template of pages that no document makes."""
    locale = app.config.language
    terms = glossary_html(read_facts(app, "glossary"), locale)
    own = app.config.jz_site["own_pages"]
    yield own[GLOSSARY], {"title": text(locale, "glossary"), "body": terms}, "page.html"
    root = app.config.root_doc
    places = spots(app.env, root)
    # Pages that are in no contents have titles all the same.
    for page in sorted(app.env.titles.keys() - places.keys()):
        places[page] = Spot(_title(app.env, page), "")
    counts = progress(read_facts(app, "progress"), places, reach_of(app.env, root))
    Path(app.outdir, "progress.json").write_text(
        json.dumps(counts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    yield (
        own[PROGRESS],
        {"title": text(locale, "progress"), "body": to_body(counts, locale)},
        "page.html",
    )


def glossary_html(terms: list[dict[str, Any]], locale: str) -> str:
    """The table of all terms, a row for each: English, renderings, words to avoid, a note.

    Several renderings are joined: ``<td>数组、阵列</td>``.
    """
    heads = ""
    for key in HEADS:
        heads += f'<th scope="col">{escape(text(locale, key))}</th>'
    separator = escape(text(locale, "list"))
    rows: list[str] = []
    for term in terms:
        renderings = separator.join(map(escape, term["renderings"]))
        avoided = separator.join(map(escape, term["avoided"]))
        # Each term has an address: glossary-zh.html#pytree
        rows.append(
            f'<tr id="{nodes.make_id(term["english"])}">'
            f'<td lang="en">{escape(term["english"])}</td>'
            f"<td>{renderings}</td><td>{avoided}</td>"
            f'<td lang="en">{escape(term["note"])}</td></tr>'
        )
    lines = "\n".join(rows)
    return (
        f"<section><h1>{escape(text(locale, 'glossary'))}</h1>\n"
        '<div class="pst-scrollable-table-container"><table class="table jz-glossary">'
        f"<thead><tr>{heads}</tr></thead><tbody>\n{lines}\n</tbody></table></div></section>"
    )


def spots(env: BuildEnvironment, root: str) -> dict[str, Spot]:
    """Where each page stands in the contents, in their order: title and group.

    The group of a page is the chapter of the first level that it belongs to. Chapters without
    pages of their own belong to the part that lists them.
    """
    places = {root: Spot(_title(env, root), "")}
    for part in toctrees_of(env, root):
        for _, page in part["entries"]:
            is_chapter = any(below["entries"] for below in toctrees_of(env, page))
            group = _title(env, page) if is_chapter else part.get("caption") or ""
            _add_spots(env, page, group, places)
    return places


def _add_spots(
    env: BuildEnvironment, page: str, group: str, places: dict[str, Spot]
) -> None:
    """Add the places of a page, and of those below it, unless they are known."""
    # A page may be listed twice, and one that is listed may be missing.
    if page in places or page not in env.titles:
        return
    places[page] = Spot(_title(env, page), group)
    for tree in toctrees_of(env, page):
        for _, below in tree["entries"]:
            _add_spots(env, below, group, places)


def _title(env: BuildEnvironment, page: str) -> str:
    """The title of a page; its name if it has none, or is missing."""
    if page not in env.titles:
        return page
    return env.titles[page].astext()
