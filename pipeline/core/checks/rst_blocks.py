"""M101 in reStructuredText: marks that make another block of a message, or of what follows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import first_regaining, quote, repeated_mark, spans_of
from pipeline.core.document.message import Kind

# What a text became, by docutils' name of the block.
_BECAME = {
    "literal_block": "what announces a code block: it ends with ::",
    "bullet_list": "a list",
    "enumerated_list": "a numbered list",
    "field_list": "a list of fields",
    "option_list": "a list of options",
    "doctest_block": "a piece of code",
    "line_block": "a line of verse",
    "transition": "a rule",
    "table": "a table",
    "attribution": "the source of a quotation",
    "classifier": "a term and its class: ` : ` parts the two",
    "comment": "a comment, a directive or a target that nobody sees",
}
_LIST_MARK = re.compile(r"(?:[-+*•‣⁃]|\(?(?:\d+|[A-Za-z#])[.)])[ \t]+")
_MARK = re.compile(r"\(?\w{1,9}[.)]|[^\w\s]+")
_NUMBER = re.compile(r"\(?\w{1,9}(?=[.)]\s)")
_ANNOUNCEMENT = re.compile(r"(?:\\?\s)*(?<!\\)::\Z")
_CLASSIFIER = re.compile(r"\s:\s+")


def find_other_block(subject: Subject) -> Iterator[Problem]:
    """A start, or a ``::`` at the end, that makes another block of the text.

    ``- 甲`` is a list; behind ``例如::`` the next paragraph would be code.
    """
    if subject.is_in_place:
        return
    source = subject.msgstr.strip()
    if subject.kind is Kind.LIST_ITEM and (repeated := _LIST_MARK.match(source)):
        yield repeated_mark(subject, repeated[0])
        return
    added = Counter(subject.chinese.blocks) - Counter(subject.english.blocks)
    # Of several blocks the first of the table is told.
    became = next((name for name in _BECAME if name in added), "")
    mark = _mark_in(source, became)
    fixes = (fix for fix in _mended(source) if fix != source)
    yield Problem(
        text=f"the {subject.kind} becomes {_BECAME.get(became, 'another block')}",
        hint=_hint(became, mark),
        spans=spans_of(subject.msgstr, mark),
        fix=first_regaining(subject, fixes),
    )


def _mark_in(source: str, became: str) -> str:
    """The mark that did it, as it stands in the source; empty if no mark is known that does.

    ``became`` is the new block. Most are made by what a text starts with: ``-``, ``3.``, ``>>>``.
    """
    if became == "literal_block":
        return "::"
    if became == "classifier":
        return ":"
    match = _MARK.match(source)
    return match[0] if match else ""


def _hint(became: str, mark: str) -> str:
    """What to do about a text that became another block because of ``mark``, if one is known."""
    if became == "literal_block":
        return (
            "End it with “：”: where the English page has ::, the page gets it again."
        )
    if became == "classifier":
        return "Write “：” without spaces."
    if mark:
        return f"Put a backslash before {quote(mark)}, or reword its start."
    return "Reword its start."


def _mended(source: str) -> Iterator[str]:
    """``source`` with marks that make no block. Docutils must say which of them works.

    ``例如::`` -> ``例如：``, ``词 : 甲`` -> ``词：甲``,
    ``3. 甲`` -> ``3\\. 甲``, ``+ 甲`` -> ``\\+ 甲``
    """
    yield _ANNOUNCEMENT.sub("：", source)
    yield _CLASSIFIER.sub("：", source)
    if number := _NUMBER.match(source):
        yield f"{number[0]}\\{source[number.end() :]}"
    yield f"\\{source}"
