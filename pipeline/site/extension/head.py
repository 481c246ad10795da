"""The head of a page, below its title: the freshness line, the panel of changes, and the downloads.

The freshness line says which release the page describes and how much of it is translated. The panel
lists blocks whose English has changed since their translation, and other blocks that need work. All
data come from the page's record. The panel quotes blocks as escaped source, so no markup in them
takes effect. The panel opens without a script. Its lists have a limit, because the panel of an
untranslated page would otherwise repeat the whole page.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from pipeline.core.word_diff import Part
from pipeline.site.extension.fallback import broken_of
from pipeline.site.extension.nodes import boxes_in, own_html
from pipeline.site.extension.records import read_record
from pipeline.site.extension.safety import losses_of
from pipeline.site.names import TranslationState
from pipeline.site.texts import text

# Limits of the panel.
LISTED = 20  # blocks in each list
SHOWN = 90  # characters of a quoted block
CONTEXT = 48  # characters of unchanged words around a change
LONGEST_DIFF = 600  # characters of a whole diff
_ELEMENTS = {Part.REMOVED: "del", Part.ADDED: "ins"}
_LISTS = (
    TranslationState.STALE,
    TranslationState.UNREVIEWED,
    TranslationState.DRAFT,
    TranslationState.ENGLISH,
)
# Blocks that get an id, so that links can lead to them. Sphinx writes other blocks as two elements,
# or as none.
_ANCHORED = (nodes.paragraph, nodes.title)
# The translated share in the freshness line, as ``site/freshness_line.py`` writes it.
_SHARE = re.compile('<span class="jz-share">[^<]*</span>')
Row = Mapping[str, Any]  # row of ``since`` in a record: a block with its state


class GiveTitle(SphinxTransform):
    """Transform that gives a title to a page without one.

    Tables of contents and the search need titles. A page without a title consists of ``include``
    directives for files that were not pulled.
    """

    default_priority = 3

    def apply(self, **_: Any) -> None:
        """Add a section whose title is derived from the file name."""
        if self.document.next_node(nodes.section) or not self.document.children:
            return
        # about/release_notes → Release notes
        name = self.env.docname.rpartition("/")[2]
        words = re.sub("[_-]", " ", name).capitalize()
        title = nodes.title(words, words)
        section = nodes.section("", title, names=[nodes.fully_normalize_name(words)])
        # The theme and Sphinx's tables of contents need a section around every title.
        section += self.document.children
        self.document.children = []
        self.document += section
        self.document.note_implicit_target(section, section)


class AddHead(SphinxTransform):
    """Transform that inserts the freshness line, the panel and the downloads below the title."""

    default_priority = 750

    def apply(self, **_: Any) -> None:
        """Insert the head, if the page has a record and a section."""
        record = read_record(self.env)
        section = self.document.next_node(nodes.section)
        if not record or section is None:
            return
        locale = self.config.language
        broken = broken_of(self.env)
        news = ""
        # A page that is shown as source has no translated blocks, so it gets no panel.
        if broken is None or broken.blocks:
            news = panel(record, add_anchors(self.document, record), locale)
        html = head_html(record, locale, news)
        if broken is not None and broken.blocks:
            words = text(locale, "broken blocks").format(blocks=broken.blocks)
            html = _with_note(html, "jz-unshown", words)
        elif broken is not None:
            words = escape(text(locale, "broken page"))
            html = _SHARE.sub(f'<span class="jz-unshown">{words}</span>', html)
        if losses := losses_of(self.env):
            words = text(locale, "left out").format(count=losses)
            html = _with_note(html, "jz-unshown", words)
        title = section.first_child_matching_class(nodes.title)
        # Insert it after the title, which need not be the first node of the section.
        section.insert(0 if title is None else title + 1, own_html(html=html))


def head_html(record: dict[str, Any], locale: str, news: str) -> str:
    """Return the head of a page as HTML, given its record.

    It has the freshness line, the panel with its ``news``, and the downloads, if any::

        <p class="jz-fresh" data-jz-edit="https://…">JAX 0.10.2 · …</p>
        <details class="jz-since">…</details>
        <p class="jz-downloads"><a class="jz-download" href="{root}…" download>…</a></p>
    """
    edit = f' data-jz-edit="{escape(record["edit"])}"' if record["edit"] else ""
    html = f'<p class="jz-fresh"{edit}>{record["fresh"]}</p>\n{news}'
    links: list[str] = []
    for kind, path in record["downloads"]:
        # ``own_html`` replaces ``{root}`` by the path to the root of the site.
        address = f"{{root}}{escape(path)}"
        words = escape(text(locale, kind))
        links.append(f'<a class="jz-download" href="{address}" download>{words}</a>')
    for service, address in record["launch"]:
        words = escape(text(locale, service))
        links.append(f'<a class="jz-launch" href="{escape(address)}">{words}</a>')
    if links:
        html += f'<p class="jz-downloads">{" ".join(links)}</p>\n'
    return html


def _with_note(html: str, kind: str, words: str) -> str:
    """Return the head with ``words`` appended to the freshness line."""
    note = f' · <span class="{kind}">{escape(words)}</span>'
    return html.replace("</p>", f"{note}</p>", 1)


def add_anchors(document: nodes.document, record: Mapping[str, Any]) -> frozenset[int]:
    """Add ids (``jz-7``) to the blocks that the panel lists; return their numbers."""
    rows = record["since"]["blocks"]
    wanted = {row["number"] for state in _LISTS for row in _rows(rows, state)[:LISTED]}
    found: set[int] = set()
    for node in document.findall(nodes.Element):
        number = node.get("jz")
        # The ``english`` node of a block has the same number, but is no target.
        if number is not None and number in wanted and isinstance(node, _ANCHORED):
            node["ids"].append(f"jz-{number}")
            found.add(number)
    return frozenset(found)


def _rows(rows: Sequence[Row], state: TranslationState) -> list[Row]:
    """Return the rows with one state."""
    return [row for row in rows if row["state"] == state]


def panel(record: Mapping[str, Any], anchors: Collection[int], locale: str) -> str:
    """Return the panel as HTML; empty if no block needs work and no author is known.

    ``record`` is the page's record. ``anchors`` are the numbers of blocks that have an id on the
    page.
    """
    since = record["since"]
    counts = since["counts"]
    shown = [
        text(locale, f"since {standing}").format(counts[standing])
        for standing in TranslationState
        if counts[standing]
    ]
    parts = [_authors(since["authors"], counts, locale)]
    for standing in _LISTS:
        rows = _rows(since["blocks"], standing)
        if not rows:
            continue
        heading = escape(text(locale, f"list {standing}").format(len(rows)))
        items = (_item(record, row, anchors, locale) for row in rows[:LISTED])
        listed = "".join(f"<li>{item}</li>\n" for item in items)
        parts.append(f"<p>{heading}</p>\n<ul>\n{listed}</ul>\n")
        if len(rows) > LISTED:
            words = text(locale, "more blocks").format(len(rows) - LISTED)
            parts.append(f"<p>{escape(words)}</p>\n")
    if not any(parts):
        return ""
    heading = escape(text(locale, "since").format(text(locale, "comma").join(shown)))
    html = f'<details class="jz-since"><summary>{heading}</summary>\n{"".join(parts)}</details>\n'
    # ``own_html`` would replace ``{root}`` in this HTML. Here it can only be upstream's text:
    # escape it.
    return html.replace("{root}", "&#123;root}")


def _authors(authors: Sequence[Row], counts: Mapping[str, int], locale: str) -> str:
    """Return a sentence with the known authors of the translation; empty if none is known."""
    names = [text(locale, f"author {author['role']}").format(**author) for author in authors]
    # Without known authors, write no sentence. Most entries name no author, so a sentence that says
    # this would be on nearly every page.
    if not names or not counts[TranslationState.TRANSLATED]:
        return ""
    sentence = text(locale, "authors").format(text(locale, "comma").join(names))
    return f"<p>{escape(sentence)}</p>\n"


def _item(record: Mapping[str, Any], row: Row, anchors: Collection[int], locale: str) -> str:
    """Return the item of a block: the diff of its English, or its first words, and a link to it."""
    number = row["number"]
    if number is None:
        words = escape(text(locale, "text of an image"))
    elif "diff" in row:
        words = _diff(row["diff"])
    else:
        words = _beginning(record["blocks"][number])
    if number not in anchors:
        return words
    # The words of the link are short, because screen readers read them out.
    place = escape(text(locale, "to the block"))
    return f'{words} <a href="#jz-{number}">{place}</a>'


def _beginning(block: Mapping[str, Any]) -> str:
    """Return the first words of a block's English: ``<code lang="en">First…</code>``."""
    english = " ".join(block.get("english", block["text"]).split())
    if len(english) > SHOWN:
        english = f"{english[: SHOWN - 1]}…"
    return f'<code lang="en">{escape(english)}</code>'


