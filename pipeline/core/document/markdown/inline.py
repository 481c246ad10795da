"""The inline content of a block of MyST Markdown, read once for whoever asks.

The guard asks first, then the checks. Most messages have no markup but code and roles, and those
are told without a parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from markdown_it.token import Token

from pipeline.core.document.markdown.reading import parser

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
