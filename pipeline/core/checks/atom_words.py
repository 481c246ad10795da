"""How an atom is written: in the source of a message, and in a sentence about it."""

from __future__ import annotations

import re

from pipeline.core.checks.mending import quote
from pipeline.core.checks.parsed import Atom
from pipeline.core.document.message import Markup
from pipeline.findings import Span

_LONGEST = 60  # characters of an atom that a sentence quotes
_TARGET = re.compile(r"(?:\{[^{}]+\}|:[^`]+:)`(.*)`", re.DOTALL)
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
        return match[1]
    return value


def places_of(source: str, value: str) -> tuple[Span, ...]:
    """Where an atom stands first; nowhere, if the source does not have it.

    White space may stand anywhere in it, for the values of some classes are kept without any:
    ``{{a}}`` is found in ``用 {{ a }}``.
    """
    match = re.search(r"\s*".join(map(re.escape, value)), source)
    if not match:
        return ()
    return (match.span(),)
