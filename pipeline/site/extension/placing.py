"""Blocks of a page and their English, side by side: put there when Sphinx has collected titles and contents, which are to be Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from pipeline.site.extension.blocks import is_inside
from pipeline.site.extension.nodes import english, store, term_note, write_html
from pipeline.site.extension.texts import text

_NOT_FOR_TERMS = (
    nodes.literal,
    nodes.math,
    nodes.reference,
    nodes.title,
    nodes.term,
    nodes.raw,
    english,
    term_note,
)
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)[^<>]*?(/?)>")


def place_english(app: Sphinx, document: nodes.document) -> None:
    """Put English, terms and links to the catalogue to their blocks. Comes after everybody who collects from the page."""
    found = {node["jz"]: node for shelf in list(document.findall(store)) for node in _taken(shelf)}
    _forget_ids(document, found.values())
    for title in document.findall(nodes.title):
        title.attributes.pop(
            "refid", None
        )  # a table of contents would make a link of every heading
    seen: set[str] = set()
    for node in list(document.findall(nodes.Element)):
        if "jz" not in node or isinstance(node, english):
            continue
        if "jz_kept" in node:
            _use_kept(node)
        own = found.get(node["jz"])
        if own is not None:
            _note_terms(node, seen)
            _place(node, own)
        node.attributes.pop("jz_terms", None)
    name_boxes(document, app.config.language)


def _taken(shelf: store) -> list[Any]:
    children = list(shelf.children)
    shelf.parent.remove(shelf)
    return children


def _forget_ids(document: nodes.document, copies: Iterable[english]) -> None:
    """What stands twice is found by one name only, and footnotes lead back to the page's own marks."""
    names: set[str] = set()
    for copy in copies:
        for node in copy.findall(nodes.Element):
            names.update(node["ids"])
            node["ids"] = []
    for note in document.findall(nodes.footnote):
        note["backrefs"] = [name for name in note["backrefs"] if name not in names]


def _place(node: nodes.Element, own: english) -> None:
    _lead_anonymous(node, own)
    if isinstance(node, nodes.raw):
        if not all(_is_balanced(child.astext()) for child in (node, *own.children)):
            return
        wrapper = nodes.container(classes=node["classes"], jz=node["jz"])
        node.parent.replace(node, [wrapper, own])
        node["classes"] = []
        del node["jz"]
        wrapper += node
    elif is_inside(node):
        chinese = nodes.inline("", "", *node.children, classes=["jz-zh"])
        node.children = []
        node += [chinese, own]
    else:
        if node.children and _is_box(node.children[0]):
            own.insert(0, node.children[0].deepcopy())
        node.parent.insert(node.parent.index(node) + 1, own)


def name_boxes(document: nodes.document, locale: str) -> None:
    """Say of the boxes of a task list, in the language of its words, whether they are ticked."""
    for box in filter(_is_box, document.findall(nodes.raw)):
        html = box.astext()
        is_english = isinstance(box.parent, english) or box.parent.get("lang") == "en"
        label = text("en" if is_english else locale, "ticked" if " checked" in html else "unticked")
        write_html(box, html.replace("<input", f'<input aria-label="{escape(label)}"', 1))


def _is_box(node: nodes.Node) -> bool:
    return isinstance(node, nodes.raw) and node.astext().startswith(
        '<input class="task-list-item-checkbox"'
    )


def _lead_anonymous(node: nodes.Element, own: english) -> None:
    """Links that reST leaves without a name: the n-th one leads where the n-th one of the translation does."""
    links = [
        link for link in own.findall(nodes.reference) if link.attributes.pop("jz_anonymous", None)
    ]
    targets = [link for link in node.findall(nodes.reference) if link.get("anonymous")]
    for link, theirs in zip(links, targets, strict=False):
        link.attributes.update({key: theirs[key] for key in ("refuri", "refid") if key in theirs})


def _use_kept(node: nodes.Element) -> None:
    """The English term that stands behind a Chinese one serves as its English; links to it lead to what is always shown."""
    english_term = node.attributes.pop("jz_kept")
    place = node.parent.index(node) + 1
    for other in node.parent.children[place:]:
        if isinstance(other, nodes.term) and other.astext() == english_term:
            node["ids"] += other["ids"]
            other["ids"] = []
            other["classes"].append("jz-en")
            other["jz_for"] = node["jz"]
            return


def _is_balanced(html: str) -> bool:
    depth: list[str] = []
    for closing, name, empty in _TAG.findall(html):
        if closing:
            if not depth or depth.pop() != name.lower():
                return False
        elif not empty and name.lower() not in _VOID:
            depth.append(name.lower())
    return not depth


def _note_terms(node: nodes.Element, seen: set[str]) -> None:
    """Mark the first use in the page of each of the block's terms; of terms within each other the longest."""
    titles: dict[str, str] = dict(reversed(node.get("jz_terms", ())))
    if not titles:
        return
    pattern = re.compile("|".join(map(re.escape, sorted(titles, key=len, reverse=True))))
    for words in list(node.findall(nodes.Text)):
        if pattern.search(words) and not _has_ancestor(words, node):
            words.parent.replace(words, list(_with_notes(str(words), pattern, titles, seen)))


def _with_notes(
    text: str, pattern: re.Pattern[str], titles: Mapping[str, str], seen: set[str]
) -> Iterator[nodes.Node]:
    done = 0
    for match in pattern.finditer(text):
        title = titles[match[0]]
        if title not in seen:
            seen.add(title)
            yield from (nodes.Text(before) for before in [text[done : match.start()]] if before)
            yield term_note("", match[0], title=title)
            done = match.end()
    yield from (nodes.Text(after) for after in [text[done:]] if after)


def _has_ancestor(text: nodes.Node, top: nodes.Element) -> bool:
    node = text.parent
    while node is not None:
        if isinstance(node, _NOT_FOR_TERMS):
            return True
        if node is top:
            return False
        node = node.parent
    return False
