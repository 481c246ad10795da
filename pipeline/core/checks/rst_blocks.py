"""Marks that make another block of a reStructuredText message, or a code block of what follows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import quote, regains, repeated_mark, spans_of
from pipeline.core.document.message import Kind

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
_OWN_MARK = re.compile(r"(?:[-+*•‣⁃]|\(?(?:\d+|[A-Za-z#])[.)])[ \t]+")
_MARK = re.compile(r"\(?\w{1,9}[.)]|[^\w\s]+")
_NUMBER = re.compile(r"\(?\w{1,9}(?=[.)]\s)")
_ANNOUNCEMENT = re.compile(r"(?:\\?\s)*(?<!\\)::\Z")
_CLASSIFIER = re.compile(r"\s:\s+")


def find_other_block(subject: Subject) -> Iterator[Problem]:
    """A start, or a ``::`` at the end, that makes another block of the text."""
    english, chinese, source = subject.english, subject.chinese, subject.msgstr.strip()
    repeated = _OWN_MARK.match(source) if subject.kind is Kind.LIST_ITEM else None
    if repeated and chinese.blocks != english.blocks:
        yield repeated_mark(subject, repeated[0])
    elif chinese.blocks != english.blocks:
        added = Counter(chinese.blocks) - Counter(english.blocks)
        name = next((name for name in _BECAME if name in added), "")
        mark = _mark_in(source, name)
        yield Problem(
            text=f"the {subject.kind} becomes {_BECAME.get(name, 'another block')}",
            hint=_hint(name, mark),
            spans=spans_of(subject.msgstr, mark),
            fix=next(
                (fix for fix in _mended(source) if fix != source and regains(subject, fix)), None
            ),
        )


def _mark_in(source: str, name: str) -> str:
    """The mark that did it, as it stands in the source."""
    if name in ("literal_block", "classifier"):
        return "::" if name == "literal_block" else ":"
    found = _MARK.match(source)
    return found[0] if found else ""


def _hint(name: str, mark: str) -> str:
    if name == "literal_block":
        return "End it with “：”: where the English page has ::, the page gets it again."
    if name == "classifier":
        return "Write “：” without spaces."
    return (
        f"Put a backslash before {quote(mark)}, or reword its start."
        if mark
        else "Reword its start."
    )


def _mended(source: str) -> Iterator[str]:
    yield _ANNOUNCEMENT.sub("：", source)
    yield _CLASSIFIER.sub("：", source)
    if number := _NUMBER.match(source):
        yield f"{number[0]}\\{source[number.end() :]}"
    yield f"\\{source}"
