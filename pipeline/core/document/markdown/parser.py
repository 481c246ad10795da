"""Parsers of Markdown for the dialects MyST, MkDocs and CommonMark, and for jupytext.

The parsers produce tokens; nothing is rendered. Pages of MkDocs may have the blocks of
Python-Markdown (``admonition``), PyMdown (``details``, ``tabbed``, ``snippets``) and mkdocstrings
(``:::``).

Of the blocks, this module knows the kind of message in each container, and the parts that a merge
must keep. HTML blocks may have prose between their tags, which :func:`html_tags` finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
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

from pipeline.core.document.message import Kind, Signature
from pipeline.reading import Dialect

_PARAGRAPH = ["paragraph_open", "inline", "paragraph_close"]
_FOOTNOTE_MARK = re.compile(r"\[\^[^\] \n]+\]")


class _Parser(MarkdownIt):
    """Parser that accepts every link target, so that the guard examines it as a target.

    markdown-it rejects unsafe targets: it treats ``[words](javascript:x)`` as text.
    """

    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Accept every URL."""
        return True


def _footnote_ref(state: StateInline, silent: bool) -> bool:
    """Apply the rule of the footnote plugin, but only at a complete footnote mark.

    At each ``[^`` without an end, the plugin's rule would scan the rest of the text. That takes
    quadratic time.
    """
    if not _FOOTNOTE_MARK.match(state.src, state.pos, state.posMax):
        return False
    return footnote_ref(state, silent, always_match=True)


@cache
def parser(*, page: bool = False, dialect: Dialect = Dialect.MYST) -> MarkdownIt:
    """Return the parser of a dialect. If ``page`` is true, it also parses front matter."""
    md = _Parser("commonmark").enable(["table", "strikethrough"])
    if dialect is not Dialect.COMMONMARK:
        # As in MyST, $$x$$ inside a line is a single formula.
        md.use(dollarmath_plugin, double_inline=True)
        md.use(deflist_plugin)
        md.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
        md.inline.ruler.at("footnote_ref", _footnote_ref)
    if dialect is Dialect.MYST:
        md.use(myst_block_plugin)
        md.use(myst_role_plugin)
        md.use(colon_fence_plugin)
    if dialect is Dialect.MKDOCS:
        # These rules take precedence over all others.
        rules = {
            "mkdocs_block": _rule("mkdocs_block", _BLOCK, indent=_INDENT),
            "mkdocs_object": _rule("mkdocs_object", _OBJECT, indent=_INDENT),
            "mkdocs_snippet": _rule("mkdocs_object", _SNIPPET),
        }
        for name, rule in rules.items():
            md.block.ruler.before("table", name, rule, _INTERRUPTS)
    mark = _rule("mark_line", MARK_LINE)
    md.block.ruler.before("fence", "mark_line", mark, _INTERRUPTS)
    return md.use(front_matter_plugin) if page else md


def is_paragraph(text: str) -> bool:
    """Return whether a page that consists of ``text`` would be one paragraph.

    False for ``"- 文字"`` (a list), ``"[a]: b"`` (a link definition) and ``"文字\\n===="`` (a
    heading).
    """
    tokens: list[Token] = []
    md = parser()
    md.block.parse(text, md, {}, tokens)
    types = [token.type for token in tokens]
    # The parser removes link definitions from the content of a paragraph.
    return types == _PARAGRAPH and tokens[1].content == text


@cache
def plain_parser() -> MarkdownIt:
    """Return a parser with the syntax that jupytext uses for MyST notebooks.

    jupytext supports no definition lists, footnotes, colon fences or formulas.
    """
    md = _Parser("commonmark").enable("table")
    return md.use(front_matter_plugin).use(myst_block_plugin).use(myst_role_plugin)


_INDENT = 4
# !!! note "A title", ??? tip, ???+ tip, === "A tab"
_BLOCK = re.compile(r'(!!!|\?\?\?\+?|===[!+]?(?=[ \t]+"))[ \t]+(\S.*)')
_OBJECT = re.compile(r"(:::)[ \t]+([\w.]+[ \t]*)")
_SNIPPET = re.compile(r"(-+8<-+)(.*)")
# A line that sets a property of an adjacent or surrounding block. The line has the kind of an alert
# (GitHub's "[!NOTE]"), or attributes (MyST's "{.class #id}", kramdown's "{: .class }"). It must
# stay a line of its own: as part of a paragraph, it would be visible text.
MARK_LINE = re.compile(
    r"""
    ( \[!\w[\w-]*\][-+]? | \{ (?: :[ \t]*\S | [ \t]*(?:[.\#]\w|[\w-]+=) ) [^{}]* \} )
    ([ \t]*)
    """,
    re.VERBOSE,
)
_INTERRUPTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}

