"""M1: a translation, parsed where it will stand, has the blocks and the inline tree of the English.

Formatting may stand in another order in Chinese, so that it is counted and not lined up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pipeline.core.checks import markup, working
from pipeline.core.checks.base import Check, Find, Problem, Subject
from pipeline.core.checks.formatting import find_other_emphasis, words_of
from pipeline.core.checks.mending import quote, spans_of
from pipeline.core.checks.parsed import Atom, Parsed
from pipeline.findings import Severity

_ATOM_OF = {"link": Atom.LINK, "reference": Atom.REFERENCE, "image": Atom.IMAGE}


def find_other_breaks(subject: Subject) -> Iterator[Problem]:
    """Hard line breaks that are gone; the guard tells of new ones."""
    lost = subject.english.breaks - subject.chinese.breaks
    if lost > 0:
        yield Problem(
            text=f"lacks {lost} of the {subject.english.breaks} line breaks of the English",
            hint="Break the line (\\n) where the English does.",
        )


def find_empty(subject: Subject) -> Iterator[Problem]:
    """Links without words, images without text: ``[](a.md)`` for ``[the guide](a.md)``."""
    if "[" not in subject.msgstr:
        return
    added = _empty_targets(subject.chinese) - _empty_targets(subject.english)
    for name, target in added:
        if target not in subject.english.of(_ATOM_OF[name]):
            continue  # a target that is new as well is told of by the guard
        is_image = name == "image"
        yield Problem(
            text=f"the {'image' if is_image else 'link'} {quote(target)} has no words",
            hint="Write its words between [ and ].",
            spans=spans_of(subject.msgstr, target),
            is_minor=is_image,
        )


def _empty_targets(parsed: Parsed) -> Counter[tuple[str, str]]:
    """The links and images that show no words, by type and target, with how often they stand.

    ``[](a.md)`` and ``[ ](a.md)`` -> (link, a.md) 2
    """
    empty: Counter[tuple[str, str]] = Counter()
    for node in parsed.nodes(*_ATOM_OF):
        if not words_of(node).strip():
            empty[node.type, node.value] += 1
    return empty


def _error(find: Find, *, code: str, name: str) -> Check:
    return Check(code=code, name=name, severity=Severity.ERROR, find=_in_place(find))


def _warning(find: Find, *, code: str, name: str) -> Check:
    return Check(code=code, name=name, severity=Severity.WARNING, find=_in_place(find))


def _in_place(find: Find) -> Find:
    """``find``, for a text that stands as the right block."""

    def find_in_place(subject: Subject) -> Iterator[Problem]:
        if not subject.is_in_place:
            return iter(())
        return find(subject)

    return find_in_place


CHECKS: tuple[Check, ...] = (
    Check(  # the only one that looks at a text which stands as another block
        code="M101",
        name="text that becomes another block",
        severity=Severity.ERROR,
        find=working.find_other_block,
    ),
    _error(
        working.find_unrendered, code="M102", name="bold or italics that do not show"
    ),
    _warning(find_other_emphasis, code="M103", name="bold or italics lost or added"),
    _error(working.find_links, code="M104", name="a link or image that does not work"),
    _error(working.find_code, code="M105", name="backticks that show"),
    _error(working.find_math, code="M106", name="dollar signs and formulas mixed up"),
    _error(working.find_roles, code="M107", name="a role that does not work"),
    _error(markup.find_html, code="M108", name="HTML tags that show"),
    _warning(find_other_breaks, code="M109", name="line breaks lost"),
    _error(working.find_escapes, code="M110", name="escapes that show"),
    _error(find_empty, code="M111", name="a link or image without words"),
)
