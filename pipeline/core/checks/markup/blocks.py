"""M101, M109: translations that become another block, and lost line breaks.

A mark at the start of a text can make it another block: ``- 键`` is a list item.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pipeline.core.checks.fixes import first_valid_fix, quote, restores_atoms, spans_of
from pipeline.core.checks.markup.emphasis import mend_start
from pipeline.core.checks.model import Problem, Subject
from pipeline.core.document.message import Markup
from pipeline.tables import read_table

_TABLES = read_table(__name__, "blocks")
_NEVER = "(?!)"  # a pattern that matches nothing
_CELL_END = re.compile(r"(?<!\\)\|")
_CLOSING_MARKS = re.compile(r"#+$")
_ESCAPABLE = re.compile(r"[#>+%\[(*_:~-]")
_ANNOUNCEMENT = re.compile(r"(?:\\?\s)*(?<!\\)::\Z")
_CLASSIFIER = re.compile(r"\s:\s+")


def find_other_breaks(subject: Subject) -> Iterator[Problem]:
    """Report lost hard line breaks. The guard rejects new ones."""
    lost = subject.english.breaks - subject.chinese.breaks
    if lost > 0:
        yield Problem(
            text=f"lacks {lost} of the {subject.english.breaks} line breaks of the English",
            hint="Break the line (\\n) where the English does.",
        )


def _mended_markdown(subject: Subject, source: str) -> Iterator[str]:
    r"""Yield possible corrections of a Markdown text, in order of preference.

    ``* 词*`` -> ``*词*``, ``甲|乙`` -> ``甲\|乙``, ``键 #`` -> ``键 \#``, ``# 键`` -> ``\# 键``

    The caller has to test them with a parser.
    """
    # Each correction is for one cause. For any other cause, the correction changes nothing, or the
    # parser rejects the result.
    if mended := mend_start(subject):
        yield mended
    yield _CELL_END.sub(r"\\|", source)
    yield _CLOSING_MARKS.sub(r"\\\g<0>", source)
    yield _escape_number(source, re.compile(r"\d{1,9}(?=[.)])"))
    if _ESCAPABLE.match(source):
        yield f"\\{source}"


def _mended_rst(subject: Subject, source: str) -> Iterator[str]:
    r"""Yield possible corrections of a reST text. The caller has to test them with docutils.

    ``例如::`` -> ``例如：``, ``词 : 甲`` -> ``词：甲``, ``+ 甲`` -> ``\+ 甲``
    """
    yield _ANNOUNCEMENT.sub("：", source)
    yield _CLASSIFIER.sub("：", source)
    yield _escape_number(source, re.compile(r"\(?\w{1,9}(?=[.)]\s)"))
    yield f"\\{source}"


def _escape_number(source: str, number: re.Pattern[str]) -> str:
    r"""Return ``source`` with a backslash after its initial number: ``3. 键`` -> ``3\. 键``."""
    return number.sub(r"\g<0>\\", source, count=1) if number.match(source) else source


_MENDED = {Markup.MARKDOWN: _mended_markdown, Markup.RST: _mended_rst}


def find_other_block(subject: Subject) -> Iterator[Problem]:
    """Report a translation that becomes another block.

    ``- 甲`` becomes a list. In reST, ``例如::`` turns the next paragraph into code.
    """
    source = subject.msgstr.strip()
    if own_mark := _repeated_mark(subject, source):
        yield _repeated_problem(subject, source, own_mark)
        return
    if subject.is_in_place:
        return
    became = _new_block(subject)
    mark = _mark_of(source, became, subject.markup)
    mended = _MENDED[subject.markup](subject, source)
    fixes = (fix for fix in mended if fix != source)
    words = _TABLES[subject.markup].get(became, "another block")
    # If neither a known block nor visible text remains, the text is now a comment or a
    # target.
    if not became and not subject.chinese.tree and subject.markup is Markup.MARKDOWN:
        words = "invisible text"
    yield Problem(
        text=f"the {subject.kind} becomes {words}",
        hint=_TABLES["hints"].get(became) or _hint_for(mark, subject.markup),
        spans=spans_of(subject.msgstr, mark),
        fix=first_valid_fix(subject, fixes),
    )


def _repeated_mark(subject: Subject, source: str) -> str:
    """Return the mark at the start of ``source`` if the page has it before the message, or "".

    On the page, the source of a heading is ``# `` and the message. So the translation ``# 键``
    repeats the mark. If the English message also starts with a mark, return "".
    """
    own_mark = _TABLES["own_marks"][subject.markup].get(subject.kind, _NEVER)
    match = re.match(own_mark, source)
    if not match:
        return ""
    is_meant = re.match(own_mark, subject.msgid.strip()) is not None
    if subject.markup is Markup.RST:
        # In reST, "A." may be a mark or an initial, so the parser decides.
        is_meant = subject.is_in_place
    return "" if is_meant else match[0]


def _repeated_problem(subject: Subject, source: str, mark: str) -> Problem:
    """Return the problem with a text that starts with ``mark``, the mark of its block."""
    rest = source[len(mark) :]
    # The mark of "- 3 度" may be a minus sign that belongs to the text.
    is_fixable = restores_atoms(subject, rest) and not rest[:1].isdigit()
    return Problem(
        text=(
            f"starts with {quote(mark.strip())}, "
            f"the mark of a {subject.kind}, which the page already has"
        ),
        hint="Delete it.",
        spans=spans_of(subject.msgstr, mark.strip()),
        fix=rest if is_fixable else None,
    )


def _new_block(subject: Subject) -> str:
    """Return the parser's name of the block that the text became, or "" if it is unknown.

    If there are several, return the outermost one in Markdown. In reST, return the one that comes
    first in ``blocks.toml``.
    """
    # The surrounding blocks are in both texts, so only the new blocks remain.
    added = Counter(subject.chinese.blocks) - Counter(subject.english.blocks)
    named = _TABLES[subject.markup]
    if subject.markup is Markup.RST:
        return next((name for name in named if name in added), "")
    return next((name for name in added if name in named), "")


def _mark_of(source: str, became: str, markup: Markup) -> str:
    """Return the mark in ``source`` that created the block ``became``, or "" if it is unknown."""
    if known := _TABLES["marks"].get(became, ""):
        return str(known)
    match = re.match(_TABLES["starts"][markup], source)
    if became == "closing marks":
        match = _CLOSING_MARKS.search(source)
    return match[0] if match else ""


def _hint_for(mark: str, markup: Markup) -> str:
    """Return how to correct a text with a mark that starts a block."""
    if not mark:
        return "Reword its start."
    if markup is Markup.RST:
        return f"Put a backslash before {quote(mark)}, or reword its start."
    return f"Put a backslash before {quote(mark)}, or reword."
