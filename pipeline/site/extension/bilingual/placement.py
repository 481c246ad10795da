"""Placement of English beside its blocks, and of glossary hints in the translation.

The English leaves its container after Sphinx has collected titles and contents, which must be
Chinese. The first use of each glossary term on a page gets a hint with its English, except in code,
links and headings.
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
    english_store,
    term_note,
    waiting_english,
    wrap_both_languages,
    write_html,
)
from pipeline.site.texts import text

_BOX = '<input class="task-list-item-checkbox"'  # the box of a task, as MyST writes it
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
    """Move the English to its blocks, and mark the first use of each glossary term.

    This runs after every handler that collects text from the page.
    """
    copies = waiting_english(document)
    document.children = [
        child for child in document.children if not isinstance(child, english_store)
    ]
    _forget_ids(document, copies.values())
    for title in document.findall(nodes.title):
        # With ``refid``, headings would be links back to a table of contents.
        title.attributes.pop("refid", None)
    seen: set[str] = set()
    # A list, because English is inserted between the nodes.
    blocks = [node for node in document.findall(nodes.Element) if "jz" in node]
    for node in blocks:
        if "jz_kept" in node:
            _use_kept(node)
        copy = copies.get(node["jz"])
        if copy is not None:
            # Before the English is inserted: its code and names may look like terms.
            note_terms(node, seen)
            _place(node, copy)
        node.attributes.pop("jz_terms", None)
    name_boxes(document, app.config.language)


def _forget_ids(document: nodes.document, copies: Iterable[english]) -> None:
    """Remove the ids from ``copies``, and the links of footnotes back to them.

    An id must be unique, so only the translation keeps it. Footnotes link back to the translation.
    """
    names: set[str] = set()
    # Formulas and targets within a message have ids too.
    for node in chain.from_iterable(copy.findall(nodes.Element) for copy in copies):
        names.update(node["ids"])
        node["ids"] = []
    for note in document.findall(nodes.footnote):
        note["backrefs"] = [name for name in note["backrefs"] if name not in names]


def _place(node: nodes.Element, copy: english) -> None:
    """Insert the English of a block: inside it, after it, or as part of its HTML."""
    _resolve_anonymous(node, copy)
    if isinstance(node, nodes.raw):
        _place_html(node, copy)
    elif is_inside(node):
        wrap_both_languages(node, copy)
    else:
        if node.children and _is_box(node.children[0]):
            # The task has a box in both languages.
            copy.insert(0, node.children[0].deepcopy())
        node.parent.insert(node.parent.index(node) + 1, copy)


def _place_html(node: nodes.raw, copy: english) -> None:
    """Wrap a piece of HTML in a container as the block, with its English after it.

    An unbalanced piece is part of a larger element and gets no container. ``writer`` inserts its
    English.
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
    """Label task boxes as done or not done, in the language of the task.

    ``<input class="task-list-item-checkbox" …>`` → ``<input aria-label="未完成" class=… …>``
    """
    for box in filter(_is_box, document.findall(nodes.raw)):
        # An English task is an English block, or part of the English of a block.
        above = box.parent
        is_english = isinstance(above, english) or above.get("lang") == "en"
        html = box.astext()
        key = "ticked" if " checked" in html else "unticked"
        label = escape(text("en" if is_english else locale, key))
        write_html(box, html.replace("<input", f'<input aria-label="{label}"', 1))


def _is_box(node: nodes.Node) -> bool:
    """Return whether a node is the box that MyST makes of ``[ ]`` or ``[x]`` in a list item."""
    return isinstance(node, nodes.raw) and node.astext().startswith(_BOX)


def _resolve_anonymous(node: nodes.Element, copy: english) -> None:
    """Resolve anonymous reST links (``again__``) in the English of a block.

    The n-th one leads to the target of the n-th one in the translation. If the English has more of
    them, the last ones have no target.
    """
    shown = [link for link in node.findall(nodes.reference) if link.get("anonymous")]
    waiting = iter(shown)
    for link in copy.findall(nodes.reference):
        if not link.attributes.pop("jz_anonymous", None):
            continue
        other = next(waiting, None)
        # On a page with errors, docutils may have resolved neither.
        for key in ("refuri", "refid"):
            if other is not None and key in other:
                link[key] = other[key]


def _use_kept(node: nodes.Element) -> None:
    """Use the English term that follows a kept Chinese term as its English.

    Its ids move to the Chinese term, which is always visible.
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
    """Mark the terms of a block whose English is not in ``seen``, and add them to ``seen``."""
    # If two terms have the same rendering, the first one wins.
    titles: dict[str, str] = dict(reversed(node.get("jz_terms", ())))
    # Most terms of a block have been marked in an earlier one.
    if seen.issuperset(titles.values()):
        return
    # A list, because a text may be split into several nodes.
    for words in list(node.findall(nodes.Text)):
        if any(term in words for term in titles) and _may_have_terms(words, node):
            parts = list(_with_notes(str(words), titles, seen))
            words.parent.replace(words, parts)


def _with_notes(
    text: str, titles: Mapping[str, str], seen: set[str]
) -> Iterator[nodes.Node]:
    """Yield the nodes that replace a text, and add the English of marked terms to ``seen``.

    ``用即时编译加速`` → ``用``, a note on ``即时编译``, ``加速``.
    """
    done = 0
    for start, term in term_places(text, titles):
        title = titles[term]
        if title in seen:
            continue
        # Once per page: repeated hints would be noise.
        seen.add(title)
        if start > done:
            yield nodes.Text(text[done:start])
        yield term_note("", term, title=title)
        done = start + len(term)
    if done < len(text):
        yield nodes.Text(text[done:])


def term_places(text: str, terms: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield position and term for each term in a text, in order.

    Of overlapping terms the first is taken; of terms at one position, the longest. No regular
    expression is used: compiling one for each block would take longer.
    """
    # ``min`` takes the first of equal positions, so longer terms win: 梯度下降 before 梯度.
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
    """Return whether no node between the words and the block excludes terms."""
    node = words.parent
    while not isinstance(node, _NOT_FOR_TERMS):
        if node is block:
            return True
        node = node.parent
    return False


def setup(app: Sphinx) -> None:
    """Place English after every handler that collects from the page: titles, contents, images."""
    app.connect("doctree-read", place_english, priority=900)
