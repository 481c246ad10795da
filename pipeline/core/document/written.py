"""What a renderer could make active wherever it is written: tags, addresses, macros of math.

Renderers differ: marked and MathJax read a notebook, MyST-Parser a page. So these are looked for
in the text as it is written, and no parser is asked whether they mean anything there.
"""

from __future__ import annotations

import re

_HTML = re.compile(
    r"""
      \{[\w+:-]+\}`[^`<>\n]*<[^`<>\s]*>`    # a role with a target, which is no HTML: {ref}`a <b>`
    | (<[A-Za-z/!?][^\s<>]*)
    """,
    re.VERBOSE,
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
# Macros of TeX that MathJax knows and that reach out of the formula.
_MATH_MACRO = re.compile(
    r"""
    \\(?:
        (?:href|url)\s*\{[^{}]*
      | require | mmlToken | cssId | class | style | bbox | unicode | html\w* | data
      | includegraphics | global
      | [gex]?def | (?:future)?let | (?:re|provide)?(?:new)?command | (?:re)?newenvironment
      | DeclareMathOperator
    )(?![A-Za-z])
    """,
    re.VERBOSE,
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
}
# One of these stands in whatever the patterns find, in lower case: most texts have none of it.
_MAYBE_WRITTEN = re.compile(r"<|\]\(|//|www\.|data:|script:|https?:|file:|\{\{|\{%|\\")


def may_hold_written(text: str) -> bool:
    """False if none of the patterns can find anything in ``text``."""
    return bool(_MAYBE_WRITTEN.search(text.lower()))


def find_written(name: str, text: str) -> list[str]:
    """What the pattern of this name finds in ``text``, in order.

    ``"HTML"`` finds ``["<b", "</b"]`` in ``"{ref}`a <b>` and <b>words</b>"``.
    """
    # What only looks like HTML, the target of a role, gives an empty piece.
    return [piece for piece in WRITTEN[name].findall(text) if piece]
