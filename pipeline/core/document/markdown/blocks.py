"""Blocks of Markdown: the kind of message that a block holds, and what of it must stay.

Blocks of HTML are looked into: some hold prose between their tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.token import Token

from pipeline.core.document.message import Kind, Signature

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


# Blocks that CommonMark does not take for ordinary elements: comments, declarations, raw text.
_OPAQUE = re.compile(r"<[!?]|<(?:script|pre|style|textarea)\b", re.IGNORECASE)
# Elements whose text is no prose, wherever in the block they stand.
_CODE = re.compile(r"<(?:script|pre|style|textarea|svg|iframe|object)\b", re.IGNORECASE)
_TAG = re.compile(
    r"""
      <!--.*?-->
    | <[^<>"']*
      (?: "[^"]*"[^<>"']* | '[^']*'[^<>"']* )*    # a ">" within quotes ends no tag
      >
    """,
    re.VERBOSE | re.DOTALL,
)
_IMAGE = re.compile(r'<img\b[^<>]*?\salt="([^"<>]*)', re.IGNORECASE)


def html_tags(text: str) -> tuple[str, ...]:
    """Every tag and comment of a piece of HTML, in order, as they are written.

    ``'<a title="1 > 0">words</a>'`` has ``'<a title="1 > 0">'`` and ``"</a>"``.
    """
    return tuple(_TAG.findall(text))


def is_raw(html: str) -> bool:
    """Whether a block, without the white space around it, holds no elements at all to look into."""
    return _OPAQUE.match(html) is not None


def holds_code(html: str) -> bool:
    """Whether anything in it is code or a drawing."""
    return _CODE.search(html) is not None


def comments(text: str) -> Iterator[str]:
    """What the comments in a piece of HTML say, without ``<!--`` and ``-->``."""
    for tag in html_tags(text):
        if tag.startswith("<!--"):
            yield tag[4:-3]


def image_texts(line: str) -> Iterator[re.Match[str]]:
    """The texts of the images in a line; group 1 is the text."""
    return _IMAGE.finditer(line)


def without_image_texts(html: str) -> str:
    """``html`` without those texts."""
    return _IMAGE.sub(_before_the_text, html)


def _before_the_text(match: re.Match[str]) -> str:
    """The start of an ``<img>`` tag, up to what its text would be."""
    return match[0][: match.start(1) - match.start()]
