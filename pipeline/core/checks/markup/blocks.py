"""M101, M109: marks that make another block of a message, and lost line breaks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pipeline.core.checks.fixes import first_regaining, quote, repeated_mark, spans_of
from pipeline.core.checks.markup.emphasis import mend_start
from pipeline.core.checks.model import Problem, Subject, by_markup
from pipeline.core.document.message import Kind

# What a text became, by the parser's name of the block.
_MARKDOWN_BECAME = {
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
_MARKDOWN_NUMBER = re.compile(r"\d{1,9}(?=[.)])")
_MARKDOWN_MARK = re.compile(r"#{1,6}|\d{1,9}[.)]|`{3,}|~{3,}|:{3,}|\$\$|[>+%:\[(*_<-]")
_ESCAPABLE = re.compile(r"[#>+%\[(*_:~-]")
_CELL_END = re.compile(r"(?<!\\)\|")
_CLOSING_MARKS = re.compile(r"#+$")


def _find_markdown_block(subject: Subject) -> Iterator[Problem]:
    """A start, or a bare ``|``, that makes another block of the text."""
    source = subject.msgstr.strip()
    if mark := _repeated_mark(subject, source):
        yield repeated_mark(subject, mark)
        return
    if subject.is_in_place:
        return
    added = Counter(subject.chinese.blocks) - Counter(subject.english.blocks)
    mark = _markdown_mark(source, added)
    hint = "Reword its start."
    if mark:
        hint = f"Put a backslash before {quote(mark)}, or reword."
    fixes = (fix for fix in _mended_markdown(subject, source) if fix != source)
    yield Problem(
        text=f"the {subject.kind} becomes {_new_markdown_block(subject, added)}",
        hint=hint,
        spans=spans_of(subject.msgstr, mark),
        fix=first_regaining(subject, fixes),
    )


def _new_markdown_block(subject: Subject, added: Counter[str]) -> str:
    """What a translation turned into, told by the first of its new blocks that has a name here."""
    for name in added:
        if name in _MARKDOWN_BECAME:
            return _MARKDOWN_BECAME[name]
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


def _markdown_mark(source: str, added: Counter[str]) -> str:
    """The mark that did it, as it stands in the source; empty if no mark is known that does.

    ``added`` are the new blocks: of ``甲|乙`` one more cell, of ``# 键`` a heading.
    """
    if "td" in added:
        return "|"
    match = _MARKDOWN_MARK.match(source)
    if "closing marks" in added:
        match = _CLOSING_MARKS.search(source)
    if not match:
        return ""
    return match[0]


def _mended_markdown(subject: Subject, source: str) -> Iterator[str]:
    """``source`` with marks that make no block, best first. A parser must say which works.

    ``* 词*`` -> ``*词*``, ``甲|乙`` -> ``甲\\|乙``, ``键 #`` -> ``键 \\#``,
    ``3. 键`` -> ``3\\. 键``, ``# 键`` -> ``\\# 键``
    """
    if mended := mend_start(subject):
        yield mended
    yield _CELL_END.sub(r"\\|", source)
    yield _CLOSING_MARKS.sub(r"\\\g<0>", source)
    if number := _MARKDOWN_NUMBER.match(source):
        yield f"{number[0]}\\{source[number.end() :]}"
    if _ESCAPABLE.match(source):
        yield f"\\{source}"


# What a text became, by docutils' name of the block.
_RST_BECAME = {
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
_RST_MARK = re.compile(r"\(?\w{1,9}[.)]|[^\w\s]+")
_RST_NUMBER = re.compile(r"\(?\w{1,9}(?=[.)]\s)")
_ANNOUNCEMENT = re.compile(r"(?:\\?\s)*(?<!\\)::\Z")
_CLASSIFIER = re.compile(r"\s:\s+")


def _find_rst_block(subject: Subject) -> Iterator[Problem]:
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
    became = next((name for name in _RST_BECAME if name in added), "")
    mark = _rst_mark(source, became)
    fixes = (fix for fix in _mended_rst(source) if fix != source)
    yield Problem(
        text=f"the {subject.kind} becomes {_RST_BECAME.get(became, 'another block')}",
        hint=_rst_hint(became, mark),
        spans=spans_of(subject.msgstr, mark),
        fix=first_regaining(subject, fixes),
    )


def _rst_mark(source: str, became: str) -> str:
    """The mark that did it, as it stands in the source; empty if no mark is known that does.

    ``became`` is the new block. Most are made by what a text starts with: ``-``, ``3.``, ``>>>``.
    """
    if became == "literal_block":
        return "::"
    if became == "classifier":
        return ":"
    match = _RST_MARK.match(source)
    return match[0] if match else ""


def _rst_hint(became: str, mark: str) -> str:
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


def _mended_rst(source: str) -> Iterator[str]:
    """``source`` with marks that make no block. Docutils must say which of them works.

    ``例如::`` -> ``例如：``, ``词 : 甲`` -> ``词：甲``,
    ``3. 甲`` -> ``3\\. 甲``, ``+ 甲`` -> ``\\+ 甲``
    """
    yield _ANNOUNCEMENT.sub("：", source)
    yield _CLASSIFIER.sub("：", source)
    if number := _RST_NUMBER.match(source):
        yield f"{number[0]}\\{source[number.end() :]}"
    yield f"\\{source}"


def find_other_breaks(subject: Subject) -> Iterator[Problem]:
    """Hard line breaks that are gone; the guard tells of new ones."""
    lost = subject.english.breaks - subject.chinese.breaks
    if lost > 0:
        yield Problem(
            text=f"lacks {lost} of the {subject.english.breaks} line breaks of the English",
            hint="Break the line (\\n) where the English does.",
        )


find_other_block = by_markup(_find_markdown_block, _find_rst_block)
