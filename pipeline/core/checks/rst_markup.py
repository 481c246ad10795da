"""Markup of reStructuredText that shows instead of working: formulas, roles, escapes.

Most of it is what somebody writes who is used to Markdown, or marks that became full-width.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import (
    excess,
    fewer,
    improves,
    missing,
    quote,
    spans_of,
    without_backslashes,
)
from pipeline.core.checks.parsed import Atom
from pipeline.core.document import prose
from pipeline.core.document.atoms import canonical_math
from pipeline.core.document.message import Markup
from pipeline.findings import Span

_TICKS = "[`｀]"
_ROLE = re.compile(r":([^`]+):`(.*)`", re.DOTALL)
_TITLED = re.compile(
    r"(.*?)\s*[<＜〈《]\s*([^<>＜＞〈〉《》]*?)\s*[>＞〉》]", re.DOTALL
)
_REFERENCE_NAMES = "lt|gt|amp|quot|apos|nbsp|mdash|ndash|hellip|times|copy"
_CHARACTER_REFERENCE = re.compile(rf"&(?:#[xX]?[0-9A-Fa-f]+|{_REFERENCE_NAMES});")
_ESCAPED_WORD = re.compile(r"\\\w")


# Formulas.


def find_math(subject: Subject) -> Iterator[Problem]:
    """Dollar signs where a formula should be: ``$x$`` for ``:math:`x```."""
    if excess(subject, "$", "＄") <= 0:
        return
    lost = fewer(subject.english, subject.chinese, Atom.MATH)
    formulas = [
        node.value
        for node in subject.english.nodes("math")
        if canonical_math(node.value) in lost
    ]
    hint = "Delete it, or write the amount as the English does."
    if formulas:
        hint = f"Write {quote(f':math:`{formulas[0]}`')}."
    yield Problem(
        text="a $ shows: in reST it makes no formula",
        hint=hint,
        spans=spans_of(subject.msgstr, "$" if "$" in subject.msgstr else "＄"),
        is_minor=not formulas,
    )


# Roles.


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShownRole:
    """A role whose name shows: where it stands, how to write it, and how the hint has that."""

    name: str
    span: Span
    written: str
    example: str


def find_roles(subject: Subject) -> Iterator[Problem]:
    """Roles whose name shows: ``{func}`f```, ``：func：`f```.

    All places are marked and mended; the hint is about the first one that was found.
    """
    if not re.search(_TICKS, subject.msgstr):
        return
    shown: dict[Span, _ShownRole] = {}
    for name, target in _lost_roles(subject):
        for role in _shown_roles(subject.msgstr, name, target):
            # Several lost roles may have the same name, and be found in the same place.
            shown.setdefault(role.span, role)
    if not shown:
        return
    fix = subject.msgstr
    # From the last one to the first, so that the places hold.
    for (start, end), role in sorted(shown.items(), reverse=True):
        fix = fix[:start] + role.written + fix[end:]
    first = next(iter(shown.values()))
    is_better = improves(subject, fix, Atom.ROLE) or improves(subject, fix, Atom.MATH)
    yield Problem(
        text=f"the role {quote(f':{first.name}:')} shows instead of working",
        hint=(
            f"Write {first.example}, with half-width colons and nothing "
            "between the second one and the backquote."
        ),
        spans=tuple(shown),
        fix=fix if is_better else None,
    )


def _lost_roles(subject: Subject) -> Iterator[tuple[str, str]]:
    """The name and the target of each role that is lost; a formula is one.

    ``:func:`a.b``` -> ``func``, ``a.b``; ``:abbr:``, of which only the name is kept -> ``abbr``,
    nothing
    """
    for role in missing(subject.english, subject.chinese, Atom.ROLE):
        if parts := _ROLE.fullmatch(role):
            yield parts[1], parts[2]
        elif role.startswith(":"):
            yield role.strip(":"), ""
    for formula in missing(subject.english, subject.chinese, Atom.MATH):
        yield "math", formula


def _shown_roles(source: str, name: str, target: str) -> Iterator[_ShownRole]:
    """What looks like a role of that name and is not written as one.

    ``{func}`f```, ``：func：`f```, ``:func: `f```, ``:func:``f````
    """
    marks = rf"(?<![A-Za-z:：{{｛])(?:[:：{{｛]\s*)?{re.escape(name)}\s*[:：}}｝]?\s*"
    content = rf"{_TICKS}{{1,2}}(?P<content>[^`｀]*){_TICKS}{{1,2}}"
    for match in re.finditer(f"{marks}{content}", source, re.IGNORECASE):
        written = f":{name}:`{_content(match['content'])}`"
        if match[0] == written:
            continue
        wanted = target or "…"
        if " <" in written:
            wanted = f"… <{target}>"
        yield _ShownRole(
            name=name, span=match.span(), written=written, example=f":{name}:`{wanted}`"
        )


def _content(content: str) -> str:
    """The content of a role, with ASCII brackets around its target if it has a title.

    ``词＜a.b＞`` -> ``词 <a.b>``
    """
    if titled := _TITLED.fullmatch(content):
        return f"{titled[1]} <{titled[2]}>"
    return content.strip()


# Escapes.


def find_escapes(subject: Subject) -> Iterator[Problem]:
    """Character references, which reST does not know, and backslashes that vanish."""
    source = subject.msgstr
    references = _CHARACTER_REFERENCE.findall(subject.chinese.literal)
    if len(references) > len(_CHARACTER_REFERENCE.findall(subject.english.plain)):
        yield Problem(
            text=f"{quote(references[0])} shows as it is written",
            hint="Write the character itself: reST knows no character references.",
            spans=spans_of(source, references[0]),
        )
    escaped = _escaped_words(source)
    if len(escaped) > len(_escaped_words(subject.msgid)):
        yield Problem(
            text=f"the backslash of {quote(escaped[0])} vanishes",
            hint="Delete it, or write two for one that is to be seen.",
            spans=spans_of(source, escaped[0]),
            fix=without_backslashes(subject, escaped),
            is_minor=True,
        )


def _escaped_words(source: str) -> list[str]:
    """Each backslash before a letter or a digit, with what follows it, outside of code.

    ``甲\\n乙 \\* ``\\t```` -> ``\\n``
    """
    pairs = re.findall(r"\\.", prose.mask(source, Markup.RST), re.DOTALL)
    return [pair for pair in pairs if _ESCAPED_WORD.fullmatch(pair)]
