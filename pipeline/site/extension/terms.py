"""Terms of the glossary in a translation: the first use of each on a page shows its English.

The record of a page has the terms of every block (``pipeline.site.terms.term_hints``). Where they
stand is found here, in the words of the block's nodes: not in code, links and headings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from docutils import nodes

from pipeline.site.extension.nodes import english, term_note

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


def note_terms(node: nodes.Element, seen: set[str]) -> None:
    """Mark the terms of a block that are not in ``seen``, their English; then they are."""
    # Of two terms with one rendering the first counts.
    titles: dict[str, str] = dict(reversed(node.get("jz_terms", ())))
    # Most terms of a block were noted in one before.
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
    """The nodes that a text becomes, put together the text itself.

    ``用即时编译加速`` → ``用``, a note on ``即时编译``, ``加速``. Then it is in ``seen``.
    """
    done = 0
    for start, term in _places(text, titles):
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


def _places(text: str, terms: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Where terms stand in a text, in order; of those that share letters the first, the longest.

    Without a pattern, which would have to be made for each block: that takes longer than to look.
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
    """Whether nothing from the words up to the block keeps terms out."""
    node = words.parent
    while not isinstance(node, _NOT_FOR_TERMS):
        if node is block:
            return True
        node = node.parent
    return False
