"""The inline content of a block of MyST Markdown, read once for whoever asks: the guard, then the checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from markdown_it.token import Token

from pipeline.core.myst import split as markdown

_MARK = re.compile(r"[\n\\`*_~\[<&{$]")  # where the parser's rules begin
# A code span, or a role in single backquotes: most messages have no other markup, and these two are told without a parser.
_CODE = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`)(.*?[^`])(?P=ticks)(?!`)|\{([A-Za-z0-9_+:-]+)\}`([^`]+)`(?!`)",
    re.DOTALL,
)
_PADDED = re.compile(r" .*[^ ].* ")


@lru_cache(maxsize=16)  # the checks look at the two texts that the guard has just looked at
def inline_tokens(text: str) -> tuple[Token, ...]:
    """What the parser makes of ``text``: to be looked at, not to be changed."""
    pieces = _CODE.split(text)
    if "\n" not in text and not _MARK.search("".join(pieces[::5])):
        return tuple(_simple(pieces))
    md = markdown.parser()
    tokens: list[Token] = []
    md.inline.parse(text, md, {}, tokens)
    return tuple(tokens)


def _simple(pieces: list[str]) -> Iterator[Token]:
    """The tokens of plain text with code and roles in it."""
    for at in range(0, len(pieces), 5):
        words, ticks, code, role, content = (*pieces[at : at + 5], "", "", "", "")[:5]
        if words:
            yield Token("text", "", 0, content=words)
        if ticks:
            yield Token(
                "code_inline",
                "code",
                0,
                content=code[1:-1] if _PADDED.fullmatch(code) else code,
                markup=ticks,
            )
        elif role:
            yield Token("myst_role", "", 0, content=content, meta={"name": role})
