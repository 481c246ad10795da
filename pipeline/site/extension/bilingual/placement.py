"""Placement of English beside its blocks, and of glossary hints in the translation.

The English leaves its shelf when Sphinx has collected titles and contents, which must be Chinese.
The first use of each glossary term on a page shows its English: not in code, links and headings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import chain

from docutils import nodes
from sphinx.application import Sphinx

from pipeline.site.extension.bilingual.blocks import is_inside
from pipeline.site.extension.bilingual.writer import stands_alone
from pipeline.site.extension.nodes import (
    english,
    hold_both,
    store,
    term_note,
    waiting_english,
    write_html,
)
from pipeline.site.texts import text

_BOX = '<input class="task-list-item-checkbox"'  # as MyST writes the box of a task
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


def place_english(app: Sphinx, document: nodes.document) -> None:
    """Put English and terms to their blocks, after everybody who collects from the page."""
    copies = waiting_english(document)
    document.children = [
        child for child in document.children if not isinstance(child, store)
    ]
    _forget_ids(document, copies.values())
    for title in document.findall(nodes.title):
        # A table of contents would make a link of every heading.
        title.attributes.pop("refid", None)
    seen: set[str] = set()
    # A list, since English is inserted between the nodes.
    blocks = [node for node in document.findall(nodes.Element) if "jz" in node]
    for node in blocks:
        if "jz_kept" in node:
            _use_kept(node)
        copy = copies.get(node["jz"])
        if copy is not None:
            # Before the English stands there: it has the same words in other places.
            note_terms(node, seen)
            _place(node, copy)
        node.attributes.pop("jz_terms", None)
    name_boxes(document, app.config.language)


def _forget_ids(document: nodes.document, copies: Iterable[english]) -> None:
    """Remove the ids from ``copies``, and links of footnotes back to them.

    What stands twice is found under one id only, and footnotes link back to the page's marks.
    """
    names: set[str] = set()
    # Also those of formulas and targets within a message.
    for node in chain.from_iterable(copy.findall(nodes.Element) for copy in copies):
        names.update(node["ids"])
        node["ids"] = []
    for note in document.findall(nodes.footnote):
        note["backrefs"] = [name for name in note["backrefs"] if name not in names]


def _place(node: nodes.Element, copy: english) -> None:
    """Put the English of a block where readers look for it."""
    _lead_anonymous(node, copy)
    if isinstance(node, nodes.raw):
        _place_html(node, copy)
    elif is_inside(node):
        hold_both(node, copy)
    else:
        if node.children and _is_box(node.children[0]):
            # A task is ticked in both languages.
            copy.insert(0, node.children[0].deepcopy())
        node.parent.insert(node.parent.index(node) + 1, copy)


def _place_html(node: nodes.raw, copy: english) -> None:
    """Put a box around a piece of HTML: it is the block, and its English comes behind it.

    A piece that is a part of an element gets none. ``writer`` puts the English into it.
    """
    html = "".join(piece.astext() for piece in copy.children)
    if not (stands_alone(node.astext()) and stands_alone(html)):
        node["jz_english"] = html
        return
    box = nodes.container(classes=node["classes"], jz=node["jz"])
    node.parent.replace(node, [box, copy])
    node["classes"] = []
    del node["jz"]
    box += node


def name_boxes(document: nodes.document, locale: str) -> None:
    """Label the boxes of tasks as ticked or not, in the language of their words.

    ``<input class="task-list-item-checkbox" …>`` → ``<input aria-label="未完成" class=… …>``
    """
    for box in filter(_is_box, document.findall(nodes.raw)):
        # A task in English stands in a block in English, or in the English of a block.
        above = box.parent
        is_english = isinstance(above, english) or above.get("lang") == "en"
        html = box.astext()
        key = "ticked" if " checked" in html else "unticked"
        label = escape(text("en" if is_english else locale, key))
        write_html(box, html.replace("<input", f'<input aria-label="{label}"', 1))


def _is_box(node: nodes.Node) -> bool:
    """Return whether a node is the box that MyST makes of ``[ ]`` or ``[x]`` in an item."""
    return isinstance(node, nodes.raw) and node.astext().startswith(_BOX)


def _lead_anonymous(node: nodes.Element, copy: english) -> None:
    """Resolve links without a name in the English: ``again__``, as reST has them.

    The n-th one leads where the n-th one of the translation does. If the English has more of them
    than the translation, the last ones lead nowhere.
    """
    shown = [link for link in node.findall(nodes.reference) if link.get("anonymous")]
    waiting = iter(shown)
    for link in copy.findall(nodes.reference):
        if not link.attributes.pop("jz_anonymous", None):
            continue
        other = next(waiting, None)
        # docutils has found neither in a page with faults.
        for key in ("refuri", "refid"):
            if other is not None and key in other:
                link[key] = other[key]


def _use_kept(node: nodes.Element) -> None:
    """Let the English term that stands behind a Chinese one serve as its English.

    Links to it lead to the Chinese one, which is always shown.
    """
    kept = node.attributes.pop("jz_kept")
    place = node.parent.index(node) + 1
    for other in node.parent.children[place:]:
        if isinstance(other, nodes.term) and other.astext() == kept:
            node["ids"] += other["ids"]
            other["ids"] = []
            other["classes"].append("jz-en")
            other["jz_for"] = node["jz"]
            return


def note_terms(node: nodes.Element, seen: set[str]) -> None:
    """Mark the terms of a block whose English is not in ``seen``, and add them to it."""
    # Of two terms with one rendering the first counts.
    titles: dict[str, str] = dict(reversed(node.get("jz_terms", ())))
    # Most terms of a block were noted in an earlier one.
    if seen.issuperset(titles.values()):
        return
    # A list, since each text may become several.
    for words in list(node.findall(nodes.Text)):
        if any(term in words for term in titles) and _may_have_terms(words, node):
            parts = list(_with_notes(str(words), titles, seen))
            words.parent.replace(words, parts)


def _with_notes(
    text: str, titles: Mapping[str, str], seen: set[str]
) -> Iterator[nodes.Node]:
    """Yield the nodes that a text becomes.

    ``用即时编译加速`` → ``用``, a note on ``即时编译``, ``加速``. Its English is then in ``seen``.
    """
    done = 0
    for start, term in term_places(text, titles):
        title = titles[term]
        if title in seen:
            continue
        # Once on a page: more would be noise.
        seen.add(title)
        if start > done:
            yield nodes.Text(text[done:start])
        yield term_note("", term, title=title)
        done = start + len(term)
    if done < len(text):
        yield nodes.Text(text[done:])


def term_places(text: str, terms: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield where terms stand in a text, in order; of overlapping ones the first, the longest.

    Without a pattern, which would have to be compiled for each block: that takes longer.
    """
    # Of terms at one place the longest counts: 梯度下降 before 梯度.
    nearest = {term: text.find(term) for term in sorted(terms, key=len, reverse=True)}
    while nearest := {term: at for term, at in nearest.items() if at >= 0}:
        term = min(nearest, key=nearest.__getitem__)
        start = nearest[term]
        yield start, term
        after = start + len(term)
        for other, at in nearest.items():
            if at < after:
                nearest[other] = text.find(other, after)


def _may_have_terms(words: nodes.Text, block: nodes.Element) -> bool:
    """Return whether terms are allowed in all nodes from the words up to the block."""
    node = words.parent
    while not isinstance(node, _NOT_FOR_TERMS):
        if node is block:
            return True
        node = node.parent
    return False


def setup(app: Sphinx) -> None:
    """Place English after everybody who collects from a page: titles, contents, images."""
    app.connect("doctree-read", place_english, priority=900)
