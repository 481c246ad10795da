"""Plugin of markdown-it-py for attributes of blocks, for previews and the site.

In MyST, attributes are on the line above a block: ``{.class #name}``. In Python-Markdown and
kramdown they are at the end of a heading or block, with an optional colon: ``# Words {#name}``,
``{: .class }``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markdown_it.token import Token
from mdit_py_plugins.attrs import attrs_block_plugin
from mdit_py_plugins.attrs.parse import ParseError, parse

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore

# Other attributes could fetch a file or run a script.
ALLOWED = frozenset(("class", "id"))
_LIST = r"\{:?[ \t]*([^{}]+)\}"
_FIRST = re.compile(rf"{_LIST}[ \t]*(?:\n|$)")
_LAST = re.compile(rf"\n{_LIST}[ \t]*$")
_OF_HEADING = re.compile(rf"[ ]+{_LIST}[ ]*$")
# The colon of attributes behind a link, an image, code or emphasis. It is removed, because MyST
# does not accept it.
_COLON = re.compile(r"(?<=[\])`*_])\{:[ \t]*(?=[.#\w][^{}`]*\})")


def attributes_plugin(md: MarkdownIt) -> None:
    """Make ``md`` parse the attributes of blocks in all forms."""
    md.use(attrs_block_plugin, allowed=tuple(ALLOWED))
    md.core.ruler.after("attr", "attributes", _apply)


def _apply(state: StateCore) -> None:
    """Move attributes from the text of each block to the block's token."""
    tokens: list[Token] = []
    for token in state.tokens:
        tokens.append(token)
        if token.type == "inline" and "{" in token.content:
            # ``parseInline`` makes no token for the block. The text may be that of a heading, so
            # assume a heading.
            is_alone = len(tokens) == 1
            block = Token("heading_open", "", 1) if is_alone else tokens[-2]
            _take_from(token, block=block)
        # A paragraph that is now empty had nothing but attributes, meant for a table or code block
        # next to the paragraph. This plugin sets no attributes on tables and code blocks, so drop
        # the whole paragraph.
        if token.type == "paragraph_close" and not tokens[-2].content:
            del tokens[-3:]
        # A list without blank lines hides the elements of its paragraphs. Show the element that
        # has the attributes.
        elif token.type == "paragraph_close" and tokens[-3].attrs:
            token.hidden = tokens[-3].hidden = False
    state.tokens = tokens


def _take_from(inline: Token, *, block: Token) -> None:
    """Remove attributes from the text ``inline`` and set the allowed ones on its ``block``."""
    patterns = [_FIRST, _LAST]
    if block.type == "heading_open":
        patterns.append(_OF_HEADING)
    for pattern in patterns:
        match = pattern.search(inline.content)
        if match is None or (pattern is _FIRST and match.start()):
            continue
        try:
            _, found = parse(f"{{{match[1].strip()}}}")
        except ParseError:
            continue
        if not found.keys() & ALLOWED:
            continue
        inline.content = inline.content[: match.start()] + inline.content[match.end() :]
        for name in sorted(found.keys() & ALLOWED):
            block.attrSet(name, str(found[name]))
    inline.content = _COLON.sub("{", inline.content)
