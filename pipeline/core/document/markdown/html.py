"""Blocks of HTML in Markdown: which of them hold prose, and what of them has to stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
