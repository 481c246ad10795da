"""Blocks of other Markdowns than MyST's: of mkdocs with its extensions, and of Jekyll.

Each is found by a rule of markdown-it's, as one token with all that belongs to it. What in it is
words is for ``split`` to say. Sources: Python-Markdown's ``admonition``, PyMdown's ``details``,
``tabbed`` and ``snippets``, mkdocstrings' ``:::``, Liquid's tags, and kramdown's attribute lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

from pipeline.core.document import liquid
from pipeline.reading import Dialect

_INDENT = 4
# !!! note "A title", ??? tip, ???+ tip, === "A tab"
_BLOCK = re.compile(r'(!!!|\?\?\?\+?|===[!+]?(?=[ \t]+"))[ \t]+(\S.*)')
_OBJECT = re.compile(r"(:::)[ \t]+([\w.]+[ \t]*)")
_SNIPPET = re.compile(r"(-+8<-+)(.*)")
_ATTRIBUTES = re.compile(r"(\{:)(.*)\}[ \t]*")
_TAG_END = re.compile(r"%\}")
_TAG_LINES = 100  # of one tag: more are not looked at
# Tags whose content is no prose; that of all others is read as if they were not there.
_WHOLE_TAGS = liquid.WHOLE - {"raw"}
_INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}

_Rule = Callable[[StateBlock, int, int, bool], bool]


def use_dialect(md: MarkdownIt, dialect: Dialect) -> None:
    """Let a parser find the blocks of a dialect, before all others."""
    rules: dict[Dialect, dict[str, _Rule]] = {
        Dialect.MKDOCS: {
            "mkdocs_block": _indented("mkdocs_block", _BLOCK),
            "mkdocs_object": _indented("mkdocs_object", _OBJECT),
            "mkdocs_snippet": _single("mkdocs_object", _SNIPPET),
        },
        Dialect.JEKYLL: {
            "liquid": _liquid,
            "kramdown_attributes": _single("liquid", _ATTRIBUTES),
        },
    }
    for name, rule in rules.get(dialect, {}).items():
        md.block.ruler.before("table", name, rule, _INTERRUPTS)


def _indented(kind: str, first_line: re.Pattern[str]) -> _Rule:
    """A rule for a line like ``first_line`` and all below it that is indented by four."""

    def rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        match = _match(state, start, first_line)
        if match is None:
            return False
        if silent:
            return True
        column = state.sCount[start] + _INDENT
        last = after = start + 1
        while after < end and (state.isEmpty(after) or state.sCount[after] >= column):
            after += 1
            # Blank lines belong to the block only if more of it comes.
            if not state.isEmpty(after - 1):
                last = after
        _push(state, kind, start, last, column=column)
        state.tokens[-1].markup, state.tokens[-1].info = match[1], match[2]
        return True

    return rule


def _single(kind: str, line: re.Pattern[str]) -> _Rule:
    """A rule for one line that is no words."""

    def rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        match = _match(state, start, line)
        if match is None:
            return False
        if not silent:
            _push(state, kind, start, start + 1, column=0)
            state.tokens[-1].markup, state.tokens[-1].info = match[1], match[2]
        return True

    return rule


def _liquid(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A rule for tags that stand on lines of their own: ``{% include figure.html %}``."""
    if not liquid.shown(_line(state, start)).startswith("{%"):
        return False
    place: _Place | None = (start, 0)
    while place is not None:
        number, column = place
        rest = liquid.shown(_line(state, number))[column:]
        if column and not rest.strip():
            if not silent:
                _push(state, "liquid", start, number + 1, column=0)
            return True
        column += len(rest) - len(rest.lstrip())
        place = _behind_block_tag(state, number, column, end)
    # A tag that nothing closes, or with words behind it, is a part of a paragraph.
    return False


_Place = tuple[int, int]  # the number of a line, and a column of it


def _behind_block_tag(
    state: StateBlock, number: int, column: int, end: int
) -> _Place | None:
    """Where the tag ends that begins here, with its content if that is no prose.

    None if there is no tag, or one that may stand for words.
    """
    name = liquid.name_of(liquid.shown(_line(state, number))[column:])
    if not name or not _is_block_tag(state, name):
        return None
    last = min(end, number + _TAG_LINES)
    place = _behind(state, (number, column), last, _TAG_END)
    if place is not None and name in _WHOLE_TAGS:
        return _behind(state, place, end, liquid.ending_of(name))
    return place


def _is_block_tag(state: StateBlock, name: str) -> bool:
    """Whether a tag of this name makes or ends a block, on this page."""
    if name in liquid.BLOCK_TAGS or name.startswith("end"):
        return True
    known: dict[str, bool] = state.env.setdefault("block tags", {})
    if name not in known:
        known[name] = bool(liquid.ending_of(name).search(liquid.shown(state.src)))
    return known[name]


def _behind(
    state: StateBlock, place: _Place, end: int, pattern: re.Pattern[str]
) -> _Place | None:
    """Where the first match of ``pattern`` ends, from a place on up to the line ``end``."""
    # What one search has not found is not there for the next one, which begins below.
    known: set[tuple[str, int]] = state.env.setdefault("no ending", set())
    if (pattern.pattern, end) in known:
        return None
    first, column = place
    for number in range(first, end):
        match = pattern.search(liquid.shown(_line(state, number)), column)
        if match:
            return number, match.end()
        column = 0
    known.add((pattern.pattern, end))
    return None


def _match(
    state: StateBlock, number: int, pattern: re.Pattern[str]
) -> re.Match[str] | None:
    """What a whole line is; nothing if it is indented as code."""
    if state.is_code_block(number):
        return None
    return pattern.fullmatch(_line(state, number))


def _line(state: StateBlock, number: int) -> str:
    """A line without the marks of its containers."""
    begin = state.bMarks[number] + state.tShift[number]
    return state.src[begin : state.eMarks[number]]


def _push(state: StateBlock, kind: str, start: int, end: int, *, column: int) -> None:
    """Add a token for the lines up to ``end``; it has what stands below the first line."""
    token = state.push(kind, "", 0)
    token.map = [start, end]
    token.content = state.getLines(start + 1, end, column, False)
    if kind == "liquid":
        token.content = liquid.shown(state.getLines(start, end, 0, False))
    state.line = end
