"""M103: bold, italics or strikethrough that came, went or moved, without marks that would show.

Marks that show are told of by M102, which knows better what is wrong with them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pipeline.core.checks import working
from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import quote, spans_of
from pipeline.core.checks.parsed import Parsed
from pipeline.core.checks.tree import Node, walk

_MARK = re.compile("[*_~]")
_EMPHASIS = frozenset(("strong", "em"))
_FORMATS = ("strong", "em", "strike")
_TARGETS = ("link", "reference", "image")
_MOST_QUOTED = 3  # parts of the English


def find_other_emphasis(subject: Subject) -> Iterator[Problem]:
    """Bold, italics or strikethrough that the English has otherwise.

    Of several differences one is told: the one that says most about what to do.
    """
    if not _MARK.search(subject.msgid + subject.msgstr):
        return
    theirs, ours = subject.english.nodes(*_FORMATS), subject.chinese.nodes(*_FORMATS)
    their_types, our_types = _types(theirs), _types(ours)
    if their_types == our_types:
        yield from _find_moved(subject)
    elif next(working.find_unrendered(subject), None):
        return
    elif their_types["strike"] != our_types["strike"]:
        yield _struck(subject, theirs, ours)
    elif len(ours) < len(theirs):
        yield from _find_lost(subject, theirs, ours)
    elif len(ours) > len(theirs):
        yield _added(subject, theirs, ours)
    else:
        yield Problem(
            text="has bold where the English has italics, or the other way round",
            hint="Use the marks of the English.",
            is_minor=True,
        )


def _types(nodes: list[Node]) -> Counter[str]:
    """How many nodes of each type there are: ``strong`` 2, ``em`` 1."""
    return Counter(node.type for node in nodes)


def _struck(subject: Subject, theirs: list[Node], ours: list[Node]) -> Problem:
    """What is to be said of words that are struck out in one of the two texts."""
    hint = "Write ~~ around the words that the English strikes out, and nowhere else."
    if _types(ours)["strike"] > _types(theirs)["strike"]:
        words = _first_struck(ours)
        return Problem(
            text=f"strikes out {quote(words)}",
            hint=hint,
            spans=spans_of(subject.msgstr, words),
        )
    words = _first_struck(theirs)
    return Problem(
        text=f"does not strike out what the English does: {quote(words)}", hint=hint
    )


def _first_struck(nodes: list[Node]) -> str:
    """The words of the first node that is struck out; there must be one."""
    return next(words_of(node) for node in nodes if node.type == "strike")


def _find_lost(
    subject: Subject, theirs: list[Node], ours: list[Node]
) -> Iterator[Problem]:
    """Bold or italic parts that are gone.

    English writes titles in italics, Chinese writes 《》 around them: those are none.
    """
    if len(theirs) - len(ours) <= subject.chinese.plain.count("《"):
        return
    words = ", ".join(quote(words_of(node)) for node in theirs[:_MOST_QUOTED])
    yield Problem(
        text=f"has {len(ours)} bold or italic parts for {words}",
        hint="Put ** or * around the same words in Chinese.",
    )


def _added(subject: Subject, theirs: list[Node], ours: list[Node]) -> Problem:
    """What is to be said of bold or italic parts that the English has not."""
    words = words_of(ours[0])
    hint = "Take the marks away, or write \\* for a star that is meant to be seen."
    if theirs:  # which of ours is the new one, nobody knows
        text = f"{quote(words)} is bold or italic, other than in the English"
        return Problem(text=text, hint=hint, is_minor=True)
    return Problem(
        text=f"{quote(words)} is bold or italic, and nothing is in the English",
        hint=hint,
        spans=spans_of(subject.msgstr, words),
    )


def _find_moved(subject: Subject) -> Iterator[Problem]:
    """The first code or formula that left or entered bold or italics.

    ``**use** `f``` is ``**使用** `f```, not ``**使用 `f`**``.
    """
    english, chinese = subject.english, subject.chinese
    theirs, ours = _emphasized_atoms(english), _emphasized_atoms(chinese)
    for value in sorted(theirs.keys() | ours.keys()):
        if theirs[value] == ours[value]:
            continue
        # What one of the texts does not show at all is lost, not moved.
        if value not in english.visible or value not in chinese.visible:
            continue
        is_or_not = "is" if ours[value] > theirs[value] else "is not"
        yield Problem(
            text=f"{quote(value)} {is_or_not} bold or italic, unlike in the English",
            hint="Check where the bold or italic part starts and ends.",
            spans=spans_of(subject.msgstr, value),
            is_minor=True,
        )
        return


def _emphasized_atoms(parsed: Parsed) -> Counter[str]:
    """How often each piece of code or formula stands in bold or in italics.

    ``**用 `f`** 和 `g``` -> ``f`` 1
    """
    counts: Counter[str] = Counter()
    for path, node in walk(parsed.tree):
        if node.type in ("code", "math") and not _EMPHASIS.isdisjoint(path):
            counts[node.value] += 1
    return counts


def words_of(node: Node) -> str:
    """What is seen of a container: of ``**用 `f` 和 [词](a.md)**`` it is ``用 f 和 词``."""
    words = []
    for _, inner in walk(node.children):
        # The value of a link or an image is its target, that of a container is nothing.
        if inner.type not in _TARGETS and not inner.children:
            words.append(inner.value)
    return "".join(words)
