"""How an atom is written: in the source of a message, and in a sentence about it."""

from __future__ import annotations

import re

from pipeline.core.checks.mending import quote
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup
from pipeline.findings import Span

_LONGEST = 60  # characters of an atom that a sentence quotes
_TARGET = re.compile(r"(?P<role>\{[^{}]+\}|:[^`]+:)`(?P<target>.*)`", re.DOTALL)
# What stands before and behind code and formulas. All other atoms bring their marks with them.
_MARKS = {
    (Markup.MARKDOWN, Atom.CODE): ("`", "`"),
    (Markup.MARKDOWN, Atom.MATH): ("$", "$"),
    (Markup.RST, Atom.CODE): ("``", "``"),
    (Markup.RST, Atom.MATH): (":math:`", "`"),
}
# The marks of code, by name: as they are spoken of, and how many of them to write.
TICKS = {Markup.MARKDOWN: "backticks", Markup.RST: "backquotes"}
TICKS_TO_WRITE = {Markup.MARKDOWN: "backticks", Markup.RST: "two backquotes"}


def is_marked(markup: Markup, name: Atom) -> bool:
    """Whether atoms of a class are values between marks: code and formulas."""
    return (markup, name) in _MARKS


def with_marks(markup: Markup, name: Atom, value: str) -> str:
    """An atom of code or mathematics as the source has it: ```f```, ``$x$``, ``:math:`x```."""
    before, behind = _MARKS[markup, name]
    return f"{before}{value}{behind}"


def spoken(markup: Markup, name: Atom, value: str) -> str:
    """An atom in a sentence: between its marks if it has any, else in quotation marks.

    ```jax.jit``` and ``$x$``, but ``“https://a.b”``
    """
    if not is_marked(markup, name):
        return quote(value)
    if len(value) > _LONGEST:
        value = f"{value[:_LONGEST]}…"
    return with_marks(markup, name, value)


def literal_part(name: Atom, value: str) -> str:
    """The part of an atom that stands in the source as it is: of a role only the target.

    Of ``{ref}`a``` that is ``a``: the source may have ``{ref}`词 <a>```.
    """
    match = _TARGET.fullmatch(value)
    if match and name is Atom.ROLE:
        return match["target"]
    return value


def atom_places(
    source: str, markup: Markup, name: Atom, value: str
) -> tuple[Span, ...]:
    """Where an atom stands first, told by the marks around it; else as ``places_of`` finds it.

    Of ``用 {func}`jit` 和 `f```, where ``f`` is code, that is not the first letter of ``func``.
    """
    part = literal_part(name, value)
    words = r"\s*".join(map(re.escape, part))
    match = re.search(_around(markup, name, value, words), source)
    if not match:
        return places_of(source, part)
    return (match.span("words"),)


def _around(markup: Markup, name: Atom, value: str, words: str) -> str:
    """The pattern ``words`` of an atom, as its group ``words``, with what stands around it."""
    words = rf"(?P<words>{words})"
    if is_marked(markup, name):
        before, behind = map(re.escape, _MARKS[markup, name])
        # "{func}`f`" is a role, although it ends as code does.
        return rf"(?<![}}:]){before}\s*{words}\s*{behind}"
    role = _TARGET.fullmatch(value)
    if role and name is Atom.ROLE:
        # With or without words of its own: {ref}`a`, {ref}`词 <a>`
        return rf"{re.escape(role['role'])}`(?:[^`]*<\s*)?{words}\s*>?`"
    if name in (Atom.LINK, Atom.IMAGE):
        return rf"(?:\]\(\s*<?|<){words}(?=[>)\s])"
    return words


def places_of(source: str, value: str) -> tuple[Span, ...]:
    """Where an atom stands first; nowhere, if the source does not have it.

    White space may stand anywhere in it, for the values of some classes are kept without any:
    ``{{a}}`` is found in ``用 {{ a }}``. Of ``f`` in ``{func}`f``` the one between backquotes is
    meant: the first place counts where the atom is no part of a longer word.
    """
    pattern = r"\s*".join(map(re.escape, value))
    for place in (rf"(?<=`){pattern}(?=`)", rf"(?<!\w){pattern}(?!\w)", pattern):
        if match := re.search(place, source):
            return (match.span(),)
    return ()
