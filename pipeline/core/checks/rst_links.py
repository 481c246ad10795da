"""Links and references of reStructuredText that show instead of working."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import (
    as_replacement,
    improves,
    missing,
    quote,
    spans_of,
)
from pipeline.core.checks.parsed import Atom, Parsed

_TARGETS = (Atom.LINK, Atom.REFERENCE)
_TICKS = "[`｀]"
_ANONYMOUS = "__"  # what a reference without a name has for one


def find_links(subject: Subject) -> Iterator[Problem]:
    """Links and references that stopped being what they were.

    Their marks were lost or became full-width, or are those of Markdown.
    """
    shown: list[tuple[Atom, str]] = []
    for name in _TARGETS:
        lost = missing(subject.english, subject.chinese, name)
        shown += [
            (name, value)
            for value in lost
            if stands_elsewhere(subject.chinese, name, value)
        ]
    if not shown:
        return
    fix = _mended_links(subject, shown)
    for name, value in shown:
        yield _broken(subject, name, value, fix)


def _broken(subject: Subject, name: Atom, value: str, fix: str | None) -> Problem:
    """What is to be said of a link or reference that works no longer. ``fix`` mends them all."""
    what, seen = "reference", _name_in(subject.msgstr, value)
    if name is Atom.LINK:
        what, seen = "link to", value
    shown_name = value.removesuffix("_") or "…"
    written = written_as(subject, name, value)
    space = ", with a space before <" if "<" in written else ""
    return Problem(
        text=f"the {what} {quote(shown_name)} is none any more",
        hint=f"Write it as {written}{space}.",
        spans=spans_of(subject.msgstr, seen),
        fix=fix,
    )


def stands_elsewhere(chinese: Parsed, name: Atom, value: str) -> bool:
    """Whether a target that is lost shows as text, or belongs to something that leads nowhere.

    A URL must stand there as it is, the name of a reference in any case and with any spaces.
    """
    if name is Atom.LINK:
        return value in chinese.source
    return bool(_name_in(chinese.source, value))


def written_as(subject: Subject, name: Atom, value: str) -> str:
    """How a link or a reference of the English is written, with ``…`` for words of one's own.

    A link is ```… <https://a.b>`_``. A reference whose words are its name is written with them:
    ```the guide`_``.
    """
    if name is Atom.LINK:
        is_anonymous = re.search(rf"{re.escape(value)}>`__", subject.msgid)
        return f"`… <{value}>`{'__' if is_anonymous else '_'}"
    if value == _ANONYMOUS:
        return "`…`__"
    in_one = re.compile(rf"`?{_pattern(value)}`?_(?![\w_>])", re.IGNORECASE)
    if match := in_one.search(subject.msgid):
        return match[0]
    return f"`… <{_name_in(subject.msgid, value)}_>`_"


def _pattern(value: str) -> str:
    """A name as it may be written: case and white space do not count.

    It is to be read without regard to case. ``the guide_`` -> ``the\\s+guide``
    """
    return r"\s+".join(re.escape(word) for word in value.removesuffix("_").split())


def _name_in(source: str, value: str) -> str:
    """A name as a text writes it; empty if the text does not have it.

    ``See The Guide`` with ``the guide_`` -> ``The Guide``
    """
    if value == _ANONYMOUS:
        return ""
    word = rf"(?<![A-Za-z0-9]){_pattern(value)}(?![A-Za-z0-9])"
    match = re.search(word, source, re.IGNORECASE)
    return match[0] if match else ""


def _mended_links(subject: Subject, lost: list[tuple[Atom, str]]) -> str | None:
    """The msgstr with the marks of each lost link or reference, as the English has them.

    None if that makes none of them work.
    """
    fix = subject.msgstr
    for name, value in lost:
        written = written_as(subject, name, value)
        if name is Atom.REFERENCE:
            fix = _with_reference(fix, value, written)
        else:
            fix = _with_link(fix, value, written)
    # One class after the other: there may be more wrong with it than this check knows to mend.
    for name in _TARGETS:
        if improves(subject, fix, name):
            return fix
    return None


def _with_reference(source: str, value: str, written: str) -> str:
    """``source`` with a reference ``written`` where its name stands first.

    With ``name_``: ``见 `name` 和 name`` -> ``见 name_ 和 name``
    """
    opening, closing = rf"(?<![\w`<])(?:{_TICKS}\s*)?", rf"(?:\s*{_TICKS})?"
    underscore = r"(?:\s?[_＿](?![A-Za-z0-9_]))?(?![`｀>])"
    loose = f"{opening}{_pattern(value)}{closing}{underscore}"
    flags = re.IGNORECASE | re.ASCII
    return re.sub(loose, as_replacement(written), source, count=1, flags=flags)


def _with_link(source: str, value: str, written: str) -> str:
    """``source`` with a link ``written`` where one with other marks leads there.

    ``[词](https://a.b)``, ``｀词＜https://a.b＞｀_`` -> ```词 <https://a.b>`_``
    """
    target = re.escape(value)
    of_markdown = rf"\[(?P<words>[^\[\]]*)\]\s*[(（]\s*{target}\s*[)）]"
    words = rf"{_TICKS}(?P<words>[^`｀<>＜＞〈〉《》]*?)"
    of_rst = (
        rf"{words}\s*[<＜〈《]\s*{target}\s*[>＞〉》]\s*{_TICKS}?(?:\s?[_＿]{{1,2}})?"
    )
    for pattern in (of_markdown, of_rst):
        source = re.sub(pattern, partial(_around_words, written), source)
    return source


def _around_words(written: str, match: re.Match[str]) -> str:
    """``written`` with the words that ``match`` has found in place of the ellipsis."""
    return written.replace("…", match["words"].strip())
