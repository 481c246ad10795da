"""Parsers of Markdown: the grammar of MyST, of mkdocs, and the plainer one of jupytext.

They are for reading only: they find blocks and inline marks, and nothing is ever rendered. Blocks
of mkdocs follow Python-Markdown's ``admonition``, PyMdown's ``details``, ``tabbed`` and
``snippets``, and mkdocstrings' ``:::``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from pipeline.reading import Dialect

_FOOTNOTE_MARK = re.compile(r"\[\^[^\] \n]+\]")


class _Parser(MarkdownIt):
    """Takes every link target for one.

    What a renderer may refuse is still no prose, and the guard wants to see it.
    """

    def validateLink(self, url: str) -> bool:  # noqa: N802
        """markdown-it would leave ``[words](javascript:x)`` as it is written."""
        return True


def _footnote_ref(state: StateInline, silent: bool) -> bool:
    """The plugin's rule, asked only where there is a mark.

    By itself it goes through the rest of the text, character by character, at each ``[^``.
    """
    if not _FOOTNOTE_MARK.match(state.src, state.pos, state.posMax):
        return False
    return footnote_ref(state, silent, always_match=True)


@cache
def parser(*, page: bool = False, dialect: Dialect = Dialect.MYST) -> MarkdownIt:
    """The grammar as upstream's site reads it. ``page`` also reads front matter."""
    md = _Parser("commonmark").enable(["table", "strikethrough"])
    if dialect is not Dialect.COMMONMARK:
        # As MyST does: in a line, too, $$x$$ is one formula, and no words stand between two.
        md.use(dollarmath_plugin, double_inline=True)
        md.use(deflist_plugin)
        md.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
        md.inline.ruler.at("footnote_ref", _footnote_ref)
    if dialect is Dialect.MYST:
        md.use(myst_block_plugin)
        md.use(myst_role_plugin)
        md.use(colon_fence_plugin)
    use_dialect(md, dialect)
    return md.use(front_matter_plugin) if page else md


@cache
def plain_parser() -> MarkdownIt:
    """The grammar that jupytext reads MyST notebooks with.

    It knows no definition lists, footnotes, colon fences or math.
    """
    md = _Parser("commonmark").enable("table")
    return md.use(front_matter_plugin).use(myst_block_plugin).use(myst_role_plugin)


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


_MARK = re.compile(r"[\n\\`*_~\[<&{$]")  # where the parser's rules begin
# A code span (group 1: its ticks, 2: its code), or a role in single backquotes (3: its name,
# 4: its content).
_CODE = re.compile(
    r"""
      (?<!`)(?P<ticks>`+)(?!`)(.*?[^`])(?P=ticks)(?!`)
    | \{([A-Za-z0-9_+:-]+)\}`([^`]+)`(?!`)
    """,
    re.VERBOSE | re.DOTALL,
)
_PERIOD = 5  # of a text split by it: what stands before, and the four groups
_PADDED = re.compile(r" .*[^ ].* ")


# The checks look at the two texts that the guard has just looked at.
@lru_cache(maxsize=16)
def inline_tokens(text: str) -> tuple[Token, ...]:
    """What the parser makes of ``text``: to be looked at, not to be changed."""
    pieces = _CODE.split(text)
    if "\n" not in text and not _MARK.search("".join(pieces[::_PERIOD])):
        return tuple(_simple(pieces))
    md = parser()
    tokens: list[Token] = []
    md.inline.parse(text, md, {}, tokens)
    return tuple(tokens)


def _simple(pieces: list[str]) -> Iterator[Token]:
    """The tokens of plain text with code and roles in it.

    ``pieces`` are the text split by ``_CODE``: "use `jit` here" is "use ", "`", "jit", None, None,
    " here", and becomes a token of text, one of code, and one of text.
    """
    # The last words have no code behind them: fill up their period.
    pieces = [*pieces, "", "", "", ""]
    for at in range(0, len(pieces), _PERIOD):
        words, ticks, code, role, content = pieces[at : at + _PERIOD]
        if words:
            yield Token("text", "", 0, content=words)
        if ticks:
            # A space at either end makes room for a backquote and is not shown.
            shown = code[1:-1] if _PADDED.fullmatch(code) else code
            yield Token("code_inline", "code", 0, content=shown, markup=ticks)
        elif role:
            yield Token("myst_role", "", 0, content=content, meta={"name": role})
