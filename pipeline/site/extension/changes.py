"""The panel under the line about freshness: what has changed since, block by block, and whose
words the page has.

The record's ``since`` comes in, HTML goes out. Blocks are quoted as their sources: nothing in them
is typeset or runs. It opens without a script, and its lists are
bounded: a page that nobody has translated would otherwise be on the page twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from docutils import nodes

from pipeline.core.word_diff import Part
from pipeline.site.names import Standing
from pipeline.site.texts import text

LISTED = 20  # blocks in each of the lists
SHOWN = 90  # characters of a block that is only named
CONTEXT = 48  # characters that stay of words around a change
LONGEST = 600  # characters of all that a diff shows
_ELEMENTS = {Part.REMOVED: "del", Part.ADDED: "ins"}
_LISTS = (Standing.STALE, Standing.UNREVIEWED, Standing.DRAFT, Standing.ENGLISH)
# Whatever else is a block cannot hold an id: Sphinx writes two elements for it, or none.
_ANCHORED = (nodes.paragraph, nodes.title)


def add_anchors(document: nodes.document, record: Mapping[str, Any]) -> frozenset[int]:
    """Give the blocks that the panel names an id, ``jz-7``; return the numbers of those."""
    wanted = {row["number"] for row in _listed(record["since"]["blocks"])} - {None}
    found: set[int] = set()
    for node in document.findall(nodes.Element):
        number = node.get("jz")
        # Nodes of our own within a block have the number as well.
        if number in wanted and isinstance(node, _ANCHORED):
            node["ids"].append(f"jz-{number}")
            found.add(number)
    return frozenset(found)


def panel(record: Mapping[str, Any], anchors: Collection[int], locale: str) -> str:
    """The panel of a page; empty if there is no more to tell than that all of it is translated.

    ``anchors`` are the numbers of blocks that have an id on the page.
    """
    since = record["since"]
    counts = since["counts"]
    told = [
        text(locale, f"since {standing}").format(counts[standing])
        for standing in Standing
        if counts[standing]
    ]
    parts = [_authors(since["authors"], counts, locale)]
    for standing in _LISTS:
        rows = [row for row in since["blocks"] if row["state"] == standing]
        if rows:
            parts.append(_list(record, rows, anchors, locale))
    if not any(parts):
        return ""
    heading = escape(text(locale, "since").format(text(locale, "comma").join(told)))
    html = (
        f'<details class="jz-since"><summary>{heading}</summary>\n'
        f"{''.join(parts)}</details>\n"
    )
    # The way to the root is put in for this; in words of upstream's it is none.
    return html.replace("{root}", "&#123;root}")


def _authors(
    authors: Sequence[Mapping[str, Any]], counts: Mapping[str, int], locale: str
) -> str:
    """Who wrote the translation, in one sentence, as far as they are named."""
    names: list[str] = []
    for author in authors:
        words = text(locale, f"author {author['role']}")
        names.append(words.format(**author))
    # In most of the memory nobody is: to say so on every page would be noise.
    if not names or not counts[Standing.TRANSLATED]:
        return ""
    sentence = text(locale, "authors").format(text(locale, "comma").join(names))
    return f"<p>{escape(sentence)}</p>\n"


def _list(
    record: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    anchors: Collection[int],
    locale: str,
) -> str:
    """The blocks of one standing under a heading; of more than a few, how many there are."""
    heading = text(locale, f"list {rows[0]['state']}").format(len(rows))
    items = ""
    for row in rows[:LISTED]:
        items += f"<li>{_item(record, row, anchors, locale)}</li>\n"
    more = ""
    if len(rows) > LISTED:
        words = text(locale, "more blocks").format(len(rows) - LISTED)
        more = f"<p>{escape(words)}</p>\n"
    return f"<p>{escape(heading)}</p>\n<ul>\n{items}</ul>\n{more}"


def _item(
    record: Mapping[str, Any],
    row: Mapping[str, Any],
    anchors: Collection[int],
    locale: str,
) -> str:
    """One block: how its English has changed, or how it begins, as a link to its place."""
    number = row["number"]
    if number is None:
        words = escape(text(locale, "text of an image"))
    elif "diff" in row:
        words = _diff(row["diff"])
    else:
        words = _beginning(record["blocks"][number])
    if number not in anchors:
        return words
    # A link of a few words: a whole diff would be read out as the name of one.
    place = escape(text(locale, "to the block"))
    return f'{words} <a href="#jz-{number}">{place}</a>'


def _beginning(block: Mapping[str, Any]) -> str:
    """The first words of the English of a block: ``<code lang="en">First…</code>``."""
    english = " ".join(block.get("english", block["text"]).split())
    if len(english) > SHOWN:
        english = f"{english[: SHOWN - 1]}…"
    return f'<code lang="en">{escape(english)}</code>'


def _diff(pieces: Sequence[tuple[str, str]]) -> str:
    """A word diff as HTML, shortened where nothing has changed, and after very many words."""
    last = len(pieces) - 1
    html = ""
    room = LONGEST
    for number, (part, words) in enumerate(pieces):
        shown = words
        if part == Part.KEPT:
            shown = _shortened(words, is_first=number == 0, is_last=number == last)
        # Where the text is another one, its beginning tells that.
        if len(shown) > room:
            shown = f"{shown[:room]}…"
        room -= len(shown)
        element = _ELEMENTS.get(Part(part))
        html += f"<{element}>{escape(shown)}</{element}>" if element else escape(shown)
        if room <= 0:
            break
    return f'<code lang="en">{html}</code>'


def _shortened(words: str, *, is_first: bool, is_last: bool) -> str:
    """What has not changed, as far as it tells where a change stands: ``… the last few words``."""
    if len(words) <= 2 * CONTEXT:
        return words
    # Whole words: a part of one would look like a word that is not there.
    begin = "" if is_first else words[:CONTEXT].rpartition(" ")[0]
    end = "" if is_last else words[-CONTEXT:].partition(" ")[2]
    return f"{begin} … {end}"


def _listed(rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Those blocks of a record that the lists name."""
    for standing in _LISTS:
        same = [row for row in rows if row["state"] == standing]
        yield from same[:LISTED]