def _diff(pieces: Sequence[tuple[str, str]]) -> str:
    """Return a word diff as HTML: ``Use <del>this</del><ins>that</ins>``.

    Long unchanged parts are shortened, and a long diff is cut off.
    """
    last = len(pieces) - 1
    html = ""
    room = LONGEST_DIFF
    for number, (part, words) in enumerate(pieces):
        shown = words
        if part == Part.KEPT:
            shown = _shortened(words, is_first=number == 0, is_last=number == last)
        # Readers recognize a text by its start, so the rest can be cut off.
        if len(shown) > room:
            shown = f"{shown[:room]}…"
        room -= len(shown)
        element = _ELEMENTS.get(Part(part))
        html += f"<{element}>{escape(shown)}</{element}>" if element else escape(shown)
        if room <= 0:
            break
    return f'<code lang="en">{html}</code>'


def _shortened(words: str, *, is_first: bool, is_last: bool) -> str:
    """Return unchanged words without their middle: ``the first words … the last words``.

    Of unchanged words at the start of a text, only the last ones remain. Of unchanged words at its
    end, only the first ones remain.
    """
    if len(words) <= 2 * CONTEXT:
        return words
    # Cut at spaces, because a part of a word may look like another word.
    begin = "" if is_first else words[:CONTEXT].rpartition(" ")[0]
    end = "" if is_last else words[-CONTEXT:].partition(" ")[2]
    return f"{begin} … {end}"


def count_boxes(app: Sphinx, document: nodes.document, page: str) -> None:
    """Add to the freshness line of a page how many of its parts are only in the English docs.

    Each such part is represented by a box with a link (see ``content.stubs``).
    """
    boxes = boxes_in(document)
    if not boxes:
        return
    words = text(app.config.language, "english boxes").format(count=len(boxes))
    for head in document.findall(own_html):
        if 'class="jz-fresh"' in head["html"]:
            head["html"] = _with_note(head["html"], "jz-lacking", words)


def setup(app: Sphinx) -> None:
    """Register the transforms."""
    app.add_transform(GiveTitle)
    app.add_transform(AddHead)
    app.connect("doctree-resolved", count_boxes)
