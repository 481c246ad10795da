"""What we add to pages (the line under the title, downloads) and pages of our own (glossary, progress)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.nodes import fixed
from pipeline.site.extension.progress import to_body
from pipeline.site.extension.records import read_facts, read_record
from pipeline.site.extension.texts import text
from pipeline.site.progress import Spot, progress

GLOSSARY, PROGRESS = "glossary-zh", "progress"


class AddHead(SphinxTransform):
    """Put the line about freshness, and what can be downloaded, under the title."""

    default_priority = 750

    def apply(self, **_: Any) -> None:
        """A page without a record, or without a title, gets none."""
        record = read_record(self.env)
        section = next(iter(self.document.findall(nodes.section)), None)
        if record and section is not None:
            at = next(
                (
                    number
                    for number, child in enumerate(section.children, start=1)
                    if isinstance(child, nodes.title)
                ),
                0,
            )
            section.insert(at, fixed(html=head_html(record, self.config.language)))


def head_html(record: dict[str, Any], locale: str) -> str:
    """What stands under the title, from the page's record."""
    links = [_download(path, text(locale, kind)) for kind, path in record["downloads"]]
    if launch := record["launch"]:
        links.append(
            f'<a class="jz-launch" href="{escape(launch)}">{escape(text(locale, "colab"))}</a>'
        )
    downloads = f'<p class="jz-downloads">{" ".join(links)}</p>\n' if links else ""
    edit = f' data-jz-edit="{escape(record["edit"])}"' if record["edit"] else ""
    return f'<p class="jz-fresh"{edit}>{record["fresh"]}</p>\n{downloads}'


def _download(path: str, words: str) -> str:
    return f'<a class="jz-download" href="{{root}}{escape(path)}" download>{escape(words)}</a>'


class GiveTitle(SphinxTransform):
    """A page that is put together from others may have no title of its own; contents and search need one."""

    default_priority = 3

    def apply(self, **_: Any) -> None:
        """Name it as its file is named."""
        if any(True for _ in self.document.findall(nodes.section)) or not self.document.children:
            return
        words = self.env.docname.rpartition("/")[2].replace("_", " ").replace("-", " ").capitalize()
        section = nodes.section(
            "", nodes.title(words, words), names=[nodes.fully_normalize_name(words)]
        )
        section += self.document.children
        self.document.children = []
        self.document += section
        self.document.note_implicit_target(section, section)


def own_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """For Sphinx: name, context and template of pages that no document makes."""
    locale = app.config.language
    yield (
        GLOSSARY,
        {
            "title": text(locale, "glossary"),
            "body": glossary_html(read_facts(app, "glossary"), locale),
        },
        "page.html",
    )
    found = progress(read_facts(app, "progress"), spots(app.env, app.config.root_doc))
    Path(app.outdir, "progress.json").write_text(
        json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    yield PROGRESS, {"title": text(locale, "progress"), "body": to_body(found)}, "page.html"


def glossary_html(terms: list[dict[str, Any]], locale: str) -> str:
    """The table of all terms."""
    rows = [
        f'<tr id="{nodes.make_id(term["english"])}"><td lang="en">{escape(term["english"])}</td>'
        f"<td>{'、'.join(map(escape, term['renderings']))}</td><td>{'、'.join(map(escape, term['avoided']))}</td>"
        f'<td lang="en">{escape(term["note"])}</td></tr>'
        for term in terms
    ]
    heads = "".join(
        f'<th scope="col">{escape(text(locale, key))}</th>'
        for key in ("english", "rendering", "avoided", "note")
    )
    title = escape(text(locale, "glossary"))
    table = f'<table class="table jz-glossary"><thead><tr>{heads}</tr></thead><tbody>\n{chr(10).join(rows)}\n</tbody></table>'
    return f'<section><h1>{title}</h1>\n<div class="pst-scrollable-table-container">{table}</div></section>'


def spots(env: BuildEnvironment, root: str) -> dict[str, Spot]:
    """Where each page stands in the contents, in their order. Its group is the chapter of the first level, or the part that lists it."""
    found = {root: Spot(_title(env, root), "", 1)}
    for tree in _trees(env, root):
        for _, page in tree["entries"]:
            is_chapter = any(below["entries"] for below in _trees(env, page))
            _walk(
                env, page, _title(env, page) if is_chapter else tree.get("caption") or "", 1, found
            )
    return found


def _walk(env: BuildEnvironment, page: str, group: str, level: int, found: dict[str, Spot]) -> None:
    if page in found or page not in env.titles:
        return
    found[page] = Spot(_title(env, page), group, level)
    for tree in _trees(env, page):
        for _, below in tree["entries"]:
            _walk(env, below, group, level + 1, found)


def _title(env: BuildEnvironment, page: str) -> str:
    return env.titles[page].astext() if page in env.titles else page


def _trees(env: BuildEnvironment, page: str) -> Iterator[addnodes.toctree]:
    if page in env.tocs:
        yield from env.tocs[page].findall(addnodes.toctree)
