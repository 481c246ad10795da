"""Markdown blocks: the kind of message in each block, and the parts that a merge must keep.

HTML blocks may have prose between their tags. :func:`html_tags` finds these tags.
"""

from __future__ import annotations

import re

from markdown_it.token import Token

from pipeline.core.document.message import Kind, Signature

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
CONTAINERS = {
    f"{name}_{end}": kind for name, kind in _KINDS.items() for end in ("open", "close")
}
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
HTML_CODE = re.compile(
    r"<(?:script|pre|style|textarea|svg|iframe|object)\b", re.IGNORECASE
)
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
