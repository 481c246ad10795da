"""M104 in Markdown: links and images that show instead of working.

Their brackets were lost, became full-width, or do not stand close to each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import (
    excess,
    first_regaining,
    missing,
    quote,
    spans_of,
)
from pipeline.core.checks.parsed import Atom, Parsed

_TARGETS = (Atom.LINK, Atom.IMAGE, Atom.REFERENCE)
# The words of a link: code within them may have brackets of its own.
_NO_BRACKET = r"(?:`[^`]*`|[^\[\]［］【】`])*"


def find_links(subject: Subject) -> Iterator[Problem]:
    """Links and images that stopped being what they were: ``[词]（a.md）``, ``[词] (a.md)``.

    With most messages nothing is lost, and nothing looks like a link.
    """
    if subject.has_all_atoms and "](" not in subject.msgstr:
        return
    shown: list[tuple[Atom, str]] = []
    for name in _TARGETS:
        lost = missing(subject.english, subject.chinese, name)
        shown += [
            (name, target)
            for target in lost
            if stands_elsewhere(subject.chinese, name, target)
        ]
    if shown:
        fix = _mended_links(subject, shown)
        for name, target in shown:
            yield _broken_link(subject, name, target, fix)
    elif excess(subject, "](") > 0:
        yield Problem(
            text="a link does not work: its brackets show",
            hint="Write it as [words](target), without a space in the target.",
            spans=spans_of(subject.msgstr, "]("),
        )


def stands_elsewhere(chinese: Parsed, name: Atom, target: str) -> bool:
    """Whether a target that is lost shows as text, or belongs to an image instead of a link.

    ``[图](a.png)`` for ``![Figure](a.png)``: there the exclamation mark was lost.
    """
    if target in chinese.literal:
        return True
    # In the class ``name`` it is not: from there it is lost.
    return any(target in chinese.of(other) for other in _TARGETS)


def _broken_link(subject: Subject, name: Atom, target: str, fix: str | None) -> Problem:
    """What is to be said of a link or image that works no longer. ``fix`` mends all of them."""
    what, example = "link", f"[…]({target})"
    if name is Atom.IMAGE:
        what, example = "image", f"![…]({target})"
    elif name is Atom.REFERENCE:
        example = f"[…]{target}"  # the target has brackets already: [label]
    return Problem(
        text=f"the {what} to {quote(target)} is none any more",
        hint=f"Write it as {example}, with half-width brackets and nothing between them.",
        spans=spans_of(subject.msgstr, target),
        fix=fix,
    )


def _mended_links(subject: Subject, lost: list[tuple[Atom, str]]) -> str | None:
    """The msgstr with brackets of the kind, and at the place, that makes links of them again.

    None if a parser sees no links in it even so.
    """
    fix = subject.msgstr
    for name, target in lost:
        # 【词】（a.md） and the like, with what stands behind the words of a link.
        if name is Atom.REFERENCE:
            behind = rf"\s*[\[［【]\s*{re.escape(target[1:-1])}\s*[\]］】]"
        else:
            title = r"(?P<title>\s+[\"“][^\"”]*[\"”])?"
            behind = rf"\s*[(（]\s*<?{re.escape(target)}>?{title}\s*[)）]?"
        words = rf"[\[［【](?P<words>{_NO_BRACKET})[\]］】]"
        pattern = rf"(?P<bang>[!！]?)\s?{words}{behind}"
        fix = re.sub(pattern, partial(_written_link, name, target), fix)
    return first_regaining(subject, [fix], *_TARGETS)


def _written_link(name: Atom, target: str, match: re.Match[str]) -> str:
    """A link as Markdown wants it, with the words that ``match`` has found.

    ``【词】（a.md “题”）`` -> ``[词](a.md "题")``; to an image also ``！[图](a.png)`` ->
    ``![图](a.png)``
    """
    bang, words = match["bang"], match["words"]
    if name is Atom.REFERENCE:
        return f"{bang}[{words}]{target}"
    title = ""
    if match["title"]:
        title = f' "{match["title"].strip()[1:-1]}"'
    if name is Atom.IMAGE:
        bang = "!"
    elif bang:
        bang = "！"  # a sentence may end before a link
    return f"{bang}[{words}]({target}{title})"
