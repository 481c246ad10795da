"""What a block token of markdown-it is to us: which kind of message its words are, and what of it
must stay as it is.
"""

from __future__ import annotations

from markdown_it.token import Token

from pipeline.core.document.message import Kind
from pipeline.core.document.split import Signature

# What the paragraphs within a container are, by its name.
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
# The same by the type of the token that opens or closes it.
CONTAINERS = {
    f"{name}_{end}": kind for name, kind in _KINDS.items() for end in ("open", "close")
}
# Blocks without blocks in them. The words of some are looked at all the same: of directives, HTML.
OPAQUE = FENCES | frozenset(
    "code_block math_block math_block_label html_block front_matter hr "
    "myst_target myst_line_comment myst_block_break mkdocs_block "
    "mkdocs_object".split()
)


def signature(token: Token) -> Signature:
    """What of a block with other blocks or words in it must be the same after a merge.

    An ordered list from 3 on is ``("ordered_list_open", "ol", ".", "start=3")``.
    """
    if not token.attrs:  # most have none
        return (token.type, token.tag, token.markup)
    attributes = (f"{key}={value}" for key, value in token.attrs.items())
    return (token.type, token.tag, token.markup, *attributes)


def opaque_signature(token: Token) -> Signature:
    """What of a block must be the same that is taken whole: all of it."""
    return (token.type, token.markup, token.info, token.content)
