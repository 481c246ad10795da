"""Blocks of another Markdown than MyST's: of mkdocs with its extensions.

Each is found by a rule of markdown-it's, as one token with all that belongs to it. What in it is
words is for ``split`` to say. Sources: Python-Markdown's ``admonition``, PyMdown's ``details``,
``tabbed`` and ``snippets``, and mkdocstrings' ``:::``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

from pipeline.reading import Dialect

_INDENT = 4
# !!! note "A title", ??? tip, ???+ tip, === "A tab"
_BLOCK = re.compile(r'(!!!|\?\?\?\+?|===[!+]?(?=[ \t]+"))[ \t]+(\S.*)')
_OBJECT = re.compile(r"(:::)[ \t]+([\w.]+[ \t]*)")
_SNIPPET = re.compile(r"(-+8<-+)(.*)")
_INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}

_Rule = Callable[[StateBlock, int, int, bool], bool]


def use_dialect(md: MarkdownIt, dialect: Dialect) -> None:
    """Let a parser find the blocks of a dialect, before all others."""
    if dialect is not Dialect.MKDOCS:
        return
    rules = {
        "mkdocs_block": _indented("mkdocs_block", _BLOCK),
        "mkdocs_object": _indented("mkdocs_object", _OBJECT),
        "mkdocs_snippet": _single("mkdocs_object", _SNIPPET),
    }
    for name, rule in rules.items():
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
    state.line = end
