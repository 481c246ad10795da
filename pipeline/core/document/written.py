"""What a renderer could make active wherever it is written: tags, addresses, macros of math.

Renderers differ: marked and MathJax read a notebook, MyST-Parser a page. So these are looked for
in the text as it is written, and no parser is asked whether they mean anything there.
"""

from __future__ import annotations

import re

# A tag with its attributes, as far as they look like some.
_HTML = re.compile(
    r"""
      <[A-Za-z/!?] [^\s>]*
      (?: \s+ [\w:@.-]+ \s*=\s* (?: "[^"]*" | '[^']*' | [^\s<>"']+ ) )*
    """,
    re.VERBOSE | re.ASCII,
)
_LINK_TARGET = re.compile(r"\]\(\s*<?([^\s()<>]*)")
_URL = re.compile(
    r"""
    (?: [a-z][a-z0-9+.-]{0,40}:// | www\. | (?<![^\s<(])//(?=\w) )
    [\w/?\#&=%~:@+-]+
    (?: [.,;!][\w/?\#&=%~:@+-]+ )*          # a full stop at the end is no part of it
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_PAYLOAD = re.compile(r"data:#\d+")
_SCHEME = re.compile(
    r"(?:java|vb)script:|https?:(?=[\w/])|\bdata:(?=[\w#;,])|file:(?=/)",
    re.IGNORECASE | re.ASCII,
)
_SUBSTITUTION = re.compile(r"\{\{|\{%")
_MATH_MACRO = re.compile(r"\\[A-Za-z]+")
# Attributes of what stands before them or below their line: [words]{.class}, {#name}; with a colon
# those of kramdown and Python-Markdown, which may stand apart.
_ATTRIBUTES = re.compile(
    r"""
    (?: (?<=[\])`>*_$]) | ^[ ]* (?=\{[^{}]*\}\s*$) | (?=\{:) )
    \{ :? \s* (?:[.\#]|[\w:-]+\s*=) [^{}]* \}
    """,
    re.VERBOSE | re.MULTILINE,
)
# Names for people, and how each is found. The order is that in which a refusal names them.
WRITTEN = {
    "HTML": _HTML,
    "link target": _LINK_TARGET,
    "URL": _URL,
    "payload": _PAYLOAD,
    "scheme": _SCHEME,
    "substitution": _SUBSTITUTION,
    "math macro": _MATH_MACRO,
    "attributes": _ATTRIBUTES,
}
# One of these stands in whatever the patterns find, in lower case: most texts have none of it.
_MAYBE_WRITTEN = re.compile(r"<|\]\(|//|www\.|data:|script:|https?:|file:|\{|\\")


def may_hold_written(text: str) -> bool:
    """False if none of the patterns can find anything in ``text``."""
    return bool(_MAYBE_WRITTEN.search(text.lower()))


def find_written(name: str, text: str) -> list[str]:
    """What the pattern of this name finds in ``text``, in order.

    ``"HTML"`` finds ``["<b", "</b"]`` in ``"<b>words</b>"``.
    """
    return WRITTEN[name].findall(text)
