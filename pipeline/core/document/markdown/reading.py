"""The grammars that Markdown is read with: MyST's, and the plainer one of jupytext.

Parsers are for reading only. They say where blocks are; nothing they make is ever rendered.
"""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from pipeline.core.document.markdown.dialects import use_dialect
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