_Rule = Callable[[StateBlock, int, int, bool], bool]


def _rule(kind: str, first_line: re.Pattern[str], *, indent: int = 0) -> _Rule:
    """Return a rule for a block: a line that matches ``first_line``.

    With ``indent``, the lines below that are indented by so many columns belong to the block.
    """

    def rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        # A line that is indented as code never matches.
        if state.is_code_block(start):
            return False
        # Leave out the prefixes of the line's containers.
        begin = state.bMarks[start] + state.tShift[start]
        match = first_line.fullmatch(state.src[begin : state.eMarks[start]])
        if match is None or silent:
            return match is not None
        column = state.sCount[start] + indent
        last = after = start + 1
        is_long = bool(indent)
        while is_long and after < end and (state.isEmpty(after) or state.sCount[after] >= column):
            after += 1
            # A blank line belongs to the block only if another indented line follows.
            if not state.isEmpty(after - 1):
                last = after
        token = state.push(kind, "", 0)
        token.map = [start, last]
        token.markup, token.info = match[1], match[2]
        token.content = state.getLines(start + 1, last, column, False)
        state.line = last
        return True

    return rule


# Cache the tokens, because the checks parse the same texts right after the guard.
@lru_cache(maxsize=16)
def inline_tokens(text: str) -> tuple[Token, ...]:
    """Return the inline tokens of ``text``. Callers must not modify them."""
    md = parser()
    tokens: list[Token] = []
    md.inline.parse(text, md, {}, tokens)
    return tuple(tokens)


# The kind of a container's paragraphs, by its token name.
_KINDS = {
    "list_item": Kind.LIST_ITEM,
    "blockquote": Kind.QUOTE,
    "footnote_reference": Kind.FOOTNOTE,
    "dt": Kind.TERM,
    "dd": Kind.DEFINITION,
    "th": Kind.TABLE_CELL,
    "td": Kind.TABLE_CELL,
}
FENCES = frozenset(("fence", "colon_fence"))
# The kind of a container's paragraphs, by the types of its opening and closing tokens.
CONTAINERS = {f"{name}_{end}": kind for name, kind in _KINDS.items() for end in ("open", "close")}
# Blocks whose content the parser does not split further. Some of them may have words: directives,
# HTML and front matter.
OPAQUE = FENCES | frozenset(
    "code_block math_block math_block_label html_block front_matter hr "
    "myst_target myst_line_comment myst_block_break mkdocs_block "
    "mkdocs_object mark_line".split()
)


def signature(token: Token) -> Signature:
    """Return the parts of a block token that a merge must not change.

    An ordered list that starts at 3 gives ``("ordered_list_open", "ol", ".", "start=3")``.
    """
    if not token.attrs:  # fast path for most tokens
        return (token.type, token.tag, token.markup)
    attributes = (f"{key}={value}" for key, value in token.attrs.items())
    return (token.type, token.tag, token.markup, *attributes)


def opaque_signature(token: Token) -> Signature:
    """Return the signature of a block that must not change at all."""
    return (token.type, token.markup, token.info, token.content)


# HTML blocks that CommonMark does not treat as ordinary elements: comments, declarations, raw text.
RAW_HTML = re.compile(r"<[!?]|<(?:script|pre|style|textarea)\b", re.IGNORECASE)
# Elements whose content is not prose. They may be anywhere in the block.
HTML_CODE = re.compile(r"<(?:script|pre|style|textarea|svg|iframe|object)\b", re.IGNORECASE)
_TAG = re.compile(
    r"""
      <!--.*?-->
    | <[^<>"']*
      (?: "[^"]*"[^<>"']* | '[^']*'[^<>"']* )*    # a ">" inside of quotes does not end a tag
      >
    """,
    re.VERBOSE | re.DOTALL,
)
# The start of an <img> tag up to its text (group 1), and the text (group 2).
HTML_IMAGE = re.compile(r'(<img\b[^<>]*?\salt=")([^"<>]*)', re.IGNORECASE)


def html_tags(text: str) -> tuple[str, ...]:
    """Return all tags and comments in a piece of HTML in order, as written.

    ``'<a title="1 > 0">words</a>'`` gives ``'<a title="1 > 0">'`` and ``"</a>"``.
    """
    return tuple(_TAG.findall(text))
