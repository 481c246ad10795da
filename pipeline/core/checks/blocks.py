"""M101 in Markdown: marks that make another block of a message."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pipeline.core.checks import emphasis
from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import first_regaining, quote, repeated_mark, spans_of
from pipeline.core.document.message import Kind

# What a text became, by the parser's name of the block.
_BECAME = {
    "bullet_list": "a list",
    "ordered_list": "a numbered list",
    "heading": "a heading",
    "blockquote": "a quote",
    "fence": "a code block",
    "colon_fence": "a directive",
    "html_block": "raw HTML",
    "hr": "a rule",
    "math_block": "a block of mathematics",
    "td": "two cells: a bare | ends a cell",
    "closing marks": "a heading without its last #",
    "myst_target": "a target that nobody sees",
    "myst_line_comment": "a comment that nobody sees",
    "myst_block_break": "a break",
    "footnote_reference": "a footnote",
    "dl": "the definition of what stands before it",
}
_OWN_MARK = {
    Kind.HEADING: re.compile(r"#{1,6}[ \t]+"),
    Kind.LIST_ITEM: re.compile(r"(?:[-+*]|\d{1,9}[.)])[ \t]+"),
    Kind.QUOTE: re.compile(r">[ \t]*"),
}
_NUMBER = re.compile(r"\d{1,9}(?=[.)])")
_MARK = re.compile(r"#{1,6}|\d{1,9}[.)]|`{3,}|~{3,}|:{3,}|\$\$|[>+%:\[(*_<-]")
_ESCAPABLE = re.compile(r"[#>+%\[(*_:~-]")
_CELL_END = re.compile(r"(?<!\\)\|")
_CLOSING_MARKS = re.compile(r"#+$")


def find_other_block(subject: Subject) -> Iterator[Problem]:
    """A start, or a bare ``|``, that makes another block of the text."""
    source = subject.msgstr.strip()
    if mark := _repeated_mark(subject, source):
        yield repeated_mark(subject, mark)
        return
    if subject.is_in_place:
        return
    added = Counter(subject.chinese.blocks) - Counter(subject.english.blocks)
    mark = _mark_in(source, added)
    hint = "Reword its start."
    if mark:
        hint = f"Put a backslash before {quote(mark)}, or reword."
    fixes = (fix for fix in _mended(subject, source) if fix != source)
    yield Problem(
        text=f"the {subject.kind} becomes {_became(subject, added)}",
        hint=hint,
        spans=spans_of(subject.msgstr, mark),
        fix=first_regaining(subject, fixes),
    )


def _became(subject: Subject, added: Counter[str]) -> str:
    """What a translation turned into, told by the first of its new blocks that has a name here."""
    for name in added:
        if name in _BECAME:
            return _BECAME[name]
    if not subject.chinese.tree:
        return "something that nobody sees"
    return "another block"


def _repeated_mark(subject: Subject, source: str) -> str:
    """The mark of its own block that a text starts with, and the English does not; or nothing.

    Of a heading ``# 键`` it is ``# ``: the page has that mark already.
    """
    own_mark = _OWN_MARK.get(subject.kind)
    if not own_mark:
        return ""
    match = own_mark.match(source)
    if not match or own_mark.match(subject.msgid.strip()):
        return ""
    return match[0]


def _mark_in(source: str, added: Counter[str]) -> str:
    """The mark that did it, as it stands in the source; empty if no mark is known that does.

    ``added`` are the new blocks: of ``甲|乙`` one more cell, of ``# 键`` a heading.
    """
    if "td" in added:
        return "|"
    match = _MARK.match(source)
    if "closing marks" in added:
        match = _CLOSING_MARKS.search(source)
    if not match:
        return ""
    return match[0]


def _mended(subject: Subject, source: str) -> Iterator[str]:
    """``source`` with marks that make no block, best first. A parser must say which works.

    ``* 词*`` -> ``*词*``, ``甲|乙`` -> ``甲\\|乙``, ``键 #`` -> ``键 \\#``,
    ``3. 键`` -> ``3\\. 键``, ``# 键`` -> ``\\# 键``
    """
    if mended := emphasis.mend_start(subject):
        yield mended
    yield _CELL_END.sub(r"\\|", source)
    yield _CLOSING_MARKS.sub(r"\\\g<0>", source)
    if number := _NUMBER.match(source):
        yield f"{number[0]}\\{source[number.end() :]}"
    if _ESCAPABLE.match(source):
        yield f"\\{source}"
