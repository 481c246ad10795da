"""Placement of English beside its blocks, and of glossary hints in the translation.

Sphinx collects titles and tables of contents when it has read a page. These must be Chinese. So the
English stays in its container until then, and is moved to the blocks afterwards.

A glossary hint shows the English of a term: ``<abbr title="compilation">编译</abbr>``. The first
use of each term on a page gets a hint. Uses in code, links and headings do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import chain

from docutils import nodes
from sphinx.application import Sphinx

from pipeline.site.extension.bilingual.block_matcher import is_inside
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

_BOX = '<input class="task-list-item-checkbox"'  # check box of a task, written by MyST
# Nodes whose text gets no glossary hints.
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
        # ``refid`` would make a heading a link back to the table of contents.
        title.attributes.pop("refid", None)
    seen: set[str] = set()
    # Loop over a list, because English is inserted between the nodes.
    blocks = [node for node in document.findall(nodes.Element) if "jz" in node]
    for node in blocks:
        if "jz_kept" in node:
            _use_kept(node)
        copy = copies.get(node["jz"])
        if copy is not None:
            # Mark terms before the English is inserted, because English words may look like terms,
            # too.
            note_terms(node, seen)
            _place(node, copy)
        node.attributes.pop("jz_terms", None)
    name_boxes(document, app.config.language)


def _forget_ids(document: nodes.document, copies: Iterable[english]) -> None:
    """Remove the ids from the English ``copies``, and the links from footnotes to these ids.

    Ids must be unique on a page, so only the nodes of the translation have them.
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
            # The English of a task shows the check box, too.
            copy.insert(0, node.children[0].deepcopy())
        node.parent.insert(node.parent.index(node) + 1, copy)


def _place_html(node: nodes.raw, copy: english) -> None:
    """Wrap a fragment of HTML in a container, which becomes the block. Put the English after it.

    If a fragment is a part of an element, as ``<details><summary>More``, a container would break
    the element. Then ``writer`` inserts the English into the fragment.
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
        # The box is in the English of a block, or in a block that is not translated.
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
    """Resolve anonymous reST links ("`again`__") in the English of a block.

    The n-th link of the English gets the target of the n-th link of the translation. If the English
    has more links, the last ones get no target.
    """
    shown = [link for link in node.findall(nodes.reference) if link.get("anonymous")]
    waiting = iter(shown)
    for link in copy.findall(nodes.reference):
        if not link.attributes.pop("jz_anonymous", None):
            continue
        other = next(waiting, None)
        # If the page has errors, docutils may not have resolved the translation's link either.
        for key in ("refuri", "refid"):
            if other is not None and key in other:
                link[key] = other[key]


def _use_kept(node: nodes.Element) -> None:
    """Mark the English term after a Chinese glossary term as the English of that term.

    In a glossary on a page (the directive ``glossary``), ``merge`` writes a translated term above
    the English one, so that links to the English term still work. The ids move to the Chinese term,
    which is always visible.
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
    """Add hints to the terms of a block. ``seen`` has the English of all terms with a hint so far.

    ``jz_terms`` of the block has pairs of a Chinese term and its English.
    """
    # If two pairs have the same Chinese term, the first one wins.
    titles: dict[str, str] = dict(reversed(node.get("jz_terms", ())))
    # Stop if all terms of the block have a hint already: this is the usual case.
    if seen.issuperset(titles.values()):
        return
    # Loop over a list, because the loop replaces text nodes.
    for words in list(node.findall(nodes.Text)):
        if any(term in words for term in titles) and _may_have_terms(words, node):
            parts = list(_with_notes(str(words), titles, seen))
            words.parent.replace(words, parts)


def _with_notes(text: str, titles: Mapping[str, str], seen: set[str]) -> Iterator[nodes.Node]:
    """Yield the nodes that replace a text: terms with hints, and the texts between them.

    ``用即时编译加速`` → ``用``, a hint on ``即时编译``, ``加速``. The English of each such term is
    added to ``seen``.
    """
    done = 0
    for start, term in term_places(text, titles):
        title = titles[term]
        if title in seen:
            continue
        # Each term has only one hint on a page: more would distract readers.
        seen.add(title)
        if start > done:
            yield nodes.Text(text[done:start])
        yield term_note("", term, title=title)
        done = start + len(term)
    if done < len(text):
        yield nodes.Text(text[done:])


def term_places(text: str, terms: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield (position, term) for each occurrence of a term in a text, in order.

    If occurrences overlap, the first one wins; at the same position, the longest one.
    """
    # Of several alternatives, a regular expression takes the first: 梯度下降 before 梯度.
    longest_first = sorted(terms, key=len, reverse=True)
    for match in re.finditer("|".join(map(re.escape, longest_first)), text):
        yield match.start(), match[0]


def _may_have_terms(words: nodes.Text, block: nodes.Element) -> bool:
    """Return whether a text of a block may get hints: not if it is in code or in a link."""
    node = words.parent
    while not isinstance(node, _NOT_FOR_TERMS):
        if node is block:
            return True
        node = node.parent
    return False


def setup(app: Sphinx) -> None:
    """Place the English after all other handlers, which collect titles, contents and images."""
    app.connect("doctree-read", place_english, priority=900)
